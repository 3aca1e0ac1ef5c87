/*
 * rewind_session.h: rewinding with the rules of a policy (journal/rewind.h knows none), for `helve rewind` and for
 * programs that drive a session which is alive.
 */
#ifndef AGENT_REWIND_SESSION_H
#define AGENT_REWIND_SESSION_H

#include "agent/session.h"
#include "journal/rewind.h"

/* What a rule forbids to change is barred in the plan: a deny rule for tools that edit files, or a place that is never
 * written. Blocks on resolving links. */
void rewind_ask_rules(struct hv_arena *arena, const struct hv_host *host, const struct policy *policy,
                      struct rewind_plan *plan);

/* The places of a session, from its journal's path (…/ID.jsonl). In arena. */
struct rewind_places rewind_places_of(struct hv_arena *arena, struct hv_str journal_path);

/*
 * Put the files of a session that is alive back to before the message with this id (`uuid` in its event); only look at
 * what would be done when dry_run is set. *plan tells, in arena. The conversation stays as it is. HV_EAGAIN: a turn
 * runs; HV_ENOTFOUND: no such message, no journal; HV_ECONFLICT: something would be lost, and nothing was done. Loop
 * thread; blocks on files.
 */
enum hv_code session_rewind_files(struct session *session, struct hv_arena *arena, struct hv_str message_id,
                                  bool dry_run, struct rewind_plan *plan, struct hv_error *err) HV_MUST_CHECK;

#endif
