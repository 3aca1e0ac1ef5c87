/* export.c: a session as Markdown or JSON, for people and programs elsewhere: `helve export`, and /export. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/cli.h"
#include "journal/reader.h"
#include "journal/sessions.h"
#include "policy/visible.h"
#include "text/controls.h"

enum { OUT_MAX = 1 << 30, RESULT_SHOWN = 4000 };

/* ---- Markdown: it may be printed at a terminal, which no word of a session steers ------------------------------- */

static void put_fence(size_t ticks, struct hv_buf *out)
{
    for (size_t i = 0; i < ticks; i++)
        hv_buf_add_byte(out, '`');
}

static void put_fenced(struct hv_str text, const char *language, struct hv_buf *out)
{
    size_t longest = 2, run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    put_fence(longest + 1, out);
    hv_buf_addf(out, "%s\n", language);
    controls_show(text, out);
    hv_buf_add_byte(out, '\n');
    put_fence(longest + 1, out);
    hv_buf_add_cstr(out, "\n");
}

static void put_result(const struct hv_json *block, struct hv_buf *out)
{
    const struct hv_json *content = hv_json_get(block, "content");
    CLEANUP_BUF struct hv_buf text = {.max = OUT_MAX};
    if (content && content->type == HV_JSON_STRING)
        hv_buf_add_str(&text, content->text);
    else
        hv_json_each(part, content) hv_buf_add_str(&text, hv_json_get_string(part, "text"));
    struct hv_str shown = hv_str_trim(hv_buf_str(&text));
    hv_buf_addf(out, "\n%s\n\n", hv_json_bool(hv_json_get(block, "is_error"), false) ? "Error:" : "Result:");
    put_fenced(hv_str_slice(shown, 0, RESULT_SHOWN), "", out);
    if (shown.len > RESULT_SHOWN)
        hv_buf_addf(out, "\n(%zu more bytes)\n", shown.len - RESULT_SHOWN);
}

static void put_markdown_block(const struct hv_json *block, struct hv_str source, bool assistant, struct hv_buf *out)
{
    struct hv_str type = hv_json_get_string(block, "type");
    if (hv_str_is(type, "text")) {
        hv_buf_addf(out, "\n## %s\n\n", assistant ? "Assistant" : "User");
        controls_show(hv_json_get_string(block, "text"), out);
        hv_buf_add_byte(out, '\n');
    } else if (hv_str_is(type, "tool_use")) {
        hv_buf_add_cstr(out, "\n### Call of ");
        visible_add(out, hv_json_get_string(block, "name"));
        hv_buf_add_cstr(out, "\n\n");
        put_fenced(hv_json_source(hv_json_get(block, "input"), source), "json", out);
    } else if (hv_str_is(type, "tool_result")) {
        put_result(block, out);
    }
}

static void put_markdown(const struct hv_event *event, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *blocks;
    if (hv_json_parse(&arena, event->json, HV_JSON_STRICT, &blocks, NULL) != HV_OK)
        return;
    hv_json_each(block, blocks) put_markdown_block(block, event->json, hv_str_is(event->name, "assistant"), out);
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static void put_json(const struct hv_event *event, struct hv_json_writer *writer)
{
    hv_json_begin_object(writer);
    hv_json_member_string(writer, "role", event->name);
    hv_json_member_int(writer, "time_ms", event->wall_ms);
    hv_json_name(writer, "content");
    hv_json_put_raw(writer, event->json);
    hv_json_end_object(writer);
}

enum hv_code export_put(struct hv_str id, struct hv_str journal, bool json, struct hv_buf *out, struct hv_error *err)
{
    struct journal_reader *reader;
    struct hv_json_writer writer;
    struct hv_event event;
    enum hv_code code = journal_reader_open(journal, &reader, err);
    if (code != HV_OK)
        return code;
    hv_json_writer_init(&writer, out);
    if (json) {
        hv_json_begin_object(&writer);
        hv_json_member_string(&writer, "session_id", id);
        hv_json_name(&writer, "messages");
        hv_json_begin_array(&writer);
    } else {
        hv_buf_addf(out, "# Session %.*s\n", HV_STR_ARG(id));
    }
    while (journal_reader_next(reader, &event)) {
        if (event.type != HV_EVENT_MESSAGE || !event.json.len)
            continue;
        if (json)
            put_json(&event, &writer);
        else
            put_markdown(&event, out);
    }
    if (json) {
        hv_json_end_array(&writer);
        hv_json_end_object(&writer);
        hv_buf_add_byte(out, '\n');
    }
    journal_reader_close(reader);
    return out->failed ? hv_fail(err, HV_ETOOBIG, "the session is larger than 1 GiB") : HV_OK;
}

enum hv_code export_write(const char *path, struct hv_str bytes, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str beside = hv_arena_format(&arena, "%s.%ld.part", path, (long)getpid());
    int fd = open(beside.ptr, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return hv_fail_errno(err, errno, "cannot write %s", path);
    int fault = cli_write(fd, bytes);
    if (close(fd) != 0 && !fault)
        fault = errno;
    if (!fault && rename(beside.ptr, path) != 0)
        fault = errno;
    if (!fault)
        return HV_OK;
    unlink(beside.ptr);
    return hv_fail_errno(err, fault, "cannot write %s", path);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

struct export_flags {
    int format;
    struct hv_str output;
};

static const char *const formats[] = {"markdown", "json", NULL};

static const struct option export_options[] = {
    {"format", 0, OPTION_CHOICE, offsetof(struct export_flags, format), "FORMAT", "markdown, or json",
     .choices = formats},
    {"output", 'o', OPTION_TEXT, offsetof(struct export_flags, output), "FILE", "where to write; - or nothing: stdout"},
    {0},
};

static int run(const struct cli_call *call)
{
    const struct export_flags *flags = call->options;
    CLEANUP_BUF struct hv_buf out = {.max = OUT_MAX};
    struct session_entry entry;
    struct hv_error err;
    struct hv_str name = call->argument_count > 0 ? call->arguments[0] : (struct hv_str){0};
    char *now = getcwd(NULL, 0);
    enum hv_code code = sessions_find(call->arena, name, hv_str_from(now ? now : ""), &entry, &err);
    free(now);
    if (code == HV_OK)
        code = export_put(entry.id, entry.path, flags->format == 2, &out, &err);
    bool to_file = flags->output.len > 0 && !hv_str_is(flags->output, "-");
    if (code == HV_OK && !to_file)
        return cli_print(&out, CLI_OK);
    if (code == HV_OK)
        code = export_write(hv_arena_cstr(call->arena, flags->output), hv_buf_str(&out), &err);
    return code == HV_OK ? CLI_OK : cli_fail(&err);
}

const struct cli_command cli_export_command = {
    .name = "export",
    .arguments = "[ID]",
    .summary = "print a session's conversation as Markdown or JSON",
    .text = "Without an id the latest session of this directory.\n\n"
            "Examples:\n  helve export -o session.md\n  helve export 3f2a --format json | jq '.messages[0]'",
    .options = export_options,
    .options_size = sizeof(struct export_flags),
    .most = 1,
    .run = run,
};
