/*
 * url.h: addresses of the web (http and https), read once and written out anew, so that no two readers of one text can
 * see different hosts in it: what is judged is what is sent. Hosts come out in one spelling (lower case, IPv4 in four
 * decimal numbers however it was written, IDN as "xn--"), without a final dot. Pure; any thread.
 */
#ifndef TEXT_URL_H
#define TEXT_URL_H

#include <helve/str.h>

enum { URL_LENGTH_MAX = 16 * 1024 };

enum url_host { URL_HOST_NAME = 0, URL_HOST_IPV4, URL_HOST_IPV6 };

struct url {
    bool https;
    enum url_host kind;
    uint8_t address[16];    /* of IPV4 (4 bytes) and IPV6, in network order */
    struct hv_str host;     /* "example.org", "127.0.0.1", "[::1]" */
    unsigned port;          /* always set */
    struct hv_str path;     /* from "/" on, with the query */
    struct hv_str fragment; /* without "#", or absent */
    struct hv_str text;     /* all of it anew, without the fragment */
    struct hv_str origin;   /* "https://host" or "https://host:8443" */
};

/*
 * Read an address; texts in arena. HV_EINVAL: it is none, or its host is not one; HV_EUNSUPPORTED: another scheme than
 * http and https; HV_EDENIED: it holds a user or a password; HV_ETOOBIG.
 */
enum hv_code url_parse(struct hv_arena *arena, struct hv_str text, struct url *out, struct hv_error *err) HV_MUST_CHECK;

/* The same scheme, host and port. */
bool url_same_origin(const struct url *a, const struct url *b);

/* What references are seen from: the parts of an absolute address, as views of it. Zeroed: there is none. */
struct url_base {
    struct hv_str text;                        /* without the fragment */
    size_t scheme, authority, directory, path; /* where each ends in text */
};

void url_base_init(struct url_base *base, struct hv_str text);
/* Append reference as seen from base, dot segments removed, blanks and other forbidden bytes escaped, so that it can
 * stand in a link of Markdown. */
void url_resolve(const struct url_base *base, struct hv_str reference, struct hv_buf *out);

#endif
