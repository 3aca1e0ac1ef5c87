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

static inline bool ends_text(char byte)
{
    return (byte == 0) | (byte == 1) | (byte == 0x7f);
}

/* The first byte that bash drops or uses for itself: the text is read up to it only. */
static size_t readable_length(struct hv_str text)
{
    enum { STEP = 64 }; /* at once, as hardly any text has one */
    size_t at = 0;
    for (; at + STEP <= text.len; at += STEP) {
        unsigned char found = 0;
        for (size_t i = at; i < at + STEP; i++)
            found |= ends_text(text.ptr[i]);
        if (found)
            break;
    }
    while (at < text.len && !ends_text(text.ptr[at]))
        at++;
    return at;
}

/* Room for what most texts of that length come to, so that what is read is not moved again and again. */
static void make_room(struct reader *reader, size_t length)
{
    enum { BYTES_PER_COMMAND = 4, COMMANDS_MAX = 4096, FEW = 16 };
    size_t commands = length / BYTES_PER_COMMAND < COMMANDS_MAX ? length / BYTES_PER_COMMAND : COMMANDS_MAX;
    if (commands <= FEW)
        return;
    reader->nodes.items = hv_malloc(commands * sizeof *reader->nodes.items);
    reader->nodes.capacity = commands;
    reader->tape.items = hv_malloc(2 * commands * sizeof *reader->tape.items);
    reader->tape.capacity = 2 * commands;
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
    make_room(&reader, length);
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
