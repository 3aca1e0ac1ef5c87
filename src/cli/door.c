/* door.c: see door.h. */
#include "cli/door.h"

#include <errno.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/cleanup.h"

enum { READ_SIZE = 256 << 10 };

struct hv_str door_bytes(const struct door_line *line, const char *name, bool *bad)
{
    struct hv_str encoded_name = hv_arena_format(line->arena, "%s_b64", name);
    const struct hv_json *plain = hv_json_get(line->value, name);
    const struct hv_json *encoded = hv_json_get_str(line->value, encoded_name);
    CLEANUP_BUF struct hv_buf bytes = {0};
    *bad = false;
    if (!encoded) {
        *bad = plain && plain->type != HV_JSON_STRING;
        return hv_json_string(plain);
    }
    hv_buf_init(&bytes, DOOR_LINE_MAX);
    *bad = encoded->type != HV_JSON_STRING ||
           base64_decode(&bytes, hv_json_string(encoded), BASE64_STANDARD, NULL) != HV_OK;
    return *bad ? (struct hv_str){0} : hv_arena_str(line->arena, hv_buf_str(&bytes));
}

static void answer_line(struct hv_str text, void (*answer)(const struct door_line *, struct hv_json_writer *),
                        void *user, struct hv_arena *arena, struct hv_buf *out)
{
    struct hv_json_writer writer;
    struct hv_error err;
    struct door_line line = {.text = text, .arena = arena, .user = user};
    unsigned flags = HV_JSON_REPAIR_SURROGATES | HV_JSON_ALLOW_BOM;
    enum hv_code code = hv_json_parse(arena, text, flags, &line.value, &err);
    if (code == HV_OK && line.value->type != HV_JSON_OBJECT)
        code = hv_fail(&err, HV_EINVAL, "a line must be a JSON object");
    const struct hv_json *id = code == HV_OK ? hv_json_get(line.value, "id") : NULL;
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_name(&writer, "id");
    if (id)
        hv_json_put_value(&writer, id);
    else
        hv_json_put_null(&writer);
    if (code == HV_OK)
        answer(&line, &writer);
    else
        hv_json_member_cstr(&writer, "error", err.message);
    hv_json_end_object(&writer);
    hv_buf_add_byte(out, '\n');
}

/* Answer the whole lines of `in`, keep the rest. Its first `known` bytes were here before and hold no line end. */
static void answer_lines(struct hv_buf *in, size_t known, bool at_end, struct hv_arena *arena, struct hv_buf *out,
                         void (*answer)(const struct door_line *, struct hv_json_writer *), void *user)
{
    size_t start = 0;
    for (;;) {
        size_t end = hv_str_find_byte(hv_buf_str(in), '\n', start > known ? start : known);
        if (end == SIZE_MAX && at_end && start < in->len)
            end = in->len;
        if (end == SIZE_MAX)
            break;
        struct hv_str text = hv_str_trim(hv_str_slice(hv_buf_str(in), start, end));
        if (text.len > 0)
            answer_line(text, answer, user, arena, out);
        hv_arena_reset(arena);
        start = end < in->len ? end + 1 : end;
    }
    hv_buf_consume(in, start);
}

int door_run(void (*answer)(const struct door_line *line, struct hv_json_writer *writer), void *user)
{
    CLEANUP_BUF struct hv_buf in = {0}, out = {0};
    CLEANUP_ARENA struct hv_arena arena = {0};
    hv_buf_init(&in, DOOR_LINE_MAX);
    hv_buf_init(&out, SIZE_MAX / 4);
    for (bool at_end = false; !at_end;) {
        char *room = hv_buf_reserve(&in, READ_SIZE);
        if (!room) {
            cli_note("a line is longer than %d MiB", DOOR_LINE_MAX >> 20);
            return CLI_FAILED;
        }
        ssize_t got = read(STDIN_FILENO, room, READ_SIZE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            cli_note("cannot read stdin: %s", strerror(errno));
            return CLI_FAILED;
        }
        at_end = got == 0;
        size_t known = in.len;
        hv_buf_commit(&in, (size_t)got);
        answer_lines(&in, known, at_end, &arena, &out, answer, user);
        if (cli_print(&out, CLI_OK) != CLI_OK)
            return CLI_FAILED;
        hv_buf_clear(&out);
    }
    return CLI_OK;
}
