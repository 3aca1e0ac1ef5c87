/* helve.h: all contracts of helve in one include. Start with tool.h to write a tool, json.h and str.h for the rest. */
#ifndef HELVE_HELVE_H
#define HELVE_HELVE_H

#include <helve/content.h>
#include <helve/error.h>
#include <helve/event.h>
#include <helve/host.h>
#include <helve/json.h>
#include <helve/show.h>
#include <helve/str.h>
#include <helve/tool.h>

#define HELVE_VERSION "0.1.0"

#endif
