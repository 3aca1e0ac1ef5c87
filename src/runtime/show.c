/* show.c: makes what a person is shown of a call, as blocks (helve/show.h), once and on the call's worker. */
#include "base/cleanup.h"
#include "policy/visible.h"
#include "runtime/call.h"

enum { SHOWN_MAX = 1 << 20, OUTPUT_LINES = 100 };

static struct hv_str keep(struct call *call, struct hv_show *show, struct hv_buf *buf)
{
    hv_show_end(show);
    return buf->failed ? (struct hv_str){0} : hv_arena_str(&call->arena, hv_buf_str(buf));
}

struct hv_str show_use(struct call *call)
{
    CLEANUP_BUF struct hv_buf buf = {.max = SHOWN_MAX}, text = {.max = SHOWN_MAX}, visible = {.max = SHOWN_MAX};
    struct hv_show show;
    if (!call->runtime->options.sink_count || !call->tool->render_use)
        return (struct hv_str){0};
    call->tool->render_use(call->input, &call->context, &text);
    visible_add_lines(&visible, hv_buf_str(&text));
    hv_show_begin(&show, &buf);
    hv_show_text(&show, hv_buf_str(&visible));
    return keep(call, &show, &buf);
}

/* What the descriptor says of the call, in words for whoever is to allow it. */
static void show_effects(struct call *call, const struct policy_facts *facts, struct hv_show *show)
{
    struct hv_str pairs[8];
    size_t count = 0;
    const struct hv_str name = HV_STR("effect");
    if (facts->read_only)
        pairs[2 * count] = name, pairs[2 * count++ + 1] = HV_STR("only reads");
    else if (facts->write_count || call->tool->only_edits_files)
        pairs[2 * count] = name, pairs[2 * count++ + 1] = HV_STR("changes files");
    if (facts->destructive)
        pairs[2 * count] = name, pairs[2 * count++ + 1] = HV_STR("cannot be undone");
    if (call->tool->network)
        pairs[2 * count] = name, pairs[2 * count++ + 1] = HV_STR("reaches the network");
    if (count)
        hv_show_facts(show, pairs, count);
}

struct hv_str show_question(struct call *call, const struct policy_facts *facts, struct hv_str text, struct hv_str diff)
{
    CLEANUP_BUF struct hv_buf buf = {.max = SHOWN_MAX};
    struct hv_show show;
    hv_show_begin(&show, &buf);
    hv_show_text(&show, text);
    if (diff.len)
        hv_show_diff(&show, diff);
    show_effects(call, facts, &show);
    return keep(call, &show, &buf);
}

/* The first text of a result, for tools that say nothing else. */
static struct hv_str text_of(const struct hv_result *result)
{
    for (const struct hv_content *block = result->first; block; block = block->next)
        if ((block->type == HV_CONTENT_TEXT || block->type == HV_CONTENT_SPOOL) && (block->text.len || block->tail.len))
            return block->text.len ? block->text : block->tail;
    return HV_STR("");
}

struct hv_str show_result(struct call *call)
{
    CLEANUP_BUF struct hv_buf buf = {.max = SHOWN_MAX};
    struct hv_show show;
    const struct hv_result *result = &call->result;
    if (!call->runtime->options.sink_count)
        return (struct hv_str){0};
    hv_show_begin(&show, &buf);
    const struct hv_tool *tool = call->input ? call->tool : NULL;
    /* Of a call that was refused or never ran there is nothing of the tool's own to show. */
    if (!result->is_error && tool && tool->render_result)
        tool->render_result(call->input, &call->context, result, &show);
    else if (result->is_error && call->executed && tool && tool->render_error)
        tool->render_error(call->input, &call->context, result, &show);
    else if (call->tool && call->tool->executes)
        hv_show_output(&show, text_of(result), OUTPUT_LINES);
    else if (!result->diff.len || result->is_error)
        hv_show_text(&show, text_of(result));
    return keep(call, &show, &buf);
}
