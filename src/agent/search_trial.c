/* search_trial.c: see search_trial.h. */
#include "agent/search_trial.h"

#include "base/clock.h"

enum { SECONDS = 60 };

struct trial {
    struct loop *loop;
    struct model_stream *stream;
    bool searched, late;
    enum hv_code code;
    struct hv_error err;
};

static void on_event(void *user, const struct model_event *event)
{
    struct trial *trial = user;
    if (event->type != MODEL_BLOCK)
        return;
    bool failed = hv_str_find(event->json, HV_STR("web_search_tool_result_error"), 0) != SIZE_MAX;
    bool found = hv_str_find(event->json, HV_STR("\"web_search_tool_result\""), 0) != SIZE_MAX ||
                 hv_str_find(event->json, HV_STR("\"web_search_call\""), 0) != SIZE_MAX;
    trial->searched |= found && !failed;
}

static void on_end(void *user, enum hv_code code, const struct hv_error *err, int status, int64_t retry_after_ms)
{
    struct trial *trial = user;
    (void)status, (void)retry_after_ms;
    trial->stream = NULL;
    trial->code = code;
    if (err)
        trial->err = *err;
    loop_stop(trial->loop);
}

static void on_late(void *data)
{
    struct trial *trial = data;
    trial->late = true;
    if (trial->stream)
        model_stream_cancel(trial->stream);
}

static enum hv_code send(struct trial *trial, struct model_conversation *conversation, struct hv_error *err)
{
    const struct model_stream_handlers handlers = {.on_event = on_event, .on_end = on_end, .user = trial};
    const struct model_search anywhere = {0};
    model_conversation_set_system(conversation,
                                  HV_STR("Search the web once for what you are given. Answer in a word."));
    model_conversation_set_search(conversation, &anywhere);
    enum hv_code code = model_conversation_append(conversation, MODEL_USER,
                                                  HV_STR("[{\"type\":\"text\",\"text\":\"example.org\"}]"), err);
    return code ? code : model_send(conversation, &handlers, &trial->stream, err);
}

enum hv_code search_trial(struct model *model, struct loop *loop, struct hv_error *err)
{
    struct trial trial = {.loop = loop};
    if (!model_searches(model)) {
        hv_fail(err, HV_EUNSUPPORTED, "%.*s has no search of the web", HV_STR_ARG(model_provider_name(model)));
        hv_error_hint(err, "name another backend in webSearch: searxng, or brave");
        return HV_EUNSUPPORTED;
    }
    struct model_conversation *conversation = model_conversation_new(model);
    enum hv_code code = send(&trial, conversation, err);
    if (!code) {
        /* Started once the request is under way: a stream's end comes from the loop. */
        struct loop_timer *timer = loop_timer_start(loop, SECONDS * CLOCK_SECOND, on_late, &trial);
        loop_run(loop);
        if (!trial.late)
            loop_timer_stop(timer);
        code = trial.code;
        *err = trial.err;
    }
    model_conversation_free(conversation);
    if (trial.late) {
        hv_fail(err, HV_ETIMEOUT, "no answer within %d s", SECONDS);
        hv_error_hint(err, "try again later");
        return HV_ETIMEOUT;
    }
    if (!code && !trial.searched) {
        hv_fail(err, HV_EUNSUPPORTED, "the model answered without a search");
        hv_error_hint(err, "the server may not offer it for this model: use another one, or another backend");
        code = HV_EUNSUPPORTED;
    }
    return code;
}
