/* explain_command.c: what a command does, part by part, for people and programs; see explain.h. */
#include "policy/explain.h"

#include "base/cleanup.h"
#include "policy/hazard.h"
#include "policy/parts.h"
#include "policy/visible.h"

/* The commands of functions, loops and groups stand in parts of their own: these say nothing when they are harmless. */
static bool is_told(const struct policy_part *part)
{
    return (part->act->command->kind == SHELL_COMMAND_SIMPLE && part->act->word_count > 0) ||
           part->act->class != SHELL_READ_ONLY || part->danger != SHELL_DANGER_NONE;
}

static const char *level_name(enum shell_danger_level level)
{
    return level == SHELL_DANGER_FORBID ? "forbid" : "always_confirm";
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_words(struct hv_json_writer *writer, const struct shell_act *act)
{
    hv_json_name(writer, "argv");
    hv_json_begin_array(writer);
    for (size_t i = 0; act->command->kind == SHELL_COMMAND_SIMPLE && i < act->word_count; i++)
        hv_json_put_string(writer, shell_word_text(&act->words[i]));
    hv_json_end_array(writer);
}

static void put_files(struct hv_json_writer *writer, const char *name, const struct shell_access *files, size_t count)
{
    hv_json_name(writer, name);
    hv_json_begin_array(writer);
    for (size_t i = 0; i < count; i++) {
        if (files[i].path.len)
            hv_json_put_string(writer, files[i].path);
        else if (files[i].word)
            hv_json_put_string(writer, files[i].word->text);
    }
    hv_json_end_array(writer);
}

static void put_part(struct hv_json_writer *writer, const struct policy *policy, const struct policy_command *command,
                     const struct policy_part *part, struct hv_arena *arena)
{
    struct hazard hazard = hazard_of_part(policy, command, part, arena);
    hv_json_begin_object(writer);
    put_words(writer, part->act);
    hv_json_member_cstr(writer, "class", shell_class_name(part->act->class));
    put_files(writer, "reads", part->act->reads, part->act->read_count);
    put_files(writer, "writes", part->act->writes, part->act->write_count);
    hv_json_member_string(writer, "why", hazard.level ? hazard.what : part->act->why);
    if (hazard.level)
        hv_json_member_cstr(writer, "danger", level_name(hazard.level));
    hv_json_end_object(writer);
}

/* A value that stands in the answer already, once more. */
static void put_again(struct hv_json_writer *writer, size_t from, size_t to)
{
    if (hv_buf_reserve(writer->buf, to - from + 1)) /* it stays where it is while it is copied */
        hv_json_put_raw(writer, hv_str_slice(hv_buf_str(writer->buf), from, to));
}

/* What was told of a part is told again of those that say the same. */
static void put_parts(struct hv_json_writer *writer, const struct policy *policy, const struct policy_command *command,
                      struct hv_arena *arena)
{
    struct {
        size_t from, to;
    } *told = hv_arena_zalloc(arena, command->part_count, sizeof *told);
    for (size_t i = 0; i < command->part_count; i++) {
        const struct policy_part *part = &command->parts[i];
        size_t first = part->same ? (size_t)(part->same - command->parts) : i, before = writer->buf->len;
        if (!is_told(part))
            continue;
        if (first != i) {
            put_again(writer, told[first].from, told[first].to);
            continue;
        }
        put_part(writer, policy, command, part, arena);
        bool comma = hv_str_starts(hv_str_slice(hv_buf_str(writer->buf), before, before + 1), HV_STR(","));
        told[i].from = before + comma;
        told[i].to = writer->buf->len;
    }
}

void policy_explain_command_members(const struct policy *policy, const struct policy_facts *facts,
                                    const struct policy_decision *decision, struct hv_json_writer *writer)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct policy_command *command = facts->command;
    struct hv_str why;
    enum policy_command_class class = policy_classify_command(policy, facts, &arena, &why);
    hv_json_member_cstr(writer, "class", policy_command_class_name(class));
    hv_json_member_cstr(writer, "decision",
                        decision->verdict == HV_ALLOW ? "allow"
                        : decision->verdict == HV_ASK ? "ask"
                                                      : "deny");
    hv_json_member_string(writer, "reason", decision->reason);
    hv_json_member_string(writer, "rule", decision->rule);
    hv_json_name(writer, "commands");
    hv_json_begin_array(writer);
    if (command)
        put_parts(writer, policy, command, &arena);
    hv_json_end_array(writer);
    hv_json_member_string(writer, "why", why);
    hv_json_member_cstr(writer, "stage", policy_stage_name(decision->stage));
    hv_json_member_string(writer, "scope", decision->scope);
    hv_json_name(writer, "proposals");
    hv_json_begin_array(writer);
    for (size_t i = 0; i < decision->proposal_count; i++)
        hv_json_put_string(writer, decision->proposals[i]);
    hv_json_end_array(writer);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

size_t policy_count_commands(const struct policy_facts *facts)
{
    size_t count = 0;
    for (size_t i = 0; facts->command && i < facts->command->part_count; i++)
        count += is_told(&facts->command->parts[i]);
    return count;
}

/* *why: what stands against the part, or what it does. */
static const char *mark_of(const struct match_call *call, const struct policy_part *part, const struct hazard *hazard,
                           struct hv_arena *arena, struct hv_str *why)
{
    bool of_words;
    *why = hazard->what;
    if (hazard->level)
        return hazard->level == SHELL_DANGER_FORBID ? "never" : "confirm";
    struct hv_str objection = part_objection(call, part, arena, &of_words);
    *why = objection.len && part->act->class == SHELL_READ_ONLY ? objection : part->act->why;
    return objection.len ? "ask" : "ok";
}

void policy_explain_parts(const struct policy *policy, const struct policy_facts *facts, bool all, struct hv_buf *out)
{
    enum { SHOWN_MAX = 50, TEXT_MAX = 400 };
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct match_call call;
    size_t shown = 0;
    if (!facts->command || !facts->command->accepted)
        return;
    match_begin(policy, facts, &arena, &call);
    for (size_t i = 0; i < facts->command->part_count && shown < SHOWN_MAX; i++) {
        const struct policy_part *part = &facts->command->parts[i];
        if (!is_told(part))
            continue;
        struct hazard hazard = hazard_of_part(policy, facts->command, part, &arena);
        struct hv_str why;
        const char *mark = mark_of(&call, part, &hazard, &arena, &why);
        if (!all && mark[0] == 'o')
            continue;
        hv_buf_addf(out, "  %-8s ", mark);
        visible_add(out, hv_str_slice(part->text, 0, TEXT_MAX));
        if (part->text.len > TEXT_MAX)
            hv_buf_add_cstr(out, " […]");
        hv_buf_add_cstr(out, "  -- ");
        visible_add(out, why);
        hv_buf_add_byte(out, '\n');
        shown++;
    }
}
