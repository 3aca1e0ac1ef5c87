/* tool_name.h: the names of tools as models write them. Pure. */
#ifndef TEXT_TOOL_NAME_H
#define TEXT_TOOL_NAME_H

#include <helve/str.h>

/*
 * The name without what some models and servers put around it: a tail of their own markup ("Read<|channel|>json"), the
 * namespace of their training ("functions.Read", "default_api:Read"), quotes, the number of a call
 * ("functions.Read:0"). A view of name; name itself when it has none of these.
 */
struct hv_str tool_name_bare(struct hv_str name);

#endif
