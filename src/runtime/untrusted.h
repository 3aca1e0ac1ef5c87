/* untrusted.h: how text from outside (web, servers) is marked for a model, whatever the shape of the answer. */
#ifndef RUNTIME_UNTRUSTED_H
#define RUNTIME_UNTRUSTED_H

#include <helve/str.h>

/* Append text, wrapped so that it cannot end its own wrapping. */
void untrusted_put(struct hv_buf *out, struct hv_str text);

#endif
