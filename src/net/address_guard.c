/* address_guard.c: see address_guard.h. Which addresses are public is said in base/address.h. */
#include "net/address_guard.h"

#include "base/address.h"
#include "base/cleanup.h"
#include "net/no_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

bool guard_allows_address(void *user, const struct sockaddr *address)
{
    (void)user;
    return address_is_public(address);
}

/* The IPv4 address that an IPv6 one stands for (mapped, compatible, NAT64), in host order. */
static bool inner_ipv4(const uint8_t *bytes, uint32_t *out)
{
    static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff}, nat64[12] = {0x00, 0x64, 0xff, 0x9b}, zeros[12] = {0};
    bool inner = !memcmp(bytes, mapped, 12) || !memcmp(bytes, nat64, 12) ||
                 (!memcmp(bytes, zeros, 12) && (bytes[12] || bytes[13] || bytes[14]));
    if (inner)
        *out = (uint32_t)bytes[12] << 24 | (uint32_t)bytes[13] << 16 | (uint32_t)bytes[14] << 8 | bytes[15];
    return inner;
}

static const char *kind_of_ipv4(uint32_t address)
{
    uint32_t first = address >> 24, two = address >> 16;
    if (first == 127 || first == 0)
        return "an address of this machine (loopback)";
    if (address == 0xa9fea9fe)
        return "the address of a cloud's metadata service (link-local)";
    if (two == 0xa9fe)
        return "a link-local address";
    if (first == 10 || two == 0xc0a8 || (two & 0xfff0) == 0xac10)
        return "a private address";
    if ((two & 0xffc0) == 0x6440)
        return "an address inside a carrier's network";
    return first >= 224 && first < 240 ? "a multicast address" : "a reserved address";
}

const char *guard_address_kind(const struct sockaddr *address)
{
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    static const uint8_t loopback[16] = {[15] = 1}, metadata[8] = {0xfd, 0x00, 0x0e, 0xc2};
    uint32_t inner;
    if (address->sa_family == AF_INET) {
        memcpy(&in, address, sizeof in);
        return kind_of_ipv4(ntohl(in.sin_addr.s_addr));
    }
    if (address->sa_family != AF_INET6)
        return "not an address of the internet";
    memcpy(&in6, address, sizeof in6);
    const uint8_t *bytes = in6.sin6_addr.s6_addr;
    if (inner_ipv4(bytes, &inner))
        return kind_of_ipv4(inner);
    if (!memcmp(bytes, loopback, 16) || !memcmp(bytes, (const uint8_t[16]){0}, 16))
        return "an address of this machine (loopback)";
    if (!memcmp(bytes, metadata, 8))
        return "the address of a cloud's metadata service";
    if ((bytes[0] & 0xfe) == 0xfc)
        return "a private address (unique local)";
    if (bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80)
        return "a link-local address";
    return bytes[0] == 0xff ? "a multicast address" : "a reserved address";
}

bool guard_read_address(struct hv_str text, struct sockaddr *out, unsigned *length)
{
    char copy[INET6_ADDRSTRLEN + 2];
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    text = hv_str_trim(text);
    if (text.len > 2 && text.ptr[0] == '[' && text.ptr[text.len - 1] == ']')
        text = hv_str_slice(text, 1, text.len - 1);
    snprintf(copy, sizeof copy, "%.*s", HV_STR_ARG(text));
    if (text.len >= sizeof copy)
        return false;
    if (inet_pton(AF_INET, copy, &in.sin_addr) == 1) {
        memcpy(out, &in, sizeof in);
        *length = sizeof in;
        return true;
    }
    if (inet_pton(AF_INET6, copy, &in6.sin6_addr) != 1)
        return false;
    memcpy(out, &in6, sizeof in6);
    *length = sizeof in6;
    return true;
}

bool guard_is_local_name(struct hv_str host)
{
    static const char *const ends[] = {".localhost", ".local",    ".internal", ".lan",      ".home",
                                       ".corp",      ".intranet", ".private",  ".home.arpa"};
    if (hv_str_find_byte(host, '.', 0) == SIZE_MAX)
        return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (hv_str_ends(host, hv_str_from(ends[i])))
            return true;
    return false;
}

const char *guard_closed_kind(const struct url *url)
{
    struct sockaddr_storage address = {0};
    unsigned length;
    if (url->kind == URL_HOST_NAME)
        return hv_str_is(url->host, "localhost") || hv_str_ends(url->host, HV_STR(".localhost")) ? "this machine"
               : guard_is_local_name(url->host)                                                  ? "a local name"
                                                                                                 : NULL;
    bool known = guard_read_address(url->host, (struct sockaddr *)&address, &length);
    if (known && address_is_public((struct sockaddr *)&address))
        return NULL;
    return known ? guard_address_kind((struct sockaddr *)&address) : "no address";
}

static bool has_usual_port(const struct url *url)
{
    return url->port == (url->https ? 443 : 80);
}

const char *guard_other_place(const struct url *from, const struct url *to)
{
    if (!hv_str_eq(from->host, to->host))
        return "another host";
    if (from->https && !to->https)
        return "http, which is not encrypted";
    bool upgraded = !from->https && to->https && has_usual_port(from) && has_usual_port(to);
    return upgraded || from->port == to->port ? NULL : "another port of its host";
}

/* ---- proxies ----------------------------------------------------------------------------------------------------- */

static struct hv_str variable(const char *const *environment, const char *name)
{
    struct hv_str found = {0}, wanted = hv_str_from(name);
    for (; environment && *environment; environment++) {
        struct hv_str entry = hv_str_from(*environment);
        if (hv_str_starts(entry, wanted) && entry.len > wanted.len && entry.ptr[wanted.len] == '=')
            found = hv_str_slice(entry, wanted.len + 1, SIZE_MAX);
    }
    return hv_str_trim(found);
}

struct hv_str guard_proxy(const char *const *environment, const struct url *url)
{
    /* HTTP_PROXY is what a CGI program gets of a header "Proxy": not taken. */
    static const char *const https[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
    static const char *const http[] = {"http_proxy", "all_proxy", "ALL_PROXY"};
    struct hv_str exempt = variable(environment, "no_proxy"), proxy = {0};
    if (!exempt.len)
        exempt = variable(environment, "NO_PROXY");
    if (no_proxy_exempts(exempt, url->host, url->port))
        return (struct hv_str){0};
    const char *const *names = url->https ? https : http;
    size_t count = url->https ? sizeof https / sizeof *https : sizeof http / sizeof *http;
    for (size_t i = 0; i < count && !proxy.len; i++)
        proxy = variable(environment, names[i]);
    return proxy.len ? proxy : (struct hv_str){0};
}

/* ---- the whole way ----------------------------------------------------------------------------------------------- */

const char *guard_verdict_name(enum guard_verdict verdict)
{
    static const char *const names[] = {"error", "allow", "deny", "confirm_redirect"};
    return names[verdict];
}

static void answer(struct guard_answer *out, enum guard_verdict verdict, struct hv_str reason)
{
    out->verdict = verdict;
    out->reason = reason;
}

/* Judge the addresses of one look-up, blank-separated; false when one of them is refused. */
static bool judge_addresses(struct hv_str list, struct hv_arena *arena, struct guard_answer *out)
{
    struct hv_str text;
    out->address = (struct hv_str){0};
    while (hv_str_split(&list, ' ', &text)) {
        struct sockaddr_storage address = {0};
        unsigned length;
        if (!text.len)
            continue;
        bool known = guard_read_address(text, (struct sockaddr *)&address, &length);
        if (!out->address.ptr || !known || !address_is_public((struct sockaddr *)&address))
            out->address = hv_arena_str(arena, text);
        if (known && address_is_public((struct sockaddr *)&address))
            continue;
        answer(out, GUARD_DENY,
               hv_arena_format(arena, "%.*s is %s", HV_STR_ARG(text),
                               known ? guard_address_kind((struct sockaddr *)&address) : "no address"));
        return false;
    }
    return true;
}

/* One address of the way. False: it ends here, and out says how. */
static bool walk_step(const struct guard_way *way, const struct url *url, size_t *lookup, bool last,
                      struct hv_arena *arena, struct guard_answer *out)
{
    if (way->denied && way->denied(way->user, url->host)) {
        answer(out, GUARD_DENY, hv_arena_format(arena, "a rule denies %.*s", HV_STR_ARG(url->host)));
        return false;
    }
    bool opened = way->opened && way->opened(way->user, url->host), fine = true;
    const char *closed = opened ? NULL : guard_closed_kind(url);
    out->address = url->kind == URL_HOST_NAME ? (struct hv_str){0} : url->host;
    if (closed) {
        answer(out, GUARD_DENY, hv_arena_format(arena, "%.*s is %s", HV_STR_ARG(url->host), closed));
        return false;
    }
    size_t until = last ? way->lookup_count : *lookup + 1;
    for (; url->kind == URL_HOST_NAME && *lookup < until && *lookup < way->lookup_count && fine; (*lookup)++)
        fine = judge_addresses(way->lookups[*lookup], arena, out);
    return fine || opened;
}

/* It leads elsewhere: to be asked for by a call of its own, unless that would be refused. */
static void judge_elsewhere(const struct guard_way *way, const struct url *url, const char *place,
                            struct hv_arena *arena, struct guard_answer *out)
{
    const char *closed = way->opened && way->opened(way->user, url->host) ? NULL : guard_closed_kind(url);
    if (way->denied && way->denied(way->user, url->host))
        closed = "what a rule denies";
    if (closed)
        answer(out, GUARD_DENY,
               hv_arena_format(arena, "it redirects to %.*s, which is %s", HV_STR_ARG(url->origin), closed));
    else
        answer(out, GUARD_CONFIRM_REDIRECT,
               hv_arena_format(arena, "it redirects to %s: %.*s", place, HV_STR_ARG(url->origin)));
}

void guard_walk(const struct guard_way *way, struct hv_arena *arena, struct guard_answer *out)
{
    struct hv_error err = {0};
    struct url now, next;
    size_t lookup = 0;
    *out = (struct guard_answer){0};
    if (url_parse(arena, way->url, &now, &err) != HV_OK) {
        answer(out, err.code == HV_EINVAL || err.code == HV_ETOOBIG ? GUARD_ERROR : GUARD_DENY,
               hv_arena_str(arena, hv_str_from(err.message)));
        return;
    }
    for (size_t i = 0;; i++) {
        bool last = i >= way->redirect_count;
        out->url = now.text;
        if (!walk_step(way, &now, &lookup, last, arena, out))
            return;
        if (last)
            break;
        CLEANUP_BUF struct hv_buf target = {.max = 4 * URL_LENGTH_MAX};
        struct url_base base;
        url_base_init(&base, now.text);
        url_resolve(&base, way->redirects[i], &target);
        out->url = hv_arena_str(arena, hv_buf_str(&target));
        if (url_parse(arena, out->url, &next, &err) != HV_OK) {
            answer(out, err.code == HV_EINVAL || err.code == HV_ETOOBIG ? GUARD_ERROR : GUARD_DENY,
                   hv_arena_format(arena, "the redirect: %s", err.message));
            return;
        }
        const char *place = guard_other_place(&now, &next);
        if (place) {
            judge_elsewhere(way, &next, place, arena, out);
            return;
        }
        if (i + 1 > GUARD_REDIRECTS_MAX) {
            answer(out, GUARD_ERROR, HV_STR("too many redirects"));
            return;
        }
        now = next;
    }
    answer(out, GUARD_ALLOW, HV_STR("only public addresses, or opened by a rule"));
}
