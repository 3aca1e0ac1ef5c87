/* The request reader of the proxy: what it takes, what it refuses, and what it sends on. */
#include "sandbox/proxy_head.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct good {
    const char *request;
    bool connect;
    const char *host;
    unsigned port;
    const char *head; /* NULL for CONNECT */
} good[] = {
    {"CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n", true, "example.org", 443, NULL},
    {"CONNECT [2001:db8::1]:8443 HTTP/1.0\r\n\r\n", true, "2001:db8::1", 8443, NULL},
    {"GET http://example.org/a?b=c HTTP/1.1\r\nHost: other.org\r\nAccept: */*\r\nProxy-Connection: keep-alive\r\n\r\n",
     false, "example.org", 80, "GET /a?b=c HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\nAccept: */*\r\n\r\n"},
    {"GET http://example.org:8080 HTTP/1.1\r\n\r\n", false, "example.org", 8080,
     "GET / HTTP/1.1\r\nHost: example.org:8080\r\nConnection: close\r\n\r\n"},
    {"GET http://example.org?q HTTP/1.1\n\n", false, "example.org", 80,
     "GET /?q HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n"},
    {"POST http://[::1]:81/x HTTP/1.1\r\nContent-Length: 3\r\nProxy-Authorization: secret\r\n\r\nabc", false, "::1", 81,
     "POST /x HTTP/1.1\r\nHost: [::1]:81\r\nConnection: close\r\nContent-Length: 3\r\n\r\n"},
};

static void requests_are_read_and_sent_on_as_what_was_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct hv_arena arena = {0};
        struct proxy_request request;
        assert_int_equal(proxy_head_read(&arena, hv_str_from(good[i].request), &request, NULL), HV_OK);
        assert_int_equal(request.connect, good[i].connect);
        assert_int_equal(request.port, good[i].port);
        assert_true(hv_str_is(request.host, good[i].host));
        if (good[i].head && !hv_str_is(request.head, good[i].head))
            fail_msg("%.*s", HV_STR_ARG(request.head));
        hv_arena_release(&arena);
    }
}

static const char *const bad[] = {
    "GET / HTTP/1.1\r\n\r\n",                    /* to a server, not to a proxy */
    "GET https://example.org/ HTTP/1.1\r\n\r\n", /* would be sent in the open */
    "GET ftp://example.org/ HTTP/1.1\r\n\r\n",
    "GET http://user@example.org/ HTTP/1.1\r\n\r\n", /* whose host is it? */
    "GET http://example.org\\@evil.org/ HTTP/1.1\r\n\r\n",
    "GET http://example.org:0/ HTTP/1.1\r\n\r\n",
    "GET http://example.org:65536/ HTTP/1.1\r\n\r\n",
    "GET http://example.org:80:90/ HTTP/1.1\r\n\r\n",
    "GET http:///path HTTP/1.1\r\n\r\n",
    "GET http://ex%61mple.org/ HTTP/1.1\r\n\r\n",
    "GET http://example.org/#f HTTP/1.1\r\n\r\n",
    "CONNECT example.org HTTP/1.1\r\n\r\n",
    "CONNECT http://example.org:443 HTTP/1.1\r\n\r\n",
    "GET http://a/ HTTP/2\r\n\r\n",
    "GET  http://a/ HTTP/1.1\r\n\r\n",
    "GET http://a/ HTTP/1.1 x\r\n\r\n",
    "G(T http://a/ HTTP/1.1\r\n\r\n",
    "GET http://a/ HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
    "GET http://a/ HTTP/1.1\r\nHost : b\r\n\r\n",
    "GET http://a/ HTTP/1.1\r\nno colon\r\n\r\n",
    "GET http://a/ HTTP/1.1\r\nA: b\rHost: c\r\n\r\n",
    "GET http://a\tb/ HTTP/1.1\r\n\r\n",
};

static void what_two_readers_could_understand_differently_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct hv_arena arena = {0};
        struct proxy_request request;
        struct hv_error err;
        enum hv_code code = proxy_head_read(&arena, hv_str_from(bad[i]), &request, &err);
        if (code != HV_EPROTO && code != HV_EUNSUPPORTED)
            fail_msg("%s", bad[i]);
        assert_true(err.message[0]);
        hv_arena_release(&arena);
    }
}

static void a_head_is_taken_whole_and_of_bounded_length(void **state)
{
    (void)state;
    struct hv_arena arena = {0};
    struct proxy_request request;
    struct hv_str whole = hv_str_from(good[2].request);
    for (size_t len = 0; len < whole.len; len++)
        assert_int_equal(proxy_head_read(&arena, hv_str_slice(whole, 0, len), &request, NULL), HV_EAGAIN);
    char *long_head = hv_arena_alloc(&arena, PROXY_HEAD_MAX);
    memset(long_head, 'a', PROXY_HEAD_MAX);
    assert_int_equal(proxy_head_read(&arena, hv_str_of(long_head, PROXY_HEAD_MAX), &request, NULL), HV_ETOOBIG);
    hv_arena_release(&arena);
}

static void an_address_of_the_web_has_one_host(void **state)
{
    static const struct {
        const char *address, *host;
        unsigned port;
    } rows[] = {
        {"https://a.org/x?u=http://b.org", "a.org", 443},
        {"http://a.org", "a.org", 80},
        {"http://127.0.0.1:8080#x", "127.0.0.1", 8080},
        {"http://[::1]:9/", "::1", 9},
        {"https://a.org@b.org/", NULL, 0},
        {"https://a.org\\@b.org/", NULL, 0},
        {"https://{a,b}.org/", NULL, 0},
        {"https:///x", NULL, 0},
        {"ssh://a.org/", NULL, 0},
        {"x=https://a.org/", NULL, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct hv_str host = {0};
        unsigned port = 0;
        bool read = proxy_read_address(hv_str_from(rows[i].address), &host, &port);
        if (read != (rows[i].host != NULL) || (read && (!hv_str_is(host, rows[i].host) || port != rows[i].port)))
            fail_msg("%s", rows[i].address);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_read_and_sent_on_as_what_was_judged),
        cmocka_unit_test(what_two_readers_could_understand_differently_is_refused),
        cmocka_unit_test(a_head_is_taken_whole_and_of_bounded_length),
        cmocka_unit_test(an_address_of_the_web_has_one_host),
    };
    return cmocka_run_group_tests_name("sandbox proxy head", tests, NULL, NULL);
}
