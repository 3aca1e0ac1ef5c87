/*
 * replay.c: `helve replay`: the calls of a recorded session run again, here and now, and what comes out is compared
 * with what was recorded. Calls that were allowed then are allowed again, unless a person confirms such each time;
 * those that were refused are not run.
 */
#include "journal/replay.h"

#include "agent/exec.h"
#include "base/cleanup.h"
#include "cli/cli.h"
#include "journal/sessions.h"

enum { CALLS_MAX = 1 << 30, REPORT_MAX = 64 << 20 };

struct replay_flags {
    struct cli_setup_flags setup;
    bool verify, quiet, trust_recorded;
};

#define AT(member) offsetof(struct replay_flags, member)
static const struct option replay_options[] = {
    {"verify", 0, OPTION_FLAG, AT(verify), NULL, "exit 1 when a result differs from the recorded one"},
    {"trust-recorded", 0, OPTION_FLAG, AT(trust_recorded), NULL,
     "run what a journal from elsewhere says was allowed, not only what today's rules allow"},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "only the summary"},
    {.type = OPTION_TABLE, .offset = AT(setup), .table = cli_setup_options},
    {0},
};
#undef AT

/* The replay at work. */
struct replay {
    const struct replay_log *log;
    struct replay_comparison comparison;
    struct hv_buf report;
    size_t next; /* results come in the order of the calls */
    bool failed;
};

/* ---- what runs --------------------------------------------------------------------------------------------------- */

/* All calls, an array for each turn, in the shape that carries an input as text. */
static void put_calls(const struct replay_log *log, struct hv_buf *out)
{
    struct hv_json_writer writer;
    for (size_t i = 0; i < log->count; i++) {
        const struct replay_call *call = &log->calls[i];
        bool first = i == 0 || log->calls[i - 1].turn != call->turn;
        bool last = i + 1 == log->count || log->calls[i + 1].turn != call->turn;
        hv_buf_add_cstr(out, first ? "[" : ",");
        hv_json_writer_init(&writer, out);
        hv_json_begin_object(&writer);
        hv_json_member_cstr(&writer, "type", "function_call");
        hv_json_member_string(&writer, "call_id", call->id);
        hv_json_member_string(&writer, "name", call->tool);
        hv_json_member_string(&writer, "arguments", call->input);
        hv_json_end_object(&writer);
        hv_buf_add_cstr(out, last ? "]\n" : "");
    }
}

static void on_begin(void *user, struct hv_str session_directory)
{
    struct replay *replay = user;
    replay->comparison.now.session_directory = session_directory;
}

static void on_result(void *user, const struct batch_result *result)
{
    struct replay *replay = user;
    if (replay->next < replay->log->count)
        (void)replay_compare(&replay->comparison, &replay->log->calls[replay->next++], result->block, &replay->report);
}

static void on_fault(void *user, uint64_t line, const struct hv_error *err)
{
    (void)line;
    struct replay *replay = user;
    replay->failed = true;
    cli_fail(err);
}

/* What was decided then is decided again; called on workers, reads only. But a file, which anybody may have written, is
 * no person who confirms each time. */
static void ask_record(void *user, const struct hv_question *question, const struct hv_cancel *cancel,
                       struct hv_arena *arena, struct hv_answer *answer)
{
    (void)cancel, (void)arena;
    const struct replay *replay = user;
    bool allowed = false, denied = false;
    /* Some servers count ids from 0 in every turn: then all calls of that id must have been allowed. */
    for (size_t i = 0; i < replay->log->count; i++) {
        const struct replay_call *call = &replay->log->calls[i];
        if (hv_str_eq(call->id, question->call_id))
            *(call->decision == HV_ALLOW ? &allowed : &denied) = true;
    }
    /* No answer at all is a denial in the words of a session that had nobody to ask. */
    answer->outcome = allowed && !denied && !question->each_time ? HV_ASK_ANSWERED : HV_ASK_NOBODY;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static enum hv_code read_log(const struct cli_call *call, struct hv_str directory, struct session_entry *entry,
                             struct replay_log *log, struct hv_error *err)
{
    struct journal_reader *reader;
    enum hv_code code = sessions_find(call->arena, call->arguments[0], directory, entry, err);
    if (code == HV_OK)
        code = journal_reader_open(entry->path, &reader, err);
    if (code != HV_OK)
        return code;
    replay_collect(call->arena, reader, log);
    journal_reader_close(reader);
    if (log->faults.bad_lines > 0)
        cli_note("%llu lines of the journal could not be read", (unsigned long long)log->faults.bad_lines);
    return HV_OK;
}

static int report(struct replay *replay, const struct replay_flags *flags, const struct exec_outcome *outcome)
{
    if (outcome->signal)
        return CLI_SIGNAL + outcome->signal;
    while (replay->next < replay->log->count)
        replay_not_run(&replay->comparison, &replay->log->calls[replay->next++], &replay->report);
    if (flags->quiet)
        hv_buf_clear(&replay->report);
    replay_summary(&replay->comparison, &replay->report);
    bool differs = replay->comparison.different > 0 || replay->comparison.not_run > 0;
    return cli_print(&replay->report, replay->failed || (flags->verify && differs) ? CLI_FAILED : CLI_OK);
}

static int run_log(const struct replay_flags *flags, struct setup *setup, const struct session_entry *entry,
                   const struct replay_log *log)
{
    struct hv_error err;
    struct exec_outcome outcome;
    CLEANUP_BUF struct hv_buf calls = {0};
    struct replay replay = {.log = log};
    struct side_tape *tape = NULL;
    if (side_tape_open(entry->path, &tape, &err) != HV_OK)
        return cli_fail(&err);
    /* What a person allowed is believed of our own journals; any other may say what it likes. */
    bool believed = flags->trust_recorded || sessions_is_kept(entry);
    struct hv_str path = entry->path;
    size_t suffix = hv_str_ends(path, HV_STR(".jsonl")) ? 6 : 0;
    replay.comparison.recorded.directory = log->directory;
    replay.comparison.recorded.session_directory = hv_str_slice(path, 0, path.len - suffix);
    replay.comparison.now.directory = setup->directory;
    replay.comparison.recorded.home = replay.comparison.now.home = setup->home;
    hv_buf_init(&calls, CALLS_MAX);
    hv_buf_init(&replay.report, REPORT_MAX);
    put_calls(log, &calls);
    struct exec_options options = {
        .setup = setup,
        .kind = CALLS_JSON,
        .input = -1,
        .output = -1,
        .calls = hv_buf_str(&calls),
        .turn_by_turn = true,
        .asker = {.ask = believed ? ask_record : NULL, .user = &replay},
        .side_answers = side_tape_count(tape) ? tape : NULL,
        .on_begin = on_begin,
        .on_result = on_result,
        .on_fault = on_fault,
        .user = &replay,
    };
    options.has_mode = cli_mode(&flags->setup, &options.mode);
    int status = exec_run(&options, &outcome, &err) == HV_OK ? report(&replay, flags, &outcome) : cli_fail(&err);
    side_tape_close(tape);
    hv_buf_release(&replay.report);
    return status;
}

static int run(const struct cli_call *call)
{
    const struct replay_flags *flags = call->options;
    struct hv_error err;
    struct setup setup = {0};
    struct session_entry entry;
    struct replay_log log = {0};
    int status;
    if (cli_setup_open(&flags->setup, &setup, &err) != HV_OK || setup_loop(&setup, &err) != HV_OK) {
        status = cli_usage(&err);
    } else if (read_log(call, setup.directory, &entry, &log, &err) != HV_OK) {
        status = cli_fail(&err);
    } else {
        cli_tell_problems(&setup);
        if (!flags->trust_recorded && !sessions_is_kept(&entry))
            cli_note("this journal was not written here: only what today's rules allow is run (see --trust-recorded)");
        status = run_log(flags, &setup, &entry, &log);
    }
    setup_release(&setup);
    return status;
}

const struct cli_command cli_replay_command = {
    .name = "replay",
    .arguments = "FILE|ID",
    .summary = "run the calls of a recorded session again and compare the results",
    .text = "The tools really run, in the current directory (or --cwd): use a copy of what the session began with.\n\n"
            "Examples:\n  helve replay session.jsonl --verify --cwd fresh-copy\n  helve replay 3f2a",
    .options = replay_options,
    .options_size = sizeof(struct replay_flags),
    .least = 1,
    .most = 1,
    .run = run,
};
