/* read.c: shell_read, the door to both passes. */
#include "shell/resolve.h"

static void release(struct reader *reader)
{
    vec_release(&reader->nodes);
    vec_release(&reader->tape);
    vec_release(&reader->parts);
    vec_release(&reader->words);
    vec_release(&reader->assignments);
    vec_release(&reader->redirects);
    vec_release(&reader->documents);
    vec_release(&reader->functions);
}

/* The first byte that bash drops or uses for itself: the text is read up to it only. */
static size_t readable_length(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == 0 || text.ptr[i] == 1 || text.ptr[i] == 0x7f)
            return i;
    return text.len;
}

static void read_script(struct reader *reader)
{
    if (!read_newlines(reader) || read_peek(reader, 0) < 0)
        return;
    if (!read_list(reader))
        return;
    if (read_peek(reader, 0) >= 0)
        (void)read_stop(reader, "something that cannot stand where it stands");
    else if (reader->documents.count && !read_documents(reader)) /* without a body */
        return;
}

void shell_read(struct hv_arena *arena, struct hv_str text, const struct shell_start *start, struct shell_script *out)
{
    struct reader reader = {.arena = arena, .parent = READ_NO_PARENT};
    *out = (struct shell_script){0};
    if (text.len > SHELL_SCRIPT_MAX) {
        out->reason = "longer than a script may be";
        out->place = SHELL_SCRIPT_MAX;
        return;
    }
    size_t length = readable_length(text);
    reader.source.text = hv_str_of(text.ptr ? text.ptr : "", length);
    *vec_push(&reader.tape) = (struct op){OP_NONE, 0}; /* so that no stretch of operations begins at 0 */
    read_script(&reader);
    if (length < text.len && (!reader.reason || reader.place > length)) {
        reader.reason = "a control character that bash uses for itself";
        reader.place = length;
    }
    resolve_script(&reader, start, out);
    out->accepted = !reader.reason;
    out->open_document = reader.open_document;
    out->reason = reader.reason;
    out->place = reader.reason ? reader.place : 0;
    release(&reader);
}
