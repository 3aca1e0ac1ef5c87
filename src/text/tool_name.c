/* tool_name.c: see tool_name.h. */
#include "text/tool_name.h"

struct hv_str tool_name_bare(struct hv_str name)
{
    static const char *const prefixes[] = {"functions.", "function.", "tools.", "tool.", "default_api.",
                                           "functions:", "function:", "tools:", "tool:", "default_api:"};
    struct hv_str bare = hv_str_trim(hv_str_slice(name, 0, hv_str_find(name, HV_STR("<|"), 0)));
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        struct hv_str prefix = hv_str_from(prefixes[i]);
        if (hv_str_starts(bare, prefix) && bare.len > prefix.len)
            return hv_str_slice(bare, prefix.len, bare.len);
    }
    return bare.len ? bare : name;
}
