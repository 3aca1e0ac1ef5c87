/* test_http.c: the HTTP client against a small server of our own, well-behaved and not. */
#include "http_server.h"
#include "loop/loop.h"
#include "net/http.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A request with nothing set ({0} would be a warning within a table). */
#define NO_LIMITS                                                                                                      \
    {                                                                                                                  \
        .max_body = 0                                                                                                  \
    }
#define OK_HEAD "HTTP/1.1 200 OK\r\n"
#define GZIP_HEAD OK_HEAD "Content-Encoding: gzip\r\nConnection: close\r\n\r\n"
#define GZIP_HELLO                                                                                                     \
    "\x1f\x8b\x08\0\0\0\0\0\x02\x03\x4b\xce\xcf\x2d\x28\x4a\x2d\x2e\x4e\x4d\x51\xc8\x48\xcd\xc9\xc9\x07\0\xb6\x01\x99" \
    "\x46\x10\0\0\0"
#define ZEROS_16 "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
/* 300,000 zero bytes. */
#define GZIP_BOMB                                                                                                      \
    "\x1f\x8b\x08\0\0\0\0\0\x02\x03\xed\xc1\x01\x0d\0\0\0\xc2\xa0\xf7\x4f\x6d\x0f\x07\x14" ZEROS_16 ZEROS_16 ZEROS_16  \
        ZEROS_16 ZEROS_16 ZEROS_16 ZEROS_16 ZEROS_16

static char giant_headers[400 * 1024];

static struct answer answers[] = {
    {"/plain", HV_STR(OK_HEAD "Content-Length: 5\r\nX-Two: a\r\nx-two:  b \r\n\r\nhello"), KEEP},
    {"/empty", HV_STR("HTTP/1.1 204 No Content\r\n\r\n"), KEEP},
    {"/head", HV_STR(OK_HEAD "Content-Length: 5\r\n\r\n"), KEEP},
    {"/chunked",
     HV_STR(OK_HEAD "Transfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nX-T: 1\r\n\r\n"),
     KEEP},
    {"/until-close", HV_STR(OK_HEAD "\r\nhello"), CLOSE},
    {"/interim", HV_STR("HTTP/1.1 103 Early Hints\r\nX-Two: early\r\n\r\n" OK_HEAD "Content-Length: 2\r\n\r\nok"),
     KEEP},
    {"/redirect", HV_STR("HTTP/1.1 302 Found\r\nLocation: /plain\r\nContent-Length: 0\r\n\r\n"), KEEP},
    {"/busy", HV_STR("HTTP/1.1 529 Overloaded\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nbusy"), KEEP},
    {"/gzip", HV_STR(GZIP_HEAD GZIP_HELLO), CLOSE},
    {"/gzip-damaged", HV_STR(GZIP_HEAD "\x1f\x8b\x08\0\0\0\0\0\x02\x03\xff\xff\xff\xff\xff\xff\xff\xff"), CLOSE},
    {"/gzip-bomb", HV_STR(GZIP_HEAD GZIP_BOMB), CLOSE},
    {"/cut", HV_STR(OK_HEAD "Content-Length: 100\r\n\r\nhello"), CLOSE},
    {"/cut-chunk", HV_STR(OK_HEAD "Transfer-Encoding: chunked\r\n\r\n64\r\nhello"), CLOSE},
    {"/cut-head", HV_STR(OK_HEAD "Content-Le"), CLOSE},
    {"/nothing", HV_STR(""), CLOSE},
    {"/not-http", HV_STR("SSH-2.0-OpenSSH_9.2\r\n"), CLOSE},
    {"/silent", HV_STR(""), HANG},
    {"/stalls", HV_STR(OK_HEAD "Content-Length: 100\r\n\r\nhello"), HANG},
    {"/dies", HV_STR(OK_HEAD "Content-Length: 5\r\n\r\nhello"), CLOSE_LATER},
    {"/giant-headers", {giant_headers, sizeof giant_headers}, CLOSE},
};

struct fixture {
    struct loop *loop;
    struct http_client *client;
    struct server server;
};

/* One request and what came of it. */
struct seen {
    struct fixture *fixture;
    struct http_transfer *transfer;
    int status, statuses, ends;
    bool in_send, off_thread, end_in_send;
    enum hv_code code;
    struct hv_error err;
    char header[32];
    struct hv_buf body;
    int cancel_at;       /* 1: in on_status, 2: in on_body */
    struct seen *follow; /* a request to send from within on_body (or on_end when there was no body) */
    char url[256];
};

static int set_up(void **state)
{
    struct fixture *fixture = hv_calloc(1, sizeof *fixture);
    struct hv_error err = {0};
    assert_int_equal(loop_new(&fixture->loop, NULL), HV_OK);
    if (http_client_new(fixture->loop, NULL, &fixture->client, &err) != HV_OK)
        fail_msg("%s: %s", err.message, err.hint);
    server_start(&fixture->server, answers, sizeof answers / sizeof *answers);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    http_client_free(fixture->client);
    loop_free(fixture->loop);
    server_stop(&fixture->server);
    free(fixture);
    return 0;
}

/* ---- requests ------------------------------------------------------------------------------------------------ */

static void send_seen(struct fixture *fixture, struct seen *seen, const char *path, struct http_request request);

static void on_status(void *user, int status, const struct http_headers *headers)
{
    struct seen *seen = user;
    struct hv_str two = http_header(headers, "x-two"), location = http_header(headers, "location");
    seen->status = status;
    seen->statuses++;
    snprintf(seen->header, sizeof seen->header, "%.*s", HV_STR_ARG(two.ptr ? two : location));
    assert_true(hv_str_eq(http_header(headers, "X-TWO"), two));
    if (seen->cancel_at == 1)
        http_cancel(seen->transfer);
}

static void on_body(void *user, struct hv_str bytes)
{
    struct seen *seen = user;
    assert_int_equal(seen->statuses, 1);
    hv_buf_add_str(&seen->body, bytes);
    if (seen->cancel_at == 2)
        http_cancel(seen->transfer);
    if (seen->follow && !seen->follow->transfer)
        send_seen(seen->fixture, seen->follow, "/plain", (struct http_request){0});
}

static void on_end(void *user, enum hv_code code, const struct hv_error *err)
{
    struct seen *seen = user;
    seen->end_in_send |= seen->in_send;
    seen->off_thread |= !loop_is_current(seen->fixture->loop);
    seen->ends++;
    seen->code = code;
    if (err)
        seen->err = *err;
    if (seen->follow && !seen->follow->transfer)
        send_seen(seen->fixture, seen->follow, "/plain", (struct http_request){0});
}

static void send_seen(struct fixture *fixture, struct seen *seen, const char *path, struct http_request request)
{
    const struct http_handlers handlers = {on_status, on_body, on_end, seen};
    seen->fixture = fixture;
    snprintf(seen->url, sizeof seen->url, "http://127.0.0.1:%d%s", fixture->server.port, path);
    request.url = hv_str_from(seen->url);
    hv_buf_init(&seen->body, 64 << 20);
    seen->in_send = true;
    enum hv_code code = http_send(fixture->client, &request, &handlers, &seen->transfer, &seen->err);
    if (code != HV_OK)
        fail_msg("%s", seen->err.message);
    seen->in_send = false;
}

static void wait_for(struct fixture *fixture, const struct seen *seen)
{
    for (int i = 0; i < 1000 && !seen->ends; i++)
        loop_run_once(fixture->loop, 100 * 1000000ull);
    for (int i = 0; i < 3; i++) /* a second end would come now */
        loop_run_once(fixture->loop, 0);
    assert_int_equal(seen->ends, 1);
    assert_false(seen->end_in_send);
    assert_false(seen->off_thread);
}

static void get(struct fixture *fixture, struct seen *seen, const char *path, struct http_request request)
{
    *seen = (struct seen){0};
    send_seen(fixture, seen, path, request);
    wait_for(fixture, seen);
}

/* ---- answers ------------------------------------------------------------------------------------------------- */

static void answers_arrive_whole_or_fail_with_a_reason(void **state)
{
    struct {
        const char *path;
        struct http_request request;
        enum hv_code code;
        int status;
        const char *body, *message, *header;
    } cases[] = {
        {"/plain", NO_LIMITS, HV_OK, 200, "hello", NULL, "b"},
        {"/empty", NO_LIMITS, HV_OK, 204, "", NULL, ""},
        {"/head", {.method = {"HEAD", 4}}, HV_OK, 200, "", NULL, ""},
        {"/chunked", NO_LIMITS, HV_OK, 200, "hello", NULL, ""},
        {"/until-close", NO_LIMITS, HV_OK, 200, "hello", NULL, ""},
        {"/interim", NO_LIMITS, HV_OK, 200, "ok", NULL, ""},
        {"/redirect", NO_LIMITS, HV_OK, 302, "", NULL, "/plain"},
        {"/busy", NO_LIMITS, HV_OK, 529, "busy", NULL, ""},
        {"/gzip", {.compressed = true}, HV_OK, 200, "compressed hello", NULL, ""},
        {"/gzip", NO_LIMITS, HV_OK, 200, "compressed hello", NULL, ""},
        {"/gzip-damaged", NO_LIMITS, HV_EPROTO, 200, NULL, "damaged", ""},
        {"/gzip-bomb", {.max_body = 1000}, HV_ETOOBIG, 200, NULL, "larger than allowed", ""},
        {"/plain", {.max_body = 5}, HV_OK, 200, "hello", NULL, "b"},
        {"/plain", {.max_body = 4}, HV_ETOOBIG, 200, "", "larger than allowed", "b"},
        {"/chunked", {.max_body = 4}, HV_ETOOBIG, 200, NULL, "larger than allowed", ""},
        {"/cut", NO_LIMITS, HV_ENET, 200, "hello", "in the middle of the answer", ""},
        {"/cut-chunk", NO_LIMITS, HV_ENET, 200, "hello", "in the middle of the answer", ""},
        {"/cut-head", NO_LIMITS, HV_ENET, 0, "", "without an answer", ""},
        {"/nothing", NO_LIMITS, HV_ENET, 0, "", "without an answer", ""},
        {"/not-http", NO_LIMITS, HV_EPROTO, 0, "", "does not answer in HTTP", ""},
        {"/giant-headers", NO_LIMITS, HV_ETOOBIG, 0, "", "larger than allowed", ""},
        {"/silent", {.idle_timeout_ms = 50}, HV_ETIMEOUT, 0, "", "sent nothing for 0.05 s", ""},
        {"/stalls", {.idle_timeout_ms = 50}, HV_ETIMEOUT, 200, "hello", "sent nothing for 0.05 s", ""},
        {"/stalls", {.total_timeout_ms = 50}, HV_ETIMEOUT, 200, "hello", "did not end within 0.05 s", ""},
    };
    memset(giant_headers, 'a', sizeof giant_headers);
    for (size_t i = 0; i < sizeof giant_headers; i += 1000)
        memcpy(giant_headers + i, i ? "\r\nX-A: " : "HTTP/1.1 200 OK\r\nX:", i ? 7 : 19);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct seen seen;
        get(*state, &seen, cases[i].path, cases[i].request);
        print_message("# %s: %s %d %s\n", cases[i].path, hv_code_name(seen.code), seen.status, seen.err.message);
        assert_int_equal(seen.code, cases[i].code);
        assert_int_equal(seen.status, cases[i].status);
        assert_string_equal(seen.header, cases[i].header);
        if (cases[i].body)
            assert_true(hv_str_is(hv_buf_str(&seen.body), cases[i].body));
        if (cases[i].message)
            assert_non_null(strstr(seen.err.message, cases[i].message));
        hv_buf_release(&seen.body);
    }
}

static void a_body_of_many_views_arrives_byte_for_byte(void **state)
{
    enum { PIECES = 200, PIECE = 32 * 1024 };
    struct hv_str views[PIECES + 1];
    char *bytes = hv_malloc(PIECES * PIECE);
    for (size_t i = 0; i < PIECES * PIECE; i++)
        bytes[i] = (char)(i * 2654435761u >> 13);
    for (size_t i = 0; i < PIECES; i++)
        views[i] = hv_str_of(bytes + i * PIECE, PIECE);
    views[PIECES] = (struct hv_str){0};
    struct seen seen;
    get(*state, &seen, "/echo", (struct http_request){.body = views, .body_count = PIECES + 1});
    assert_int_equal(seen.code, HV_OK);
    assert_int_equal(seen.body.len, PIECES * PIECE);
    assert_memory_equal(seen.body.data, bytes, PIECES * PIECE);
    hv_buf_release(&seen.body);
    free(bytes);
}

static void assert_request(struct fixture *fixture, const char *part, bool wanted)
{
    struct hv_str request = hv_buf_str(&fixture->server.last);
    bool found = hv_str_find(request, hv_str_from(part), 0) != SIZE_MAX;
    if (found != wanted)
        fail_msg("\"%s\" is %s in: %.*s", part, wanted ? "missing" : "unwanted", HV_STR_ARG(request));
}

static void a_request_says_what_was_asked_and_no_more(void **state)
{
    const struct hv_str headers[] = {HV_STR("X-Key:  secret "), HV_STR("X-Empty:"), HV_STR("content-length: 999"),
                                     HV_STR("Content-Type: application/json")};
    const struct hv_str body[] = {HV_STR("{}")};
    struct seen seen;
    get(*state, &seen, "/plain?q=1",
        (struct http_request){.headers = headers, .header_count = 4, .body = body, .body_count = 1});
    assert_request(*state, "POST /plain?q=1 HTTP/1.1\r\n", true);
    assert_request(*state, "\r\nX-Key: secret\r\n", true);
    assert_request(*state, "\r\nX-Empty:\r\n", true);
    assert_request(*state, "\r\nContent-Length: 2\r\n", true);
    assert_request(*state, "\r\nUser-Agent: helve/", true);
    assert_request(*state, "999", false);
    assert_request(*state, "Expect", false);
    assert_request(*state, "form-urlencoded", false);
    hv_buf_release(&seen.body);
    get(*state, &seen, "/plain", (struct http_request){.method = HV_STR("DELETE")});
    assert_request(*state, "DELETE /plain HTTP/1.1\r\n", true);
    hv_buf_release(&seen.body);
    get(*state, &seen, "/echo", (struct http_request){.method = HV_STR("PUT"), .body = body, .body_count = 1});
    assert_request(*state, "PUT /echo HTTP/1.1\r\n", true);
    assert_true(hv_str_is(hv_buf_str(&seen.body), "{}"));
    hv_buf_release(&seen.body);
    get(*state, &seen, "/echo", (struct http_request){.method = HV_STR("POST")});
    assert_request(*state, "Content-Length: 0\r\n", true);
    hv_buf_release(&seen.body);
}

/* ---- connections --------------------------------------------------------------------------------------------- */

static void connections_are_kept_and_a_dead_one_is_replaced(void **state)
{
    struct fixture *fixture = *state;
    const struct hv_str body[] = {HV_STR("again")};
    struct seen seen;
    for (int i = 0; i < 3; i++) {
        get(fixture, &seen, "/plain", (struct http_request){0});
        hv_buf_release(&seen.body);
    }
    assert_int_equal(server_connections(&fixture->server), 1);
    get(fixture, &seen, "/dies", (struct http_request){0});
    hv_buf_release(&seen.body);
    get(fixture, &seen, "/echo", (struct http_request){.body = body, .body_count = 1});
    assert_int_equal(seen.code, HV_OK);
    assert_true(hv_str_is(hv_buf_str(&seen.body), "again"));
    hv_buf_release(&seen.body);
}

static void many_requests_run_at_once(void **state)
{
    enum { COUNT = 30 };
    static struct seen seen[COUNT];
    char text[COUNT][16];
    struct hv_str bodies[COUNT];
    for (int i = 0; i < COUNT; i++) {
        snprintf(text[i], sizeof text[i], "request %d", i);
        bodies[i] = hv_str_from(text[i]);
        seen[i] = (struct seen){0};
        send_seen(*state, &seen[i], "/echo", (struct http_request){.body = &bodies[i], .body_count = 1});
    }
    for (int i = 0; i < COUNT; i++) {
        wait_for(*state, &seen[i]);
        assert_int_equal(seen[i].code, HV_OK);
        assert_true(hv_str_eq(hv_buf_str(&seen[i].body), bodies[i]));
        hv_buf_release(&seen[i].body);
    }
}

static void what_cannot_be_reached_is_said_without_the_secrets_of_the_address(void **state)
{
    struct fixture *fixture = *state;
    const struct http_handlers handlers = {on_status, on_body, on_end, NULL};
    const char *urls[] = {"http://127.0.0.1:1/path-secret?key=query-secret",
                          "http://unknown.invalid/path-secret?query-secret"};
    for (size_t i = 0; i < 2; i++) {
        struct seen seen = {.fixture = fixture};
        struct http_handlers mine = handlers;
        mine.user = &seen;
        struct http_request request = {.url = hv_str_from(urls[i])};
        assert_int_equal(http_send(fixture->client, &request, &mine, &seen.transfer, NULL), HV_OK);
        wait_for(fixture, &seen);
        assert_int_equal(seen.code, HV_ENET);
        assert_null(strstr(seen.err.message, "secret"));
        assert_non_null(strstr(seen.err.message, i ? "unknown.invalid" : "127.0.0.1:1"));
        assert_true(seen.err.hint[0] != '\0');
    }
}

static void a_peer_that_never_ends_its_handshake_meets_the_connect_timeout(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = {.fixture = fixture};
    const struct http_handlers handlers = {on_status, on_body, on_end, &seen};
    snprintf(seen.url, sizeof seen.url, "https://127.0.0.1:%d/silent", fixture->server.port);
    struct http_request request = {.url = hv_str_from(seen.url), .connect_timeout_ms = 100};
    assert_int_equal(http_send(fixture->client, &request, &handlers, &seen.transfer, NULL), HV_OK);
    wait_for(fixture, &seen);
    assert_int_equal(seen.code, HV_ETIMEOUT);
    assert_non_null(strstr(seen.err.message, "within 0.1 s"));
}

/* How many descriptors a child would get, other than the three that it should. */
static int inherited_count(void)
{
    int count = 0;
    for (int fd = 3; fd < 256; fd++) {
        int flags = fcntl(fd, F_GETFD);
        count += flags >= 0 && !(flags & FD_CLOEXEC);
    }
    return count;
}

static void children_inherit_no_connection(void **state)
{
    struct fixture *fixture = *state;
    struct seen seen = {.fixture = fixture};
    const struct http_handlers handlers = {on_status, on_body, on_end, &seen};
    int before = inherited_count();
    hv_buf_init(&seen.body, 100);
    snprintf(seen.url, sizeof seen.url, "http://localhost:%d/stalls",
             fixture->server.port); /* with a look-up of the name */
    struct http_request request = {.url = hv_str_from(seen.url)};
    assert_int_equal(http_send(fixture->client, &request, &handlers, &seen.transfer, NULL), HV_OK);
    for (int i = 0; i < 100 && !seen.body.len && !seen.ends; i++)
        loop_run_once(fixture->loop, 100 * 1000000ull);
    assert_int_equal(seen.body.len, 5);
    assert_int_equal(inherited_count(), before);
    http_cancel(seen.transfer);
    wait_for(fixture, &seen);
    hv_buf_release(&seen.body);
}

static bool refuse_loopback(void *user, const struct sockaddr *address)
{
    ++*(int *)user;
    return !(address->sa_family == AF_INET &&
             ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24 == 127);
}

static void the_address_guard_sees_the_real_address(void **state)
{
    struct fixture *fixture = *state;
    static const char *const hosts[] = {"127.0.0.1", "2130706433", "0177.0.0.1", "0x7f.1"};
    int asked = 0;
    struct http_client_options options = {.address_allowed = refuse_loopback, .user = &asked};
    struct http_client *guarded;
    assert_int_equal(http_client_new(fixture->loop, &options, &guarded, NULL), HV_OK);
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        struct seen seen = {.fixture = fixture};
        const struct http_handlers handlers = {on_status, on_body, on_end, &seen};
        snprintf(seen.url, sizeof seen.url, "http://%s:%d/plain", hosts[i], fixture->server.port);
        struct http_request request = {.url = hv_str_from(seen.url)};
        assert_int_equal(http_send(guarded, &request, &handlers, &seen.transfer, NULL), HV_OK);
        wait_for(fixture, &seen);
        assert_int_equal(seen.code, HV_EDENIED);
        assert_int_equal(asked, i + 1);
    }
    http_client_free(guarded);
    assert_int_equal(server_connections(&fixture->server), 0);
}

/* ---- cancelling and nesting ---------------------------------------------------------------------------------- */

static void a_cancelled_request_ends_once_wherever_it_was(void **state)
{
    struct {
        const char *path;
        int turns, at; /* turns of the loop before the cancel; or the handler that cancels */
    } cases[] = {{"/plain", 0, 0},  {"/silent", 0, 0}, {"/silent", 5, 0}, {"/stalls", 0, 1},
                 {"/stalls", 0, 2}, {"/plain", 0, 1},  {"/plain", 0, 2},  {"/cut", 0, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct seen seen = {.cancel_at = cases[i].at};
        send_seen(*state, &seen, cases[i].path, (struct http_request){0});
        for (int turn = 0; turn < cases[i].turns; turn++)
            loop_run_once(((struct fixture *)*state)->loop, 10 * 1000000ull);
        if (!cases[i].at) {
            http_cancel(seen.transfer);
            http_cancel(seen.transfer);
            assert_int_equal(seen.ends, 0);
        }
        wait_for(*state, &seen);
        assert_int_equal(seen.code, HV_ECANCELLED);
        assert_int_equal(seen.body.len, cases[i].at == 2 ? 5 : 0);
        hv_buf_release(&seen.body);
    }
}

static void handlers_may_send_further_requests(void **state)
{
    static const char *const paths[] = {"/plain", "/nothing"}; /* from on_body; from on_end */
    for (size_t i = 0; i < 2; i++) {
        struct seen second = {0}, first = {.follow = &second};
        send_seen(*state, &first, paths[i], (struct http_request){0});
        wait_for(*state, &first);
        wait_for(*state, &second);
        assert_int_equal(second.code, HV_OK);
        assert_true(hv_str_is(hv_buf_str(&second.body), "hello"));
        hv_buf_release(&first.body);
        hv_buf_release(&second.body);
    }
}

static void freeing_a_client_ends_what_is_under_way(void **state)
{
    struct fixture *fixture = *state;
    struct seen waiting = {0}, stalled = {0};
    struct http_client *kept = fixture->client;
    assert_int_equal(http_client_new(fixture->loop, NULL, &fixture->client, NULL), HV_OK);
    send_seen(fixture, &stalled, "/stalls", (struct http_request){0});
    for (int i = 0; i < 100 && !stalled.body.len; i++)
        loop_run_once(fixture->loop, 100 * 1000000ull);
    send_seen(fixture, &waiting, "/plain", (struct http_request){0});
    http_client_free(fixture->client);
    fixture->client = kept;
    assert_int_equal(waiting.ends, 1);
    assert_int_equal(waiting.code, HV_ECANCELLED);
    assert_int_equal(stalled.code, HV_ECANCELLED);
    hv_buf_release(&waiting.body);
    hv_buf_release(&stalled.body);
}

/* ---- what cannot be sent ------------------------------------------------------------------------------------- */

static void bad_requests_are_refused_at_once(void **state)
{
    struct fixture *fixture = *state;
    const struct hv_str two_lines = HV_STR("X-Key: sk-secret\r\nX: y"), no_colon = HV_STR("sk-secret"),
                        no_name = HV_STR(": sk-secret"), with_nul = HV_STR("X: sk-secret\0"),
                        blank = HV_STR("X Key: sk-secret"), line_feed = HV_STR("X-Key: sk-secret\n");
    struct {
        struct hv_str url, method;
        const struct hv_str *header;
        enum hv_code code;
    } cases[] = {
        {HV_STR(""), {0}, NULL, HV_EINVAL},
        {HV_STR("127.0.0.1/x"), {0}, NULL, HV_EINVAL},
        {HV_STR("http://"), {0}, NULL, HV_EINVAL},
        {HV_STR("http://a b/"), {0}, NULL, HV_EINVAL},
        {HV_STR("http://a/b c"), {0}, NULL, HV_EINVAL},
        {HV_STR("http://a/\r\nX: y"), {0}, NULL, HV_EINVAL},
        {HV_STR("http://a\0b/"), {0}, NULL, HV_EINVAL},
        {HV_STR("http://user:sk-secret@host/"), {0}, NULL, HV_EINVAL},
        {HV_STR("http://sk-secret@host/"), {0}, NULL, HV_EINVAL},
        {HV_STR("http://host:99999/"), {0}, NULL, HV_EINVAL},
        {HV_STR("http://good.example\\@evil.example/"), {0}, NULL, HV_EINVAL},
        {HV_STR("file:///etc/passwd"), {0}, NULL, HV_EUNSUPPORTED},
        {HV_STR("gopher://127.0.0.1:25/x"), {0}, NULL, HV_EUNSUPPORTED},
        {HV_STR("ftp://host/x"), {0}, NULL, HV_EUNSUPPORTED},
        {HV_STR("nonsense://host/x"), {0}, NULL, HV_EUNSUPPORTED},
        {HV_STR("http://127.0.0.1/"), HV_STR("GET / HTTP/1.1\r\nX:"), NULL, HV_EINVAL},
        {HV_STR("http://127.0.0.1/"), HV_STR(""), NULL, HV_EINVAL},
        {HV_STR("http://127.0.0.1/"), {0}, &two_lines, HV_EINVAL},
        {HV_STR("http://127.0.0.1/"), {0}, &no_colon, HV_EINVAL},
        {HV_STR("http://127.0.0.1/"), {0}, &no_name, HV_EINVAL},
        {HV_STR("http://127.0.0.1/"), {0}, &with_nul, HV_EINVAL},
        {HV_STR("http://127.0.0.1/"), {0}, &blank, HV_EINVAL},
        {HV_STR("http://127.0.0.1/"), {0}, &line_feed, HV_EINVAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct http_handlers handlers = {0}; /* calling any would crash */
        struct http_request request = {.url = cases[i].url,
                                       .method = cases[i].method,
                                       .headers = cases[i].header,
                                       .header_count = cases[i].header ? 1 : 0};
        struct http_transfer *transfer = NULL;
        struct hv_error err = {0};
        enum hv_code code = http_send(fixture->client, &request, &handlers, &transfer, &err);
        if (code != cases[i].code)
            fail_msg("%.*s: %s %s", HV_STR_ARG(cases[i].url), hv_code_name(code), err.message);
        assert_int_equal(err.code, code);
        assert_null(strstr(err.message, "secret"));
        assert_null(transfer);
    }
    for (int i = 0; i < 3; i++)
        loop_run_once(fixture->loop, 0);
}

static void *preload(void *data)
{
    (void)data;
    return http_preload(NULL) == HV_OK ? NULL : (void *)1;
}

static void the_module_can_be_loaded_on_several_threads_at_once(void **state)
{
    pthread_t threads[4];
    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, preload, NULL), 0);
    for (size_t i = 0; i < 4; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
}

int main(void)
{
#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_module_can_be_loaded_on_several_threads_at_once),
        WITH_SERVER(answers_arrive_whole_or_fail_with_a_reason),
        WITH_SERVER(a_body_of_many_views_arrives_byte_for_byte),
        WITH_SERVER(a_request_says_what_was_asked_and_no_more),
        WITH_SERVER(connections_are_kept_and_a_dead_one_is_replaced),
        WITH_SERVER(many_requests_run_at_once),
        WITH_SERVER(what_cannot_be_reached_is_said_without_the_secrets_of_the_address),
        WITH_SERVER(a_peer_that_never_ends_its_handshake_meets_the_connect_timeout),
        WITH_SERVER(children_inherit_no_connection),
        WITH_SERVER(the_address_guard_sees_the_real_address),
        WITH_SERVER(a_cancelled_request_ends_once_wherever_it_was),
        WITH_SERVER(handlers_may_send_further_requests),
        WITH_SERVER(freeing_a_client_ends_what_is_under_way),
        WITH_SERVER(bad_requests_are_refused_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
