/*
 * parts.h: how rules meet the parts of a command. For denying and asking, every run of the script counts
 * (shell/runs.h), in all the forms that it could be written in; for allowing, every part must be covered: because it
 * only reads, by a rule for its words, and by rules for the files that its redirections write. Pure.
 */
#ifndef POLICY_PARTS_H
#define POLICY_PARTS_H

#include "policy/judged.h"
#include "policy/match.h"

/* A run as the texts that a denial is tried on; a NUL in them stands for anything. */
struct run_text {
    struct hv_str text;
    bool open; /* it holds what is not known */
};

/* The texts of all runs, made for the first rule that is tried on them: many policies have none. */
struct parts {
    const struct policy_command *command;
    struct hv_arena *arena; /* where they will stand */
    bool made;
    const struct run_text *texts;
    size_t text_count;
};

/* A deny or ask rule for commands takes some run: FULL; it may take one of which not all words are known: MENTION. */
enum match_strength parts_hit_by(struct parts *parts, const struct rule *rule);

/* A deny or ask rule about files takes one that a part surely touches (FULL), or may touch (MENTION). */
enum match_strength parts_touch(const struct match_call *call, const struct rule *rule);

/* Call visit for the words of all parts of which it is not known what files they touch. */
bool parts_each_word(const struct match_call *call, command_path_visitor *visit, void *user);

/* What a part still needs to be allowed. */
enum part_need {
    PART_NEEDS_NOTHING = 0,
    PART_NEEDS_RULE,   /* one for its words */
    PART_NEEDS_READ,   /* one for a file that it reads: *path */
    PART_NEEDS_EDIT,   /* one for a file that it writes: *path */
    PART_NEEDS_ASKING, /* no rule helps */
};

/* How the policy's allow rules, and the extra ones, cover a part: a rule of these, or the mode, or that it only reads.
 * *rule: the first rule that took part, if any did. */
enum part_need part_needs(const struct match_call *call, const struct policy_part *part, const struct rule *extra,
                          size_t extra_count, const struct rule **rule, const struct policy_path **path);

/* What stands against allowing the part, as a clause about it: "reads /etc/x, which no rule allows". Absent: nothing.
 * *of_words: it is about what its words do, not about files. */
struct hv_str part_objection(const struct match_call *call, const struct policy_part *part, struct hv_arena *arena,
                             bool *of_words);

/* The part only reads, and would be harmless if other parts did not keep git from being told to run nothing. */
bool part_is_untamed(const struct match_call *call, const struct policy_part *part);

/* All parts are covered, or an allow rule names the whole command word for word. *rule: the first that took part, NULL
 * when none was needed. */
bool parts_allowed(const struct match_call *call, const struct rule *extra, size_t extra_count,
                   const struct rule **rule);

/* The words of the part as a rule would be written for it: quoted where they must be. A NUL for each unknown word. */
struct hv_str part_rule_text(const struct shell_word *words, size_t count, struct hv_arena *arena);

/* All that is set in front of the words are variables that change what a program says, not what it does. */
bool part_assigns_safely(const struct shell_command *command);

/* A path outside the workspace that everybody may look at: programs, their documentation, what kind of machine it is.
 * In open_place.c. */
bool path_is_open_place(const struct policy_path *path, bool tree);
/* A place for passing files: /tmp and the like. */
bool path_is_temporary(const struct policy *policy, const struct policy_path *path);
/* /dev/null and its like: nothing is changed by writing, nothing kept from by reading. */
bool path_is_free_device(struct hv_str path);

/* ls without -R: it shows what stands in a directory, and of what is below nothing. */
bool parts_act_lists(const struct shell_act *act);
/* What the act reads at index is read with all below it. */
bool parts_act_takes_trees(const struct shell_act *act, size_t index);

#endif
