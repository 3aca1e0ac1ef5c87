/*
 * test_sse.c: the event stream reader. Each stream of the table is fed at once, byte by byte, and cut in two at every
 * place: the events must be the same. They are written down as "name|data|id|retry;".
 */
#include "net/sse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static enum hv_code write_down(void *user, const struct sse_event *event, struct hv_error *err)
{
    (void)err;
    hv_buf_addf(user, "%.*s|%.*s|%.*s|%lld;", HV_STR_ARG(event->name), HV_STR_ARG(event->data), HV_STR_ARG(event->id),
                (long long)event->retry_ms);
    assert_non_null(event->data.ptr);
    return HV_OK;
}

/* Feed a copy of exactly these bytes, so that a sanitizer sees any step beyond them or later use. */
static void feed(struct sse *sse, struct hv_str bytes, struct hv_buf *events)
{
    char *copy = hv_malloc(bytes.len + !bytes.len);
    memcpy(copy, bytes.ptr, bytes.len);
    assert_int_equal(sse_feed(sse, hv_str_of(copy, bytes.len), write_down, events, NULL), HV_OK);
    free(copy);
}

static const struct {
    struct hv_str stream;
    const char *events;
    bool open; /* ends within an event */
} cases[] = {
    {{"", 0}, "", false},
#define CASE(stream, events, open)                                                                                     \
    {                                                                                                                  \
        {"" stream, sizeof(stream) - 1}, events, open                                                                  \
    }
    CASE("data: a\n\n", "message|a||-1;", false),
    CASE("data: a\r\n\r\n", "message|a||-1;", false),
    CASE("data: a\r\r", "message|a||-1;", false),
    CASE("data: a\r\n\r", "message|a||-1;", false),
    CASE("data: a\n\r\n", "message|a||-1;", false),
    CASE("data: a\r\ndata: b\rdata: c\n\n", "message|a\nb\nc||-1;", false),
    CASE("data: a\r\n\r\ndata: b\r\n\r\n", "message|a||-1;message|b||-1;", false),
    CASE("data: a\r\r\ndata: b\n\n", "message|a||-1;message|b||-1;", false),
    CASE("event: e\ndata: a\n\n", "e|a||-1;", false),
    CASE("data: a\nevent: e\n\n", "e|a||-1;", false),
    CASE("event: e\nevent: f\ndata: a\n\ndata: b\n\n", "f|a||-1;message|b||-1;", false),
    CASE("event: e\nevent\ndata: a\n\n", "message|a||-1;", false),
    CASE("event: e\n\ndata: b\n\n", "message|b||-1;", false),
    CASE("data\n\n", "message|||-1;", false),
    CASE("data:\n\n", "message|||-1;", false),
    CASE("data: \n\n", "message|||-1;", false),
    CASE("data:  a\n\n", "message| a||-1;", false),
    CASE("data:a: b\n\n", "message|a: b||-1;", false),
    CASE("data\ndata\n\n", "message|\n||-1;", false),
    CASE("data:\ndata: a\n\n", "message|\na||-1;", false),
    CASE("data: a\ndata:\n\n", "message|a\n||-1;", false),
    CASE(": comment\n\n:\n: data: x\n", "", false),
    CASE(":\ndata: a\n: between\ndata: b\n\n", "message|a\nb||-1;", false),
    CASE("\xef\xbb\xbf"
         "data: a\n\n",
         "message|a||-1;", false),
    CASE("\xef\xbb\xbf\n"
         "\xef\xbb\xbf"
         "data: a\n\n",
         "", false),
    CASE("\n"
         "\xef\xbb\xbf"
         "data: a\n\n",
         "", false),
    CASE("id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", "message|a|1|-1;message|b|1|-1;message|c||-1;", false),
    CASE("id: 1\n\ndata: a\n\n", "message|a|1|-1;", false),
    CASE("id: 1\ndata: a\n\nid: a\0b\ndata: b\n\n", "message|a|1|-1;message|b|1|-1;", false),
    CASE("retry: 250\ndata: a\n\ndata: b\n\n", "message|a||250;message|b||-1;", false),
    CASE("retry: 1s\ndata: a\n\n", "message|a||-1;", false),
    CASE("retry: -5\ndata: a\n\n", "message|a||-1;", false),
    CASE("retry:\ndata: a\n\n", "message|a||-1;", false),
    CASE("retry: 99999999999999999999\ndata: a\n\n", "message|a||-1;", false),
    CASE("Data: a\n data: b\nunknown: c\n\n", "", false),
    CASE("data : a\n\n", "", false),
    CASE("\n\n\r\r\r\n\r\n", "", false),
    CASE("data: \xf0\x9f\x98\x80\xff\n\n", "message|\xf0\x9f\x98\x80\xff||-1;", false),
    CASE("data: a\n", "", true),
    CASE("data: a", "", true),
    CASE("data: a\n\nda", "message|a||-1;", true),
    CASE("event: e\n", "", true),
    CASE("data: a\n\n: note", "message|a||-1;", true),
#undef CASE
};

static void events_are_the_same_wherever_the_stream_is_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hv_str stream = cases[i].stream;
        /* cut == len: at once; cut == len + 1: byte by byte; else in two */
        for (size_t cut = 0; cut <= stream.len + 1; cut++) {
            struct sse sse;
            struct hv_buf events;
            hv_buf_init(&events, 4096);
            sse_init(&sse, 1000);
            size_t step = cut == stream.len + 1 ? 1 : cut ? cut : stream.len;
            for (size_t at = 0; at < stream.len; at += step, step = cut == stream.len + 1 ? 1 : stream.len)
                feed(&sse, hv_str_slice(stream, at, at + step), &events);
            if (!hv_str_is(hv_buf_str(&events), cases[i].events) || sse_is_open(&sse) != cases[i].open)
                fail_msg("case %zu, cut %zu: %.*s", i, cut, HV_STR_ARG(hv_buf_str(&events)));
            hv_buf_release(&events);
            sse_release(&sse);
        }
    }
}

static void the_stream_remembers_its_last_id_and_reconnection_time(void **state)
{
    struct sse sse;
    struct hv_buf events;
    (void)state;
    hv_buf_init(&events, 4096);
    sse_init(&sse, 1000);
    assert_int_equal(sse_retry_ms(&sse), -1);
    assert_int_equal(sse_last_id(&sse).len, 0);
    feed(&sse, HV_STR("retry: 30\nid: 7\ndata: a\n\nid: 8\n"), &events);
    assert_int_equal(sse_retry_ms(&sse), 30);
    assert_true(hv_str_is(sse_last_id(&sse), "7")); /* an event that was not ended does not count */
    feed(&sse, HV_STR("\n"), &events);
    assert_true(hv_str_is(sse_last_id(&sse), "8"));
    hv_buf_release(&events);
    sse_release(&sse);
}

static void sizes_are_bounded(void **state)
{
    enum { MAX = 64, LONG = 1000 };
    char text[LONG];
    (void)state;
    memset(text, 'x', sizeof text);
    memcpy(text, "data: ", 6);
    const struct {
        size_t length; /* of each line */
        size_t lines, step;
        bool fits;
    } rows[] = {
        {MAX, 1, MAX + 1, true},      {MAX, 1, 1, true},       {MAX + 1, 1, LONG, false}, {MAX + 1, 1, 1, false},
        {MAX + 1, 1, MAX + 1, false}, {LONG - 1, 1, 7, false}, {16, 5, LONG, true},       {16, 50, LONG, false},
        {16, 50, 1, false},           {6, 60, LONG, true},     {6, 70, LONG, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sse sse;
        struct hv_buf events, stream;
        struct hv_error err = {0};
        enum hv_code code = HV_OK;
        hv_buf_init(&events, 1 << 20);
        hv_buf_init(&stream, 1 << 20);
        for (size_t line = 0; line < rows[i].lines; line++) {
            hv_buf_add(&stream, text, rows[i].length);
            hv_buf_add_byte(&stream, '\n');
        }
        hv_buf_add_byte(&stream, '\n');
        sse_init(&sse, MAX);
        for (size_t at = 0; at < stream.len && code == HV_OK; at += rows[i].step) {
            struct hv_str part = hv_str_slice(hv_buf_str(&stream), at, at + rows[i].step);
            code = sse_feed(&sse, part, write_down, &events, &err);
        }
        if (code != (rows[i].fits ? HV_OK : HV_ETOOBIG) || err.code != code)
            fail_msg("row %zu: %s", i, hv_code_name(code));
        assert_int_equal(events.len > 0, rows[i].fits);
        assert_true(sse.line.capacity <= 4 * MAX && sse.data.capacity <= 4 * MAX);
        sse_release(&sse);
        hv_buf_release(&events);
        hv_buf_release(&stream);
    }
}

static enum hv_code refuse_second(void *user, const struct sse_event *event, struct hv_error *err)
{
    (void)event;
    return ++*(int *)user == 2 ? hv_fail(err, HV_EPROTO, "enough") : HV_OK;
}

static void a_callback_can_end_the_feeding(void **state)
{
    struct sse sse;
    struct hv_error err;
    int count = 0;
    (void)state;
    sse_init(&sse, 100);
    struct hv_str stream = HV_STR("data: 1\n\ndata: 2\n\ndata: 3\n\n");
    assert_int_equal(sse_feed(&sse, stream, refuse_second, &count, &err), HV_EPROTO);
    assert_int_equal(count, 2);
    assert_string_equal(err.message, "enough");
    sse_release(&sse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_the_same_wherever_the_stream_is_cut),
        cmocka_unit_test(the_stream_remembers_its_last_id_and_reconnection_time),
        cmocka_unit_test(sizes_are_bounded),
        cmocka_unit_test(a_callback_can_end_the_feeding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
