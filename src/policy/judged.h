/*
 * judged.h: what a command does, as the decision sees it: the reading and the classes of src/shell, with the paths of
 * each part looked up in the file system. Made by policy_judge_command (judged.c), immutable after that; for the files
 * of this folder and for `helve explain`.
 */
#ifndef POLICY_JUDGED_H
#define POLICY_JUDGED_H

#include "policy/command.h"
#include "policy/policy.h"
#include "shell/class.h"
#include "shell/danger.h"
#include "shell/named_places.h"

struct policy_part;

/* The gravest thing about a command, or about a part of it: hazard.h. */
struct hazard {
    enum shell_danger_level level;
    struct hv_str what;             /* a clause for people, in arena or static: "it acts as another user" */
    const struct policy_part *part; /* that it shows at; NULL: the command as a whole, or its text */
};

/* A word of a command, or a piece of one, that could be a path: made absolute and tidy, and with its "." and ".." as
 * written. */
struct policy_mention {
    struct hv_str path, untidy;
};

/* One act of the judgement. */
struct policy_part {
    const struct shell_act *act;
    const struct policy_path *reads,
        *writes; /* those of the act, in its order; `written` is absent where it is there */
    /* What exists of the places that deny and ask rules guard (rule_path.reach), below trees that it reads whole. */
    const struct hv_str *guarded;
    size_t guarded_count;
    struct hv_str arrives; /* what it brings to a protected place (arriving.h), or is to bring it unseen */
    bool arrives_unseen;
    struct hv_str text;             /* its words, joined; unknown ones as they are written */
    enum shell_danger_level danger; /* the gravest of what it starts */
    const char *danger_what;        /* a clause for people; NULL without one */
    struct hazard hazard;           /* of this part alone, in the policy that it was judged in */
    /* An earlier part that says the same, with the same dangers: what is true of that one is true of this one, too, and
     * need not be found out again. NULL: there is none. */
    const struct policy_part *same;
};

struct policy_command {
    struct hv_str text;
    bool accepted; /* it was understood: runs and parts are all that it does */
    bool too_long; /* over COMMAND_LENGTH_MAX: asked, whatever its parts are */
    struct shell_judgement judgement;
    struct shell_runs runs;
    struct shell_dangers dangers;
    /* That it names; none where each part runs in a directory that is known. First come those that tell
     * what a name in them is, so many (path_class.h). */
    struct shell_named_places places;
    size_t telling_places;
    const struct policy_part *parts; /* as many as judgement.count, in its order */
    size_t part_count;
    struct command_text generous; /* what can be said of its text: when it was not accepted */
    /* Found once for all who ask in the policy that it was judged in, which the arena holds a reference to; another
     * policy finds its own. */
    const struct policy *policy;
    const struct policy_mention *mentions; /* no two are the same */
    size_t mention_count;
    struct hazard hazard;
    struct hv_str sought; /* a credential among names that one part prints and another opens; absent: none */
    bool sought_in_vain;  /* absent, since there are too many places to look in */
};

/* What a command is, whatever the rules say; from the worst. */
enum policy_command_class {
    POLICY_COMMAND_FORBID = 0,
    POLICY_COMMAND_ALWAYS_CONFIRM,
    POLICY_COMMAND_NEEDS_CONFIRM,
    POLICY_COMMAND_READ_ONLY,
};

/* "forbid", "always_confirm", "needs_confirm", "read_only". */
const char *policy_command_class_name(enum policy_command_class class);

/* The class of facts->command and the reason for people, in arena. Pure. */
enum policy_command_class policy_classify_command(const struct policy *policy, const struct policy_facts *facts,
                                                  struct hv_arena *arena, struct hv_str *why);

#endif
