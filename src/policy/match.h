/*
 * match.h: how the rules of a policy meet one call. Shared by the decision, the proposal and the explanation, so that
 * these three can never differ. Pure.
 */
#ifndef POLICY_MATCH_H
#define POLICY_MATCH_H

#include "policy/command.h"
#include "policy/snapshot.h"

struct parts;

/* A call, made ready for being matched by many rules. Valid as long as policy, facts and the arena it was made in. */
struct match_call {
    const struct policy *policy;
    const struct policy_facts *facts;
    bool has_command;
    struct command_text command; /* when has_command and not parts */
    bool command_writes;         /* the command may well write the files it names */
    bool command_reads;          /* it surely does not */
    struct parts *parts;         /* of a command that was understood; else NULL, and its text counts */
};

/* facts->tool is not NULL. */
void match_begin(const struct policy *policy, const struct policy_facts *facts, struct hv_arena *arena,
                 struct match_call *out);

/* The facts say enough for anything to allow the call: its subject, or all its paths, resolved. */
bool match_is_complete(const struct policy_facts *facts);

enum match_strength {
    MATCH_NONE = 0,
    MATCH_MENTION, /* a command that may be meant: it names a file, or a word of it is not known */
    MATCH_FULL,
};

/* How far a deny or ask rule speaks of the call. What is not known counts as matched. */
enum match_strength match_restricts(const struct match_call *call, const struct rule *rule);

/* Call visit for each word of the command that could be a path (command.h) until it returns true. has_command only. */
bool match_each_word(const struct match_call *call, command_path_visitor *visit, void *user);
/* The same, each as a path; those of facts->linked again with the place they lead to. */
bool match_each_mention(const struct match_call *call, bool (*visit)(void *user, const struct policy_path *path),
                        void *user);

/* "/dev/stderr", "/dev/fd/3": a stream that the command itself has open, whose name reaches no file. */
bool mention_is_own_stream(struct hv_str path);

/* The allow rule takes all of the call or, of a tool on paths, this one access. */
bool match_allows_whole(const struct match_call *call, const struct rule *rule);
bool match_allows_access(const struct match_call *call, const struct rule *rule, const struct policy_path *path,
                         bool writing);

/*
 * The policy's allow rules, and the extra ones, allow the whole call; NULL when they do not, else the first rule that
 * took part (extra ones go last). Reading inside the workspace needs no rule.
 */
const struct rule *match_allowed(const struct match_call *call, const struct rule *extra, size_t extra_count);

/* All listed reads lie in the workspace or the session's stored results, and nothing is written. */
bool match_reads_workspace(const struct match_call *call);

/* The accesses of the facts, one after another: reads first. False at the end. */
struct match_access {
    const struct policy_path *path;
    bool writing;
};
bool match_next_access(const struct policy_facts *facts, size_t *index, struct match_access *out);

#endif
