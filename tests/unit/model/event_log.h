/* event_log.h: model events as lines of text, for tests and fuzzing. */
#ifndef TEST_EVENT_LOG_H
#define TEST_EVENT_LOG_H

#include "model/model.h"

#include <inttypes.h>

static const char *const event_log_names[] = {"none", "start", "text",  "thinking", "begin",
                                              "call", "block", "usage", "stop",     "error"};

/* A model_on_event; user is a struct hv_buf. Adjacent pieces of text are joined, so that splits do not show. */
static inline void event_log(void *user, const struct model_event *event)
{
    struct hv_buf *log = user;
    bool piece = event->type == MODEL_TEXT || event->type == MODEL_THINKING;
    if (log->len)
        hv_buf_add_byte(log, '\n');
    hv_buf_add_cstr(log, event_log_names[event->type]);
    const struct hv_str parts[] = {event->id, event->name, event->model, event->text, event->json};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].ptr) {
            hv_buf_add_byte(log, ' ');
            hv_buf_add_str(log, parts[i]);
        }
    }
    if (piece)
        return;
    const struct model_usage *usage = &event->usage;
    if (event->type == MODEL_USAGE)
        hv_buf_addf(log, " in=%" PRId64 " out=%" PRId64 " read=%" PRId64 " write=%" PRId64 " think=%" PRId64,
                    usage->input_tokens, usage->output_tokens, usage->cache_read_tokens, usage->cache_write_tokens,
                    usage->reasoning_tokens);
    if (event->type == MODEL_STOP)
        hv_buf_addf(log, " %s %.*s", model_stop_name(event->stop), HV_STR_ARG(event->stop_text));
    if (event->type == MODEL_ERROR)
        hv_buf_addf(log, " %s: %s", hv_code_name(event->error.code), event->error.message);
}

#endif
