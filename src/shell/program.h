/*
 * program.h: the form of the tables that say what programs do: one row per program, with its options and sub-commands,
 * to be read beside the man page. A row says only in what way a program is harmless; what is left out is unknown.
 */
#ifndef SHELL_PROGRAM_H
#define SHELL_PROGRAM_H

#include "shell/class.h"

/* What an option, its argument, or an operand means. Zero is the careful one. */
enum shell_effect {
    SHELL_EFFECT_UNKNOWN = 0,
    SHELL_EFFECT_NONE,      /* harmless; an argument is data (a number, a pattern, a format): never opened */
    SHELL_EFFECT_READ,      /* the argument is a file that is read */
    SHELL_EFFECT_READ_TREE, /* … or a directory that is read with all below it */
    SHELL_EFFECT_WRITE,     /* the argument is a file that is written, made, changed or removed */
    SHELL_EFFECT_WRITE_TREE,
    SHELL_EFFECT_WRITES,  /* it makes the program write somewhere that its words do not tell, or change state */
    SHELL_EFFECT_EXECUTE, /* it makes the program run something, or the argument is code */
    SHELL_EFFECT_NETWORK,
    SHELL_EFFECT_HELP, /* --help, --version: nothing else happens, if no operand and no option that does harm is given
                        */
};

enum shell_arity {
    SHELL_ARITY_NONE = 0,
    SHELL_ARITY_ONE,      /* attached (-ofile, --output=file) or the next word */
    SHELL_ARITY_OPTIONAL, /* only attached: -i.bak, --color=auto */
    SHELL_ARITY_TWO,      /* the next two words: jq --arg name value */
};

struct shell_option {
    const char *names; /* all spellings, separated by a blank: "-o --output"; single letters may be combined */
    enum shell_effect effect;
    enum shell_arity arity;
};

/* How a program reads its words. */
enum shell_syntax {
    SHELL_SYNTAX_GNU = 0, /* getopt_long: options anywhere until --, letters combine, long ones may be abbreviated */
    SHELL_SYNTAX_POSIX,   /* the first operand ends the options; letters combine; long options as GNU */
    SHELL_SYNTAX_WORDS,   /* long options with one dash, nothing combines, no abbreviations (go, java, terraform) */
    SHELL_SYNTAX_EXACT,   /* --long and -s, letters combine, no abbreviations, options anywhere (cobra, clap, npm) */
    SHELL_SYNTAX_NONE,    /* no options at all: every word is an operand (true, echo) */
};

struct shell_reading; /* the state of a judgement under way: classify.h */
struct shell_arguments;

struct shell_program {
    const char *names; /* "cat", or "egrep fgrep": separated by a blank */
    enum shell_syntax syntax;
    /* What it does when every word is understood; an option or operand only makes it worse. UNKNOWN in a row without a
     * judge or sub-commands makes the row useless. */
    enum shell_class class;
    const char *why;                         /* for classes but READ_ONLY: a clause for people; or NULL */
    const struct shell_option *options;      /* ends with {0}; NULL: none */
    const struct shell_option *more_options; /* a second list, for what several rows share; or NULL */
    /* No option of the program, listed here or not, makes it worse than `class`: so a word that is not known may stand
     * where options are (cat "$file"), and one of the same kind that may be cut into several (wc $files). */
    bool harmless_options;
    /* Operands: the first ones one by one, then all others as `rest` says, and the last one as `last` says, if not
     * zero. first_count operands are described in `first`. UNKNOWN: an operand makes the command unknown. */
    enum shell_effect first[3];
    size_t first_count;
    enum shell_effect rest, last;
    const char *first_given_by;         /* options ("-e -f --regexp --file") that take the place of the first operand */
    enum shell_effect without_operands; /* READ: reads the working directory (ls); zero: only stdin or nothing */
    const char *needs; /* options ("-l --list") without one of which it changes something: losetup, lz4; or NULL */
    const struct shell_program *subcommands; /* by the first operand; ends with {0}. NULL: none */
    bool numeric_options;                    /* -5 is harmless: head, tail, git log */
    bool takes_commands;                     /* without an operand it takes commands from stdin: virsh, chronyc */
    bool reads_input;                        /* takes stdin for data though no operand is a file to read: tr, xargs */
    bool answers;                            /* exit code 1 is an answer, not a failure: grep, diff, test */
    /* A grammar of its own (find, sed, awk, test …), instead of all the above but names; words[0] is the program (or
     * sub-command). It says what it finds with the functions of classify.h; silence means read-only. */
    void (*judge)(struct shell_reading *reading, const struct shell_word *words, size_t count);
    /* What the row cannot say of words that it describes: called when they are read, unless they only ask for help. */
    void (*check)(struct shell_reading *reading, const struct shell_arguments *arguments);
    /* The same of the words as they are written; called in any case. */
    void (*check_words)(struct shell_reading *reading, const struct shell_word *words, size_t count);
    /* Files of the project by which it would make the program run code: only where there are none of them does it only
     * read (shell_needs_none). NULL: nothing of the kind. */
    const char *needs_none;
};

#endif
