/* proxy_head.c: see proxy_head.h. */
#include "sandbox/proxy_head.h"

#include <string.h>

/* Headers between client and proxy; and Host, which is written anew. */
static const char *const own_headers[] = {"Host",       "Connection", "Proxy-Connection", "Proxy-Authorization",
                                          "Keep-Alive", "TE",         "Upgrade",          NULL};

static bool is_own_header(struct hv_str name)
{
    for (size_t i = 0; own_headers[i]; i++)
        if (hv_str_eq_nocase(name, hv_str_from(own_headers[i])))
            return true;
    return false;
}

static bool is_token(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte <= ' ' || byte >= 0x7f || strchr("()<>@,;:\\\"/[]?={}", byte))
            return false;
    }
    return text.len > 0;
}

/* Visible ASCII only: names in other letters come encoded. */
static bool is_visible(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] <= ' ' || (unsigned char)text.ptr[i] >= 0x7f)
            return false;
    return text.len > 0;
}

static bool is_host(struct hv_str host, bool bracketed)
{
    if (!host.len || host.len > PROXY_HOST_MAX)
        return false;
    for (size_t i = 0; i < host.len; i++) {
        char byte = host.ptr[i];
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
        if (!letter && byte != '.' && (bracketed ? byte != ':' : byte != '-' && byte != '_'))
            return false;
    }
    return true;
}

/* "host:port", "[::1]:port", or without the port where a default is given. */
static bool read_authority(struct hv_str text, unsigned fallback, struct proxy_request *out)
{
    bool bracketed = text.len && text.ptr[0] == '[';
    size_t end = bracketed ? hv_str_find_byte(text, ']', 0) : hv_str_find_byte(text, ':', 0);
    int64_t port = fallback;
    if (bracketed && end == SIZE_MAX)
        return false;
    out->host = hv_str_slice(text, bracketed, end);
    struct hv_str rest = hv_str_slice(text, end == SIZE_MAX ? text.len : end + bracketed, text.len);
    if (rest.len && (rest.ptr[0] != ':' || !hv_str_to_int64(hv_str_slice(rest, 1, rest.len), &port)))
        return false;
    out->port = (unsigned)port;
    return is_host(out->host, bracketed) && port > 0 && port < 65536;
}

/* Take one line without its end. Bare CR and NUL are nobody's. */
static bool take_line(struct hv_str *rest, struct hv_str *line)
{
    if (!hv_str_split(rest, '\n', line))
        return false;
    if (line->len && line->ptr[line->len - 1] == '\r')
        line->len--;
    return hv_str_find_byte(*line, '\r', 0) == SIZE_MAX && hv_str_find_byte(*line, '\0', 0) == SIZE_MAX;
}

/* Copy the headers that are for the server. False: one cannot be taken. */
static bool copy_headers(struct hv_str rest, struct hv_buf *out)
{
    struct hv_str line;
    while (take_line(&rest, &line) && line.len) {
        size_t colon = hv_str_find_byte(line, ':', 0);
        struct hv_str name = hv_str_slice(line, 0, colon);
        if (colon == SIZE_MAX || !is_token(name)) /* continued lines end here as well */
            return false;
        if (is_own_header(name))
            continue;
        hv_buf_add_str(out, line);
        hv_buf_add_cstr(out, "\r\n");
    }
    return !line.len;
}

static enum hv_code refuse(struct hv_error *err, const char *why)
{
    return hv_fail(err, HV_EPROTO, "%s", why);
}

/* "http://host:port/path?query" → authority and path. */
static enum hv_code read_address(struct hv_str target, struct proxy_request *out, struct hv_str *path,
                                 struct hv_error *err)
{
    size_t scheme = hv_str_find(target, HV_STR("://"), 0);
    if (scheme == SIZE_MAX)
        return refuse(err, "this is a proxy: the request has to name a whole address (http://host/path)");
    if (!hv_str_eq_nocase(hv_str_slice(target, 0, scheme), HV_STR("http")))
        return hv_fail(err, HV_EUNSUPPORTED, "only http:// can be asked of a proxy in the open; use CONNECT");
    struct hv_str rest = hv_str_slice(target, scheme + 3, target.len);
    size_t slash = 0;
    while (slash < rest.len && rest.ptr[slash] != '/' && rest.ptr[slash] != '?' && rest.ptr[slash] != '#')
        slash++;
    *path = hv_str_slice(rest, slash, rest.len);
    if (!read_authority(hv_str_slice(rest, 0, slash), 80, out))
        return refuse(err, "the host of the address cannot be understood");
    if (hv_str_find_byte(*path, '#', 0) != SIZE_MAX)
        return refuse(err, "a request cannot hold a fragment");
    return HV_OK;
}

bool proxy_read_address(struct hv_str address, struct hv_str *host, unsigned *port)
{
    struct proxy_request request = {0};
    bool secure = hv_str_starts(address, HV_STR("https://"));
    size_t begin = secure ? 8 : 7, end = begin;
    while (end < address.len && !strchr("/?#", address.ptr[end]))
        end++;
    if ((!secure && !hv_str_starts(address, HV_STR("http://"))) ||
        !read_authority(hv_str_slice(address, begin, end), secure ? 443 : 80, &request))
        return false;
    *host = request.host;
    *port = request.port;
    return true;
}

static void put_host(const struct proxy_request *request, struct hv_buf *out)
{
    bool colons = hv_str_find_byte(request->host, ':', 0) != SIZE_MAX;
    hv_buf_addf(out, "Host: %s%.*s%s", colons ? "[" : "", HV_STR_ARG(request->host), colons ? "]" : "");
    if (request->port != 80)
        hv_buf_addf(out, ":%u", request->port);
    hv_buf_add_cstr(out, "\r\nConnection: close\r\n");
}

static enum hv_code write_head(struct hv_arena *arena, struct hv_str method, struct hv_str path, struct hv_str headers,
                               struct proxy_request *out, struct hv_error *err)
{
    struct hv_buf head;
    hv_buf_init(&head, 2 * PROXY_HEAD_MAX);
    hv_buf_addf(&head, "%.*s %s%.*s HTTP/1.1\r\n", HV_STR_ARG(method), path.len && path.ptr[0] == '/' ? "" : "/",
                HV_STR_ARG(path));
    put_host(out, &head);
    bool copied = copy_headers(headers, &head);
    hv_buf_add_cstr(&head, "\r\n");
    if (copied && !head.failed)
        out->head = hv_arena_str(arena, hv_buf_str(&head));
    hv_buf_release(&head);
    return out->head.len ? HV_OK : refuse(err, "a header of the request cannot be understood");
}

/* Where the head ends: after its first empty line; 0 when that has not come. */
static size_t find_end(struct hv_str bytes)
{
    for (size_t at = 0; (at = hv_str_find_byte(bytes, '\n', at)) != SIZE_MAX; at++) {
        struct hv_str next = hv_str_slice(bytes, at + 1, at + 3);
        if (hv_str_starts(next, HV_STR("\n")))
            return at + 2;
        if (hv_str_is(next, "\r\n"))
            return at + 3;
    }
    return 0;
}

enum hv_code proxy_head_read(struct hv_arena *arena, struct hv_str bytes, struct proxy_request *out,
                             struct hv_error *err)
{
    struct proxy_request request = {0};
    struct hv_str head = hv_str_slice(bytes, 0, PROXY_HEAD_MAX), line, method, target, path;
    request.consumed = find_end(head);
    if (!request.consumed)
        return bytes.len >= PROXY_HEAD_MAX ? hv_fail(err, HV_ETOOBIG, "the head of the request is too long")
                                           : hv_fail(err, HV_EAGAIN, "the head is not complete");
    head.len = request.consumed;
    if (!take_line(&head, &line) || !hv_str_split(&line, ' ', &method) || !hv_str_split(&line, ' ', &target) ||
        !is_token(method) || !is_visible(target) || !hv_str_starts(line, HV_STR("HTTP/1.")) || line.len != 8)
        return refuse(err, "the first line is no request of HTTP/1.1");
    request.connect = hv_str_is(method, "CONNECT");
    if (request.connect) {
        if (!read_authority(target, 0, &request))
            return refuse(err, "CONNECT needs host:port");
    } else {
        enum hv_code code = read_address(target, &request, &path, err);
        if (!code)
            code = write_head(arena, method, path, head, &request, err);
        if (code)
            return code;
    }
    *out = request;
    return HV_OK;
}
