/*
 * address_guard.h: what of the web a tool may reach. Addresses are judged where the socket is made (http.h,
 * address_allowed) and before they are used again; here is what they are judged by, in pure functions, so that `helve
 * debug url` says beforehand what would happen.
 */
#ifndef NET_ADDRESS_GUARD_H
#define NET_ADDRESS_GUARD_H

#include "text/url.h"

struct sockaddr;

enum guard_verdict {
    GUARD_ERROR = 0, /* it is no address that can be used */
    GUARD_ALLOW,
    GUARD_DENY,
    GUARD_CONFIRM_REDIRECT, /* it leads to another place: the model is told, and asks for that one if it wants it */
};

/* For http_client_options.address_allowed; user is not looked at. */
bool guard_allows_address(void *user, const struct sockaddr *address);
/* What an address is that is refused ("a loopback address"), for people. */
const char *guard_address_kind(const struct sockaddr *address);
/* An address written as people write it, to a socket address of *length bytes; false when it is none. */
bool guard_read_address(struct hv_str text, struct sockaddr *out, unsigned *length);

/* Names that only a local resolver can know. */
bool guard_is_local_name(struct hv_str host);

/* Why no tool reaches this host unless a rule opens it, as far as its spelling says: what kind of address it is, or
 * NULL. Every door asks this first, and then judges the addresses that a name leads to. */
const char *guard_closed_kind(const struct url *url);

/* NULL: a redirect of `from` to `to` is followed without a question, because it stays with the same server (host and
 * port; or it goes from http to https, both on their usual ports). Else what other place it is ("another host"). */
const char *guard_other_place(const struct url *from, const struct url *to);

/*
 * The proxy for an address by the usual variables (https_proxy, http_proxy, all_proxy, no_proxy, in lower and upper
 * case, but HTTP_PROXY), or absent. environment: NULL-terminated "NAME=value"; the last of a name counts.
 */
struct hv_str guard_proxy(const char *const *environment, const struct url *url);

/* ---- the whole way of a request, without sending anything -------------------------------------------------- */

enum { GUARD_REDIRECTS_MAX = 5 };

/* What a question of `helve debug url` holds. Addresses are texts; each look-up gives one or more, blank-separated. */
struct guard_way {
    struct hv_str url;
    const struct hv_str *lookups;
    size_t lookup_count;
    const struct hv_str *redirects;
    size_t redirect_count;
    bool (*denied)(void *user, struct hv_str host); /* a rule denies the host */
    bool (*opened)(void *user, struct hv_str host); /* a rule opens it, whatever its address */
    void *user;
};

struct guard_answer {
    enum guard_verdict verdict;
    struct hv_str url, address; /* where it ended; address may be absent */
    struct hv_str reason;
};

const char *guard_verdict_name(enum guard_verdict verdict);
void guard_walk(const struct guard_way *way, struct hv_arena *arena, struct guard_answer *out);

#endif
