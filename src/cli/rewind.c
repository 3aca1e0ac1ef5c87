/*
 * rewind.c: `helve rewind`: files and conversation of a session as they were before one of its messages.
 *
 * Without --to it lists the messages with the files that each turn changed. What is done follows journal/rewind.h; this
 * file asks the rules, says what happens to each file, and refuses where something would be lost.
 */
#include "agent/rewind_session.h"

#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/path.h"
#include "cli/cli.h"
#include "fs/transaction.h"
#include "journal/sessions.h"
#include "policy/visible.h"

enum { OUT_MAX = 64 << 20, SHOWN_FILES = 8, SHOWN_COMMANDS = 5 };

struct rewind_flags {
    struct cli_setup_flags setup;
    int64_t to;
    bool code, conversation, both, dry_run, force, undo, redo, json;
};

static const struct option rewind_options[] = {
    {"to", 0, OPTION_INTEGER, offsetof(struct rewind_flags, to), "N", "go back to before message N", .minimum = 1},
    {"code", 0, OPTION_FLAG, offsetof(struct rewind_flags, code), NULL, "the files alone"},
    {"conversation", 0, OPTION_FLAG, offsetof(struct rewind_flags, conversation), NULL, "the conversation alone"},
    {"both", 0, OPTION_FLAG, offsetof(struct rewind_flags, both), NULL, "files and conversation (what is done anyway)"},
    {"undo", 0, OPTION_FLAG, offsetof(struct rewind_flags, undo), NULL,
     "take the last rewind back that was not taken back yet"},
    {"redo", 0, OPTION_FLAG, offsetof(struct rewind_flags, redo), NULL, "take the last --undo back"},
    {"dry-run", 'n', OPTION_FLAG, offsetof(struct rewind_flags, dry_run), NULL,
     "say what would be done, and do nothing"},
    {"force", 0, OPTION_FLAG, offsetof(struct rewind_flags, force), NULL,
     "also files that something else changed meanwhile, and though others cannot be restored"},
    {"json", 0, OPTION_FLAG, offsetof(struct rewind_flags, json), NULL, "one JSON object a line"},
    {.type = OPTION_TABLE, .offset = offsetof(struct rewind_flags, setup), .table = cli_setup_options},
    {0},
};

/* One run of the command. */
struct rewind {
    const struct rewind_flags *flags;
    struct hv_arena *arena;
    struct setup setup;
    struct session_entry entry;
    struct timeline timeline;
    struct rewind_plan plan;
    struct rewind_places places;
    bool code, conversation;
    size_t to, undoes;
    uint64_t moment; /* what was touched from here on goes back */
    struct hv_buf out;
};

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static struct hv_str shown(const struct rewind *rewind, struct hv_str path)
{
    return path_relative(path, rewind->timeline.directory.len ? rewind->timeline.directory : HV_STR("/"));
}

/* The files that tools changed in the turn of that message, each once, in order; *count of them. */
static struct hv_str *files_of(const struct rewind *rewind, size_t prompt, size_t *count)
{
    const struct timeline *timeline = &rewind->timeline;
    struct map seen = {0};
    struct hv_str *files = hv_arena_array(rewind->arena, struct hv_str, timeline->touch_count);
    *count = 0;
    for (size_t i = 0; i < timeline->touch_count; i++) {
        const struct timeline_touch *touch = &timeline->touches[i];
        if (touch->prompt == prompt && touch->tool.len && !map_set(&seen, touch->before.path, &files[*count]))
            files[(*count)++] = touch->before.path;
    }
    map_release(&seen);
    return files;
}

static void put_prompt_json(struct rewind *rewind, size_t number)
{
    const struct timeline_prompt *prompt = &rewind->timeline.prompts[number - 1];
    struct hv_json_writer writer;
    size_t count;
    const struct hv_str *files = files_of(rewind, number, &count);
    hv_json_writer_init(&writer, &rewind->out);
    hv_json_begin_object(&writer);
    hv_json_member_int(&writer, "message", (int64_t)number);
    hv_json_member_int(&writer, "time_ms", prompt->wall_ms);
    hv_json_member_string(&writer, "title", prompt->title.ptr ? prompt->title : HV_STR(""));
    hv_json_member_bool(&writer, "in_conversation", prompt->in_conversation);
    hv_json_name(&writer, "files");
    hv_json_begin_array(&writer);
    for (size_t i = 0; i < count; i++)
        hv_json_put_string(&writer, files[i]);
    hv_json_end_array(&writer);
    if (prompt->left_out)
        hv_json_member_int(&writer, "not_kept", (int64_t)prompt->left_out);
    if (prompt->unwatched)
        hv_json_member_int(&writer, "unwatched_commands", (int64_t)prompt->unwatched);
    hv_json_end_object(&writer);
    hv_buf_add_byte(&rewind->out, '\n');
}

static void put_prompt(struct rewind *rewind, size_t number)
{
    const struct timeline_prompt *prompt = &rewind->timeline.prompts[number - 1];
    struct hv_buf *out = &rewind->out;
    size_t count;
    const struct hv_str *files = files_of(rewind, number, &count);
    hv_buf_addf(out, "%4zu  ", number);
    cli_put_time(out, prompt->wall_ms / 1000);
    hv_buf_add_cstr(out, "  ");
    visible_add(out, prompt->title);
    hv_buf_add_cstr(out, prompt->in_conversation ? "\n" : "  (rewound)\n");
    for (size_t i = 0; i < count && i < SHOWN_FILES; i++) {
        hv_buf_add_cstr(out, "        ");
        visible_add(out, shown(rewind, files[i]));
        hv_buf_add_byte(out, '\n');
    }
    if (count > SHOWN_FILES)
        hv_buf_addf(out, "        and %zu more files\n", count - SHOWN_FILES);
    if (prompt->left_out)
        hv_buf_addf(out, "        and files beyond those that are kept of one call (%zu)\n", prompt->left_out);
    if (prompt->unwatched) {
        hv_buf_addf(out, "        and whatever %zu command%s changed: ", prompt->unwatched,
                    prompt->unwatched == 1 ? "" : "s");
        visible_add(out, prompt->why_unwatched);
        hv_buf_add_byte(out, '\n');
    }
}

static int list(struct rewind *rewind)
{
    for (size_t i = 1; i <= rewind->timeline.prompt_count; i++) {
        if (rewind->flags->json)
            put_prompt_json(rewind, i);
        else
            put_prompt(rewind, i);
    }
    if (!rewind->timeline.prompt_count)
        cli_note("nobody has said anything in session %.*s", HV_STR_ARG(rewind->entry.id));
    else if (!rewind->flags->json)
        hv_buf_addf(&rewind->out,
                    "\n`helve rewind %.*s --to N` goes back to before message N; add --dry-run to see how.\n",
                    HV_STR_ARG(hv_str_slice(rewind->entry.id, 0, 8)));
    return cli_print(&rewind->out, CLI_OK);
}

/* ---- what is wanted ---------------------------------------------------------------------------------------------- */

static enum hv_code no_more(const struct rewind *rewind, bool is_redo, struct hv_error *err)
{
    struct hv_str id = hv_str_slice(rewind->entry.id, 0, 8);
    if (!rewind->timeline.rewind_count)
        return hv_fail(err, HV_ENOTFOUND, "nothing was rewound in session %.*s", HV_STR_ARG(rewind->entry.id));
    hv_fail(err, HV_ENOTFOUND,
            is_redo ? "no rewind of session %.*s was taken back since the last one"
                    : "every rewind of session %.*s was taken back already",
            HV_STR_ARG(rewind->entry.id));
    hv_error_hint(err,
                  is_redo ? "`helve rewind %.*s --undo` takes the last rewind back"
                          : "`helve rewind %.*s --redo` does the last one again",
                  HV_STR_ARG(id));
    return HV_ENOTFOUND;
}

static enum hv_code choose_undo(struct rewind *rewind, struct hv_error *err)
{
    const struct timeline *timeline = &rewind->timeline;
    size_t number = timeline_last_rewind(timeline, rewind->flags->redo);
    if (!number)
        return no_more(rewind, rewind->flags->redo, err);
    const struct timeline_rewind *chosen = &timeline->rewinds[number - 1];
    bool went_on = timeline->prompt_count && timeline->prompts[timeline->prompt_count - 1].moment > chosen->moment;
    if (went_on) {
        hv_fail(err, HV_ECONFLICT, "the session went on after it was rewound: what came since would be lost");
        hv_error_hint(err, "choose a message with --to instead; `helve rewind %.*s` lists them",
                      HV_STR_ARG(hv_str_slice(rewind->entry.id, 0, 8)));
        return HV_ECONFLICT;
    }
    rewind->code = chosen->code;
    rewind->conversation = chosen->conversation;
    rewind->undoes = number;
    rewind->moment = chosen->began;
    return HV_OK;
}

static bool goes_somewhere(const struct rewind_flags *flags)
{
    return flags->to || flags->undo || flags->redo;
}

static enum hv_code choose_message(struct rewind *rewind, struct hv_error *err)
{
    const struct rewind_flags *flags = rewind->flags;
    const struct timeline *timeline = &rewind->timeline;
    bool one = flags->code != flags->conversation && !flags->both;
    rewind->code = !one || flags->code;
    rewind->conversation = !one || flags->conversation;
    rewind->to = (size_t)flags->to;
    if (rewind->to > timeline->prompt_count)
        return hv_fail(err, HV_ENOTFOUND, "session %.*s has %zu messages; there is no message %zu",
                       HV_STR_ARG(rewind->entry.id), timeline->prompt_count, rewind->to);
    const struct timeline_prompt *prompt = &timeline->prompts[rewind->to - 1];
    if (rewind->conversation && !prompt->in_conversation) {
        hv_fail(err, HV_ECONFLICT, "message %zu is no longer part of the conversation: it was rewound", rewind->to);
        hv_error_hint(err, "--code goes back to it with the files alone; --undo takes the last rewind back");
        return HV_ECONFLICT;
    }
    rewind->moment = prompt->moment;
    return HV_OK;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* What a rule forbids the session to change, rewinding does not change either. */
static void ask_rules(struct rewind *rewind)
{
    struct policy_options options = {
        .host = rewind->setup.host,
        .settings = rewind->setup.settings,
        .directory = rewind->setup.directory,
        .home = rewind->setup.home,
        .roots = rewind->setup.roots,
        .root_count = rewind->setup.root_count,
        .ignores_case = policy_probe_case(rewind->setup.host, rewind->setup.directory),
    };
    options.tools = hv_builtin_tools(&options.tool_count);
    struct policy *policy = policy_new(&options);
    rewind_ask_rules(rewind->arena, rewind->setup.host, policy, &rewind->plan);
    policy_unref(policy);
}

static void make_plan(struct rewind *rewind)
{
    rewind_collect(rewind->arena, &rewind->timeline, rewind->code ? rewind->moment : rewind->timeline.end,
                   &rewind->plan);
    rewind_look(rewind->arena, rewind->places.store, &rewind->plan);
    ask_rules(rewind);
    rewind_judge(rewind->arena, &rewind->plan);
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

static const char *const act_names[] = {"unchanged", "restore", "bring back", "remove", "leave"};

static const char *doubt_text(enum rewind_doubt doubt)
{
    switch (doubt) {
    case REWIND_CHANGED_SINCE: return "changed since by something else";
    case REWIND_CHANGED_BETWEEN: return "something else changed it between the session's changes";
    case REWIND_UNSURE: return "changed between turns while a command ran in the background: perhaps by something else";
    case REWIND_CUT_OFF: return "the session was cut off while it was changing it";
    case REWIND_CERTAIN: break;
    }
    return "";
}

static void put_step(struct rewind *rewind, const struct rewind_step *step)
{
    struct hv_buf *out = &rewind->out;
    if (step->act == REWIND_NOTHING)
        return;
    hv_buf_addf(out, "%-10s  ", act_names[step->act]);
    visible_add(out, shown(rewind, step->path));
    if (step->why.len) {
        hv_buf_add_cstr(out, "  (");
        visible_add(out, step->why);
        hv_buf_add_byte(out, ')');
    } else if (step->doubt) {
        hv_buf_addf(out, "  (%s)", doubt_text(step->doubt));
    }
    hv_buf_add_byte(out, '\n');
}

static void put_step_json(struct rewind *rewind, const struct rewind_step *step)
{
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &rewind->out);
    hv_json_begin_object(&writer);
    hv_json_member_string(&writer, "path", step->path);
    hv_json_member_cstr(&writer, "action", act_names[step->act]);
    if (step->doubt)
        hv_json_member_cstr(&writer, "doubt", doubt_text(step->doubt));
    if (step->why.len)
        hv_json_member_string(&writer, "why", step->why);
    hv_json_end_object(&writer);
    hv_buf_add_byte(&rewind->out, '\n');
}

static void put_plan(struct rewind *rewind)
{
    for (size_t i = 0; i < rewind->plan.count; i++) {
        if (rewind->flags->json)
            put_step_json(rewind, &rewind->plan.steps[i]);
        else
            put_step(rewind, &rewind->plan.steps[i]);
    }
}

/* The commands after the message of which nobody knows what they write. */
static size_t put_commands(struct rewind *rewind, struct hv_buf *names)
{
    size_t count = 0;
    for (size_t i = 0; i < rewind->timeline.prompt_count; i++) {
        const struct timeline_prompt *prompt = &rewind->timeline.prompts[i];
        for (size_t k = 0; prompt->moment >= rewind->moment && k < prompt->commands && k < TIMELINE_NAMED_MAX; k++) {
            if (count + k >= SHOWN_COMMANDS)
                break;
            hv_buf_add_cstr(names, count + k ? "; " : "");
            visible_add(names, prompt->named[k]);
        }
        count += prompt->moment >= rewind->moment ? prompt->commands : 0;
    }
    return count;
}

/* Those among them that nobody looked around, and why. */
static size_t count_unwatched(const struct rewind *rewind, struct hv_str *why)
{
    size_t count = 0;
    for (size_t i = 0; rewind->code && i < rewind->timeline.prompt_count; i++) {
        const struct timeline_prompt *prompt = &rewind->timeline.prompts[i];
        if (prompt->moment < rewind->moment || !prompt->unwatched)
            continue;
        count += prompt->unwatched;
        *why = prompt->why_unwatched;
    }
    return count;
}

/* What could not be tracked: said instead of passed over; when it is done, only if something was not looked at. */
static void put_untracked(struct rewind *rewind, bool done)
{
    CLEANUP_BUF struct hv_buf names = {.max = OUT_MAX};
    struct hv_buf *out = &rewind->out;
    size_t count = rewind->code ? put_commands(rewind, &names) : 0;
    struct hv_str why = {0};
    size_t unwatched = count_unwatched(rewind, &why);
    if (!count || rewind->flags->json || (done && !unwatched && !rewind->timeline.place_count))
        return;
    hv_buf_addf(out, "commands whose writes are not known: %zu (%.*s%s)\n", count, HV_STR_ARG(hv_buf_str(&names)),
                count > SHOWN_COMMANDS ? "; ..." : "");
    if (!unwatched) {
        hv_buf_add_cstr(
            out, "  the workspace was looked at before and after each; what they wrote elsewhere is not known\n");
    } else {
        hv_buf_addf(out, "  what %zu of them changed stays as it is: ", unwatched);
        visible_add(out, why);
        hv_buf_add_byte(out, '\n');
    }
    for (size_t i = 0; i < rewind->timeline.place_count; i++) {
        hv_buf_add_cstr(out, "  not looked at: ");
        visible_add(out, shown(rewind, rewind->timeline.places[i].path));
        hv_buf_add_cstr(out, " (");
        visible_add(out, rewind->timeline.places[i].why);
        hv_buf_add_cstr(out, ")\n");
    }
}

static void put_untracked_json(struct rewind *rewind, struct hv_json_writer *writer)
{
    CLEANUP_BUF struct hv_buf names = {.max = OUT_MAX};
    hv_json_member_int(writer, "unknown_commands", (int64_t)(rewind->code ? put_commands(rewind, &names) : 0));
    struct hv_str why = {0};
    hv_json_member_int(writer, "unwatched_commands", (int64_t)count_unwatched(rewind, &why));
    hv_json_name(writer, "not_looked_at");
    hv_json_begin_array(writer);
    for (size_t i = 0; i < rewind->timeline.place_count; i++)
        hv_json_put_string(writer, rewind->timeline.places[i].path);
    hv_json_end_array(writer);
}

static const char *scope_name(const struct rewind *rewind)
{
    return rewind->code && rewind->conversation ? "both" : rewind->code ? "code" : "conversation";
}

static void put_outcome(struct rewind *rewind, bool done, size_t incomplete)
{
    struct hv_buf *out = &rewind->out;
    struct hv_str id = hv_str_slice(rewind->entry.id, 0, 8);
    if (rewind->flags->json) {
        struct hv_json_writer writer;
        hv_json_writer_init(&writer, out);
        hv_json_begin_object(&writer);
        hv_json_member_string(&writer, "session_id", rewind->entry.id);
        hv_json_member_cstr(&writer, "scope", scope_name(rewind));
        hv_json_member_bool(&writer, "done", done);
        hv_json_member_int(&writer, "files", (int64_t)rewind->plan.changes);
        hv_json_member_int(&writer, "doubtful", (int64_t)rewind->plan.doubtful);
        hv_json_member_int(&writer, "impossible", (int64_t)rewind->plan.impossible);
        hv_json_member_int(&writer, "incomplete", (int64_t)incomplete);
        put_untracked_json(rewind, &writer);
        hv_json_end_object(&writer);
        hv_buf_add_byte(out, '\n');
        return;
    }
    if (rewind->code)
        hv_buf_addf(out, "%zu file%s %s%s\n", rewind->plan.changes, rewind->plan.changes == 1 ? "" : "s",
                    done ? "" : "would be ", rewind->undoes ? "put back" : "rewound");
    if (rewind->conversation && rewind->to)
        hv_buf_addf(out, "the conversation %sgoes on from before message %zu\n", done ? "" : "then ", rewind->to);
    else if (rewind->conversation)
        hv_buf_addf(out, "the conversation %s put back\n", done ? "was" : "would be");
    if (done && !rewind->undoes)
        put_untracked(rewind, true);
    if (done)
        hv_buf_addf(out, "`helve rewind %.*s %s` takes this back\n", HV_STR_ARG(id),
                    rewind->flags->undo ? "--redo" : "--undo");
}

/* ---- doing ------------------------------------------------------------------------------------------------------- */

static void emit_rewind(struct rewind *rewind, struct journal_writer *journal, struct hv_str call_id)
{
    CLEANUP_BUF struct hv_buf data = {.max = 4096};
    struct hv_json_writer writer;
    hv_json_writer_init(&writer, &data);
    hv_json_begin_object(&writer);
    if (rewind->to)
        hv_json_member_int(&writer, "to", (int64_t)rewind->to);
    if (rewind->undoes)
        hv_json_member_int(&writer, "undoes", (int64_t)rewind->undoes);
    hv_json_member_int(&writer, "files", (int64_t)rewind->plan.changes);
    hv_json_end_object(&writer);
    journal_write(journal, &(struct hv_event){.type = HV_EVENT_REWIND,
                                              .time_ns = rewind->timeline.time_ns,
                                              .wall_ms = clock_wall_ns() / (int64_t)CLOCK_MILLISECOND,
                                              .call_id = call_id,
                                              .name = hv_str_from(scope_name(rewind)),
                                              .data = hv_buf_str(&data)});
}

/* Nothing is lost unasked: the plan is shown and refused. */
static int refuse(struct rewind *rewind)
{
    struct hv_error err;
    put_plan(rewind);
    int status = cli_print(&rewind->out, CLI_FAILED);
    hv_fail(&err, HV_ECONFLICT,
            "nothing was changed: of %zu files, %zu hold changes that would be lost, %zu cannot be restored",
            rewind->plan.changes + rewind->plan.impossible, rewind->plan.doubtful, rewind->plan.impossible);
    for (size_t i = 0; i < rewind->plan.count; i++)
        if (rewind->plan.steps[i].lost.len) {
            hv_error_prefix(&err, "%.*s: ", HV_STR_ARG(rewind->plan.steps[i].lost));
            break;
        }
    hv_error_hint(&err, "--force does what can be done all the same; --undo takes it back");
    cli_fail(&err);
    return status;
}

static int perform(struct rewind *rewind, struct journal_writer *journal)
{
    struct hv_error err;
    size_t incomplete = 0;
    struct hv_str call_id = hv_arena_format(rewind->arena, "rewind-%zu", rewind->timeline.rewind_count + 1);
    if ((rewind->plan.doubtful || rewind->plan.impossible) && !rewind->flags->force)
        return refuse(rewind);
    rewind_close_attempt(journal, &rewind->timeline, call_id);
    if (rewind->plan.changes &&
        rewind_apply(&rewind->plan, &rewind->places, journal, &rewind->timeline, call_id, &incomplete, &err) != HV_OK)
        return cli_fail(&err);
    /* Said only when what became of the files could be said before it: else the next run says both. */
    enum hv_code code = journal_writer_check(journal, &err);
    if (!code) {
        emit_rewind(rewind, journal, call_id);
        code = journal_writer_check(journal, &err);
    }
    if (code) {
        hv_error_prefix(&err, "the files were changed as asked, but that could not be recorded: ");
        hv_error_hint(&err, "when there is space again, the same command finds them done and records it");
        return cli_fail(&err);
    }
    put_plan(rewind);
    put_outcome(rewind, true, incomplete);
    int status = cli_print(&rewind->out, CLI_OK);
    if (incomplete)
        cli_note(
            "%zu owners or extended attributes could not be set, directories stay as they hold other files, or names "
            "of one file became files of their own",
            incomplete);
    return status;
}

static enum hv_code open_journal(const struct rewind *rewind, struct journal_writer **journal, struct hv_error *err)
{
    const struct journal_writer_options options = {.path = rewind->entry.path};
    enum hv_code code = journal_writer_open(&options, journal, err);
    if (code == HV_ECONFLICT) {
        hv_fail(err, code, "session %.*s is running: another helve is using it", HV_STR_ARG(rewind->entry.id));
        hv_error_hint(err, "end it first (`helve ps` lists what runs); --dry-run works all the same");
    }
    return code;
}

static enum hv_code read_timeline(struct rewind *rewind, struct hv_error *err)
{
    enum hv_code code = timeline_read(rewind->arena, rewind->entry.path, &rewind->timeline, err);
    if (!code && goes_somewhere(rewind->flags))
        code = rewind->flags->to ? choose_message(rewind, err) : choose_undo(rewind, err);
    return code;
}

static int dry_run(struct rewind *rewind)
{
    struct hv_error err;
    if (read_timeline(rewind, &err) != HV_OK)
        return cli_fail(&err);
    if (!goes_somewhere(rewind->flags))
        return list(rewind);
    make_plan(rewind);
    put_plan(rewind);
    put_untracked(rewind, false);
    put_outcome(rewind, false, 0);
    bool refused = (rewind->plan.doubtful || rewind->plan.impossible) && !rewind->flags->force;
    int status = cli_print(&rewind->out, refused ? CLI_FAILED : CLI_OK);
    if (refused)
        cli_note("this would be refused without --force");
    return status;
}

/* What was cut off before is ended first; what cannot be is told, as the plan will not be what one expects. */
static void recover(const struct rewind *rewind)
{
    struct fs_recovery recovery;
    fs_recover_changes(rewind->places.changes, &recovery);
    if (recovery.undone + recovery.completed)
        cli_note("%zu changes that were cut off were taken back, %zu completed", recovery.undone, recovery.completed);
    if (recovery.waiting)
        cli_note("%zu changes that were cut off cannot be taken back or completed now; the next start tries again",
                 recovery.waiting);
    if (recovery.conflicts)
        cli_note("%zu changes that were cut off are left half-done because files or their folders were changed since; "
                 "what they were is "
                 "in %.*s",
                 recovery.conflicts, HV_STR_ARG(rewind->places.changes));
}

/* Under the journal's lock: the session cannot go on meanwhile. */
static int rewind_session(struct rewind *rewind)
{
    struct hv_error err;
    struct journal_writer *journal;
    if (open_journal(rewind, &journal, &err) != HV_OK)
        return cli_fail(&err);
    recover(rewind);
    int status;
    if (read_timeline(rewind, &err) != HV_OK) {
        status = cli_fail(&err);
    } else {
        make_plan(rewind);
        status = perform(rewind, journal);
    }
    journal_writer_close(journal);
    return status;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* The working directory, or the one that --cwd names. */
static struct hv_str start_directory(const struct rewind *rewind)
{
    char *now = rewind->flags->setup.directory.len
                    ? realpath(hv_arena_cstr(rewind->arena, rewind->flags->setup.directory), NULL)
                    : getcwd(NULL, 0);
    struct hv_str directory = hv_arena_str(rewind->arena, hv_str_from(now));
    free(now);
    return directory;
}

static enum hv_code find_session(struct rewind *rewind, struct hv_str name, struct hv_error *err)
{
    enum hv_code code = sessions_find(rewind->arena, name, start_directory(rewind), &rewind->entry, err);
    if (code)
        return code;
    /* A journal can come from anybody, and would say what to write where. */
    if (!sessions_is_kept(&rewind->entry)) {
        hv_fail(err, HV_EDENIED, "%.*s is not in the directory of sessions", HV_STR_ARG(rewind->entry.path));
        hv_error_hint(err, "only what this helve recorded itself is rewound");
        return HV_EDENIED;
    }
    return HV_OK;
}

/* With the settings, and so the rules, of the folder that the session worked in. */
static enum hv_code open_setup(struct rewind *rewind, struct hv_error *err)
{
    struct cli_setup_flags flags = rewind->flags->setup;
    sessions_describe(rewind->arena, &rewind->entry);
    if (!flags.directory.len && rewind->entry.directory.len)
        flags.directory = rewind->entry.directory;
    return cli_setup_open(&flags, &rewind->setup, err);
}

static enum hv_code check_flags(const struct rewind_flags *flags, struct hv_error *err)
{
    if (flags->undo + flags->redo + (flags->to != 0) > 1)
        return hv_fail(
            err, HV_EINVAL,
            "--undo takes the last rewind back, --redo the last --undo; neither goes with the other or --to");
    if ((flags->undo || flags->redo) && (flags->code || flags->conversation || flags->both))
        return hv_fail(err, HV_EINVAL, "--undo and --redo take back what was done then, all of it");
    return HV_OK;
}

static int run(const struct cli_call *call)
{
    const struct rewind_flags *flags = call->options;
    struct rewind rewind = {.flags = flags, .arena = call->arena};
    struct hv_error err;
    int status;
    if (check_flags(flags, &err) != HV_OK)
        return cli_usage(&err);
    hv_buf_init(&rewind.out, OUT_MAX);
    enum hv_code code = find_session(&rewind, call->argument_count ? call->arguments[0] : (struct hv_str){0}, &err);
    if (!code)
        code = open_setup(&rewind, &err);
    if (code) {
        status = cli_fail(&err);
    } else {
        rewind.places = rewind_places_of(rewind.arena, rewind.entry.path);
        bool only_looks = flags->dry_run || !goes_somewhere(flags);
        status = only_looks ? dry_run(&rewind) : rewind_session(&rewind);
    }
    hv_buf_release(&rewind.out);
    setup_release(&rewind.setup);
    return status;
}

const struct cli_command cli_rewind_command = {
    .name = "rewind",
    .arguments = "[SESSION]",
    .summary = "bring files and conversation back to before a message",
    .text =
        "SESSION is an id, the beginning of one, or nothing: the latest of this directory. Without --to the messages "
        "are\n"
        "listed with the files that were changed after each. With --to N every file that the session changed since\n"
        "message N gets the bytes and the mode that it had before, what was created goes, what was deleted comes "
        "back,\n"
        "all or none of them; the conversation, when resumed, goes on from before message N.\n\n"
        "Owners, attributes, links and directories come back with them. Commands that do not say what they write are\n"
        "looked after in the workspace; --dry-run names them, and the folders that nobody looked at (what git "
        "ignores,\n"
        "when it is much).\n\n"
        "What somebody else changed meanwhile is not overwritten: then nothing is done, unless --force says so. The\n"
        "rewind itself can be taken back with --undo, several one after the other, the last first, and --redo goes the "
        "other\n"
        "way. Files that belong to git (.git) are never touched.\n\n"
        "Examples:\n  helve rewind\n  helve rewind 3f2a --to 2 --dry-run\n  helve rewind --to 2 --code\n  helve rewind "
        "--undo",
    .options = rewind_options,
    .options_size = sizeof(struct rewind_flags),
    .most = 1,
    .run = run,
};
