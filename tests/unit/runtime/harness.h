/*
 * harness.h: a real runtime for tests: loop, workers, settings from a file, policy; and a tool whose behaviour each
 * call says itself, so that a test can look at what the pipeline does with it.
 */
#ifndef TEST_RUNTIME_HARNESS_H
#define TEST_RUNTIME_HARNESS_H

#include "runtime/runtime.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { RESULTS_MAX = 4096, NOTES_MAX = 16384 };

struct harness_result {
    char *id, *tool, *input, *block, *text, *diff;
    bool is_error, ends_turn;
};

/* What an event said, in the order in which sinks saw them. */
struct harness_event {
    enum hv_event_type type;
    char *call_id, *tool, *name, *text, *json, *data;
    bool ok;
};

struct harness {
    char directory[64]; /* a fresh temporary directory, resolved; `work` inside it is the workspace */
    char work[80], home[80];
    struct loop *loop;
    struct settings *settings;
    struct policy *policy;
    struct runtime *runtime;
    struct runtime_options options; /* change before harness_start */
    struct hv_str root;
    struct hv_sink sink;

    struct harness_result results[RESULTS_MAX];
    size_t result_count;
    pthread_mutex_t event_lock; /* guards the events: sinks are called on workers */
    struct harness_event *events;
    size_t event_count, event_capacity;
    char *messages, *stop_reason;
    bool done, stop;

    /* How a question is answered; harness_ask counts. */
    struct hv_answer answer;
    unsigned asked;
};

/* Make directories and defaults; settings is the text of the person's settings.json, or NULL. */
void harness_open(struct harness *harness, const char *settings);
/* Make the runtime with these tools (NULL-terminated list). */
void harness_start(struct harness *harness, const struct hv_tool *const *tools);
void harness_close(struct harness *harness);

/* One batch: (id, name, input) triples, NULL-terminated; returns when it is done. */
void harness_run(struct harness *harness, ...);
/* The same in steps. */
struct batch *harness_begin(struct harness *harness);
void harness_finish(struct harness *harness, struct batch *batch);
const struct harness_result *harness_result(const struct harness *harness, const char *id);
/* The first event of a type for a call (call_id NULL: any) whose name is `name` (NULL: any); NULL when there is none.
 */
const struct harness_event *harness_event(const struct harness *harness, enum hv_event_type type, const char *call_id,
                                          const char *name);
/* Answers from harness->answer; to be put into options.asker. */
void harness_ask(void *user, const struct hv_question *question, const struct hv_cancel *cancel, struct hv_arena *arena,
                 struct hv_answer *answer);
char *harness_write(const struct harness *harness, const char *name, const char *text); /* below work; static buffer */
char *harness_read(const struct harness *harness, const char *name);                    /* malloc'ed, or NULL */

/*
 * The tool "Probe" (alias "probe_it"): {"label","reads":[…],"writes":[…],"sleep_ms","fail","say","repeat","alone",
 * "cd","message","activate","wait_cancel"}. It notes "+label" when it begins and "-label" when it ends.
 */
extern const struct hv_tool probe_tool;
/* Where a note stands among all, or -1. */
int probe_note_at(const char *note);
void probe_reset(void);
/* The largest number of probes that were at work at once since the reset. */
unsigned probe_peak(void);

#define assert_contains(text, part)                                                                                    \
    do {                                                                                                               \
        if (!strstr((text), (part)))                                                                                   \
            fail_msg("expected \"%s\" in: %s", (part), (text));                                                        \
    } while (0)
#define assert_lacks(text, part)                                                                                       \
    do {                                                                                                               \
        if (strstr((text), (part)))                                                                                    \
            fail_msg("did not expect \"%s\" in: %s", (part), (text));                                                  \
    } while (0)

#endif
