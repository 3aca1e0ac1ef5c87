/* search_trial.h: whether a model's provider searches the web for it, tried by one search; for `helve doctor`. */
#ifndef AGENT_SEARCH_TRIAL_H
#define AGENT_SEARCH_TRIAL_H

#include "loop/loop.h"
#include "model/model.h"

/* Runs the loop until it is known. HV_EUNSUPPORTED: this provider has no search, or answered without one. Costs what
 * the provider asks for a search. */
enum hv_code search_trial(struct model *model, struct loop *loop, struct hv_error *err) HV_MUST_CHECK;

#endif
