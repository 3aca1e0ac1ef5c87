/* danger_flow.h: the dangers that show only in how commands are joined; see danger.h. Inner to src/shell. */
#ifndef SHELL_DANGER_FLOW_H
#define SHELL_DANGER_FLOW_H

#include "shell/danger.h"

enum { DANGER_FLOW_MAX = 4 };

#define DANGER_TOO_MUCH "it starts more than can be looked at"

/* Programs straight from the network, shells that others reach over it, fork bombs. At most DANGER_FLOW_MAX to out;
 * how many. */
size_t danger_find_flows(const struct shell_script *script, const struct shell_runs *runs, struct shell_danger *out);

#endif
