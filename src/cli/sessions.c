/* sessions.c: `helve sessions list|show|remove`: the journals of earlier sessions. */
#include "journal/sessions.h"

#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "cli/blocks.h"
#include "cli/cli.h"
#include "journal/reader.h"
#include "text/ansi.h"

enum { OUT_MAX = 64 << 20, TITLE_MAX = 60, EXCERPT_MAX = 2000 };

/* The working directory, or "" when it is gone (then all sessions are listed). */
static struct hv_str working_directory(struct hv_arena *arena)
{
    char *now = getcwd(NULL, 0);
    struct hv_str directory = hv_arena_str(arena, hv_str_from(now));
    free(now);
    return directory;
}

/* ---- list -------------------------------------------------------------------------------------------------------- */

struct list_flags {
    bool json, all;
};

static const struct option list_options[] = {
    {"all", 'a', OPTION_FLAG, offsetof(struct list_flags, all), NULL, "those of all directories"},
    {"json", 0, OPTION_FLAG, offsetof(struct list_flags, json), NULL, "one JSON object a line"},
    {0},
};

static void put_entry_json(const struct session_entry *entry, struct hv_buf *out)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, out);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "id", entry->id);
    hv_json_member_string(&writer, "path", entry->path);
    hv_json_member_int(&writer, "modified_ms", entry->modified_ns / 1000000);
    hv_json_member_int(&writer, "bytes", (int64_t)entry->size);
    hv_json_member_string(&writer, "cwd", entry->directory);
    hv_json_member_string(&writer, "model", entry->model);
    hv_json_member_string(&writer, "title", entry->title);
    hv_json_member_int(&writer, "turns", (int64_t)entry->turns);
    hv_json_end_object(&writer);
    hv_buf_add_byte(out, '\n');
}

static void put_entry(const struct session_entry *entry, bool all, struct hv_buf *out)
{
    char size[32];
    cli_put_time(out, entry->modified_ns / (int64_t)CLOCK_SECOND);
    hv_buf_addf(out, "  %.*s  %9s  ", HV_STR_ARG(hv_str_slice(entry->id, 0, 8)), cli_size(entry->size, size));
    ansi_clean(hv_str_slice(entry->title, 0, TITLE_MAX), out);
    if (all && entry->directory.len > 0)
        hv_buf_addf(out, "  (%.*s)", HV_STR_ARG(entry->directory));
    hv_buf_add_byte(out, '\n');
}

static int run_list(const struct cli_call *call)
{
    const struct list_flags *flags = call->options;
    CLEANUP_BUF struct hv_buf out = {0};
    struct session_entry *entries;
    struct hv_error err;
    size_t count;
    struct hv_str directory = flags->all ? (struct hv_str){0} : working_directory(call->arena);
    hv_buf_init(&out, OUT_MAX);
    if (sessions_list(call->arena, directory, &entries, &count, &err) != HV_OK)
        return cli_fail(&err);
    for (size_t i = 0; i < count; i++) {
        sessions_describe(call->arena, &entries[i]);
        if (flags->json)
            put_entry_json(&entries[i], &out);
        else
            put_entry(&entries[i], flags->all, &out);
    }
    if (count == 0 && !flags->json)
        cli_note("there is no session %s", flags->all ? "yet" : "of this directory; --all lists those of others");
    return cli_print(&out, CLI_OK);
}

const struct cli_command cli_sessions_list_command = {
    .name = "sessions list",
    .arguments = "",
    .summary = "list earlier sessions of this directory",
    .text = "Examples:\n  helve sessions\n  helve sessions list --all --json",
    .options = list_options,
    .options_size = sizeof(struct list_flags),
    .group_default = true,
    .run = run_list,
};

/* ---- show -------------------------------------------------------------------------------------------------------- */

struct show_flags {
    bool json, path;
};

static const struct option show_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct show_flags, json), NULL, "the journal's lines as they are"},
    {"path", 0, OPTION_FLAG, offsetof(struct show_flags, path), NULL, "only where the journal lies"},
    {0},
};

static void put_excerpt(struct hv_str text, struct hv_buf *out)
{
    text = hv_str_trim(text);
    ansi_clean(hv_str_slice(text, 0, EXCERPT_MAX), out);
    hv_buf_add_cstr(out, text.len > EXCERPT_MAX ? " …\n" : "\n");
}

static void put_block(const struct hv_json *block, struct hv_str source, bool assistant, struct hv_buf *out)
{
    struct hv_str type = hv_json_get_string(block, "type");
    if (hv_str_is(type, "text")) {
        hv_buf_add_cstr(out, assistant ? "\nassistant: " : "\nuser: ");
        put_excerpt(hv_json_get_string(block, "text"), out);
    } else if (hv_str_is(type, "tool_use")) {
        hv_buf_addf(out, "\ncall %.*s ", HV_STR_ARG(hv_json_get_string(block, "name")));
        put_excerpt(hv_json_source(hv_json_get(block, "input"), source), out);
    }
}

/* A call with what a person was shown of its result. */
static void put_result(const struct hv_event *event, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct blocks_style style = {.colour = cli_has_colour(STDOUT_FILENO), .margin = "    ", .lines = 20};
    const struct hv_json *data = NULL;
    if (hv_json_parse(&arena, event->data, HV_JSON_STRICT, &data, NULL) != HV_OK)
        return;
    const struct hv_json *show = hv_json_get(data, "show");
    struct hv_str summary = hv_json_get_string(data, "summary"), diff = hv_json_get_string(data, "diff");
    hv_buf_addf(out, "  %s of %.*s: ", event->ok ? "result" : "error", HV_STR_ARG(event->tool));
    put_excerpt(summary.len ? summary : event->ok ? HV_STR("done") : HV_STR("failed"), out);
    if (show)
        blocks_put(hv_json_source(show, event->data), &style, out);
    if (diff.len)
        blocks_put_diff(diff, &style, out);
}

static void put_message(const struct hv_event *event, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *blocks;
    if (hv_json_parse(&arena, event->json, HV_JSON_STRICT, &blocks, NULL) != HV_OK)
        return;
    hv_json_each(block, blocks) put_block(block, event->json, hv_str_is(event->name, "assistant"), out);
}

static void put_event(const struct hv_event *event, struct hv_buf *out)
{
    switch (event->type) {
    case HV_EVENT_MESSAGE: put_message(event, out); break;
    case HV_EVENT_RESULT: put_result(event, out); break;
    case HV_EVENT_NOTICE:
        hv_buf_addf(out, "[%.*s] ", HV_STR_ARG(event->name));
        put_excerpt(event->text, out);
        break;
    case HV_EVENT_DECISION:
        if (hv_str_is(event->name, "deny")) {
            hv_buf_add_cstr(out, "  denied: ");
            put_excerpt(event->text, out);
        }
        break;
    case HV_EVENT_TURN_END: hv_buf_addf(out, "\n-- turn ended: %.*s\n", HV_STR_ARG(event->text)); break;
    default: break;
    }
}

static int show(const struct session_entry *entry, bool json)
{
    CLEANUP_BUF struct hv_buf out = {0};
    struct journal_reader *reader;
    struct hv_event event;
    struct hv_error err;
    uint64_t number;
    int status = CLI_OK;
    hv_buf_init(&out, JOURNAL_LINE_MAX * 2u);
    if (journal_reader_open(entry->path, &reader, &err) != HV_OK)
        return cli_fail(&err);
    while (status == CLI_OK && journal_reader_next(reader, &event)) {
        hv_buf_clear(&out);
        if (json) {
            hv_buf_add_str(&out, journal_reader_line(reader, &number));
            hv_buf_add_byte(&out, '\n');
        } else {
            put_event(&event, &out);
        }
        status = cli_print(&out, CLI_OK);
    }
    const struct journal_faults *faults = journal_reader_faults(reader);
    if (faults->bad_lines > 0)
        cli_note("%llu lines could not be read (first: line %llu: %s)", (unsigned long long)faults->bad_lines,
                 (unsigned long long)faults->first_bad_line, faults->first.message);
    if (faults->torn)
        cli_note("the last line is incomplete: the session was cut off");
    journal_reader_close(reader);
    return status;
}

static int run_show(const struct cli_call *call)
{
    const struct show_flags *flags = call->options;
    struct session_entry entry;
    struct hv_error err;
    struct hv_str name = call->argument_count > 0 ? call->arguments[0] : (struct hv_str){0};
    if (sessions_find(call->arena, name, working_directory(call->arena), &entry, &err) != HV_OK)
        return cli_fail(&err);
    if (!flags->path)
        return show(&entry, flags->json);
    CLEANUP_BUF struct hv_buf out = {0};
    hv_buf_init(&out, OUT_MAX);
    hv_buf_addf(&out, "%.*s\n", HV_STR_ARG(entry.path));
    return cli_print(&out, CLI_OK);
}

const struct cli_command cli_sessions_show_command = {
    .name = "sessions show",
    .arguments = "[ID]",
    .summary = "print a session as text; without an id the latest of this directory",
    .text = "ID is an id, the beginning of one, or a journal's path.\n\n"
            "Examples:\n  helve sessions show\n  helve sessions show 3f2a --json | jq -c 'select(.type==\"decision\")'",
    .options = show_options,
    .options_size = sizeof(struct show_flags),
    .most = 1,
    .run = run_show,
};

/* ---- remove ------------------------------------------------------------------------------------------------------ */

static int run_remove(const struct cli_call *call)
{
    struct hv_str directory = working_directory(call->arena);
    int status = CLI_OK;
    for (size_t i = 0; i < call->argument_count; i++) {
        struct session_entry entry;
        struct hv_error err;
        enum hv_code code = sessions_find(call->arena, call->arguments[i], directory, &entry, &err);
        if (code == HV_OK)
            code = sessions_remove(&entry, &err);
        if (code == HV_OK)
            cli_note("removed %.*s", HV_STR_ARG(entry.id));
        else
            status = cli_fail(&err);
    }
    return status;
}

const struct cli_command cli_sessions_remove_command = {
    .name = "sessions remove",
    .arguments = "ID…",
    .summary = "remove sessions and what belongs to them",
    .text = "A session that is being written is left alone.",
    .least = 1,
    .most = SIZE_MAX,
    .run = run_remove,
};
