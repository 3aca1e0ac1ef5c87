/*
 * engine.c: the module net.so: libcurl behind engine.h. Nothing else of helve sees curl.
 *
 * Why what is set (setup_easy and friends):
 *   NOSIGNAL, QUICK_EXIT     threads; and removing a transfer must not wait for a slow name server;
 *   own socket function      close-on-exec from birth (children must not inherit), the address guard, TCP time limits;
 *   PROTOCOLS http,https     an address of a file or a mail server is refused, also behind a proxy;
 *   no FOLLOWLOCATION        keys must not follow a redirect;
 *   no "Expect:"             it costs a round trip, and servers that ignore it a second;
 *   no MAXFILESIZE           it would end a transfer before its status is known; bytes are counted here;
 *   no ERRORBUFFER in front  our message names the host only; curl's text follows, it never holds headers or paths.
 * With NOSIGNAL curl leaves SIGPIPE alone, but TLS libraries write() to sockets: it is blocked around every call.
 */
#include "net/engine.h"

#include "module/module.h"
#include "net/no_proxy.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <helve/helve.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <unistd.h>

enum {
    DEAD_PEER_MS = 60 * 1000, /* bytes sent and never acknowledged */
    IDLE_CONNECTIONS_MAX = 16,
    PLACE_MAX = 300,
};

struct net_engine {
    CURLM *multi;
    struct net_host host;
    struct http_client_options options;
    char *ca_file, *user_agent;
};

struct net_transfer {
    struct net_engine *engine;
    struct net_reports reports;
    CURL *easy;
    CURLU *url;
    struct curl_slist *headers;
    struct hv_str *body; /* the caller's views; `part` and `offset` say what was sent */
    size_t body_count, part, offset;
    uint64_t body_size, max_body, received, trailers;
    uint64_t connect_timeout_ms;
    struct hv_buf lines; /* answer headers so far */
    bool has_status, added, refused, proxied;
    bool direct;                /* no proxy of the environment is asked */
    struct hv_error stopped;    /* why our own callbacks ended it */
    char place[PLACE_MAX];      /* host or host:port */
    char text[CURL_ERROR_SIZE]; /* curl's words */
};

/* ---- SIGPIPE ------------------------------------------------------------------------------------------------- */

struct pipe_guard {
    sigset_t old;
    bool pending;
};

static struct pipe_guard pipe_block(void)
{
    struct pipe_guard guard;
    sigset_t pipe, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    guard.pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &guard.old);
    return guard;
}

/* Take back a SIGPIPE that came meanwhile; errno is the caller's no longer. */
static void pipe_unblock(const struct pipe_guard *guard)
{
    const struct timespec now = {0};
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    if (!guard->pending)
        while (sigtimedwait(&pipe, NULL, &now) < 0 && errno == EINTR)
            ;
    pthread_sigmask(SIG_SETMASK, &guard->old, NULL);
}

/* ---- ends ---------------------------------------------------------------------------------------------------- */

/* What a curl code means to the caller. The format takes the place; curl's own words follow when detail is set. */
struct meaning {
    CURLcode curl;
    enum hv_code code;
    bool detail;
    const char *format, *hint;
};

static const char hint_address[] = "An address looks like https://host/path.";
static const char hint_again[] = "Try again; if it stays so, the server or a proxy on the way is at fault.";
static const char hint_network[] = "Check the address, the network and the proxy settings.";
static const char hint_tls[] = "Check the system's certificates (package ca-certificates), the clock, and whether a "
                               "proxy replaces certificates; its authority can be named by SSL_CERT_FILE.";

static const struct meaning meanings[] = {
    {CURLE_COULDNT_RESOLVE_HOST, HV_ENET, false, "cannot find the host %s", hint_network},
    {CURLE_COULDNT_RESOLVE_PROXY, HV_ENET, true, "cannot find the proxy on the way to %s", hint_network},
    {CURLE_COULDNT_CONNECT, HV_ENET, true, "cannot connect to %s", hint_network},
    {CURLE_PROXY, HV_ENET, true, "the proxy refused the way to %s", hint_network},
    {CURLE_OPERATION_TIMEDOUT, HV_ETIMEOUT, false, "no connection to %s", hint_network},
    {CURLE_PEER_FAILED_VERIFICATION, HV_EACCES, true, "the certificate of %s is not trusted", hint_tls},
    {CURLE_SSL_CONNECT_ERROR, HV_ENET, true, "no TLS connection to %s", hint_tls},
    {CURLE_SSL_CACERT_BADFILE, HV_EINVAL, true, "cannot read the certificates to check %s against", hint_tls},
    {CURLE_SEND_ERROR, HV_ENET, true, "the connection to %s broke while sending", hint_again},
    {CURLE_RECV_ERROR, HV_ENET, true, "the connection to %s broke", hint_again},
    {CURLE_GOT_NOTHING, HV_ENET, false, "%s closed the connection without an answer", hint_again},
    {CURLE_PARTIAL_FILE, HV_ENET, false, "%s closed the connection in the middle of the answer", hint_again},
    {CURLE_HTTP2, HV_ENET, true, "the HTTP/2 connection to %s failed", hint_again},
    {CURLE_HTTP2_STREAM, HV_ENET, true, "the HTTP/2 stream of %s failed", hint_again},
    {CURLE_HTTP_RETURNED_ERROR, HV_ENET, true, "the way to %s failed", hint_network},
    {CURLE_WEIRD_SERVER_REPLY, HV_EPROTO, true, "%s does not answer in HTTP", "Check the address and the port."},
    {CURLE_UNSUPPORTED_PROTOCOL, HV_EPROTO, true, "%s does not answer in HTTP", "Check the address and the port."},
    {CURLE_BAD_CONTENT_ENCODING, HV_EPROTO, true, "the compressed answer of %s is damaged", hint_again},
    {CURLE_OUT_OF_MEMORY, HV_EINTERNAL, false, "%s sends a header that is too long, or there is no memory left",
     "Use another source; where others fail, too, close other programs."},
};

static const struct meaning *meaning_of(const struct net_transfer *transfer, CURLcode result)
{
    long tunnel = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_HTTP_CONNECTCODE, &tunnel);
    if (tunnel >= 300 && !transfer->has_status)
        result = CURLE_PROXY;
    static const struct meaning other = {0, HV_ENET, true, "the request to %s failed", hint_again};
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (meanings[i].curl == result)
            return &meanings[i];
    return &other;
}

/* curl's words in our sentence; the system's reason is said better by errno. */
static void append_detail(struct net_transfer *transfer, CURLcode result, struct hv_error *err)
{
    char message[HV_ERROR_MESSAGE_MAX];
    long reason = 0;
    snprintf(message, sizeof message, "%s", err->message);
    const char *words = transfer->text[0] ? transfer->text : curl_easy_strerror(result);
    int length = (int)strlen(words);
    length -= length && words[length - 1] == '.'; /* a sentence may follow */
    if (curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &reason) == CURLE_OK && reason > 0 &&
        result != CURLE_SSL_CONNECT_ERROR)
        hv_fail_errno(err, (int)reason, "%s", message);
    else
        hv_fail(err, err->code, "%s: %.*s", message, length, words);
}

static char *url_part(const CURLU *url, CURLUPart part);

/* The variable that may have led this transfer through a proxy, which then is what could not be reached; or NULL. */
static const char *proxy_variable(const struct net_transfer *transfer)
{
    static const char *const names[] = {"https_proxy", "HTTPS_PROXY", "http_proxy", "all_proxy", "ALL_PROXY"};
    if (transfer->direct || transfer->proxied)
        return NULL;
    char *scheme = url_part(transfer->url, CURLUPART_SCHEME);
    bool tls = scheme && strcmp(scheme, "https") == 0;
    curl_free(scheme);
    for (size_t i = tls ? 0 : 2; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value && (!tls || i != 2))
            return names[i];
    }
    return NULL;
}

static enum hv_code explain(struct net_transfer *transfer, CURLcode result, struct hv_error *err)
{
    if (transfer->stopped.code) {
        *err = transfer->stopped;
        return err->code;
    }
    if (transfer->refused && (result == CURLE_COULDNT_CONNECT || result == CURLE_ABORTED_BY_CALLBACK)) {
        hv_fail(err, HV_EDENIED, "%s is at an address that may not be reached", transfer->place);
        hv_error_hint(err, "Private and local addresses are closed to tools unless a rule allows them.");
        return HV_EDENIED;
    }
    const struct meaning *meaning = meaning_of(transfer, result);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    hv_fail(err, meaning->code, meaning->format, transfer->place);
#pragma GCC diagnostic pop
    const char *proxy = result == CURLE_COULDNT_CONNECT ? proxy_variable(transfer) : NULL;
    if (result == CURLE_OPERATION_TIMEDOUT)
        hv_fail(err, HV_ETIMEOUT, "no connection to %s within %g s", transfer->place,
                (double)transfer->connect_timeout_ms / 1000);
    else if (meaning->detail)
        append_detail(transfer, result, err);
    err->code = meaning->code;
    if (proxy)
        hv_error_hint(
            err,
            "The way leads through the proxy of %s, which may be what refused: check it, or name the host in NO_PROXY.",
            proxy);
    else if (meaning->hint)
        hv_error_hint(err, "%s", meaning->hint);
    return err->code;
}

static void report_done(struct net_engine *engine)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(engine->multi, &left))) {
        struct net_transfer *transfer;
        struct hv_error err;
        if (message->msg != CURLMSG_DONE)
            continue;
        CURLcode result = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
        if (result == CURLE_OK && !transfer->has_status) /* curl is content with half a head */
            result = CURLE_GOT_NOTHING;
        enum hv_code code = result == CURLE_OK ? HV_OK : explain(transfer, result, &err);
        transfer->reports.on_done(transfer->reports.user, code, code ? &err : NULL);
    }
}

/* ---- sockets ------------------------------------------------------------------------------------------------- */

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *watcher)
{
    struct net_engine *engine = user;
    int events = what == CURL_POLL_IN      ? NET_READ
                 : what == CURL_POLL_OUT   ? NET_WRITE
                 : what == CURL_POLL_INOUT ? NET_READ | NET_WRITE
                                           : 0;
    (void)easy;
    if (events == 0 && !watcher)
        return 0;
    void *now = engine->host.watch(engine->host.user, watcher, fd, events);
    curl_multi_assign(engine->multi, fd, now);
    return events && !now ? -1 : 0;
}

static int on_timer(CURLM *multi, long milliseconds, void *user)
{
    struct net_engine *engine = user;
    (void)multi;
    engine->host.set_timer(engine->host.user, milliseconds);
    return 0;
}

static curl_socket_t open_socket(void *user, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct net_transfer *transfer = user;
    const struct http_client_options *options = &transfer->engine->options;
    const unsigned dead = DEAD_PEER_MS;
    if (purpose == CURLSOCKTYPE_IPCXN && !transfer->proxied && options->address_allowed &&
        !options->address_allowed(options->user, &address->addr)) {
        transfer->refused = true;
        return CURL_SOCKET_BAD;
    }
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd >= 0 && address->socktype == SOCK_STREAM)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &dead, sizeof dead); /* a courtesy: old kernels lack it */
    return fd;
}

/* Also a connection that is used again is looked at before a request goes out over it. */
static int before_request(void *user, char *remote, char *local, int remote_port, int local_port)
{
    struct net_transfer *transfer = user;
    const struct http_client_options *options = &transfer->engine->options;
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    (void)local, (void)remote_port, (void)local_port;
    if (transfer->proxied || !options->address_allowed)
        return CURL_PREREQFUNC_OK;
    const struct sockaddr *address = (const struct sockaddr *)&in;
    bool known = inet_pton(AF_INET, remote, &in.sin_addr) == 1;
    if (!known) {
        known = inet_pton(AF_INET6, remote, &in6.sin6_addr) == 1;
        address = (const struct sockaddr *)&in6;
    }
    transfer->refused = !known || !options->address_allowed(options->user, address);
    return transfer->refused ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

/* ---- bytes --------------------------------------------------------------------------------------------------- */

static size_t stop(struct net_transfer *transfer, enum hv_code code, const char *what)
{
    hv_fail(&transfer->stopped, code, "%s of %s are larger than allowed", what, transfer->place);
    hv_error_hint(&transfer->stopped, "Ask for a smaller page, or for a part of this one.");
    return 0; /* curl ends a transfer whose bytes were not taken */
}

static size_t report_status(struct net_transfer *transfer, size_t taken)
{
    long status = 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200) { /* an interim answer */
        hv_buf_clear(&transfer->lines);
        return taken;
    }
    transfer->has_status = true;
    bool more = transfer->reports.on_status(transfer->reports.user, (int)status, hv_buf_str(&transfer->lines));
    hv_buf_release(&transfer->lines);
    return more ? taken : 0;
}

/* One header line at a time; an empty one ends the block. Trailers are bounded alone: curl keeps them. */
static size_t on_header(char *bytes, size_t size, size_t count, void *user)
{
    struct net_transfer *transfer = user;
    struct hv_str line = hv_str_of(bytes, size * count);
    transfer->reports.on_activity(transfer->reports.user);
    if (transfer->has_status)
        transfer->lines.failed |= (transfer->trailers += line.len) > HTTP_ANSWER_HEADERS_MAX;
    else if (hv_str_trim(line).len == 0)
        return report_status(transfer, line.len);
    else if (hv_str_starts(line, HV_STR("HTTP/")))
        hv_buf_clear(&transfer->lines);
    else
        hv_buf_add_str(&transfer->lines, line);
    return transfer->lines.failed ? stop(transfer, HV_ETOOBIG, "the headers") : line.len;
}

static size_t on_body(char *bytes, size_t size, size_t count, void *user)
{
    struct net_transfer *transfer = user;
    size_t len = size * count;
    transfer->reports.on_activity(transfer->reports.user);
    if (transfer->max_body && len > transfer->max_body - transfer->received)
        return stop(transfer, HV_ETOOBIG, "the contents");
    transfer->received += len;
    if (len == 0)
        return 0;
    return transfer->reports.on_body(transfer->reports.user, hv_str_of(bytes, len)) ? len : 0;
}

static size_t read_body(char *to, size_t size, size_t count, void *user)
{
    struct net_transfer *transfer = user;
    size_t room = size * count, given = 0;
    transfer->reports.on_activity(transfer->reports.user);
    while (given < room && transfer->part < transfer->body_count) {
        struct hv_str rest = hv_str_slice(transfer->body[transfer->part], transfer->offset, SIZE_MAX);
        struct hv_str piece = hv_str_slice(rest, 0, room - given);
        if (piece.len)
            memcpy(to + given, piece.ptr, piece.len);
        given += piece.len;
        transfer->offset += piece.len;
        if (piece.len == rest.len) {
            transfer->part++;
            transfer->offset = 0;
        }
    }
    return given;
}

/* A kept connection turned out to be dead: curl sends the request again on another one. */
static int rewind_body(void *user, curl_off_t offset, int origin)
{
    struct net_transfer *transfer = user;
    if (origin != SEEK_SET || offset != 0)
        return CURL_SEEKFUNC_CANTSEEK;
    transfer->part = transfer->offset = 0;
    return CURL_SEEKFUNC_OK;
}

/* ---- preparing a transfer ------------------------------------------------------------------------------------ */

/* The part of the address, to be freed with curl_free, or NULL. */
static char *url_part(const CURLU *url, CURLUPart part)
{
    char *text = NULL;
    return curl_url_get((CURLU *)url, part, &text, 0) == CURLUE_OK ? text : NULL;
}

static enum hv_code bad_url(struct hv_error *err, CURLUcode why)
{
    enum hv_code code = why == CURLUE_UNSUPPORTED_SCHEME ? HV_EUNSUPPORTED : HV_EINVAL;
    hv_fail(err, code, "the address cannot be used: %s", curl_url_strerror(why));
    hv_error_hint(err, "%s", hint_address);
    return code;
}

static enum hv_code check_url(struct net_transfer *transfer, struct hv_error *err)
{
    char *scheme = url_part(transfer->url, CURLUPART_SCHEME), *user = url_part(transfer->url, CURLUPART_USER),
         *host = url_part(transfer->url, CURLUPART_HOST), *port = url_part(transfer->url, CURLUPART_PORT),
         *password = url_part(transfer->url, CURLUPART_PASSWORD);
    enum hv_code code = HV_OK;
    struct hv_str name = hv_str_from(scheme);
    if (!hv_str_eq_nocase(name, HV_STR("http")) && !hv_str_eq_nocase(name, HV_STR("https"))) {
        code = hv_fail(err, HV_EUNSUPPORTED, "only http and https addresses can be used");
        hv_error_hint(err, "%s", hint_address);
    } else if (user || password) {
        code = hv_fail(err, HV_EINVAL, "an address with a user or a password cannot be used");
        hv_error_hint(err, "Send what it stands for as a header, or as the API key.");
    } else if (!host || !*host) {
        code = hv_fail(err, HV_EINVAL, "the address names no host");
        hv_error_hint(err, "%s", hint_address);
    } else {
        snprintf(transfer->place, sizeof transfer->place, "%s%s%s", host, port ? ":" : "", port ? port : "");
    }
    curl_free(scheme);
    curl_free(user);
    curl_free(password);
    curl_free(host);
    curl_free(port);
    return code;
}

static bool is_loopback(const CURLU *url)
{
    char *host = url_part(url, CURLUPART_HOST);
    struct hv_str name = hv_str_from(host);
    struct in_addr address;
    bool is = hv_str_eq_nocase(name, HV_STR("localhost")) || hv_str_ends(name, HV_STR(".localhost")) ||
              hv_str_is(name, "[::1]") ||
              (host && inet_pton(AF_INET, host, &address) == 1 && ntohl(address.s_addr) >> 24 == 127);
    curl_free(host);
    return is;
}

/* libcurl's own reading of NO_PROXY knows fewer forms, and fewer still in old versions. */
static bool is_exempt(const CURLU *url)
{
    const char *list = getenv("no_proxy");
    if (!list || !*list)
        list = getenv("NO_PROXY");
    char *host = url_part(url, CURLUPART_HOST), *port = NULL;
    int64_t number = 0;
    if (curl_url_get((CURLU *)url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK)
        (void)hv_str_to_int64(hv_str_from(port), &number);
    bool is = no_proxy_exempts(hv_str_from(list), hv_str_from(host), (unsigned)number);
    curl_free(host);
    curl_free(port);
    return is;
}

/* "Name: value" in curl's spelling: a header without a value needs a semicolon, or curl would leave it out. */
static void add_header(struct net_transfer *transfer, struct hv_arena *arena, struct hv_str line)
{
    size_t colon = hv_str_find_byte(line, ':', 0);
    struct hv_str name = hv_str_slice(line, 0, colon), value = hv_str_trim(hv_str_slice(line, colon + 1, SIZE_MAX));
    struct hv_str spelled = value.len ? hv_arena_format(arena, "%.*s: %.*s", HV_STR_ARG(name), HV_STR_ARG(value))
                                      : hv_arena_format(arena, "%.*s;", HV_STR_ARG(name));
    transfer->headers = curl_slist_append(transfer->headers, spelled.ptr);
}

static bool is_made_here(struct hv_str line)
{
    struct hv_str name = hv_str_slice(line, 0, hv_str_find_byte(line, ':', 0));
    return hv_str_eq_nocase(name, HV_STR("content-length")) || hv_str_eq_nocase(name, HV_STR("host")) ||
           hv_str_eq_nocase(name, HV_STR("transfer-encoding")) || hv_str_eq_nocase(name, HV_STR("expect"));
}

static void set_headers(struct net_transfer *transfer, const struct http_request *request)
{
    struct hv_arena arena = {0};
    bool typed = false;
    for (size_t i = 0; i < request->header_count; i++) {
        struct hv_str line = request->headers[i];
        typed |= hv_str_eq_nocase(hv_str_slice(line, 0, 13), HV_STR("content-type:"));
        if (!is_made_here(line))
            add_header(transfer, &arena, line);
    }
    transfer->headers = curl_slist_append(transfer->headers, "Expect:");
    if (!typed)
        transfer->headers = curl_slist_append(transfer->headers, "Content-Type:");
    curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, transfer->headers);
    hv_arena_release(&arena);
}

static void set_body(struct net_transfer *transfer, const struct http_request *request)
{
    transfer->body = hv_calloc(request->body_count + 1, sizeof *transfer->body);
    transfer->body_count = request->body_count;
    for (size_t i = 0; i < request->body_count; i++) {
        transfer->body[i] = request->body[i];
        transfer->body_size += request->body[i].len;
    }
    curl_easy_setopt(transfer->easy, CURLOPT_POST, 1L);
    curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDS, NULL);
    curl_easy_setopt(transfer->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)transfer->body_size);
    curl_easy_setopt(transfer->easy, CURLOPT_READFUNCTION, read_body);
    curl_easy_setopt(transfer->easy, CURLOPT_READDATA, transfer);
    curl_easy_setopt(transfer->easy, CURLOPT_SEEKFUNCTION, rewind_body);
    curl_easy_setopt(transfer->easy, CURLOPT_SEEKDATA, transfer);
    /* The largest that libcurl allows for writing: a request is some 100 kB, and goes out in few calls. */
    curl_easy_setopt(transfer->easy, CURLOPT_UPLOAD_BUFFERSIZE, 512 * 1024L);
}

static void set_method(struct net_transfer *transfer, const struct http_request *request)
{
    char method[40];
    bool post = !request->method.ptr ? request->body_count > 0 : hv_str_is(request->method, "POST");
    if (post || request->body_count > 0)
        set_body(transfer, request);
    else if (hv_str_is(request->method, "HEAD"))
        curl_easy_setopt(transfer->easy, CURLOPT_NOBODY, 1L);
    else
        curl_easy_setopt(transfer->easy, CURLOPT_HTTPGET, 1L);
    if (!request->method.ptr || post || hv_str_is(request->method, "GET") || hv_str_is(request->method, "HEAD"))
        return;
    snprintf(method, sizeof method, "%.*s", HV_STR_ARG(request->method));
    curl_easy_setopt(transfer->easy, CURLOPT_CUSTOMREQUEST, method);
}

static void set_protocols(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
    /* The HTTP/2 code was new in 7.88 and settled with 8.1; every model's server speaks 1.1 as well. */
    bool settled = curl_version_info(CURLVERSION_NOW)->version_num >= 0x080100;
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, settled ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
}

static char *copy_text(struct hv_str text)
{
    char *copy = hv_malloc(text.len + 1);
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return copy;
}

static void set_trust(struct net_transfer *transfer, struct hv_str proxy)
{
    const struct net_engine *engine = transfer->engine;
    CURL *easy = transfer->easy;
    if (proxy.len) {
        char *text = copy_text(proxy);
        curl_easy_setopt(easy, CURLOPT_PROXY, text);
        curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
        free(text);
        transfer->proxied = true;
    } else if (!engine->options.use_proxy || engine->options.address_allowed || is_loopback(transfer->url) ||
               is_exempt(transfer->url)) {
        curl_easy_setopt(easy, CURLOPT_PROXY, "");
        transfer->direct = true;
    } else {
        curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
    }
    if (engine->ca_file)
        curl_easy_setopt(easy, CURLOPT_CAINFO, engine->ca_file);
    const char *ca_directory = getenv("SSL_CERT_DIR");
    if (ca_directory && *ca_directory)
        curl_easy_setopt(easy, CURLOPT_CAPATH, ca_directory);
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, engine->user_agent);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before_request);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
}

static void setup_easy(struct net_transfer *transfer, const struct http_request *request)
{
    CURL *easy = transfer->easy;
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_CURLU, transfer->url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->text);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, request->compressed ? "" : "identity");
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(request->connect_timeout_ms % LONG_MAX));
    set_protocols(easy);
    set_trust(transfer, request->proxy);
    set_headers(transfer, request);
    set_method(transfer, request);
}

static void transfer_free(struct net_transfer *transfer)
{
    if (!transfer)
        return;
    struct pipe_guard guard = pipe_block();
    if (transfer->added)
        curl_multi_remove_handle(transfer->engine->multi, transfer->easy);
    if (transfer->easy)
        curl_easy_cleanup(transfer->easy);
    pipe_unblock(&guard);
    curl_url_cleanup(transfer->url);
    curl_slist_free_all(transfer->headers);
    hv_buf_release(&transfer->lines);
    free(transfer->body);
    free(transfer);
}

static enum hv_code transfer_new(struct net_engine *engine, const struct http_request *request,
                                 const struct net_reports *reports, struct net_transfer **out, struct hv_error *err)
{
    struct net_transfer *transfer = hv_calloc(1, sizeof *transfer);
    struct hv_arena arena = {0};
    transfer->engine = engine;
    transfer->reports = *reports;
    transfer->max_body = request->max_body;
    transfer->connect_timeout_ms = request->connect_timeout_ms;
    hv_buf_init(&transfer->lines, HTTP_ANSWER_HEADERS_MAX);
    transfer->url = curl_url();
    transfer->easy = curl_easy_init();
    enum hv_code code = HV_OK;
    if (!transfer->url || !transfer->easy) {
        code = hv_fail(err, HV_EINTERNAL, "libcurl gives no handle");
    } else {
        CURLUcode why = curl_url_set(transfer->url, CURLUPART_URL, hv_arena_cstr(&arena, request->url), 0);
        code = why ? bad_url(err, why) : check_url(transfer, err);
    }
    hv_arena_release(&arena);
    if (code != HV_OK) {
        transfer_free(transfer);
        return code;
    }
    setup_easy(transfer, request);
    *out = transfer;
    return HV_OK;
}

static enum hv_code transfer_start(struct net_transfer *transfer, struct hv_error *err)
{
    struct pipe_guard guard = pipe_block();
    CURLMcode result = curl_multi_add_handle(transfer->engine->multi, transfer->easy);
    pipe_unblock(&guard);
    if (result != CURLM_OK)
        return hv_fail(err, HV_EINTERNAL, "libcurl refuses the request: %s", curl_multi_strerror(result));
    transfer->added = true;
    return HV_OK;
}

/* ---- engines ------------------------------------------------------------------------------------------------- */

static void act(struct net_engine *engine, int fd, int events)
{
    int still_running;
    int seen = (events & NET_READ ? CURL_CSELECT_IN : 0) | (events & NET_WRITE ? CURL_CSELECT_OUT : 0) |
               (events & NET_ERROR ? CURL_CSELECT_ERR : 0);
    struct pipe_guard guard = pipe_block();
    curl_multi_socket_action(engine->multi, fd < 0 ? CURL_SOCKET_TIMEOUT : fd, seen, &still_running);
    pipe_unblock(&guard);
    report_done(engine);
}

/* The bundle that the person named, or the distribution's where libcurl was built for another one. NULL: libcurl's own.
 */
static const char *find_ca_file(void)
{
    static const char *const variables[] = {"SSL_CERT_FILE", "CURL_CA_BUNDLE"};
    static const char *const files[] = {
        "/etc/ssl/certs/ca-certificates.crt", /* Debian, Arch, Gentoo, Alpine */
        "/etc/pki/tls/certs/ca-bundle.crt",   /* Fedora, RHEL */
        "/etc/ssl/ca-bundle.pem",             /* openSUSE */
        "/etc/ssl/cert.pem",                  /* Alpine, BSDs */
    };
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *file = getenv(variables[i]);
        if (file && *file)
            return file;
    }
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
    if ((info->cainfo && access(info->cainfo, R_OK) == 0) || (info->capath && access(info->capath, X_OK) == 0))
        return NULL;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (access(files[i], R_OK) == 0)
            return files[i];
    return NULL;
}

static void engine_free(struct net_engine *engine)
{
    struct pipe_guard guard = pipe_block();
    curl_multi_cleanup(engine->multi);
    pipe_unblock(&guard);
    free(engine->ca_file);
    free(engine->user_agent);
    free(engine);
}

static enum hv_code engine_new(const struct net_host *host, const struct http_client_options *options,
                               struct net_engine **out, struct hv_error *err)
{
    CURLM *multi = curl_multi_init();
    if (!multi)
        return hv_fail(err, HV_EINTERNAL, "libcurl gives no handle");
    struct net_engine *engine = hv_calloc(1, sizeof *engine);
    const char *ca_file = find_ca_file();
    engine->multi = multi;
    engine->host = *host;
    engine->options = *options;
    engine->user_agent = copy_text(options->user_agent.ptr ? options->user_agent : HV_STR("helve/" HELVE_VERSION));
    if (options->ca_file.ptr || ca_file)
        engine->ca_file = copy_text(options->ca_file.ptr ? options->ca_file : hv_str_from(ca_file));
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, engine);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, engine);
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)IDLE_CONNECTIONS_MAX);
    *out = engine;
    return HV_OK;
}

static enum hv_code init(struct hv_error *err)
{
    /* From 7.84 on the set-up counts its calls and locks, where the feature says so; then no state of ours is needed.
     */
    if (!(curl_version_info(CURLVERSION_NOW)->features & CURL_VERSION_THREADSAFE)) {
        hv_fail(err, HV_EUNSUPPORTED, "libcurl %s cannot be set up safely",
                curl_version_info(CURLVERSION_NOW)->version);
        hv_error_hint(err, "Install libcurl 7.84 or later, built with threads.");
        return HV_EUNSUPPORTED;
    }
    CURLcode result = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (result != CURLE_OK)
        return hv_fail(err, HV_EUNSUPPORTED, "libcurl cannot be set up: %s", curl_easy_strerror(result));
    return HV_OK;
}

static const struct net_functions functions = {
    .init = init,
    .engine_new = engine_new,
    .engine_free = engine_free,
    .act = act,
    .transfer_new = transfer_new,
    .transfer_start = transfer_start,
    .transfer_free = transfer_free,
};

static const struct hv_module module = {HV_MODULE_ABI, "net", HELVE_VERSION, &functions};

HV_API const struct hv_module *hv_module_entry(void);

const struct hv_module *hv_module_entry(void)
{
    return &module;
}
