/*
 * web_backends.h: who answers a search of the web: one row each, with what is sent and how the answer is read. Pure.
 */
#ifndef TOOLS_WEB_BACKENDS_H
#define TOOLS_WEB_BACKENDS_H

#include <helve/json.h>

enum { WEB_RESULTS_MAX = 50 };

/* One hit. Views of the answer. */
struct web_hit {
    struct hv_str title, url, text, age;
};

struct web_query {
    struct hv_str words, url, key; /* url: of the backend, where it is one's own */
    size_t count;                  /* of hits that are wanted */
};

struct web_backend {
    const char *name;
    const char *key_variable; /* of the environment; NULL: it takes no key */
    bool needs_url;
    bool by_model; /* the provider of the session's model searches: a side request; the members below are not used */
    /* The address to ask, in arena; *header: one that goes with it, or absent. */
    struct hv_str (*address)(const struct web_query *query, struct hv_arena *arena, struct hv_str *header);
    /* Where in the answer the list of hits is, and what their members are called. */
    const char *list[3];
    const char
        *no_list;       /* a member of answers that have no list because nothing was found; NULL: they always have it */
    const char *advice; /* where the answer is no JSON; NULL: to check the address */
    const char *title, *link, *text, *age;
};

/* The backend of that name, or NULL. */
const struct web_backend *web_backend_find(struct hv_str name);
/* "searxng, brave, provider". */
const char *web_backend_names(void);
/* Read an answer (by_model: a JSON array of content blocks): up to `most` hits, in arena. HV_EPROTO: it is none of this
 * backend's. */
enum hv_code web_backend_read(const struct web_backend *backend, struct hv_str answer, size_t most,
                              struct hv_arena *arena, struct web_hit **hits, size_t *count,
                              struct hv_error *err) HV_MUST_CHECK;
/* A domain as it was asked for ("Example.org", "*.example.org", "https://bücher.example/") as a host is spelled in
 * struct url. HV_EINVAL: it is more than a host, or none. */
enum hv_code web_domain_read(struct hv_arena *arena, struct hv_str text, struct hv_str *domain,
                             struct hv_error *err) HV_MUST_CHECK;
/* host is domain, as it was read, or lies below it. */
bool web_domain_takes(struct hv_str domain, struct hv_str host);

#endif
