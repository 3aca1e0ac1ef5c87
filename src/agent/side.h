/*
 * side.h: the one service for side requests (hv_services.ask_model): a tool asks a model something beside the
 * conversation, on its worker, and waits. The requests themselves live on the loop. They have a budget of their own
 * (the setting smallModelTokens), are part of the session's cost, and are journalled with their answers, so that a
 * replay gives the same ones without a model.
 */
#ifndef AGENT_SIDE_H
#define AGENT_SIDE_H

#include "agent/session.h"
#include "journal/side_tape.h"

struct side;

/* What is used up by side requests of the small model. */
struct side_totals {
    struct model_usage usage;
    double cost; /* US dollars; part of the session's */
};

/* For a session, which frees it after its runtime. Loop thread, but side_ask. */
struct side *side_new(struct session *session);
void side_stop(struct side *side); /* what is under way ends without an answer; before the runtime goes */
void side_free(struct side *side); /* NULL is fine */
struct hv_side_models side_models(const struct side *side);
const struct side_totals *side_totals(const struct side *side);

/* runtime_options.ask_model; user: the struct side. */
enum hv_code side_ask(void *user, struct hv_context *context, const struct hv_side_request *request,
                      struct hv_side_answer *answer, struct hv_error *err);
/* The same where there is no model, from recorded answers alone; user: a struct side_tape. */
enum hv_code side_ask_tape(void *user, struct hv_context *context, const struct hv_side_request *request,
                           struct hv_side_answer *answer, struct hv_error *err);

#endif
