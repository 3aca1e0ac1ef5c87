/* rewind_session.c: see rewind_session.h. */
#include "agent/rewind_session.h"

#include "agent/session_inner.h"
#include "base/cleanup.h"
#include "base/path.h"

/* The tool by whose rules changes of files are judged. */
static const struct hv_tool *editing_tool(void)
{
    size_t count;
    const struct hv_tool *const *tools = hv_builtin_tools(&count);
    for (size_t i = 0; i < count; i++)
        if (tools[i]->only_edits_files && tools[i]->rule_names)
            return tools[i];
    return NULL;
}

void rewind_ask_rules(struct hv_arena *arena, const struct hv_host *host, const struct policy *policy,
                      struct rewind_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        struct rewind_step *step = &plan->steps[i];
        struct policy_path path;
        struct policy_decision decision;
        policy_path_resolve(host, arena, step->path, &path);
        const struct policy_facts facts = {.tool = editing_tool(),
                                           .writes = &path,
                                           .write_count = 1,
                                           .touches_listed_only = true,
                                           .interactive = true};
        policy_decide(policy, &facts, arena, &decision);
        if (decision.verdict == HV_DENY &&
            (decision.stage == POLICY_STAGE_DENY_RULE || decision.stage == POLICY_STAGE_FORBIDDEN))
            step->barred = hv_arena_str(arena, decision.reason);
    }
}

struct rewind_places rewind_places_of(struct hv_arena *arena, struct hv_str journal_path)
{
    struct hv_str folder = hv_str_slice(journal_path, 0, journal_path.len - strlen(".jsonl"));
    return (struct rewind_places){
        .store = hv_arena_format(arena, "%.*s/" CHECKPOINTS_FOLDER, HV_STR_ARG(folder)),
        .changes = hv_arena_format(arena, "%.*s/" CHANGES_FOLDER, HV_STR_ARG(path_parent(journal_path))),
        .file_max = UINT64_MAX,
        .size_max = UINT64_MAX,
    };
}

/* ---- a session that is alive --------------------------------------------------------------------------------- */

static size_t number_of(const struct timeline *timeline, struct hv_str message_id)
{
    for (size_t i = timeline->prompt_count; message_id.len && i > 0; i--)
        if (hv_str_eq(timeline->prompts[i - 1].id, message_id))
            return i;
    return 0;
}

static enum hv_code plan_files(struct session *session, struct hv_arena *arena, const struct timeline *timeline,
                               size_t number, struct rewind_plan *plan, struct hv_error *err)
{
    struct policy *policy = runtime_policy(session->runtime);
    rewind_collect(arena, timeline, timeline->prompts[number - 1].moment, plan);
    rewind_look(arena, rewind_places_of(arena, session->journal_path).store, plan);
    rewind_ask_rules(arena, session->options.host, policy, plan);
    rewind_judge(arena, plan);
    policy_unref(policy);
    if (!plan->doubtful && !plan->impossible)
        return HV_OK;
    return hv_fail(err, HV_ECONFLICT,
                   "nothing was changed: %zu files hold changes that would be lost, %zu cannot be restored",
                   plan->doubtful, plan->impossible);
}

static void emit_rewind(struct session *session, size_t number, size_t files, struct hv_str call_id)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    session_emit(session, (struct hv_event){
                              .type = HV_EVENT_REWIND,
                              .name = HV_STR("code"),
                              .call_id = call_id,
                              .data = hv_arena_format(&arena, "{\"to\":%zu,\"files\":%zu}", number, files),
                          });
}

enum hv_code session_rewind_files(struct session *session, struct hv_arena *arena, struct hv_str message_id,
                                  bool dry_run, struct rewind_plan *plan, struct hv_error *err)
{
    struct timeline timeline;
    size_t incomplete;
    *plan = (struct rewind_plan){0};
    if (session->state != SESSION_IDLE)
        return hv_fail(err, HV_EAGAIN, "a turn is running: files are rewound between turns");
    if (!session->journal || !hv_str_ends(session->journal_path, HV_STR(".jsonl")))
        return hv_fail(err, HV_ENOTFOUND, "this session keeps no journal, and so nothing to rewind to");
    enum hv_code code = timeline_read(arena, session->journal_path, &timeline, err);
    size_t number = code ? 0 : number_of(&timeline, message_id);
    if (!code && !number)
        code = hv_fail(err, HV_ENOTFOUND, "there is no user message of that id in this session");
    if (!code)
        code = plan_files(session, arena, &timeline, number, plan, err);
    if (code || dry_run)
        return code;
    struct hv_str call_id = hv_arena_format(arena, "rewind-%zu", timeline.rewind_count + 1);
    const struct rewind_places places = rewind_places_of(arena, session->journal_path);
    rewind_close_attempt(session->journal, &timeline, call_id);
    if (plan->changes)
        code = rewind_apply(plan, &places, session->journal, &timeline, call_id, &incomplete, err);
    if (!code)
        code = journal_writer_check(session->journal, err);
    if (!code)
        emit_rewind(session, number, plan->changes, call_id);
    return code;
}
