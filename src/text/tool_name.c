/* tool_name.c: see tool_name.h. */
#include "text/tool_name.h"

#include <string.h>

/* Without what stands around it: blanks, quotes, and the number of a call behind its name (Kimi: functions.Read:0). */
static struct hv_str strip(struct hv_str name)
{
    size_t colon = hv_str_rfind_byte(name, ':'), digits = 0;
    for (size_t i = colon == SIZE_MAX ? name.len : colon + 1; i < name.len; i++)
        digits += name.ptr[i] >= '0' && name.ptr[i] <= '9';
    if (digits && digits == name.len - colon - 1)
        name = hv_str_slice(name, 0, colon);
    while (name.len && strchr(" \t\r\n\"'`", name.ptr[0]))
        name = hv_str_slice(name, 1, name.len);
    while (name.len && strchr(" \t\r\n\"'`", name.ptr[name.len - 1]))
        name.len--;
    return name;
}

static size_t first_of(struct hv_str name, const char *bytes)
{
    size_t at = 0;
    while (at < name.len && !strchr(bytes, name.ptr[at]))
        at++;
    return at;
}

struct hv_str tool_name_bare(struct hv_str name)
{
    static const char *const prefixes[] = {
        "to=",        "functions.", "function.", "tools.", "tool.",       "default_api.",
        "functions:", "function:",  "tools:",    "tool:",  "default_api:"};
    struct hv_str bare = strip(hv_str_slice(name, 0, first_of(name, "<({[\n")));
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        struct hv_str prefix = hv_str_from(prefixes[i]);
        if (hv_str_starts(bare, prefix) && bare.len > prefix.len)
            bare = hv_str_slice(bare, prefix.len, bare.len);
    }
    return bare.len ? bare : name;
}
