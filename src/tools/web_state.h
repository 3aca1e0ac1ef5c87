/*
 * web_state.h: what the tools for the web remember in a session: answers for a quarter of an hour, and how often each
 * host was asked of late. Any thread.
 */
#ifndef TOOLS_WEB_STATE_H
#define TOOLS_WEB_STATE_H

#include <helve/tool.h>

enum { WEB_CACHE_SECONDS = 15 * 60 };

/* An answer that is remembered. Views in the arena given. */
struct web_kept {
    struct hv_str headers, body;
    bool fresh; /* it may be shown without asking the server */
};

/* False: nothing is remembered under key. */
bool web_cache_find(struct hv_context *context, struct hv_str key, struct hv_arena *arena, struct web_kept *out);
/* Remember an answer, from now on. Nothing happens in a session of one call. */
void web_cache_keep(struct hv_context *context, struct hv_str key, struct hv_str headers, struct hv_str body);

/* Wait until the host may be asked again. HV_ECANCELLED; HV_EAGAIN: it would take longer than until deadline_ns. */
enum hv_code web_wait_turn(struct hv_context *context, struct hv_str host, uint64_t deadline_ns,
                           struct hv_error *err) HV_MUST_CHECK;

/* A header of an answer, the last of its name, or absent. */
struct hv_str web_header(struct hv_str headers, const char *name);

#endif
