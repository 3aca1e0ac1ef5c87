/* replay.c: collects the calls of a journal, makes texts comparable, tells what differs. See replay.h. */
#include "journal/replay.h"

#include "base/cleanup.h"
#include "base/map.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "text/diff.h"
#include "text/truncate.h"

#include <ctype.h>

enum { TEXT_MAX = 256 << 20, DIFF_LINES = 60, DIFF_LINE_BYTES = 2000, DIFF_CONTEXT = 3, KEY_MAX = 80 };

/* ---- collecting ---------------------------------------------------------------------------------------------- */

/* A call while it is collected; `again` is 1 + the index of the next call of the same turn with the same id. */
struct draft {
    struct replay_call call;
    size_t again;
};

struct collector {
    struct hv_arena *arena;
    struct replay_log *log;
    VEC(struct draft) drafts;
    size_t turn_start;       /* index of the first call of this turn */
    struct map open, latest; /* id → 1 + index: the first without a result, the last; of this turn */
};

static void end_turn(struct collector *collector)
{
    if (collector->turn_start == collector->drafts.count)
        return;
    collector->turn_start = collector->drafts.count;
    collector->log->turns++;
    map_release(&collector->open);
    map_release(&collector->latest);
    collector->open = collector->latest = (struct map){0};
}

static size_t look_up(const struct map *map, struct hv_str id)
{
    return id.ptr ? (size_t)(uintptr_t)map_get(map, id) : 0;
}

static void remember(struct map *map, struct hv_str id, size_t number)
{
    map_set(map, id, (void *)(uintptr_t)number);
}

static void add_call(struct collector *collector, struct hv_str id, struct hv_str tool, struct hv_str input)
{
    struct hv_str kept = hv_arena_str(collector->arena, id.ptr ? id : HV_STR(""));
    size_t former = look_up(&collector->latest, kept), number = collector->drafts.count + 1;
    *vec_push(&collector->drafts) = (struct draft){
        .call =
            {
                .turn = collector->log->turns,
                .id = kept,
                .tool = hv_arena_str(collector->arena, tool),
                .input = hv_arena_str(collector->arena, input),
            },
    };
    if (former)
        collector->drafts.items[former - 1].again = number;
    if (!look_up(&collector->open, kept))
        remember(&collector->open, kept, number);
    remember(&collector->latest, kept, number);
}

/* The result of the first call with this id that has none. */
static void add_result(struct collector *collector, struct hv_str id, struct hv_str block, uint64_t duration_ns)
{
    size_t number = look_up(&collector->open, id);
    if (!number || block.len == 0)
        return;
    struct draft *draft = &collector->drafts.items[number - 1];
    draft->call.result = hv_arena_str(collector->arena, block);
    draft->call.duration_ns = duration_ns;
    remember(&collector->open, draft->call.id, draft->again);
}

static void add_decision(struct collector *collector, const struct hv_event *event)
{
    size_t number = look_up(&collector->open, event->call_id);
    if (number)
        collector->drafts.items[number - 1].call.decision = hv_str_is(event->name, "allow")  ? HV_ALLOW
                                                            : hv_str_is(event->name, "deny") ? HV_DENY
                                                                                             : HV_VERDICT_NONE;
}

/* Calls and results of which there are no events of their own: messages that a fork took over. */
static void add_message(struct collector *collector, const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *blocks;
    if (!event->json.ptr || hv_json_parse(&scratch, event->json, HV_JSON_STRICT, &blocks, NULL) != HV_OK)
        return;
    bool assistant = hv_str_is(event->name, "assistant");
    hv_json_each(block, blocks)
    {
        struct hv_str type = hv_json_get_string(block, "type"), id = hv_json_get_string(block, "id");
        const struct hv_json *input = hv_json_get(block, "input");
        if (assistant && hv_str_is(type, "tool_use") && id.ptr && !look_up(&collector->latest, id))
            add_call(collector, id, hv_json_get_string(block, "name"),
                     input ? hv_json_source(input, event->json) : HV_STR("{}"));
        else if (!assistant && hv_str_is(type, "tool_result"))
            add_result(collector, hv_json_get_string(block, "tool_use_id"), hv_json_source(block, event->json), 0);
    }
    if (!assistant)
        end_turn(collector);
}

static void add_start(struct collector *collector, struct hv_str data)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *object;
    end_turn(collector);
    if (!data.ptr || hv_json_parse(&scratch, data, HV_JSON_STRICT, &object, NULL) != HV_OK)
        return;
    collector->log->session_id = hv_arena_str(collector->arena, hv_json_get_string(object, "id"));
    if (!collector->log->directory.ptr)
        collector->log->directory = hv_arena_str(collector->arena, hv_json_get_string(object, "cwd"));
}

static void hand_over(struct collector *collector)
{
    size_t count = collector->drafts.count;
    struct replay_call *calls = hv_arena_array(collector->arena, struct replay_call, count);
    for (size_t i = 0; i < count; i++)
        calls[i] = collector->drafts.items[i].call;
    collector->log->calls = calls;
    collector->log->count = count;
}

void replay_collect(struct hv_arena *arena, struct journal_reader *reader, struct replay_log *out)
{
    *out = (struct replay_log){0};
    struct collector collector = {.arena = arena, .log = out};
    struct hv_event event;
    while (journal_reader_next(reader, &event)) {
        switch (event.type) {
        case HV_EVENT_SESSION_START: add_start(&collector, event.data); break;
        case HV_EVENT_REQUEST:
        case HV_EVENT_TURN_END: end_turn(&collector); break;
        case HV_EVENT_CALL: add_call(&collector, event.call_id, event.tool, event.json); break;
        case HV_EVENT_DECISION: add_decision(&collector, &event); break;
        case HV_EVENT_RESULT: add_result(&collector, event.call_id, event.json, event.duration_ns); break;
        case HV_EVENT_MESSAGE: add_message(&collector, &event); break;
        default: break;
        }
    }
    end_turn(&collector);
    hand_over(&collector);
    out->faults = *journal_reader_faults(reader);
    vec_release(&collector.drafts);
}

/* ---- what may differ ----------------------------------------------------------------------------------------- */

static char byte_at(struct hv_str text, size_t at)
{
    return at < text.len ? text.ptr[at] : '\0';
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t digits(struct hv_str text, size_t at)
{
    size_t end = at;
    while (isdigit((unsigned char)byte_at(text, end)))
        end++;
    return end - at;
}

/* Match text against a form: '0' is a digit, 'x' a hexadecimal digit, anything else itself. The length, or 0. */
static size_t match_form(struct hv_str text, size_t at, const char *form)
{
    size_t len = strlen(form);
    for (size_t i = 0; i < len; i++) {
        char c = byte_at(text, at + i);
        bool fits = form[i] == '0'   ? isdigit((unsigned char)c) != 0
                    : form[i] == 'x' ? isxdigit((unsigned char)c) != 0
                                     : c == form[i];
        if (!fits)
            return 0;
    }
    return len;
}

static size_t match_fraction(struct hv_str text, size_t at)
{
    size_t count = byte_at(text, at) == '.' ? digits(text, at + 1) : 0;
    return count > 0 ? count + 1 : 0;
}

static size_t match_zone(struct hv_str text, size_t at)
{
    if (byte_at(text, at) == 'Z')
        return 1;
    if (byte_at(text, at) != '+' && byte_at(text, at) != '-')
        return 0;
    size_t len = match_form(text, at + 1, "00:00");
    if (!len)
        len = match_form(text, at + 1, "0000");
    return len ? len + 1 : 0;
}

/* 13:05:59, 13:05:59.123 */
static size_t match_clock(struct hv_str text, size_t at)
{
    size_t len = at > 0 && text.ptr[at - 1] == ':' ? 0 : match_form(text, at, "00:00:00");
    if (len)
        len += match_fraction(text, at + len);
    return len && !is_word(byte_at(text, at + len)) && byte_at(text, at + len) != ':' ? len : 0;
}

/* 2026-01-31, with or without a time of day. */
static size_t match_date(struct hv_str text, size_t at)
{
    size_t len = match_form(text, at, "0000-00-00");
    char next = byte_at(text, at + len);
    if (len && (next == 'T' || next == ' ') && match_form(text, at + len + 1, "00:00:00")) {
        len += 9;
        len += match_fraction(text, at + len);
        len += byte_at(text, at + len) == ' ' && match_zone(text, at + len + 1) ? 1 : 0;
        len += match_zone(text, at + len);
    }
    return len && !is_word(byte_at(text, at + len)) ? len : 0;
}

/* Nov  3 13:05, Nov  3 2026: as `ls -l` dates files. */
static size_t match_file_date(struct hv_str text, size_t at)
{
    if (at + 3 > text.len || byte_at(text, at + 3) != ' ')
        return 0;
    size_t month = hv_str_find(HV_STR("JanFebMarAprMayJunJulAugSepOctNovDec"), hv_str_slice(text, at, at + 3), 0);
    if (month == SIZE_MAX || month % 3 != 0)
        return 0;
    static const char *const forms[] = {" 00 00:00", "  0 00:00", " 00  0000", "  0  0000"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t len = match_form(text, at + 3, forms[i]);
        if (len && !is_word(byte_at(text, at + 3 + len)))
            return 3 + len;
    }
    return 0;
}

/* 0.03s, 12.5 ms, 7 ms, 0m0.003s. Whole seconds stay: they are as often a setting as a measurement. */
static size_t match_duration(struct hv_str text, size_t at)
{
    static const char *const units[] = {"ns", "us", "\xc2\xb5s", "ms", "seconds", "secs", "sec", "s"};
    size_t len = digits(text, at);
    if (len && byte_at(text, at + len) == 'm' && digits(text, at + len + 1))
        len += 1 + digits(text, at + len + 1);
    size_t fraction = len ? match_fraction(text, at + len) : 0;
    len += fraction;
    if (!len)
        return 0;
    size_t blank = byte_at(text, at + len) == ' ';
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct hv_str unit = hv_str_from(units[i]);
        if (!fraction && i > 3)
            return 0;
        size_t end = at + len + blank + unit.len;
        if (hv_str_starts(hv_str_slice(text, at + len + blank, SIZE_MAX), unit) && !is_word(byte_at(text, end)))
            return end - at;
    }
    return 0;
}

/* 0x7ffd1c2a3b40: addresses change with each run. */
static size_t match_address(struct hv_str text, size_t at)
{
    size_t len = 2;
    if (byte_at(text, at) != '0' || byte_at(text, at + 1) != 'x' || !match_form(text, at + len, "xxxxxxxx"))
        return 0;
    while (isxdigit((unsigned char)byte_at(text, at + len)))
        len++;
    return is_word(byte_at(text, at + len)) ? 0 : len;
}

/* pid 123, PID: 123 */
static size_t match_process(struct hv_str text, size_t at)
{
    if (!hv_str_eq_nocase(hv_str_slice(text, at, at + 3), HV_STR("pid")))
        return 0;
    size_t len = 3;
    while (len < 6 && strchr(" :=", byte_at(text, at + len)) && byte_at(text, at + len))
        len++;
    size_t count = len > 3 ? digits(text, at + len) : 0;
    return count ? len + count : 0;
}

/* /tmp/name: the first component below a temporary directory. */
static size_t match_temporary(struct hv_str text, size_t at)
{
    struct hv_str rest = hv_str_slice(text, at, SIZE_MAX);
    size_t len = hv_str_starts(rest, HV_STR("/tmp/")) ? 5 : hv_str_starts(rest, HV_STR("/var/tmp/")) ? 9 : 0;
    size_t end = len;
    while (len && (is_word(byte_at(rest, end)) || (byte_at(rest, end) && strchr(".-+@%", byte_at(rest, end)))))
        end++;
    return end > len ? end : 0;
}

static const struct matcher {
    size_t (*match)(struct hv_str text, size_t at);
    const char *replacement;
} matchers[] = {
    {match_temporary, "<temporary>"}, {match_date, "<date>"},      {match_clock, "<clock>"},
    {match_duration, "<duration>"},   {match_file_date, "<date>"}, {match_address, "<address>"},
    {match_process, "<process>"},
};

/* True where something that stands for itself can begin: not in the middle of a word or number. */
static bool may_begin(struct hv_str text, size_t at)
{
    char c = text.ptr[at], former = at > 0 ? text.ptr[at - 1] : ' ';
    if (c == '/')
        return !is_word(former);
    return is_word(c) && !is_word(former) && former != '.';
}

static size_t match_place(struct hv_str text, size_t at, struct hv_str path)
{
    if (path.len < 2 || !hv_str_starts(hv_str_slice(text, at, SIZE_MAX), path))
        return 0;
    char next = byte_at(text, at + path.len), later = byte_at(text, at + path.len + 1);
    bool goes_on = is_word(next) || next == '-' || (next == '.' && is_word(later));
    return goes_on ? 0 : path.len;
}

/* The file of an output, whose name is new each time: NAME-0123456789abcdef.txt in tool-results of the session. */
static size_t match_output(struct hv_str text, size_t at, struct hv_str session)
{
    struct hv_str folder = HV_STR("/tool-results/");
    size_t end = at + match_place(text, at, session);
    if (end == at || !hv_str_starts(hv_str_slice(text, end, SIZE_MAX), folder))
        return 0;
    end += folder.len;
    while (is_word(byte_at(text, end)))
        end++;
    size_t len = match_form(text, end, "-xxxxxxxxxxxxxxxx");
    bool is_one = len && hv_str_starts(hv_str_slice(text, end + len, SIZE_MAX), HV_STR(".txt"));
    return is_one && !is_word(byte_at(text, end + len + 4)) ? end + len + 4 - at : 0;
}

static size_t match_any(struct hv_str text, size_t at, const struct replay_place *place, const char **replacement)
{
    const struct {
        struct hv_str path;
        const char *name;
    } places[] = {{place->session_directory, "<session>"}, {place->directory, "<directory>"}, {place->home, "<home>"}};
    size_t len = match_output(text, at, place->session_directory);
    *replacement = "<session>/tool-results/<output>.txt";
    for (size_t i = 0; i < sizeof places / sizeof *places && !len; i++) {
        len = match_place(text, at, places[i].path);
        *replacement = places[i].name;
    }
    for (size_t i = 0; i < sizeof matchers / sizeof *matchers && !len; i++) {
        len = matchers[i].match(text, at);
        *replacement = matchers[i].replacement;
    }
    return len;
}

void replay_normalise(struct hv_str text, const struct replay_place *place, struct hv_buf *out)
{
    size_t kept = 0;
    for (size_t at = 0; at < text.len;) {
        const char *replacement;
        size_t len = may_begin(text, at) ? match_any(text, at, place, &replacement) : 0;
        if (len == 0) {
            at++;
            continue;
        }
        hv_buf_add_str(out, hv_str_slice(text, kept, at));
        hv_buf_add_cstr(out, replacement);
        at += len;
        kept = at;
    }
    hv_buf_add_str(out, hv_str_slice(text, kept, text.len));
}

/* ---- comparing ----------------------------------------------------------------------------------------------- */

/* A tool_result block as one text, normalised; true when it is an error. What is no text stands there as JSON. */
static bool flatten(struct hv_str block, const struct replay_place *place, struct hv_buf *out)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *object;
    if (hv_json_parse(&scratch, block, HV_JSON_STRICT, &object, NULL) != HV_OK) {
        replay_normalise(block, place, out);
        return true;
    }
    const struct hv_json *content = hv_json_get(object, "content");
    replay_normalise(hv_json_string(content), place, out);
    hv_json_each(part, hv_json_type_of(content) == HV_JSON_ARRAY ? content : NULL)
    {
        struct hv_str text = hv_json_get_string(part, "text");
        replay_normalise(text.ptr ? text : hv_json_source(part, block), place, out);
        hv_buf_add_byte(out, '\n');
    }
    return hv_json_bool(hv_json_get(object, "is_error"), false);
}

/* Text for a terminal: a journal may come from anywhere, so its control characters do not get through. */
static void add_clean(struct hv_buf *out, struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
            hv_buf_add_cstr(out, UTF8_REPLACEMENT);
        else
            hv_buf_add_byte(out, (char)c);
    }
}

/* One line: turn, id, tool, and the beginning of the input. */
static void add_title(struct hv_buf *out, const struct replay_call *call, const char *what)
{
    struct hv_str line = hv_str_slice(call->input, 0, hv_str_find_byte(call->input, '\n', 0));
    struct hv_str start = truncate_head(line, KEY_MAX);
    hv_buf_addf(out, "turn %zu, ", call->turn + 1);
    add_clean(out, truncate_head(call->id, KEY_MAX));
    hv_buf_add_cstr(out, ": ");
    add_clean(out, truncate_head(call->tool, KEY_MAX));
    hv_buf_add_byte(out, ' ');
    add_clean(out, start);
    hv_buf_addf(out, "%s: %s\n", start.len < line.len ? "…" : "", what);
}

bool replay_compare(struct replay_comparison *comparison, const struct replay_call *call, struct hv_str new_block,
                    struct hv_buf *out)
{
    if (!call->result.ptr) {
        comparison->not_recorded++;
        return true;
    }
    CLEANUP_BUF struct hv_buf then = {0}, now = {0}, diff = {0};
    hv_buf_init(&then, TEXT_MAX);
    hv_buf_init(&now, TEXT_MAX);
    hv_buf_init(&diff, TEXT_MAX);
    bool error_then = flatten(call->result, &comparison->recorded, &then);
    bool error_now = flatten(new_block, &comparison->now, &now);
    if (error_then == error_now && !then.failed && !now.failed && hv_str_eq(hv_buf_str(&then), hv_buf_str(&now))) {
        comparison->same++;
        return true;
    }
    comparison->different++;
    add_title(out, call,
              error_then == error_now ? "the results differ"
              : error_now             ? "was fine when it was recorded, fails now"
                                      : "failed when it was recorded, is fine now");
    struct diff_options options = {.context = DIFF_CONTEXT,
                                   .max_lines = DIFF_LINES,
                                   .max_line_bytes = DIFF_LINE_BYTES,
                                   .old_name = HV_STR("recorded"),
                                   .new_name = HV_STR("now")};
    diff_unified(hv_buf_str(&then), hv_buf_str(&now), &options, &diff, NULL);
    add_clean(out, hv_buf_str(&diff));
    if (diff.len > 0 && diff.data[diff.len - 1] != '\n')
        hv_buf_add_byte(out, '\n');
    return false;
}

void replay_not_run(struct replay_comparison *comparison, const struct replay_call *call, struct hv_buf *out)
{
    comparison->not_run++;
    add_title(out, call, "was recorded, but has no result now");
}

static void add_count(struct hv_buf *out, const char *separator, size_t count, const char *what)
{
    if (count > 0)
        hv_buf_addf(out, "%s%zu %s", separator, count, what);
}

void replay_summary(const struct replay_comparison *comparison, struct hv_buf *out)
{
    size_t all = comparison->same + comparison->different + comparison->not_recorded + comparison->not_run;
    hv_buf_addf(out, "%zu call%s: %zu the same", all, all == 1 ? "" : "s", comparison->same);
    add_count(out, ", ", comparison->different, "different");
    add_count(out, ", ", comparison->not_run, "without a result now");
    add_count(out, ", ", comparison->not_recorded, "without a recorded result");
    hv_buf_add_byte(out, '\n');
}
