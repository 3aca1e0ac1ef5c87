/*
 * explain.h: why a call is allowed, asked or denied, and what a rule means: for `helve explain`, as text for people and
 * as JSON for programs. Foreign text is shown so that nothing in it can hide. Pure, any thread.
 */
#ifndef POLICY_EXPLAIN_H
#define POLICY_EXPLAIN_H

#include "policy/policy.h"

/*
 * The decision in one word: "allow", "ask", "always_confirm" (asked each time; denied when nobody can be asked),
 * "deny", or "refuse" (a device, FIFO or the like: never opened).
 */
const char *policy_explain_outcome(const struct policy *policy, const struct policy_facts *facts,
                                   const struct policy_decision *decision);

/*
 * Append the explanation of a decision that policy_decide made of these facts: text of several lines, or one line of
 * JSON; both end in a newline. The JSON object has decision, stage, mode, reason, rule, scope, proposal, tool, subject,
 * resolved (of the first path), paths[{access, path, resolved, class, what}] and rules[{verdict, rule, scope, file,
 * line, column, match, decides}]: all rules that speak of the call, strongest scope first.
 */
void policy_explain_write(const struct policy *policy, const struct policy_facts *facts,
                          const struct policy_decision *decision, bool as_json, struct hv_buf *out);
/* The same members in an object that is open already: batch doors put an id before them. */
void policy_explain_members(const struct policy *policy, const struct policy_facts *facts,
                            const struct policy_decision *decision, struct hv_json_writer *writer);

/*
 * Of a command (facts->command): what the door `helve explain bash` answers, into an object that is open: class
 * (whatever the rules say), decision, reason, rule, commands[{argv, class, reads, writes, why, danger?}], why (of the
 * class), stage, scope, proposals.
 */
void policy_explain_command_members(const struct policy *policy, const struct policy_facts *facts,
                                    const struct policy_decision *decision, struct hv_json_writer *writer);

/* Append a line for each part of a command that was understood, at most 50: its mark (ok, ask, confirm, never), its
 * words and the reason. all: also those that need nobody's leave. */
void policy_explain_parts(const struct policy *policy, const struct policy_facts *facts, bool all, struct hv_buf *out);
/* How many parts that has. */
size_t policy_count_commands(const struct policy_facts *facts);

/*
 * Append what the rule text means: whether it can be used in allow, ask and deny lists and if not why, which of the
 * tools it names, what its specifier is for each, where its path patterns start, where in the policy it stands, and
 * which rules beat it. Returns false when no list could use it.
 */
bool policy_explain_rule(const struct policy *policy, struct hv_str text, const struct hv_tool *const *tools,
                         size_t tool_count, bool as_json, struct hv_buf *out);

#endif
