/*
 * runs.h: every program that a script may start, read generously: for denying, asking and the table of dangers, never
 * for allowing.
 *
 * The words of each simple command are one run. Behind a program that runs others (sudo, env, timeout, xargs, find
 * -exec, …) there is a further run, and code in an argument, a here-document or what echo writes into a pipe (sh -c,
 * eval, bash <<<…, echo … | sh) is read as a script, whose commands are runs, too. What cannot be told apart gives more
 * runs rather than fewer. Pure; the work is bounded.
 */
#ifndef SHELL_RUNS_H
#define SHELL_RUNS_H

#include "shell/script.h"

enum { SHELL_RUN_TOP = -1 };

/* One program with its words. */
struct shell_run {
    const struct shell_script *script;   /* that the command belongs to: the script itself, or code in an argument */
    const struct shell_command *command; /* whose words these are */
    const struct shell_word *words;      /* words[0] is the program; at least one */
    size_t word_count;
    struct hv_str name; /* of the program without its directory; absent when it is not known */
    unsigned traits;    /* of name: enum shell_name_trait */
    int by;             /* the run whose program starts this one, or SHELL_RUN_TOP */
    unsigned depth;     /* scripts in arguments around it */
    bool elsewhere;     /* it runs on another machine, or in a container */
    bool is_code;       /* its script is code that `by` was given */
    bool guessed;       /* its words belong to other runs, too: any of them may be the program */
    bool spread;        /* one of many guesses: it does not guess again */
};

struct shell_runs {
    const struct shell_run *items; /* what starts others stands before them */
    size_t count;
    bool complete; /* false: there was too much to look at all of it */
};

/* All runs of a script that was read with start (NULL is fine). Everything of *out lives in arena or is a view of the
 * script. Never fails. */
void shell_list_runs(struct hv_arena *arena, const struct shell_script *script, const struct shell_start *start,
                     struct shell_runs *out);

/* What is known of a program by its bare name alone: enum shell_name_trait. */
enum shell_name_trait {
    SHELL_NAME_SHELL = 1 << 0,
    SHELL_NAME_INTERPRETER = 1 << 1, /* shells, too */
    SHELL_NAME_FETCHER = 1 << 2,     /* brings bytes from the network */
    SHELL_NAME_NETCAT = 1 << 3,
    SHELL_NAME_STARTER = 1 << 4, /* may run others that its words name: only in the traits of runs */
    SHELL_NAME_CARRIER = 1 << 5, /* what its words say in a language of its own may hold a command: vim, awk, make */
};
unsigned shell_name_traits(struct hv_str name);
/* The program is a shell: sh, bash, dash, … */
bool shell_name_is_shell(struct hv_str name);
/* The program runs code in a language: a shell, python3.11, perl, node, … */
bool shell_name_is_interpreter(struct hv_str name);
/* The option after which that interpreter takes code as an argument: 'c' for python, 'e' for perl …; 0: none. */
char shell_code_option(struct hv_str name);

/* The program may run others that its words name: a shell, sudo, env, xargs, find, git … */
bool shell_runs_others(struct hv_str name);

/* "/usr/bin/rm" → "rm". */
struct hv_str shell_base_name(struct hv_str word);

/* A word as text: its bytes when they are known, else what is written, quotes and all. */
struct hv_str shell_word_text(const struct shell_word *word);

/* Below, at or above zero, as name stands to row in a sorted table: told by the first bytes nearly always. */
static inline int shell_compare_name(struct hv_str name, const char *row)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] != row[i] || !row[i])
            return (unsigned char)name.ptr[i] - (unsigned char)row[i];
    return row[name.len] ? -1 : 0;
}

/* A list of names that are separated by blanks, so many bytes, has name, which is not empty and no longer than that. */
bool shell_list_has(const char *names, size_t length, struct hv_str name);

/* name is one of names, which are separated by blanks; not, where there are none. */
static inline bool shell_is_one_of(struct hv_str name, const char *names)
{
    size_t length = names ? strlen(names) : 0;
    return name.len && name.len <= length && shell_list_has(names, length, name);
}

#endif
