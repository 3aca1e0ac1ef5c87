/* trace.c: `helve trace`: where the time of a session went, as a page or for Perfetto. */
#include "journal/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/cli.h"
#include "journal/sessions.h"

struct trace_flags {
    int format;
    struct hv_str output;
};

static const char *const formats[] = {"html", "chrome", NULL};

static const struct option trace_options[] = {
    {"format", 0, OPTION_CHOICE, offsetof(struct trace_flags, format), "FORMAT",
     "html (a page without script), or chrome (for Perfetto, chrome://tracing)", .choices = formats},
    {"output", 'o', OPTION_TEXT, offsetof(struct trace_flags, output), "FILE", "where to write; - or nothing: stdout"},
    {0},
};

/* Where the trace goes. */
struct target {
    int fd, failed;
};

static bool write_part(void *user, struct hv_str bytes)
{
    struct target *target = user;
    target->failed = cli_write(target->fd, bytes);
    return target->failed == 0;
}

static enum hv_code write_trace(struct journal_reader *reader, bool chrome, struct target *target, struct hv_error *err)
{
    struct trace_output output = {.write = write_part, .user = target};
    enum hv_code code = chrome ? trace_write_chrome(reader, &output, err) : trace_write_html(reader, &output, err);
    return target->failed ? hv_fail_errno(err, target->failed, "cannot write the trace") : code;
}

/* Written beside and renamed, so that a failure leaves what was there. */
static enum hv_code write_file(struct journal_reader *reader, bool chrome, const char *path, struct hv_arena *arena,
                               struct hv_error *err)
{
    struct hv_str beside = hv_arena_format(arena, "%s.%ld.part", path, (long)getpid());
    struct target target = {.fd = open(beside.ptr, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
    if (target.fd < 0)
        return hv_fail_errno(err, errno, "cannot write %s", path);
    enum hv_code code = write_trace(reader, chrome, &target, err);
    if (close(target.fd) != 0 && code == HV_OK)
        code = hv_fail_errno(err, errno, "cannot write %s", path);
    if (code == HV_OK && rename(beside.ptr, path) != 0)
        code = hv_fail_errno(err, errno, "cannot write %s", path);
    if (code != HV_OK)
        unlink(beside.ptr);
    return code;
}

static int run(const struct cli_call *call)
{
    const struct trace_flags *flags = call->options;
    struct session_entry entry;
    struct journal_reader *reader;
    struct hv_error err;
    struct hv_str name = call->argument_count > 0 ? call->arguments[0] : (struct hv_str){0};
    char *now = getcwd(NULL, 0);
    enum hv_code code = sessions_find(call->arena, name, hv_str_from(now), &entry, &err);
    free(now);
    if (code != HV_OK || journal_reader_open(entry.path, &reader, &err) != HV_OK)
        return cli_fail(&err);
    bool to_file = flags->output.len > 0 && !hv_str_is(flags->output, "-");
    struct target standard = {.fd = STDOUT_FILENO};
    if (to_file)
        code = write_file(reader, flags->format == 2, hv_arena_cstr(call->arena, flags->output), call->arena, &err);
    else
        code = write_trace(reader, flags->format == 2, &standard, &err);
    const struct journal_faults *faults = journal_reader_faults(reader);
    if (faults->bad_lines > 0)
        cli_note("%llu lines of the journal could not be read", (unsigned long long)faults->bad_lines);
    journal_reader_close(reader);
    if (code != HV_OK)
        return cli_fail(&err);
    if (to_file)
        cli_note("wrote %.*s", HV_STR_ARG(flags->output));
    return CLI_OK;
}

const struct cli_command cli_trace_command = {
    .name = "trace",
    .arguments = "[FILE|ID]",
    .summary = "show where the time of a session went, as a page or for Perfetto",
    .text = "Without an argument the latest session of this directory.\n\n"
            "Examples:\n  helve trace -o trace.html\n  helve trace session.jsonl --format chrome -o trace.json",
    .options = trace_options,
    .options_size = sizeof(struct trace_flags),
    .most = 1,
    .run = run,
};
