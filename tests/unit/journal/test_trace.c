/* test_trace.c: traces are well-formed whatever the journal holds, show what happened, and stay bounded. */
#include "journal/trace.h"

#include "journal_test.h"

struct page {
    struct hv_buf bytes;
    size_t stop_after; /* 0: never */
};

static bool collect(void *user, struct hv_str bytes)
{
    struct page *page = user;
    hv_buf_add_str(&page->bytes, bytes);
    return !page->stop_after || page->bytes.len < page->stop_after;
}

enum form { HTML, CHROME };

static struct hv_str trace(struct page *page, enum form form, struct hv_str journal)
{
    struct hv_error err;
    struct trace_output output = {.write = collect, .user = page};
    struct journal_reader *reader = journal_reader_from_memory(journal);
    hv_buf_clear(&page->bytes);
    enum hv_code code =
        form == HTML ? trace_write_html(reader, &output, &err) : trace_write_chrome(reader, &output, &err);
    journal_reader_close(reader);
    if (code != HV_OK)
        fail_msg("%s", err.message);
    return hv_buf_str(&page->bytes);
}

static bool holds(struct hv_str text, const char *part)
{
    return hv_str_find(text, hv_str_from(part), 0) != SIZE_MAX;
}

/* ---- a journal with everything in it, all of its texts chosen ------------------------------------------------- */

static struct hv_str quoted(struct hv_arena *arena, const char *format, struct hv_str text)
{
    CLEANUP_BUF struct hv_buf inside = {.max = 1 << 20};
    hv_json_escape(&inside, text);
    char *out = hv_arena_alloc(arena, 8 * (inside.len + 200));
    size_t len = 0;
    for (const char *c = format; *c; c++) {
        if (*c != '%') {
            out[len++] = *c;
            continue;
        }
        if (inside.len > 0)
            memcpy(out + len, inside.data, inside.len);
        len += inside.len;
    }
    return hv_str_of(out, len);
}

static void put(struct hv_buf *journal, uint64_t ms, struct hv_event event)
{
    event.time_ns = ms * 1000000;
    event.wall_ms = 1790000000000 + (int64_t)ms;
    hv_event_write(journal, &event);
}

/* One turn: a hook, a prompt, a response with a read that ends within the stream and a shell call that was asked for.
 */
static void put_session(struct hv_buf *journal, struct hv_str text)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_arena *a = &arena;
    struct hv_str one = hv_arena_format(a, "1%.*s", HV_STR_ARG(text)), two = HV_STR("2");
#define EVENT(...) (struct hv_event){__VA_ARGS__}
    put(journal, 0,
        EVENT(.type = HV_EVENT_SESSION_START,
              .data = quoted(a, "{\"id\":\"%\",\"cwd\":\"%\",\"model\":\"%\",\"version\":\"%\"}", text)));
    put(journal, 5, EVENT(.type = HV_EVENT_HOOK, .name = text, .text = text, .duration_ns = 3000000));
    put(journal, 6,
        EVENT(.type = HV_EVENT_MESSAGE, .name = HV_STR("user"), .data = HV_STR("{\"prompt\":true}"),
              .json = quoted(a, "[{\"type\":\"text\",\"text\":\"%\"}]", text)));
    put(journal, 10, EVENT(.type = HV_EVENT_REQUEST, .data = quoted(a, "{\"model\":\"%\",\"%\":1}", text)));
    put(journal, 110, EVENT(.type = HV_EVENT_FIRST_BYTE));
    put(journal, 200,
        EVENT(.type = HV_EVENT_CALL, .call_id = one, .tool = text,
              .json = quoted(a, "{\"%\":\"%\",\"b\":{\"%\":[\"%\"]}}", text)));
    put(journal, 210, EVENT(.type = HV_EVENT_HOOK, .call_id = one, .text = text, .duration_ns = 5000000));
    put(journal, 211,
        EVENT(.type = HV_EVENT_DECISION, .call_id = one, .name = text, .text = text,
              .data = quoted(a, "{\"stage\":\"%\",\"rule\":\"%\"}", text)));
    put(journal, 261,
        EVENT(.type = HV_EVENT_STAGE, .call_id = one, .name = HV_STR("execute"), .duration_ns = 50000000));
    put(journal, 262,
        EVENT(.type = HV_EVENT_RESULT, .call_id = one, .tool = text, .ok = true, .duration_ns = 50000000,
              .data = quoted(a, "{\"summary\":\"%\"}", text),
              .json = quoted(a, "{\"type\":\"tool_result\",\"content\":\"%\"}", text)));
    put(journal, 300, EVENT(.type = HV_EVENT_CALL, .call_id = two, .tool = HV_STR("Bash"), .json = text));
    put(journal, 310, EVENT(.type = HV_EVENT_ASK, .call_id = two, .text = text));
    put(journal, 410,
        EVENT(.type = HV_EVENT_DECISION, .call_id = two, .name = HV_STR("allow"), .text = text,
              .duration_ns = 100000000));
    put(journal, 430, EVENT(.type = HV_EVENT_ADMITTED, .call_id = two, .duration_ns = 20000000));
    put(journal, 500, EVENT(.type = HV_EVENT_RESPONSE, .text = text, .data = quoted(a, "{\"usage\":\"%\"}", text)));
    put(journal, 600, EVENT(.type = HV_EVENT_NOTICE, .name = text, .text = text));
    put(journal, 930,
        EVENT(.type = HV_EVENT_RESULT, .call_id = two, .tool = HV_STR("Bash"), .duration_ns = 500000000,
              .json = quoted(a,
                             "{\"type\":\"tool_result\",\"content\":[{\"type\":\"%\"},"
                             "{\"type\":\"text\",\"text\":\"%\"}],\"is_error\":true}",
                             text)));
    put(journal, 940, EVENT(.type = HV_EVENT_RETRY, .text = text));
    put(journal, 950, EVENT(.type = HV_EVENT_TURN_END, .text = text));
#undef EVENT
}

/* ---- HTML ---------------------------------------------------------------------------------------------------- */

/* A strict little reader of the HTML that we write: known tags, known attributes, quotes, everything closed. */
struct html_reader {
    struct hv_str text;
    size_t at;
    const char *open[32];
    size_t depth;
};

static const char *const known_tags[] = {
    "!doctype", "html",    "head", "meta", "title", "style", "body", "div", "span",  "i",  "label", "input", "section",
    "details",  "summary", "b",    "h1",   "h2",    "h3",    "pre",  "p",   "table", "tr", "td",    "header"};
static const char *const unclosed_tags[] = {"!doctype", "meta", "input"};
static const char *const known_attributes[] = {"html", "class",   "style",   "title",   "id",         "type",
                                               "name", "checked", "charset", "content", "http-equiv", "lang"};

static const char *find_word(struct hv_str word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (hv_str_is(word, list[i]))
            return list[i];
    return NULL;
}

static struct hv_str take_word(struct html_reader *html)
{
    size_t start = html->at;
    while (html->at < html->text.len && !strchr(" =>\n", html->text.ptr[html->at]))
        html->at++;
    return hv_str_slice(html->text, start, html->at);
}

static void read_attributes(struct html_reader *html)
{
    while (html->text.ptr[html->at] == ' ') {
        html->at++;
        struct hv_str name = take_word(html);
        if (!find_word(name, known_attributes, COUNT_OF(known_attributes)))
            fail_msg("attribute %.*s", HV_STR_ARG(name));
        if (html->text.ptr[html->at] != '=')
            continue;
        assert_int_equal(html->text.ptr[html->at + 1], '"');
        size_t end = hv_str_find_byte(html->text, '"', html->at + 2);
        assert_int_not_equal(end, SIZE_MAX);
        struct hv_str value = hv_str_slice(html->text, html->at + 2, end);
        assert_int_equal(hv_str_find_byte(value, '<', 0), SIZE_MAX);
        if (hv_str_is(name, "style"))
            assert_int_equal(hv_str_find(value, HV_STR("url"), 0), SIZE_MAX);
        html->at = end + 1;
    }
    assert_int_equal(html->text.ptr[html->at], '>');
    html->at++;
}

static void read_tag(struct html_reader *html)
{
    bool closing = html->text.ptr[++html->at] == '/';
    html->at += closing;
    struct hv_str name = take_word(html);
    const char *known = find_word(name, known_tags, COUNT_OF(known_tags));
    if (!known)
        fail_msg("tag %.*s", HV_STR_ARG(hv_str_slice(name, 0, 100)));
    read_attributes(html);
    if (closing) {
        assert_true(html->depth > 0);
        assert_string_equal(html->open[--html->depth], known);
    } else if (!find_word(name, unclosed_tags, COUNT_OF(unclosed_tags))) {
        assert_true(html->depth < COUNT_OF(html->open));
        html->open[html->depth++] = known;
    }
}

static void assert_harmless_html(struct hv_str text)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    struct html_reader html = {.text = text};
    while (html.at < text.len) {
        unsigned char c = (unsigned char)text.ptr[html.at];
        if (c == '<') {
            read_tag(&html);
            continue;
        }
        assert_true(c >= ' ' || c == '\n' || c == '\t');
        assert_true(c != 0x7f);
        if (c == '&') {
            bool known = false;
            for (size_t i = 0; i < COUNT_OF(entities); i++)
                known |= hv_str_starts(hv_str_slice(text, html.at, SIZE_MAX), hv_str_from(entities[i]));
            assert_true(known);
        }
        html.at++;
    }
    assert_int_equal(html.depth, 0);
}

static const struct hv_str hostile[] = {
    HV_STR("plain"),
    HV_STR("<script>alert(1)</script>"),
    HV_STR("\"><img src=x onerror=alert(1)>"),
    HV_STR("' onmouseover='alert(1)"),
    HV_STR("\" style=\"background:url(http://x)"),
    HV_STR("</style></pre></details></section><iframe src=x>"),
    HV_STR("</title><svg/onload=alert(1)>"),
    HV_STR("<!-- "),
    HV_STR("]]> &lt;script&gt; &#60;b&#62; &amp;"),
    HV_STR("javascript:alert(1)"),
    HV_STR("a\0b\x01\x1b[31m\x7f\r\n\t"),
    HV_STR("\xe2\x80\xae"
           "desrever \xe2\x81\xa6 \xc2\x85 \xf0\x9f\x98\x80"),
    HV_STR("%s%n {{x}} ${y} \\u003cscript\\u003e"),
    HV_STR(""),
};

static void nothing_in_a_journal_becomes_markup(void **state)
{
    (void)state;
    struct page page = {.bytes = {.max = 64 << 20}};
    for (size_t i = 0; i < COUNT_OF(hostile); i++) {
        CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
        put_session(&journal, hostile[i]);
        struct hv_str html = trace(&page, HTML, hv_buf_str(&journal));
        assert_harmless_html(html);
        assert_false(holds(html, "\xe2\x80\xae"));
    }
    hv_buf_release(&page.bytes);
}

static void the_page_allows_neither_scripts_nor_the_network(void **state)
{
    (void)state;
    struct page page = {.bytes = {.max = 64 << 20}};
    CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
    put_session(&journal, HV_STR("x"));
    struct hv_str html = trace(&page, HTML, hv_buf_str(&journal));
    assert_true(holds(html, "content=\"default-src 'none'; style-src 'unsafe-inline'\""));
    assert_false(holds(html, "http://") || holds(html, "https://") || holds(html, "<script") || holds(html, "url("));
    hv_buf_release(&page.bytes);
}

static void the_page_shows_what_happened(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "Turn 1 · 948 ms · 1 request · 2 calls, 1 with an error", /* from the hook's start to the turn's end */
        "model 490 ms",
        "tools 550 ms",
        "of these behind the stream 120 ms", /* 50 of the read, 70 of the shell */
        "permission 100 ms",
        "title=\"first 100 ms: until the first byte\"",
        "title=\"permission 100 ms\"",
        "title=\"waits 20 ms\"",
        "title=\"runs 500 ms\"",
        "title=\"hook 5.00 ms: cat &amp; dog\"",
        "<h3>input</h3><pre>cat &amp; dog: cat &amp; dog\nb: {&quot;cat &amp; dog&quot;",
        "<h3>decision</h3><pre>cat &amp; dog: cat &amp; dog · stage cat &amp; dog · rule cat &amp; dog</pre>",
        "<h3>asked</h3><pre>cat &amp; dog</pre>",
        "<h3>summary</h3><pre>cat &amp; dog</pre>",
        "<h3>result</h3><pre>[cat &amp; dog]\ncat &amp; dog\n</pre>",
        "<b>prompt</b> cat &amp; dog",
        "<h1>Session cat &amp; dog</h1>",
    };
    struct page page = {.bytes = {.max = 64 << 20}};
    CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
    put_session(&journal, HV_STR("cat & dog"));
    struct hv_str html = trace(&page, HTML, hv_buf_str(&journal));
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (!holds(html, parts[i]))
            fail_msg("not in the page: %s\n%.*s", parts[i], HV_STR_ARG(html));
    hv_buf_release(&page.bytes);
}

/* ---- Chrome -------------------------------------------------------------------------------------------------- */

static const struct hv_json *parse(struct hv_arena *arena, struct hv_str text)
{
    const struct hv_json *value;
    struct hv_error err;
    if (hv_json_parse(arena, text, HV_JSON_UNIQUE_KEYS, &value, &err) != HV_OK)
        fail_msg("%s %s", err.message, err.place);
    return value;
}

struct slice {
    double start, end;
};

static struct slice slice_of(const struct hv_json *event)
{
    double ts, duration;
    assert_true(hv_json_double(hv_json_get(event, "ts"), &ts));
    assert_true(hv_json_double(hv_json_get(event, "dur"), &duration));
    assert_true(ts >= 0 && duration >= 0);
    return (struct slice){ts, ts + duration};
}

static bool on_same_row(const struct hv_json *a, const struct hv_json *b)
{
    return hv_json_equal(hv_json_get(a, "tid"), hv_json_get(b, "tid"));
}

/* Slices of one row lie apart or within one another, as the format wants it. */
static void assert_good_slices(const struct hv_json *events)
{
    const double grain = 0.0015; /* times are written with three digits after the point */
    hv_json_each(a, events)
    {
        if (!hv_str_is(hv_json_get_string(a, "ph"), "X"))
            continue;
        assert_non_null(hv_json_get_string(a, "name").ptr);
        assert_int_equal(hv_json_type_of(hv_json_get(a, "args")), HV_JSON_OBJECT);
        struct slice left = slice_of(a);
        for (const struct hv_json *b = a->next; b; b = b->next) {
            if (!hv_str_is(hv_json_get_string(b, "ph"), "X") || !on_same_row(a, b))
                continue;
            struct slice right = slice_of(b);
            bool apart = left.end <= right.start + grain || right.end <= left.start + grain;
            bool within = (left.start <= right.start + grain && right.end <= left.end + grain) ||
                          (right.start <= left.start + grain && left.end <= right.end + grain);
            if (!apart && !within)
                fail_msg("%f-%f and %f-%f overlap", left.start, left.end, right.start, right.end);
        }
    }
}

static const struct hv_json *find_slice(const struct hv_json *events, const char *name)
{
    hv_json_each(event, events)
    {
        if (hv_str_is(hv_json_get_string(event, "ph"), "X") && hv_str_is(hv_json_get_string(event, "name"), name))
            return event;
    }
    fail_msg("no slice %s", name);
    return NULL;
}

static void the_chrome_form_is_valid_whatever_the_journal_holds(void **state)
{
    (void)state;
    struct page page = {.bytes = {.max = 64 << 20}};
    for (size_t i = 0; i < COUNT_OF(hostile); i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
        put_session(&journal, hostile[i]);
        assert_good_slices(hv_json_get(parse(&arena, trace(&page, CHROME, hv_buf_str(&journal))), "traceEvents"));
    }
    hv_buf_release(&page.bytes);
}

static void chrome_slices_have_the_times_of_what_happened(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
    struct page page = {.bytes = {.max = 64 << 20}};
    put_session(&journal, HV_STR("Read"));
    const struct hv_json *events =
        hv_json_get(parse(&arena, trace(&page, CHROME, hv_buf_str(&journal))), "traceEvents");
    static const struct {
        const char *name;
        double start, end; /* µs */
    } rows[] = {
        {"response", 10e3, 500e3}, {"until the first byte", 10e3, 110e3},
        {"Bash", 300e3, 930e3},    {"permission", 310e3, 410e3},
        {"waits", 410e3, 430e3},   {"turn 1", 2e3, 950e3},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct slice slice = slice_of(find_slice(events, rows[i].name));
        if (slice.start != rows[i].start || slice.end != rows[i].end)
            fail_msg("%s: %f-%f", rows[i].name, slice.start, slice.end);
    }
    const struct hv_json *arguments = hv_json_get(find_slice(events, "Bash"), "args");
    assert_true(hv_str_is(hv_json_get_string(arguments, "outcome"), "error"));
    assert_true(hv_str_is(hv_json_get_string(arguments, "input"), "Read"));
    hv_buf_release(&page.bytes);
}

static void put_call(struct hv_buf *journal, unsigned number, uint64_t start_ms, uint64_t end_ms)
{
    char id[16];
    snprintf(id, sizeof id, "%u", number);
    put(journal, start_ms,
        (struct hv_event){.type = HV_EVENT_CALL,
                          .call_id = hv_str_from(id),
                          .tool = HV_STR("Read"),
                          .json = HV_STR("{\"file_path\":\"/a\"}")});
    if (end_ms)
        put(journal, end_ms,
            (struct hv_event){.type = HV_EVENT_RESULT,
                              .call_id = hv_str_from(id),
                              .tool = HV_STR("Read"),
                              .ok = true,
                              .duration_ns = (end_ms - start_ms) * 1000000,
                              .json = HV_STR("{\"type\":\"tool_result\",\"content\":\"x\"}")});
}

/* Results are handed on in order: the wait for that is not part of the call. */
static void a_call_ends_when_it_is_done_not_when_its_turn_comes(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
    struct page page = {.bytes = {.max = 64 << 20}};
    struct hv_event event = {.type = HV_EVENT_CALL, .call_id = HV_STR("1"), .tool = HV_STR("Read")};
    put(&journal, 100, event);
    event.type = HV_EVENT_STAGE;
    event.name = HV_STR("execute");
    event.duration_ns = 5000000;
    put(&journal, 110, event);
    event.type = HV_EVENT_RESULT;
    put(&journal, 900, event);
    const struct hv_json *events =
        hv_json_get(parse(&arena, trace(&page, CHROME, hv_buf_str(&journal))), "traceEvents");
    assert_true(slice_of(find_slice(events, "Read")).end == 110e3);
    hv_buf_release(&page.bytes);
}

static void calls_that_overlap_stand_on_rows_of_their_own(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
    struct page page = {.bytes = {.max = 64 << 20}};
    for (unsigned i = 0; i < 10; i++)
        put(&journal, 100 + i,
            (struct hv_event){
                .type = HV_EVENT_CALL, .call_id = hv_str_of(&"0123456789"[i], 1), .tool = HV_STR("Read")});
    for (unsigned i = 0; i < 10; i++)
        put(&journal, 200 + i,
            (struct hv_event){.type = HV_EVENT_RESULT,
                              .call_id = hv_str_of(&"0123456789"[i], 1),
                              .tool = HV_STR("Read"),
                              .duration_ns = 90000000,
                              .json = HV_STR("{\"content\":\"x\"}")});
    const struct hv_json *events =
        hv_json_get(parse(&arena, trace(&page, CHROME, hv_buf_str(&journal))), "traceEvents");
    assert_good_slices(events);
    size_t calls = 0;
    hv_json_each(event, events)
    {
        if (!hv_str_is(hv_json_get_string(event, "cat"), "tool"))
            continue;
        struct slice slice = slice_of(event);
        assert_true(slice.end - slice.start == 100e3);
        calls++;
    }
    assert_int_equal(calls, 10);
    hv_buf_release(&page.bytes);
}

/* ---- damaged, resumed, large --------------------------------------------------------------------------------- */

static void a_journal_cut_anywhere_gives_both_forms(void **state)
{
    (void)state;
    struct page page = {.bytes = {.max = 64 << 20}};
    CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
    put_session(&journal, HV_STR("\"<x>"));
    size_t first_line = hv_str_find_byte(hv_buf_str(&journal), '\n', 0);
    for (size_t cut = first_line; cut <= journal.len; cut += 3) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct hv_str part = hv_str_slice(hv_buf_str(&journal), 0, cut);
        assert_harmless_html(trace(&page, HTML, part));
        assert_good_slices(hv_json_get(parse(&arena, trace(&page, CHROME, part)), "traceEvents"));
    }
    hv_buf_release(&page.bytes);
}

static void a_journal_without_events_is_refused_and_writes_nothing(void **state)
{
    (void)state;
    static const char *const journals[] = {"", "\n\n", "garbage\n{}\n", "{\"type\":\"unknown\"}\n"};
    for (size_t i = 0; i < COUNT_OF(journals); i++) {
        struct page page = {.bytes = {.max = 1 << 20}};
        struct trace_output output = {.write = collect, .user = &page};
        struct hv_error err;
        struct journal_reader *reader = journal_reader_from_memory(hv_str_from(journals[i]));
        assert_int_equal(trace_write_html(reader, &output, &err), HV_EINVAL);
        assert_true(err.hint[0] != '\0');
        assert_int_equal(page.bytes.len, 0);
        journal_reader_close(reader);
    }
}

static void damage_is_told_in_the_page(void **state)
{
    (void)state;
    struct page page = {.bytes = {.max = 1 << 20}};
    struct hv_str html = trace(&page, HTML, HV_STR("{\"type\":\"notice\",\"text\":\"x\"}\n<rubbish>\n{\"type\":\"no"));
    assert_true(holds(html, "1 lines of the journal could not be read (first: line 2"));
    assert_true(holds(html, "The journal ends within a line"));
    assert_harmless_html(html);
    hv_buf_release(&page.bytes);
}

static void a_resumed_session_goes_on_after_the_first_one(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
    struct page page = {.bytes = {.max = 1 << 20}};
    put_session(&journal, HV_STR("a"));
    put_session(&journal, HV_STR("b"));
    const struct hv_json *events =
        hv_json_get(parse(&arena, trace(&page, CHROME, hv_buf_str(&journal))), "traceEvents");
    assert_good_slices(events);
    assert_true(slice_of(find_slice(events, "turn 2")).start >= slice_of(find_slice(events, "turn 1")).end);
    assert_true(holds(trace(&page, HTML, hv_buf_str(&journal)), "Turn 2"));
    hv_buf_release(&page.bytes);
}

static void absurd_times_do_no_harm(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf journal = {.max = 1 << 20};
    struct page page = {.bytes = {.max = 1 << 20}};
    static const uint64_t times[] = {0, INT64_MAX, 5, INT64_MAX / 2, 1, 1000000000, 999};
    uint64_t seed = 5;
    for (int i = 0; i < 400; i++) {
        struct hv_event event = {
            .type = HV_EVENT_NONE + 1 + below(&seed, HV_EVENT_COUNT - 1),
            .time_ns = times[below(&seed, COUNT_OF(times))],
            .duration_ns = times[below(&seed, COUNT_OF(times))],
            .call_id = below(&seed, 2) ? HV_STR("1") : HV_STR("2"),
            .name = HV_STR("execute"),
        };
        hv_event_write(&journal, &event);
    }
    CLEANUP_ARENA struct hv_arena arena = {0};
    assert_harmless_html(trace(&page, HTML, hv_buf_str(&journal)));
    parse(&arena, trace(&page, CHROME, hv_buf_str(&journal)));
    hv_buf_release(&page.bytes);
}

static void the_page_stops_adding_calls_and_says_so_the_chrome_form_has_all(void **state)
{
    (void)state;
    enum { CALLS = TRACE_CALLS_MAX + 500 };
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf journal = {.max = 64 << 20};
    struct page page = {.bytes = {.max = 256 << 20}};
    for (unsigned i = 0; i < CALLS; i++)
        put_call(&journal, i, 10 * i, i % 100 ? 10 * i + 8 : 0);
    struct hv_str html = trace(&page, HTML, hv_buf_str(&journal));
    assert_true(holds(html, "500 more calls are left out of this page"));
    const struct hv_json *events =
        hv_json_get(parse(&arena, trace(&page, CHROME, hv_buf_str(&journal))), "traceEvents");
    size_t calls = 0;
    hv_json_each(event, events)
    {
        calls += hv_str_is(hv_json_get_string(event, "cat"), "tool");
    }
    assert_int_equal(calls, CALLS);
    hv_buf_release(&page.bytes);
}

static void large_inputs_and_results_are_shown_in_part(void **state)
{
    (void)state;
    CLEANUP_ARENA struct hv_arena arena = {0};
    CLEANUP_BUF struct hv_buf journal = {.max = 64 << 20};
    struct page page = {.bytes = {.max = 64 << 20}};
    char *text = hv_arena_alloc(&arena, 4 << 20);
    memset(text, '<', 4 << 20);
    put_session(&journal, hv_str_of(text, 100000));
    struct hv_str html = trace(&page, HTML, hv_buf_str(&journal));
    assert_true(html.len < 2 << 20);
    assert_harmless_html(html);
    hv_buf_release(&page.bytes);
}

static void a_reader_that_wants_no_more_ends_it(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf journal = {.max = 64 << 20};
    for (unsigned i = 0; i < 2000; i++)
        put_call(&journal, i, i, i + 1);
    struct page page = {.bytes = {.max = 64 << 20}, .stop_after = 1};
    struct trace_output output = {.write = collect, .user = &page};
    struct journal_reader *reader = journal_reader_from_memory(hv_buf_str(&journal));
    assert_int_equal(trace_write_html(reader, &output, NULL), HV_EIO);
    assert_true(page.bytes.len < 1 << 20);
    journal_reader_close(reader);
    hv_buf_release(&page.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_in_a_journal_becomes_markup),
        cmocka_unit_test(the_page_allows_neither_scripts_nor_the_network),
        cmocka_unit_test(the_page_shows_what_happened),
        cmocka_unit_test(the_chrome_form_is_valid_whatever_the_journal_holds),
        cmocka_unit_test(chrome_slices_have_the_times_of_what_happened),
        cmocka_unit_test(a_call_ends_when_it_is_done_not_when_its_turn_comes),
        cmocka_unit_test(calls_that_overlap_stand_on_rows_of_their_own),
        cmocka_unit_test(a_journal_cut_anywhere_gives_both_forms),
        cmocka_unit_test(a_journal_without_events_is_refused_and_writes_nothing),
        cmocka_unit_test(damage_is_told_in_the_page),
        cmocka_unit_test(a_resumed_session_goes_on_after_the_first_one),
        cmocka_unit_test(absurd_times_do_no_harm),
        cmocka_unit_test(the_page_stops_adding_calls_and_says_so_the_chrome_form_has_all),
        cmocka_unit_test(large_inputs_and_results_are_shown_in_part),
        cmocka_unit_test(a_reader_that_wants_no_more_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
