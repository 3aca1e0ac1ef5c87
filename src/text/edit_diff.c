/*
 * edit_diff.c: see edit_diff.h. The lines from the first splice to the last are compared, with some of what follows: an
 * insertion may repeat the lines behind it, and is then shown behind the last of them. Where some are not enough, more
 * are taken.
 */
#include "text/edit_diff.h"

#include "text/lines.h"

#include <string.h>

enum { FOLLOWING = 4096, MORE = 16 };

struct pieces edit_pieces(struct hv_arena *arena, struct hv_str file, const struct edit *edit)
{
    struct hv_str *items = hv_arena_array(arena, struct hv_str, 2 * edit->count + 1);
    size_t from = 0, count = 0;
    for (size_t i = 0; i < edit->count; i++) {
        items[count++] = hv_str_slice(file, from, edit->splices[i].start);
        items[count++] = edit->splices[i].replacement;
        from = edit->splices[i].end;
    }
    items[count++] = hv_str_slice(file, from, file.len);
    return (struct pieces){items, count};
}

/* The edited form of file[from, to), which holds all splices. */
static struct hv_str edited_part(struct hv_arena *arena, struct hv_str file, const struct edit *edit, size_t from,
                                 size_t to)
{
    size_t len = edit->size_after - from - (file.len - to), at = from, used = 0;
    char *bytes = hv_arena_alloc(arena, len);
    for (size_t i = 0; i <= edit->count; i++) {
        bool is_last = i == edit->count;
        struct hv_str kept = hv_str_slice(file, at, is_last ? to : edit->splices[i].start);
        struct hv_str put = is_last ? HV_STR("") : edit->splices[i].replacement;
        if (kept.len)
            memcpy(bytes + used, kept.ptr, kept.len);
        used += kept.len;
        if (put.len)
            memcpy(bytes + used, put.ptr, put.len);
        used += put.len;
        at = is_last ? to : edit->splices[i].end;
    }
    return hv_str_of(bytes, used);
}

static size_t line_after(struct hv_str text, size_t at)
{
    size_t finish = lines_finish(text, at);
    return finish < text.len ? finish + 1 : text.len;
}

void edit_diff(struct hv_arena *arena, struct hv_str file, const struct edit *edit, struct diff *diff)
{
    size_t end = edit->splices[edit->count - 1].end;
    struct diff_part part = {.from = lines_begin(file, edit->splices[0].start)};
    bool is_known = edit->first_line > 0;
    part.lines_before = lines_newlines(hv_str_slice(file, is_known ? edit->first_at : 0, part.from));
    part.lines_before += is_known ? edit->first_line - 1 : 0;
    for (size_t following = FOLLOWING;; following *= MORE) {
        part.to = following < file.len - end ? line_after(file, end + following) : file.len;
        part.new_part = edited_part(arena, file, edit, part.from, part.to);
        if (diff_lines_of_part(arena, file, &part, diff))
            return;
    }
}
