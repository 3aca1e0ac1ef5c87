/* scan_names.c: see scan_names.h. */
#include "fs/scan_names.h"

#include "base/vec.h"

#include <stdlib.h>

void scan_names_clear(struct scan_names *names)
{
    names->bytes.max = names->bytes_max + 1;
    hv_buf_clear(&names->bytes);
    names->count = names->dropped = 0;
}

void scan_names_release(struct scan_names *names)
{
    hv_buf_release(&names->bytes);
    vec_release(names);
}

struct hv_str scan_names_text(const struct scan_names *names, const struct scan_name *name)
{
    return hv_str_of(names->bytes.data + name->at, name->len);
}

static int compare_names(const void *a, const void *b, void *names)
{
    return hv_str_compare(scan_names_text(names, a), scan_names_text(names, b));
}

void scan_names_sort(struct scan_names *names)
{
    if (names->count)
        qsort_r(names->items, names->count, sizeof *names->items, compare_names, names);
}

/* Drop the second half in the order. */
static void drop_half(struct scan_names *names)
{
    struct hv_buf kept;
    hv_buf_init(&kept, names->bytes_max + 1);
    scan_names_sort(names);
    names->dropped += names->count - names->count / 2;
    names->count /= 2;
    for (size_t i = 0; i < names->count; i++) {
        struct scan_name *name = &names->items[i];
        struct hv_str text = scan_names_text(names, name);
        name->at = (uint32_t)kept.len;
        hv_buf_add(&kept, text.ptr, text.len + 1);
    }
    hv_buf_release(&names->bytes);
    names->bytes = kept;
}

void scan_names_add(struct scan_names *names, struct hv_str name, enum hv_file_kind kind, bool ignored)
{
    if (names->bytes.len + name.len + 1 > names->bytes_max)
        drop_half(names);
    struct scan_name added = {
        .at = (uint32_t)names->bytes.len, .len = (uint32_t)name.len, .kind = (uint8_t)kind, .ignored = ignored};
    hv_buf_add_str(&names->bytes, name);
    hv_buf_add_byte(&names->bytes, '\0');
    if (!names->bytes.failed)
        *vec_push(names) = added;
}
