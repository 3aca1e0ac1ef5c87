/*
 * locate.c: where a value stands in the JSON it is part of, found when an error needs it. Every value knows its byte
 * range, so the way down from the root is the child whose range holds the target's: no path has to be kept while
 * compiling and validating, when nearly always nobody asks.
 */
#include "schema/compiled.h"
#include "schema/excerpt.h"

static void add_pointer_token(struct hv_buf *buf, struct hv_str token)
{
    hv_buf_add_byte(buf, '/');
    for (size_t i = 0; i < token.len; i++) {
        if (token.ptr[i] == '~')
            hv_buf_add_cstr(buf, "~0");
        else if (token.ptr[i] == '/')
            hv_buf_add_cstr(buf, "~1");
        else
            hv_buf_add_byte(buf, token.ptr[i]);
    }
}

static void add_step(struct hv_buf *buf, const struct hv_json *parent, const struct hv_json *child, size_t index,
                     bool readable)
{
    if (parent->type == HV_JSON_ARRAY)
        hv_buf_addf(buf, readable ? "[%zu]" : "/%zu", index);
    else if (readable)
        excerpt_path_name(buf, child->key);
    else
        add_pointer_token(buf, child->key);
}

void locate(struct hv_buf *buf, const struct hv_json *root, const struct hv_json *target, bool readable)
{
    const struct hv_json *at = root;
    while (at && at != target) {
        const struct hv_json *child = at->first;
        size_t index = 0;
        for (; child && !(child->start <= target->start && target->end <= child->end); child = child->next)
            index++;
        if (child)
            add_step(buf, at, child, index, readable);
        at = child;
    }
}
