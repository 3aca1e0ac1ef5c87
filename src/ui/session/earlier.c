/*
 * earlier.c: what a session said before, from its journal, with the same cards as when it happened. Calls and results
 * stand before the message that holds them, as they ran while it still came: so cards wait until its words are shown.
 */
#include "base/cleanup.h"
#include "ui/session/view.h"

static void put_cards(struct ui *ui)
{
    struct hv_buf held = ui->held;
    ui->held = (struct hv_buf){.max = VIEW_FINISHED_MAX};
    view_print(ui, hv_buf_str(&held));
    hv_buf_release(&held);
}

/* Beside results: words that were sent meanwhile, among what helve itself told the model. */
static void put_beside_results(struct ui *ui, struct hv_str text)
{
    struct hv_str mark = HV_STR(UI_SENT_MEANWHILE);
    if (hv_str_starts(text, mark))
        actions_echo(ui, ">", hv_str_slice(text, mark.len, text.len));
    else if (hv_str_starts(text, HV_STR("[The user interrupted")))
        view_note(ui, PAINT_WARN, "■", HV_STR("Interrupted."));
}

static void put_message(struct ui *ui, const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const struct hv_json *blocks;
    bool assistant = hv_str_is(event->name, "assistant"), results = false;
    if (hv_json_parse(&arena, event->json, HV_JSON_STRICT, &blocks, NULL) != HV_OK || blocks->type != HV_JSON_ARRAY)
        return;
    hv_json_each(block, blocks)
    {
        struct hv_str type = hv_json_get_string(block, "type"), text = hv_json_get_string(block, "text");
        struct hv_str thought = hv_json_get_string(block, "thinking");
        if (hv_str_is(type, "text") && assistant)
            view_print_markdown(ui, text);
        else if (hv_str_is(type, "text") && results)
            put_beside_results(ui, text);
        else if (hv_str_is(type, "text"))
            actions_echo(ui, ">", text);
        else if (hv_str_is(type, "thinking") && thought.len)
            events_put_thought(ui, thought, 0);
        results |= hv_str_is(type, "tool_result");
    }
}

void earlier_take(struct ui *ui, const struct hv_event *event)
{
    ui->earlier = true;
    switch (event->type) {
    case HV_EVENT_MESSAGE:
        if (!hv_str_is(event->name, "assistant"))
            put_cards(ui);
        put_message(ui, event);
        put_cards(ui);
        break;
    case HV_EVENT_CALL:
    case HV_EVENT_ADMITTED:
    case HV_EVENT_RESULT: events_take(ui, event); break;
    case HV_EVENT_TURN_END: put_cards(ui); break;
    default: break;
    }
    ui->earlier = false;
}
