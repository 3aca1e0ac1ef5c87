/*
 * class.h: what a shell script does: per simple command one class, what it reads and writes, and why.
 *
 * The knowledge of programs is tables (program.h): per program its options, which take a value, which write, execute or
 * reach the network. What no table knows is unknown, and unknown is never harmless. Wrappers (timeout, env, xargs, …)
 * are looked through. The judgement of dangers (what is never run, what is always confirmed) is in danger.h. Pure: what
 * must be looked up in the world comes through struct shell_world.
 */
#ifndef SHELL_CLASS_H
#define SHELL_CLASS_H

#include "shell/script.h"

/* From the worst to the best; zero is the careful one. The class of a script is the least of its commands'. */
enum shell_class {
    SHELL_UNKNOWN = 0, /* nobody knows what it does */
    SHELL_EXECUTES,  /* runs code or programs that are not in the command line: scripts, builds, code in an argument */
    SHELL_NETWORK,   /* reaches the network */
    SHELL_WRITES,    /* changes files, or other state of the machine */
    SHELL_READ_ONLY, /* provably only reads: runs unasked */
};
const char *shell_class_name(enum shell_class class); /* "unknown", "executes", "network", "writes", "read_only" */

/* Where names that are not known stand. */
enum shell_names {
    SHELL_NAMES_ANYWHERE = 0, /* as the word says; when it does not tell, anywhere below path */
    SHELL_NAMES_DIRECT,       /* in the directory path itself */
    SHELL_NAMES_FOLLOWED,     /* below path, and no link there leads out of it */
};

/* A file that a command names. */
struct shell_access {
    struct hv_str path;            /* absolute and tidy; absent: it cannot be told which file */
    struct hv_str untidy;          /* the same with "." and ".." as written: behind a link these lead elsewhere */
    const struct shell_word *word; /* the word it came from, in arena, or NULL */
    bool tree;                     /* all below it, too */
    bool redirect;                 /* by a redirection, not by what the program does with its words */
    enum shell_names names;        /* when word is not known */
};

/* The judgement of one command of the script, or of one that a wrapper in it runs. */
struct shell_act {
    const struct shell_command *command;
    /* What runs after wrappers were looked through: a part of command->words, or words of a -c script's reading. */
    const struct shell_word *words;
    size_t word_count;
    enum shell_class class;
    struct hv_str why; /* one clause for people, e.g. "sed -i writes the file"; in arena or static; always there */
    struct shell_access *reads, *writes; /* redirections included */
    size_t read_count, write_count;
    bool reads_listed, writes_listed; /* the lists are complete: it touches no other file. Zero: anything */
    bool reads_input;                 /* takes its stdin for data (it matters what a pipe feeds: `… | sh`) */
    bool runs_input;                  /* takes its stdin, or an argument that is not known, for code */
    enum shell_class script;          /* a shell whose code is known, with nothing else against it than what the code
                                       * does, whose commands are acts of their own: its class; else UNKNOWN */
    bool answers;                     /* exit code 1 is an answer rather than a failure: grep, diff, test … */
    bool astray;                      /* in which directory it runs is not known */
    const char *git;                  /* a git sub-command that only reads when git runs no program of the repository's
                                       * choice: class is READ_ONLY only if shell_world said so; else NULL */
    const char *go; /* a go sub-command that only reads when go neither fetches nor starts the toolchain that go.mod
                     * names: it must run with shell_run_environment, too; else NULL */
    /* npm asks the registry that the project's .npmrc names for a newer npm, with a password from the environment if
     * that says so; not with shell_run_environment. */
    bool npm;
    bool terraform; /* terraform asks its maker for a newer one, whatever it is asked; likewise */
    /* The act of an earlier command with the same words in the same place, of which this one says the same: its index
     * in the judgement. Its own when there is none. */
    size_t first;
};

/* What can be asked of the names in a directory. */
enum shell_tree {
    SHELL_TREE_NO_OPTION = 1 << 0, /* none directly in it begins with "-", or another byte that is one to a program */
    SHELL_TREE_WORDS = 1 << 1,   /* none below it has a byte at which words are cut, or that is a quote or a pattern */
    SHELL_TREE_LINKS = 1 << 2,   /* no link below it leads out of it, but to places of the system */
    SHELL_TREE_LINES = 1 << 3,   /* none below it has a control byte, or begins or ends with a blank */
    SHELL_TREE_NO_DASH = 1 << 4, /* none below it, however deep, begins with "-" or "+" */
    SHELL_TREE_NAMES = 1 << 6,   /* none directly in it has such a byte as SHELL_TREE_WORDS means */
    SHELL_TREE_TRACKED = 1 << 5, /* … nor of those that git's index has there, whether they are in the tree or not */
};

/* What the judgement may ask of the world. Any member may be NULL: then the careful answer is taken. */
struct shell_world {
    /* True when git, in the repository that directory is in, started with the overrides of shell_run_environment, runs
     * no program that the repository names. subcommand: "status", …. *why says what stands against it; in arena. */
    bool (*git_is_quiet)(void *user, struct hv_arena *arena, struct hv_str directory, struct hv_str subcommand,
                         struct hv_str *why);
    /* The same of git started in any directory that stands directly in directory, or that a link there leads to. */
    bool (*git_is_quiet_below)(void *user, struct hv_arena *arena, struct hv_str directory, struct hv_str subcommand,
                               struct hv_str *why);
    /* True when name, as bash would look it up in the PATH of the call, is a program of the system (a directory that
     * only root can write), not one of the workspace's. */
    bool (*is_system_program)(void *user, struct hv_str name);
    /* Where that program is, as `which` and the shell find it, in arena; absent: there is none, or it is not certain.
     */
    struct hv_str (*program_path)(void *user, struct hv_arena *arena, struct hv_str name);
    /* True when neither directory nor one above it holds a file of one of these names (separated by blanks, may be
     * paths): settings by which a project makes a program run code of its own (.yarnrc.yml, rust-toolchain.toml, …). A
     * first name "." says that only directory itself counts. "name:text": only a file with that text in it;
     * "name:key=": with that key. */
    bool (*holds_none)(void *user, struct hv_str directory, const char *names);
    /* True when all of wanted (enum shell_tree) holds for directory, and that could be found out. */
    bool (*tree_is_plain)(void *user, struct hv_str directory, unsigned wanted);
    /* Where `git rev-parse --show-toplevel`, run in directory, says that the top of its repository is, in arena;
     * directory itself when there is none; absent: not certain. */
    struct hv_str (*repository_top)(void *user, struct hv_arena *arena, struct hv_str directory);
    void *user;
};

struct shell_judgement {
    struct shell_script script;
    enum shell_class class;
    struct hv_str why; /* of the worst part */
    struct shell_act *acts;
    size_t count;
    bool brings_names; /* a part may bring names, and links, that nobody has seen: what others would find is not certain
                        */
};

/* Read text and judge it. All of *out lives in arena or is a view of text. Never fails. */
void shell_judge(struct hv_arena *arena, struct hv_str text, const struct shell_start *start,
                 const struct shell_world *world, struct shell_judgement *out);

/*
 * The environment ("NAME=value", NULL-terminated; NULL counts as empty) to run command in: without the variables by
 * which bash would read it otherwise than it was judged (BASH_ENV, SHELLOPTS, exported functions …), with PWD as
 * directory says, and, when the command has parts that read with git and shell_git_is_tame, with overrides that keep
 * git from starting a fsmonitor, pager, signature program … of the repository's choice (go, npm, terraform: with their
 * like). directory: where it starts, absolute. What is new lives in arena, the rest stays where it is.
 */
const char *const *shell_run_environment(struct hv_arena *arena, struct hv_str command, struct hv_str directory,
                                         const char *const *environment);

/* act may bring names, links or repositories that nobody has seen: cp -r, mv, tar, git clone. */
bool shell_act_brings_names(const struct shell_act *act);

/* act changes only objects and refs of git, and of its settings those of branches, which name no programs; it may run
 * programs of the repository (hooks, filters, fsmonitor). */
bool shell_act_is_git_change(const struct shell_act *act);

/* act is harmless only with the overrides of shell_run_environment. */
bool shell_needs_overrides(const struct shell_act *act);

/* No part of the command would suffer from the overrides: those that run code, write with git or are not known would
 * (hooks, signatures and the like would be off). Then git is run as it is, and reading parts are harmless only beside
 * one that was allowed to run the same repository's programs. */
bool shell_git_is_tame(const struct shell_judgement *judgement);

/* A variable that neither the shell nor programs read: a script may set it. value: NULL when not known. */
bool shell_variable_is_harmless(struct hv_str name, const struct shell_word *value);

/* The value of a variable that a command has from its environment, of those that hold no secret; absent: not known. */
struct hv_str shell_known_variable(const char *const *environment, struct hv_str name);

/* The exit code of the script's last command is an answer rather than a failure (grep 1, diff 1, test 1 …). *certain
 * is false when another command may have given that code. */
bool shell_code_is_answer(const struct shell_judgement *judgement, int code, bool *certain);

#endif
