/* common.c: what the commands share; see cli.h. */
#include "cli/cli.h"

#include "journal/sessions.h"
#include "policy/visible.h"
#include "text/ansi.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "agent/signals.h"
#include "base/cleanup.h"
#include "base/nearest.h"

enum { JSON_ARGUMENT_MAX = 16 << 20 };

/* ---- for people ------------------------------------------------------------------------------------------------ */

/* What a server or a model wrote may stand in a message: it must not steer the terminal. */
static void write_clean(const struct hv_buf *text)
{
    CLEANUP_BUF struct hv_buf clean = {0}, straight = {0};
    hv_buf_init(&clean, 256 << 10);
    ansi_clean(hv_buf_str(text), &clean);
    hv_buf_init(&straight, 512 << 10);
    visible_add_straight(&straight, hv_buf_str(&clean));
    cli_write(STDERR_FILENO, hv_buf_str(&straight));
}

static void print_error(const struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 8192);
    hv_buf_addf(&text, "helve: %s%s%s\n", err->place, err->place[0] ? ": " : "", err->message);
    if (err->hint[0])
        hv_buf_addf(&text, "%s%s\n", err->hint[0] == '\n' ? "" : "  ", err->hint + (err->hint[0] == '\n'));
    write_clean(&text);
}

int cli_fail(const struct hv_error *err)
{
    print_error(err);
    return CLI_FAILED;
}

int cli_usage(const struct hv_error *err)
{
    print_error(err);
    return CLI_USAGE;
}

void cli_note(const char *format, ...)
{
    CLEANUP_BUF struct hv_buf text = {0};
    va_list arguments;
    hv_buf_init(&text, 64 << 10);
    hv_buf_add_cstr(&text, "helve: ");
    va_start(arguments, format);
    hv_buf_addv(&text, format, arguments);
    va_end(arguments);
    hv_buf_add_byte(&text, '\n');
    write_clean(&text);
}

void cli_tell_problems(const struct setup *setup)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 1 << 20);
    setup_put_problems(setup, &text);
    struct hv_str rest = hv_buf_str(&text), line;
    while (hv_str_split(&rest, '\n', &line))
        if (line.len > 0)
            cli_note("%.*s", HV_STR_ARG(line));
}

bool cli_has_colour(int fd)
{
    const char *off = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(off && off[0]) && !(term && hv_str_is(hv_str_from(term), "dumb")) && isatty(fd);
}

const char *cli_size(uint64_t bytes, char text[32])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1000 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        unit++;
    }
    snprintf(text, 32, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
    return text;
}

/* ---- output ---------------------------------------------------------------------------------------------------- */

int cli_write(int fd, struct hv_str bytes)
{
    return signals_write(fd, bytes);
}

int cli_print(const struct hv_buf *buf, int status)
{
    int failed = cli_write(STDOUT_FILENO, hv_buf_str(buf));
    if (failed == 0 && !buf->failed)
        return status;
    if (failed && failed != EPIPE)
        cli_note("cannot write to stdout: %s", strerror(failed));
    return CLI_FAILED;
}

enum hv_code cli_read_all(int fd, size_t limit, struct hv_buf *out, struct hv_error *err)
{
    for (;;) {
        char block[64 << 10];
        ssize_t got = read(fd, block, sizeof block);
        if (got == 0)
            return HV_OK;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return hv_fail_errno(err, errno, "cannot read the input");
        if (out->len + (size_t)got > limit)
            return hv_fail(err, HV_ETOOBIG, "the input is larger than %zu MB", limit / 1000000);
        hv_buf_add(out, block, (size_t)got);
    }
}

static enum hv_code read_file(const char *path, struct hv_buf *out, struct hv_error *err)
{
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return hv_fail_errno(err, errno, "cannot open %s", path);
    enum hv_code code = cli_read_all(fd, JSON_ARGUMENT_MAX, out, err);
    if (code != HV_OK)
        hv_error_prefix(err, "%s: ", path);
    return code;
}

enum hv_code cli_read_json_argument(struct hv_arena *arena, struct hv_str text, struct hv_str *out,
                                    struct hv_error *err)
{
    struct hv_str trimmed = hv_str_trim(text);
    if (trimmed.len > 0 && (trimmed.ptr[0] == '{' || trimmed.ptr[0] == '[')) {
        *out = trimmed;
        return HV_OK;
    }
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, JSON_ARGUMENT_MAX);
    enum hv_code code = read_file(hv_arena_cstr(arena, text), &bytes, err);
    if (code == HV_OK)
        *out = hv_arena_str(arena, hv_buf_str(&bytes));
    return code;
}

/* ---- flags ------------------------------------------------------------------------------------------------------- */

static const char *const mode_names[] = {"default", "acceptEdits", "plan", "dontAsk", "bypassPermissions", NULL};

#define AT(member) offsetof(struct cli_setup_flags, member)
const struct option cli_setup_options[] = {
    {"cwd", 0, OPTION_TEXT, AT(directory), "DIR", "work in this directory"},
    {"add-dir", 0, OPTION_LIST, AT(directories), "DIR",
     "a further directory that belongs to the workspace; repeatable"},
    {"allowed-tools", 0, OPTION_RULES, AT(allowed), "RULES", "rules that allow: \"Bash(git diff:*) Edit(src/**)\""},
    {"disallowed-tools", 0, OPTION_RULES, AT(denied), "RULES", "rules that deny; a bare tool name removes the tool"},
    {"permission-mode", 0, OPTION_CHOICE, AT(mode), "MODE", "default, acceptEdits, plan, dontAsk or bypassPermissions",
     .choices = mode_names},
    {"dangerously-skip-permissions", 0, OPTION_FLAG, AT(bypass), NULL,
     "the same as --permission-mode bypassPermissions"},
    {"settings", 0, OPTION_TEXT, AT(settings), "FILE|JSON", "further settings, stronger than those of the project"},
    {"setting-sources", 0, OPTION_TEXT, AT(setting_sources), "LIST", "which settings count: user,project,local"},
    {"trust", 0, OPTION_FLAG, AT(trust), NULL, "trust this folder's own settings for this run"},
    {0},
};
#undef AT

enum hv_code cli_setup_open(const struct cli_setup_flags *flags, struct setup *setup, struct hv_error *err)
{
    struct setup_options options = {
        .directory = flags->directory,
        .settings = flags->settings,
        .allowed_tools = flags->allowed.items,
        .allowed_tool_count = flags->allowed.count,
        .denied_tools = flags->denied.items,
        .denied_tool_count = flags->denied.count,
        .directories = flags->directories.items,
        .directory_count = flags->directories.count,
        .setting_sources = flags->setting_sources,
        .trust = flags->trust,
    };
    return setup_open(setup, &options, err);
}

bool cli_mode(const struct cli_setup_flags *flags, enum policy_mode *mode)
{
    if (flags->bypass)
        *mode = POLICY_BYPASS;
    return flags->bypass || (flags->mode > 0 && policy_mode_from(hv_str_from(mode_names[flags->mode - 1]), mode));
}

void cli_set_mode(struct cli_setup_flags *flags, enum policy_mode mode)
{
    for (int i = 0; mode_names[i]; i++)
        if (hv_str_is(hv_str_from(policy_mode_name(mode)), mode_names[i]))
            flags->mode = i + 1;
}

const struct hv_str *cli_only_tools(const struct option_list *list, size_t *count)
{
    bool all = !list->given || (list->count == 1 && hv_str_is(list->items[0], "default"));
    *count = all ? 0 : list->count;
    if (all)
        return NULL;
    static const struct hv_str none = {"", 0};
    return list->count > 0 ? list->items : &none;
}

const struct hv_tool *cli_find_tool(struct hv_str name, struct hv_str *near)
{
    struct hv_str names[256];
    size_t count, known = 0;
    const struct hv_tool *const *tools = hv_builtin_tools(&count);
    for (size_t i = 0; i < count; i++) {
        if (hv_tool_is_named(tools[i], name))
            return tools[i];
        if (known < sizeof names / sizeof *names)
            names[known++] = hv_str_from(tools[i]->name);
    }
    *near = nearest_name(name, names, known);
    return NULL;
}

void cli_hint_tools(struct hv_str near, struct hv_error *err)
{
    if (near.ptr)
        hv_error_hint(err, "did you mean %.*s? `helve tool list` shows all", HV_STR_ARG(near));
    else
        hv_error_hint(err, "`helve tool list` shows all");
}

enum hv_code cli_check_tools(const struct option_list *list, const char *flag, struct hv_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        struct hv_str near;
        if (hv_str_is(list->items[i], "default") || cli_find_tool(list->items[i], &near))
            continue;
        hv_fail(err, HV_EINVAL, "--%s: there is no tool \"%.*s\"", flag, HV_STR_ARG(list->items[i]));
        cli_hint_tools(near, err);
        return HV_EINVAL;
    }
    return HV_OK;
}

void cli_clean_sessions(const struct setup *setup, struct hv_str except_id)
{
    enum { KEEP_DAYS = 30 };
    int64_t days = setup->settings->cleanup_period_days;
    if (days != 0)
        sessions_clean(days > 0 ? days : KEEP_DAYS, except_id);
}

void cli_put_time(struct hv_buf *out, int64_t seconds)
{
    struct tm local;
    time_t time = (time_t)seconds;
    char text[32] = "";
    if (localtime_r(&time, &local) && strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local) > 0)
        hv_buf_add_cstr(out, text);
}
