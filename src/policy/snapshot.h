/* snapshot.h: the inside of a policy, for the files of this folder only. Immutable once built. */
#ifndef POLICY_SNAPSHOT_H
#define POLICY_SNAPSHOT_H

#include "policy/path_class.h"
#include "policy/rule.h"

#include <stdatomic.h>

/* A rule before it is parsed. Texts live as long as the policy. */
struct rule_source {
    enum hv_verdict verdict;
    enum policy_scope scope;
    struct hv_str text, root;
    struct settings_place place;
    bool recovered; /* from a broken file */
};

struct policy {
    atomic_uint references;
    struct hv_arena arena;
    const struct hv_host *host;
    enum policy_mode mode;
    bool bypass_disabled, ignores_case;
    const struct hv_tool *const *tools; /* that rules may name by an alias */
    size_t tool_count;
    struct policy_path directory, home;
    const struct policy_path *roots;
    size_t root_count;
    struct policy_path results; /* or absent */
    const struct policy_path *own;
    size_t own_count;
    const struct hv_str *masked; /* places whose credentials a sandbox hides */
    size_t masked_count;
    const struct path_classes *classes;
    const struct rule_source *sources;
    size_t source_count;
    const struct rule *rules; /* strongest scope first */
    size_t rule_count;
    struct rule_names denied; /* of the rules that deny */
    const struct settings_problem *problems;
    size_t problem_count;
};

/* The narrowest rules that would together allow the call, to out->proposal and ->proposals, in arena; none when there
 * are none to offer. */
void policy_propose(const struct policy *policy, const struct policy_facts *facts, struct hv_arena *arena,
                    struct policy_decision *out);

/* What rules of the policy are read against, without a host: links in them are not resolved. */
struct rule_bases policy_rule_bases(const struct policy *policy);

/* "managed settings", "command line", "session", … */
const char *policy_scope_name(enum policy_scope scope);

/* The written and the resolved form of path both lie in a root. */
bool policy_in_workspace(const struct policy *policy, const struct policy_path *path);

#endif
