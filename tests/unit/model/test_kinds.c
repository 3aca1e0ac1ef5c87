/*
 * test_kinds.c: what servers do, one scenario a row, in the bytes of each wire on which it can occur. The events must
 * be the same on all of them. A scenario is lines of a word, a slot (the number of a call or text on the wire), and the
 * rest; the renderers below say what each is on their wire.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event_log.h"
#include "model/decoder.h"

enum { CHAT = 1, MESSAGES = 2, RESPONSES = 4, ALL = 7, SLOTS_MAX = 8, TEXT_SLOT = 7 };

/*
 *   text TEXT          a piece of the answer          think TEXT       a piece of its reasoning
 *   call SLOT ID NAME  a call begins; "-" is empty    arg SLOT TEXT    a piece of its input
 *   id SLOT ID         its later pieces bear this id  name SLOT NAME   a further piece of its name
 *   end SLOT           its own end, where there is one
 *   reason WORD        why the message ends           stop             the mark of its end
 *   error TEXT         an error object                fault TEXT       the event "error" with a text
 *   next               the next message of the conversation
 * Events: calls as NAME INPUT (cut calls with "~" before them), texts, then the reason for the stop with "?" when it is
 * unknown and "0" when nothing was said, or the code of the error.
 */
static const struct scenario {
    const char *kind, *title;
    unsigned wires;
    const char *steps, *events;
} scenarios[] = {
    {"A", "an id twice in a message", ALL,
     "call 0 same Read\narg 0 {\"a\":1}\nend 0\ncall 1 same Read\narg 1 {\"a\":2}\nend 1\nreason tool_calls\nstop",
     "Read{\"a\":1} Read{\"a\":2} tool_use"},
    {"A", "an id again in the next message", ALL,
     "call 0 Read_0 Read\narg 0 {\"a\":1}\nend 0\nreason tool_calls\nstop\nnext\n"
     "call 0 Read_0 Read\narg 0 {\"a\":2}\nend 0\nreason tool_calls\nstop",
     "Read{\"a\":1} tool_use Read{\"a\":2} tool_use"},
    {"A", "calls without ids", ALL,
     "call 0 - Read\narg 0 {\"a\":1}\nend 0\ncall 1 - Read\narg 1 {\"a\":2}\nend 1\nreason tool_calls\nstop",
     "Read{\"a\":1} Read{\"a\":2} tool_use"},
    /* In Messages a piece bears no id. */
    {"B", "the id changes within a call", CHAT | RESPONSES,
     "call 0 call_AAAA Read\nid 0 other-BBBB\narg 0 {\"a\"\narg 0 :1}\nend 0\nreason tool_calls\nstop",
     "Read{\"a\":1} tool_use"},
    /* In Messages the whole name is announced. */
    {"C", "a name that comes late", CHAT | RESPONSES,
     "call 0 call_nnnn -\nname 0 Read\narg 0 {\"a\":1}\nend 0\nreason tool_calls\nstop", "Read{\"a\":1} tool_use"},
    {"C", "a name behind the input", CHAT | RESPONSES,
     "call 0 call_nnnn -\narg 0 {\"a\":1}\nname 0 Read\nend 0\nreason tool_calls\nstop", "Read{\"a\":1} tool_use"},
    {"C", "no name at all", ALL, "call 0 call_nnnn -\narg 0 {\"a\":1}\nend 0\nreason tool_calls\nstop",
     "unnamed{\"a\":1} tool_use"},
    {"C", "a name in pieces", CHAT, /* elsewhere names have no pieces */
     "call 0 call_nnnn Re\nname 0 ad\narg 0 {\"a\":1}\nreason tool_calls\nstop", "Read{\"a\":1} tool_use"},
    {"D", "{} before the input", ALL,
     "call 0 call_dddd Read\narg 0 {}\narg 0 {\"a\":1}\nend 0\nreason tool_calls\nstop", "Read{\"a\":1} tool_use"},
    {"D", "the last piece repeats the whole", ALL,
     "call 0 call_dddd Read\narg 0 {\"a\"\narg 0 :1}\narg 0 {\"a\":1}\nend 0\nreason tool_calls\nstop",
     "Read{\"a\":1} tool_use"},
    {"D", "each piece holds all before it", ALL,
     "call 0 call_dddd Read\narg 0 {\"a\"\narg 0 {\"a\":\narg 0 {\"a\":1}\nend 0\nreason tool_calls\nstop",
     "Read{\"a\":1} tool_use"},
    {"D", "markup behind the input", ALL,
     "call 0 call_dddd Read\narg 0 {\"a\":1}</tool_call>\nend 0\nreason tool_calls\nstop", "Read{\"a\":1} tool_use"},
    {"D", "a brace too many", ALL, "call 0 call_dddd Read\narg 0 {\"a\":1}\narg 0 }\nend 0\nreason tool_calls\nstop",
     "Read{\"a\":1} tool_use"},
    {"E", "an input that is encoded twice", ALL,
     "call 0 call_eeee Read\narg 0 \"{\\\"a\\\":1}\"\nend 0\nreason tool_calls\nstop", "Read{\"a\":1} tool_use"},
    {"E", "null stands for no input", ALL, "call 0 call_eeee LS\narg 0 null\nend 0\nreason tool_calls\nstop",
     "LS{} tool_use"},
    {"E", "a list stands for no input", ALL, "call 0 call_eeee LS\narg 0 []\nend 0\nreason tool_calls\nstop",
     "LS{} tool_use"},
    {"E", "no piece of an input", ALL, "call 0 call_eeee LS\nend 0\nreason tool_calls\nstop", "LS{} tool_use"},
    /* In Responses the reason comes with the end. */
    {"F", "a reason that is none", CHAT | MESSAGES, "reason null\ntext Hel\nreason none\ntext lo\nreason stop\nstop",
     "'Hel' 'lo' end_turn"},
    {"F", "a reason before the last pieces", CHAT | MESSAGES,
     "call 0 call_ffff Read\narg 0 {\"a\"\nreason tool_calls\narg 0 :1}\nend 0\nstop", "Read{\"a\":1} tool_use"},
    {"G", "the server broke off", ALL, "text half\nreason abort\nstop", "'half' again"},
    {"G", "the server broke off within a call", ALL, "call 0 call_gggg Read\narg 0 {\"a\"\nreason server_error\nstop",
     "again"},
    {"G", "a filter", ALL, "text half\nreason content_filter\nstop", "'half' refusal"},
    {"G", "the window is full", ALL, "text half\nreason model_context_window_exceeded\nstop",
     "'half' model_context_window_exceeded"},
    {"G", "the window is full within a call", ALL,
     "call 0 call_gggg Read\narg 0 {\"a\"\nreason model_context_window_exceeded\nstop",
     "~Read{\"a\" model_context_window_exceeded"},
    {"G", "a reason that nobody knows", ALL, "text all\nreason because\nstop", "'all' end_turn?"},
    {"H", "an empty answer", ALL, "reason stop\nstop", "end_turn0"},
    {"H", "an answer of reasoning alone", ALL, "think hm\nreason stop\nstop", "end_turn0"},
    {"I", "a limit cuts a call", ALL, "call 0 call_iiii Write\narg 0 {\"a\":\"line\nreason length\nstop",
     "~Write{\"a\":\"line max_tokens"},
    {"I", "a limit behind a whole call", ALL,
     "call 0 call_iiii Read\narg 0 {\"a\":1}\nend 0\ntext more\nreason length\nstop",
     "Read{\"a\":1} 'more' max_tokens"},
    /* Elsewhere a slot is taken for good, or begins another call (Chat Completions: row 1). */
    {"R", "a slot begins again", CHAT | MESSAGES,
     "call 0 call_rrr1 Read\narg 0 {\"a\":1}\ncall 0 call_rrr2 Read\narg 0 {\"a\":2}\nend 0\nreason tool_calls\nstop",
     "Read{\"a\":1} Read{\"a\":2} tool_use"},
    {"R", "one slot for two calls, one after the other", ALL,
     "call 0 call_aaaa Read\narg 0 {\"a\":1}\nend 0\ncall 0 call_bbbb Read\narg 0 {\"a\":2}\nend 0\nreason "
     "tool_calls\nstop",
     "Read{\"a\":1} Read{\"a\":2} tool_use"},
    {"S", "the second call ends first", ALL,
     "call 0 call_sss1 Write\ncall 1 call_sss2 Read\narg 1 {\"b\":2}\nend 1\narg 0 {\"a\":1}\nend 0\n"
     "reason tool_calls\nstop",
     "Write{\"a\":1} Read{\"b\":2} tool_use"},
    {"S", "pieces of calls are mixed", ALL,
     "call 0 call_sss1 Write\ncall 1 call_sss2 Read\narg 0 {\"a\"\narg 1 {\"b\"\narg 0 :1}\narg 1 :2}\nend 0\nend 1\n"
     "reason tool_calls\nstop",
     "Write{\"a\":1} Read{\"b\":2} tool_use"},
    {"T", "whole calls, then the end without a mark", ALL, "call 0 call_tttt Read\narg 0 {\"a\":1}\nend 0",
     "Read{\"a\":1} tool_use"},
    {"T", "half a call, then the end", ALL, "call 0 call_tttt Read\narg 0 {\"a\"", "network"},
    {"T", "a text, then the end without a mark", ALL, "text half", "'half' network"},
    {"V", "an error object", ALL, "text half\nerror it broke", "'half' again"},
    {"V", "an error object, then the end", ALL, "text half\nerror it broke\nreason stop\nstop", "'half' again"},
    {"V", "an error that is words", ALL, "text half\nfault it broke\nreason stop\nstop", "'half' again"},
    {"V", "an error behind a whole call", ALL, "call 0 call_vvvv Read\narg 0 {\"a\":1}\nend 0\nerror it broke\nstop",
     "Read{\"a\":1} again"},
};

/* ---- rendering -------------------------------------------------------------------------------------------------- */

struct slot {
    char id[40], now[40], name[40]; /* now: what its later pieces bear */
    bool used, open;
};

struct page {
    struct hv_buf *out;
    unsigned wire;
    struct slot slots[SLOTS_MAX];
    int texts; /* Messages: texts so far, each a block of its own behind the calls */
    char reason[40];
};

static void put_string(struct hv_buf *out, const char *text)
{
    hv_buf_add_byte(out, '"');
    hv_json_escape(out, hv_str_from(text));
    hv_buf_add_byte(out, '"');
}

/* {"%": text in quotes; everything else as it stands */
static void put(struct page *page, const char *format, const char *first, const char *second)
{
    const char *texts[] = {first, second};
    size_t next = 0;
    hv_buf_add_cstr(page->out, "data: ");
    for (; *format; format++) {
        if (*format == '%')
            put_string(page->out, texts[next++]);
        else if (*format == '\'')
            hv_buf_add_byte(page->out, '"');
        else
            hv_buf_add_byte(page->out, *format);
    }
    hv_buf_add_cstr(page->out, "\n\n");
}

static void put_at(struct page *page, const char *format, int slot, const char *first, const char *second)
{
    char line[400];
    const char *at = strchr(format, '#');
    assert_non_null(at);
    snprintf(line, sizeof line, "%.*s%d%s", (int)(at - format), format, slot, at + 1);
    put(page, line, first, second);
}

static void chat_step(struct page *page, const char *word, int slot, const char *rest)
{
    struct slot *call = &page->slots[slot];
#define DELTA(inner) "{'id':'c1','choices':[{'index':0,'delta':{" inner "}}]}"
    if (!strcmp(word, "text")) {
        put(page, DELTA("'content':%"), rest, NULL);
    } else if (!strcmp(word, "think")) {
        put(page, DELTA("'reasoning_content':%"), rest, NULL);
    } else if (!strcmp(word, "call") && *call->id) {
        put_at(page, DELTA("'tool_calls':[{'index':#,'id':%,'function':{'name':%,'arguments':''}}]"), slot, call->id,
               call->name);
    } else if (!strcmp(word, "call")) {
        put_at(page, DELTA("'tool_calls':[{'index':#,'function':{'name':%,'arguments':''}}]"), slot, call->name, NULL);
    } else if (!strcmp(word, "name")) {
        put_at(page, DELTA("'tool_calls':[{'index':#,'function':{'name':%}}]"), slot, rest, NULL);
    } else if (!strcmp(word, "arg") && strcmp(call->now, call->id)) {
        put_at(page, DELTA("'tool_calls':[{'index':#,'id':%,'function':{'arguments':%}}]"), slot, call->now, rest);
    } else if (!strcmp(word, "arg")) {
        put_at(page, DELTA("'tool_calls':[{'index':#,'function':{'arguments':%}}]"), slot, rest, NULL);
    } else if (!strcmp(word, "reason")) {
        put(page, "{'id':'c1','choices':[{'index':0,'delta':{},'finish_reason':%}]}", rest, NULL);
    } else if (!strcmp(word, "stop")) {
        hv_buf_add_cstr(page->out, "data: [DONE]\n\n");
    } else if (!strcmp(word, "start")) {
        put(page, DELTA("'role':'assistant'"), NULL, NULL);
    }
}

static const char *messages_reason(const char *word)
{
    return !strcmp(word, "tool_calls") ? "tool_use" : !strcmp(word, "length") ? "max_tokens" : word;
}

static void messages_step(struct page *page, const char *word, int slot, const char *rest)
{
    struct slot *call = &page->slots[slot];
    bool think = !strcmp(word, "think");
    if (!strcmp(word, "text") || think) {
        int block = TEXT_SLOT + page->texts++;
        put_at(page,
               think ? "{'type':'content_block_start','index':#,'content_block':{'type':'thinking','thinking':''}}"
                     : "{'type':'content_block_start','index':#,'content_block':{'type':'text','text':''}}",
               block, NULL, NULL);
        put_at(page,
               think ? "{'type':'content_block_delta','index':#,'delta':{'type':'thinking_delta','thinking':%}}"
                     : "{'type':'content_block_delta','index':#,'delta':{'type':'text_delta','text':%}}",
               block, rest, NULL);
        put_at(page, "{'type':'content_block_stop','index':#}", block, NULL, NULL);
    } else if (!strcmp(word, "call")) {
        put_at(
            page,
            "{'type':'content_block_start','index':#,'content_block':{'type':'tool_use','id':%,'name':%,'input':{}}}",
            slot, call->id, call->name);
    } else if (!strcmp(word, "arg")) {
        put_at(page, "{'type':'content_block_delta','index':#,'delta':{'type':'input_json_delta','partial_json':%}}",
               slot, rest, NULL);
    } else if (!strcmp(word, "end")) {
        put_at(page, "{'type':'content_block_stop','index':#}", slot, NULL, NULL);
    } else if (!strcmp(word, "reason")) {
        put(page, "{'type':'message_delta','delta':{'stop_reason':%}}", messages_reason(rest), NULL);
    } else if (!strcmp(word, "stop")) {
        put(page, "{'type':'message_stop'}", NULL, NULL);
    } else if (!strcmp(word, "start")) {
        put(page, "{'type':'message_start','message':{'id':'m1','model':'m'}}", NULL, NULL);
    }
}

static void responses_end(struct page *page)
{
    const char *word = page->reason;
    if (!*word || !strcmp(word, "stop") || !strcmp(word, "tool_calls"))
        put(page, "{'type':'response.completed','response':{'id':'r1','status':'completed'}}", NULL, NULL);
    else if (!strcmp(word, "abort") || !strcmp(word, "server_error"))
        put(page,
            "{'type':'response.completed','response':{'id':'r1','status':'failed','error':{'code':'server_error',"
            "'message':%}}}",
            word, NULL);
    else
        put(page,
            "{'type':'response.incomplete','response':{'id':'r1','status':'incomplete','incomplete_details':{"
            "'reason':%}}}",
            !strcmp(word, "length") ? "max_output_tokens" : word, NULL);
}

static void responses_step(struct page *page, const char *word, int slot, const char *rest)
{
    struct slot *call = &page->slots[slot];
    if (!strcmp(word, "text")) {
        put_at(page, "{'type':'response.output_text.delta','output_index':#,'delta':%}", TEXT_SLOT, rest, NULL);
    } else if (!strcmp(word, "think")) {
        put_at(page, "{'type':'response.output_item.added','output_index':#,'item':{'type':'reasoning'}}", TEXT_SLOT,
               NULL, NULL);
        put_at(page, "{'type':'response.reasoning_text.delta','output_index':#,'delta':%}", TEXT_SLOT, rest, NULL);
        put_at(page, "{'type':'response.output_item.done','output_index':#,'item':{'type':'reasoning'}}", TEXT_SLOT,
               NULL, NULL);
    } else if (!strcmp(word, "call")) {
        put_at(page,
               "{'type':'response.output_item.added','output_index':#,'item':{'type':'function_call','call_id':%,"
               "'name':%,'arguments':''}}",
               slot, call->id, call->name);
    } else if (!strcmp(word, "name")) {
        snprintf(call->name, sizeof call->name, "%s", rest);
    } else if (!strcmp(word, "arg")) {
        put_at(page, "{'type':'response.function_call_arguments.delta','output_index':#,'item_id':%,'delta':%}", slot,
               call->now, rest);
    } else if (!strcmp(word, "end")) {
        put_at(page,
               "{'type':'response.output_item.done','output_index':#,'item':{'type':'function_call','call_id':%,"
               "'name':%}}",
               slot, call->id, call->name);
    } else if (!strcmp(word, "reason")) {
        snprintf(page->reason, sizeof page->reason, "%s", rest);
    } else if (!strcmp(word, "stop")) {
        responses_end(page);
    } else if (!strcmp(word, "start")) {
        put(page, "{'type':'response.created','response':{'id':'r1'}}", NULL, NULL);
    }
}

static void copy_word(char out[40], struct hv_str word)
{
    snprintf(out, 40, "%.*s", HV_STR_ARG(hv_str_is(word, "-") ? HV_STR("") : word));
}

static void put_step(struct page *page, struct hv_str line)
{
    struct hv_str word = {0}, id = {0}, name = {0};
    int slot = 0;
    char text[200], first[20];
    (void)hv_str_split(&line, ' ', &word);
    snprintf(first, sizeof first, "%.*s", HV_STR_ARG(word));
    if (line.len > 1 && line.ptr[0] >= '0' && line.ptr[0] < '0' + SLOTS_MAX && line.ptr[1] == ' ') {
        slot = line.ptr[0] - '0';
        line = hv_str_slice(line, 2, SIZE_MAX);
    } else if (line.len == 1) {
        slot = line.ptr[0] - '0';
    }
    snprintf(text, sizeof text, "%.*s", HV_STR_ARG(line));
    struct slot *call = &page->slots[slot];
    if (hv_str_is(word, "call")) {
        assert_true(hv_str_split(&line, ' ', &id) && hv_str_split(&line, ' ', &name));
        copy_word(call->id, id);
        copy_word(call->now, id);
        copy_word(call->name, name);
    }
    if (hv_str_is(word, "id"))
        copy_word(call->now, line);
    else if (hv_str_is(word, "error"))
        put(page, "{'error':{'message':%}}", text, NULL);
    else if (hv_str_is(word, "fault"))
        hv_buf_addf(page->out, "event: error\ndata: %s\n\n", text);
    else
        (page->wire == CHAT       ? chat_step
         : page->wire == MESSAGES ? messages_step
                                  : responses_step)(page, first, slot, text);
}

/* ---- what comes of it ---------------------------------------------------------------------------------------------
 */

struct heard {
    struct hv_buf log, block_ids;
    struct decode_ids ids;
    struct hv_str called; /* of the call whose block must follow */
    struct hv_arena arena;
};

static void say(struct heard *heard, const char *format, struct hv_str first, struct hv_str second)
{
    if (heard->log.len)
        hv_buf_add_byte(&heard->log, ' ');
    for (; *format; format++) {
        if (*format == '1' || *format == '2')
            hv_buf_add_str(&heard->log, *format == '1' ? first : second);
        else
            hv_buf_add_byte(&heard->log, *format);
    }
}

/* What the history holds of a call is what was run, under the same id. */
static void check_block(struct heard *heard, const struct model_event *event)
{
    const struct hv_json *block;
    assert_int_equal(hv_json_parse(&heard->arena, event->json, HV_JSON_STRICT, &block, NULL), HV_OK);
    bool call = hv_str_is(hv_json_get_string(block, "type"), "tool_use");
    assert_int_equal(call, heard->called.len > 0);
    if (call)
        assert_true(hv_str_eq(hv_json_get_string(block, "id"), heard->called));
    heard->called = (struct hv_str){0};
}

static void hear(void *user, const struct model_event *event)
{
    struct heard *heard = user;
    assert_true(!heard->called.len || event->type == MODEL_BLOCK);
    switch (event->type) {
    case MODEL_TEXT: say(heard, "'1'", event->text, event->text); break;
    case MODEL_TOOL_CALL:
        say(heard, event->cut ? "~12" : "12", event->name, event->json);
        assert_true(event->id.len > 0);
        assert_false(decode_ids_have(&heard->ids, event->id));
        decode_ids_add(&heard->ids, event->id);
        heard->called = hv_arena_str(&heard->arena, event->id);
        break;
    case MODEL_BLOCK: check_block(heard, event); break;
    case MODEL_STOP:
        say(heard, "1", hv_str_from(model_stop_name(event->stop)), event->text);
        if (event->stop_unknown)
            hv_buf_add_byte(&heard->log, '?');
        if (event->empty)
            hv_buf_add_byte(&heard->log, '0');
        break;
    case MODEL_ERROR: say(heard, "1", hv_str_from(hv_code_name(event->error.code)), event->text); break;
    default: break;
    }
}

/* One message, in pieces of so many bytes, by a decoder that knows the ids of those before. */
static void decode(struct heard *heard, unsigned wire, struct hv_str bytes, size_t step)
{
    static const enum model_wire wires[] = {
        [CHAT] = MODEL_WIRE_OPENAI_CHAT, [MESSAGES] = MODEL_WIRE_ANTHROPIC, [RESPONSES] = MODEL_WIRE_OPENAI_RESPONSES};
    struct decode_ids known = {0};
    for (size_t i = 0; i < heard->ids.count; i++)
        *vec_push(&known) = heard->ids.items[i];
    struct model_decoder *decoder = model_decoder_new(wires[wire], 1 << 20, hear, heard);
    decoder_set_known_ids(decoder, &known);
    decoder_set_seed(decoder, heard->ids.count);
    for (size_t at = 0; at < bytes.len; at += step)
        model_decoder_feed(decoder, hv_str_slice(bytes, at, at + step));
    decoder_set_end(decoder, DECODE_END_CLOSED);
    model_decoder_finish(decoder);
    model_decoder_free(decoder);
    vec_release(&known);
    assert_int_equal(heard->called.len, 0);
}

static bool run(const struct scenario *scenario, unsigned wire, size_t step)
{
    struct hv_buf bytes;
    struct heard heard = {0};
    struct hv_str rest = hv_str_from(scenario->steps), line;
    struct page page = {.out = &bytes, .wire = wire};
    hv_buf_init(&bytes, 1 << 20);
    hv_buf_init(&heard.log, 1 << 16);
    put_step(&page, HV_STR("start"));
    while (hv_str_split(&rest, '\n', &line)) {
        if (!hv_str_is(line, "next")) {
            put_step(&page, line);
            continue;
        }
        decode(&heard, wire, hv_buf_str(&bytes), step);
        hv_buf_clear(&bytes);
        page = (struct page){.out = &bytes, .wire = wire};
        put_step(&page, HV_STR("start"));
    }
    decode(&heard, wire, hv_buf_str(&bytes), step);
    bool good = hv_str_is(hv_buf_str(&heard.log), scenario->events);
    if (!good)
        print_error("%s, %s, wire %u, pieces of %zu:\n  want %s\n  have %.*s\n%.*s", scenario->kind, scenario->title,
                    wire, step, scenario->events, HV_STR_ARG(hv_buf_str(&heard.log)), HV_STR_ARG(hv_buf_str(&bytes)));
    hv_buf_release(&bytes);
    hv_buf_release(&heard.log);
    vec_release(&heard.ids);
    hv_arena_release(&heard.arena);
    return good;
}

static void each_kind_is_the_same_on_each_wire(void **state)
{
    static const unsigned wires[] = {CHAT, MESSAGES, RESPONSES};
    static const size_t steps[] = {SIZE_MAX / 2, 1, 7};
    size_t bad = 0;
    (void)state;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        for (size_t j = 0; j < 3; j++) {
            for (size_t k = 0; k < 3 && scenarios[i].wires & wires[j]; k++)
                bad += !run(&scenarios[i], wires[j], steps[k]);
        }
    }
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_kind_is_the_same_on_each_wire)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
