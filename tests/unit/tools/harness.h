/*
 * harness.h: a tool called as the runtime calls it, without the runtime: the input decoded by the tool's own field
 * table, a real temporary directory as the workspace, the local host, and services that write down what the tool asks
 * for. Every function fails the running test when the world does not let it do its work.
 */
#ifndef TESTS_TOOLS_HARNESS_H
#define TESTS_TOOLS_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <helve/tool.h>

struct session_state {
    const struct hv_state_key *key;
    void *value;
    struct session_state *next;
};

struct session {
    struct hv_context context; /* of the next call; tests may change it */
    struct hv_arena own;       /* lives as long as the session */
    struct hv_arena call;      /* of the last call: what `answer` points to */
    struct hv_str root;        /* the workspace, links resolved */
    struct hv_cancel *cancel;
    struct session_state *states;
    struct hv_tool_set tools;

    /* What tools asked for. */
    struct hv_str directory; /* the last one set; absent: none */
    struct hv_buf activated; /* names, each followed by a blank */
    size_t progress;         /* how often it was told */
    const char *hidden;      /* hides_path says so of paths that contain this; NULL: none */

    /* The last call. */
    enum hv_code code; /* of decoding, validation or the call itself */
    struct hv_error err;
    struct hv_result result;
    struct hv_str text; /* of all text blocks, one below the other; for a fault its message and hint */
    bool failed;        /* a fault, or a result that is an error */
};

void session_open(struct session *session);
void session_close(struct session *session);

/* Call a tool with a JSON input in which ' stands for ". */
void call(struct session *session, const struct hv_tool *tool, const char *input);
/* The same with the input as it is. */
void call_raw(struct session *session, const struct hv_tool *tool, struct hv_str input);

/* The text of the last call has, or has not, this in it; or is just this. */
void expect_has(struct session *session, const char *part);
void expect_lacks(struct session *session, const char *part);
void expect_text(struct session *session, const char *text);
void expect_fine(struct session *session); /* the call did not fail */
void expect_failure(struct session *session, const char *part);

/* Files of the workspace, by path relative to it. */
const char *file_path(struct session *session, const char *name);
void file_put(struct session *session, const char *name, const char *text);
void file_put_bytes(struct session *session, const char *name, struct hv_str bytes);
struct hv_str file_get(struct session *session, const char *name);
void expect_file(struct session *session, const char *name, const char *text);
bool file_exists(struct session *session, const char *name);
void directory_make(struct session *session, const char *name);
/* Seconds after some fixed time in the past. */
void file_set_time(struct session *session, const char *name, int seconds);

#endif
