/* hook_answer.h: the JSON answers in what a hook printed. Pure. */
#ifndef RUNTIME_HOOK_ANSWER_H
#define RUNTIME_HOOK_ANSWER_H

#include <helve/json.h>

enum { HOOK_ANSWERS_MAX = 32 };

struct hook_answers {
    struct {
        struct hv_str json;           /* its bytes */
        const struct hv_json *object; /* parsed */
    } items[HOOK_ANSWERS_MAX];
    size_t count;
    bool alone;      /* the output is one object and nothing else: it may allow as well as deny */
    bool unreadable; /* the output is or holds what looks like an answer and cannot be read */
};

/*
 * The objects in the output of a hook that have a member that answers have. Around them there may be anything: start-up
 * files print, and so do the programs of a script. output must outlive *out, which is in arena.
 */
void hook_find_answers(struct hv_arena *arena, struct hv_str output, struct hook_answers *out);

#endif
