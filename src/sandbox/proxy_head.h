/*
 * proxy_head.h: the head of a request to an HTTP proxy: what is asked for, and what is to be sent on. Pure; it reads
 * what confined programs write, and refuses whatever two readers could understand differently.
 */
#ifndef SANDBOX_PROXY_HEAD_H
#define SANDBOX_PROXY_HEAD_H

#include <helve/str.h>

enum { PROXY_HEAD_MAX = 32 * 1024, PROXY_HOST_MAX = 255 };

struct proxy_request {
    bool connect;       /* CONNECT: a tunnel; else a plain request, to be sent on as `head` */
    struct hv_str host; /* a name or literal address without brackets; lives in the bytes that were read */
    unsigned port;
    size_t consumed;    /* bytes of the head, its empty line included */
    struct hv_str head; /* plain: the head for the server: path instead of address, Host as the address says, without
                           what is for proxies, and the connection closed after the answer. In arena */
};

/* Host and port of an address of the web as a command names it ("https://example.org/x"); false: it is another, or not
 * certain ("https://a@b/"). Pure. */
bool proxy_read_address(struct hv_str address, struct hv_str *host, unsigned *port);

/*
 * Read a head from the first bytes of a connection. HV_OK; HV_EAGAIN: it is not complete yet; HV_ETOOBIG: longer than
 * PROXY_HEAD_MAX; HV_EPROTO: not a request to a proxy, or one that is not taken (the message says why);
 * HV_EUNSUPPORTED: another scheme than http.
 */
enum hv_code proxy_head_read(struct hv_arena *arena, struct hv_str bytes, struct proxy_request *out,
                             struct hv_error *err) HV_MUST_CHECK;

#endif
