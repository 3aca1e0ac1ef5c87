/*
 * http.h: the HTTP client of the loop. Requests go out and answers stream in on the loop's thread; nothing blocks.
 *
 * A client is a pool of connections for one class of trust: what may be reached (proxy, address guard) is said once, at
 * its birth, and a connection is reused by requests of the same client only. Redirects are never followed: an answer of
 * 3xx comes to the caller with its headers, who decides. libcurl does the work; it sits in the module net.so, which is
 * loaded when the first client is made (or earlier, by http_preload).
 *
 * Errors name the host and port at most, never a path, a query or a header: keys sit there.
 *
 * Thread-safety: loop thread only, but for http_preload (any thread).
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include <helve/str.h>

struct loop;
struct sockaddr;
struct http_client;
struct http_transfer; /* one request under way */
struct http_headers;  /* the headers of one answer */

enum {
    HTTP_URL_MAX = 64 * 1024,
    HTTP_REQUEST_HEADERS_MAX = 256 * 1024, /* bytes of all request headers */
    HTTP_ANSWER_HEADERS_MAX = 256 * 1024,  /* bytes of all answer headers */
};

/* ---- clients ---------------------------------------------------------------------------------------------- */

struct http_client_options {
    bool use_proxy; /* obey http_proxy, https_proxy, all_proxy and no_proxy; never for loopback hosts */
    /* Refuse an address that a name was resolved to (SSRF); NULL: all are allowed. Called for each attempt to connect,
     * with the real address; a proxy is then never used. */
    bool (*address_allowed)(void *user, const struct sockaddr *address);
    void *user;
    struct hv_str ca_file;    /* PEM bundle to trust; absent: SSL_CERT_FILE or CURL_CA_BUNDLE, else the system's */
    struct hv_str user_agent; /* absent: "helve/VERSION" */
};

/*
 * A client on a loop; options (copied; NULL: all zero). Loads the module: HV_ENOTFOUND or HV_EUNSUPPORTED with a hint
 * when it or libcurl is missing. Free it with http_client_free, before loop_free.
 */
enum hv_code http_client_new(struct loop *loop, const struct http_client_options *options, struct http_client **out,
                             struct hv_error *err) HV_MUST_CHECK;

/* Ends requests under way (their on_end comes from inside this call, HV_ECANCELLED), closes connections, frees. Not
 * from inside a handler of this client. NULL is accepted. */
void http_client_free(struct http_client *client);

/* Load the module and set up libcurl, on any thread, to overlap with other start-up work. May block for some 10 ms.
 * A failure is reported again by http_client_new. */
enum hv_code http_preload(struct hv_error *err);

/* ---- requests --------------------------------------------------------------------------------------------- */

struct http_request {
    struct hv_str method; /* absent: GET, or POST when there is a body */
    struct hv_str url;    /* http: or https:, without user and password */
    /* "Name: value" lines. A line with a CR, LF or NUL, or without a name, is HV_EINVAL. Content-Length, Host and
     * Transfer-Encoding are made here. */
    const struct hv_str *headers;
    size_t header_count;
    /* The body is these views in order. The bytes are not copied: they stay valid, unchanged, until on_end. */
    const struct hv_str *body;
    size_t body_count;
    /* Go through this proxy ("http://host:port"), whatever the client's options say: the caller has judged the address
     * already. Absent: as the options say. */
    struct hv_str proxy;
    bool compressed;             /* ask for a compressed answer; what comes compressed is decompressed in any case */
    uint64_t connect_timeout_ms; /* names, TCP and TLS together; 0: 30 s */
    uint64_t idle_timeout_ms;    /* no byte in either direction for so long; 0: none */
    uint64_t total_timeout_ms;   /* from http_send to the end; 0: none */
    uint64_t max_body;           /* bytes of the answer's body, decompressed; 0: unlimited (the caller counts) */
};

struct http_handlers {
    /* The final status and headers have come (never 1xx). Once at most. headers: valid during the call. */
    void (*on_status)(void *user, int status, const struct http_headers *headers);
    /* The next bytes of the body; valid during the call; never empty. May be NULL. */
    void (*on_body)(void *user, struct hv_str bytes);
    /*
     * Exactly once, last, and never from inside http_send or http_cancel. HV_OK: the answer is complete, whatever its
     * status. Else err says what happened: HV_ENET (no connection, TLS, cut: whatever was not received is lost),
     * HV_ETIMEOUT (connect, idle or total), HV_ETOOBIG (max_body, headers), HV_EPROTO (not HTTP, bad compression),
     * HV_EDENIED (address refused), HV_ECANCELLED. The transfer is gone when it returns.
     */
    void (*on_end)(void *user, enum hv_code code, const struct hv_error *err);
    void *user;
};

/*
 * Send a request. Method, url and headers are copied; for the body see there. HV_EINVAL, HV_ETOOBIG or HV_EUNSUPPORTED
 * (protocol) for what cannot be sent: then no handler is ever called. All handlers run on the loop's thread and may
 * call http_send and http_cancel.
 */
enum hv_code http_send(struct http_client *client, const struct http_request *request,
                       const struct http_handlers *handlers, struct http_transfer **out,
                       struct hv_error *err) HV_MUST_CHECK;

/* End it: no on_status or on_body comes any more, on_end follows in the next turn of the loop with HV_ECANCELLED
 * (unless the answer is complete already: then with HV_OK). Calling it again does nothing; not after on_end. */
void http_cancel(struct http_transfer *transfer);

/* The value of a header (the last one of that name; names are compared without case), trimmed, or absent. */
struct hv_str http_header(const struct http_headers *headers, const char *name);
/* All of them: "Name: value" lines. Valid as long as headers. */
struct hv_str http_header_lines(const struct http_headers *headers);
/* The same of lines. */
struct hv_str http_header_in(struct hv_str lines, const char *name);

#endif
