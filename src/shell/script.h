/*
 * script.h: a shell script as bash 5.2 would read it, in a form that can be judged.
 *
 * shell_read() parses the bytes of a script and gives all commands that it may run, in the order of the text: those of
 * pipelines, lists, groups, loops, conditions, functions, substitutions and of here-documents that are expanded. Words
 * are resolved as far as that can be done without running anything: quotes removed, braces and the "~" expanded,
 * variables bound to literals in the script put in. A word is either known exactly, or not known. What the reader does
 * not accept, or what bash would expand in a way that is not modelled, makes the script or the word unknown, and
 * unknown is never harmless. Bytes, not characters; blank is space and tab. Pure; iterative or bounded where the text
 * chooses the depth. Grammar: bash(1) 5.2, "SHELL GRAMMAR", "QUOTING", "EXPANSION", "REDIRECTION".
 */
#ifndef SHELL_SCRIPT_H
#define SHELL_SCRIPT_H

#include "base/str_inline.h"

enum { SHELL_SCRIPT_MAX = 64 << 10 }; /* bytes; a longer script is not accepted */

/* What may come of a word besides its known bytes. */
enum shell_word_flags {
    SHELL_WORD_QUOTED = 1 << 0,     /* some part was quoted: never a keyword, an alias or an assignment */
    SHELL_WORD_GLOB = 1 << 1,       /* becomes the names of files that fit, or itself */
    SHELL_WORD_MANY = 1 << 2,       /* may become no argument or several */
    SHELL_WORD_VARIABLE = 1 << 3,   /* holds a variable whose value is not known */
    SHELL_WORD_COMMAND = 1 << 4,    /* holds the output of commands, which stand in the list too */
    SHELL_WORD_PROCESS = 1 << 5,    /* <(…) or >(…): a name below /dev/fd; its commands stand in the list too */
    SHELL_WORD_ARITHMETIC = 1 << 6, /* holds $((…)) whose value is not known */
    SHELL_WORD_HOME = 1 << 7,       /* ~user, ~+, ~- */
    SHELL_WORD_NUMBER = 1 << 8,     /* not known, but it can only be digits, perhaps with a minus before them */
    SHELL_WORD_COUNT = 1 << 10,     /* not known, but it can only be digits, a minus and blanks, or nothing */
    /* Not known, but a number between value and tail, and nothing else. */
    SHELL_WORD_FILLED = 1 << 11,
    /* Not known, but numbers (or nothing, or what grep says of a binary file, which sed refuses) among addresses of sed
     * and its commands p, d, q and =: "${from},$((from + 20))p". */
    SHELL_WORD_ADDRESS = 1 << 12,
    /* Not known, but letters, digits and - _ . : between value and tail, which begin with none of these, or nothing:
     * the date, the name of the person or of the machine. */
    SHELL_WORD_PLAIN = 1 << 13,
    /* Its expansion itself may run code or change variables of the shell: ${x@P}, ${!x}, ${x:=…}, arithmetic or a
     * subscript over anything but numbers. Never harmless, wherever the word stands. */
    SHELL_WORD_EVALUATES = 1 << 9,
};

struct shell_word {
    struct hv_str text;  /* as written: a view of the script */
    struct hv_str value; /* known: the argument's exact bytes. Else: the bytes that it begins with for certain */
    bool known;          /* becomes exactly one argument, and value is it */
    unsigned flags;      /* enum shell_word_flags */
    /* Not known: value is all that stands before the first unknown part, and here is what follows the last one: its
     * tail for certain. Absent when the unknown part is at the end. */
    struct hv_str tail;
    /* Not known: the one unknown part is a variable that this command bound for certain, an assignment or mapfile, as
     * index from 1; 0: not certain which. */
    uint32_t origin;
    /* Not known: it becomes exactly one argument, and that is one of these of the script, as index from 1; 0: not
     * certain. */
    uint32_t choices;
};

enum { SHELL_CHOICES_MAX = 32 };

/* Exact values, of which something has one. Those with the same base go together: of each it is the one in the same
 * place. */
struct shell_choices {
    const struct hv_str *values;
    uint32_t count, base;
};

struct shell_assignment {
    struct hv_str name;
    struct shell_word value; /* of an array: the source text of its parentheses, not known */
    bool appends;            /* += */
    bool element;            /* name[…]=: the subscript may be evaluated */
    bool array;              /* name=(…) */
};

enum shell_redirect_kind {
    SHELL_REDIRECT_READ = 1,    /* < */
    SHELL_REDIRECT_WRITE,       /* > and >| */
    SHELL_REDIRECT_APPEND,      /* >> */
    SHELL_REDIRECT_BOTH,        /* &> and >& file: stdout and stderr */
    SHELL_REDIRECT_BOTH_APPEND, /* &>> */
    SHELL_REDIRECT_READ_WRITE,  /* <> : creates the file */
    SHELL_REDIRECT_DUPLICATE, /* <&n, >&n, n<&-: target is digits or "-" (digits "-" moves); not known: may be a file */
    SHELL_REDIRECT_HERE,      /* << and <<-: target is the body, after expansion */
    SHELL_REDIRECT_HERE_STRING, /* <<< */
};

struct shell_redirect {
    enum shell_redirect_kind kind;
    int descriptor;         /* that is redirected; -1 with {variable} */
    struct hv_str variable; /* {variable}>…: a write to that variable; else absent */
    struct shell_word target;
};

enum shell_command_kind {
    SHELL_COMMAND_SIMPLE = 0, /* words, or only assignments and redirections */
    SHELL_COMMAND_GROUP,      /* (…) or {…} or a compound command as a whole: no words, only redirections matter */
    SHELL_COMMAND_FOR,        /* for and select: binds `variable` to each of words (none given: to "$@") */
    SHELL_COMMAND_CASE,       /* words: the subject and the patterns */
    SHELL_COMMAND_ARITHMETIC, /* ((…)), and each part of for ((…)): words[0] is the expression */
    SHELL_COMMAND_CONDITION,  /* [[ … ]]: words are its operands and operators */
    SHELL_COMMAND_FUNCTION,   /* the definition of the function `variable`; the commands of its body follow */
};

/* Where a command stands. */
enum shell_place {
    SHELL_IN_SUBSHELL = 1 << 0,     /* its changes of directory and variables are lost */
    SHELL_IN_PIPELINE = 1 << 1,     /* one of several commands joined by | */
    SHELL_IN_LOOP = 1 << 2,         /* may run many times */
    SHELL_IN_BRANCH = 1 << 3,       /* may not run at all: after && or ||, in if, case, while */
    SHELL_IN_FUNCTION = 1 << 4,     /* runs when the function is called, perhaps elsewhere */
    SHELL_IN_SUBSTITUTION = 1 << 5, /* $(…), `…`, <(…), >(…): its output, or input, goes into another command */
    SHELL_IN_BACKGROUND = 1 << 6,   /* ended by & */
    SHELL_IN_COPROCESS = 1 << 7,
    SHELL_IN_SPAWNED = 1 << 8, /* ended by & within a loop, which goes on */
};

struct shell_command {
    enum shell_command_kind kind : 8;
    bool negated;        /* ! before the pipeline */
    bool timed;          /* the keyword time before the pipeline */
    bool calls_function; /* words[0] names a function that the script defines (before or after: the careful meaning) */
    unsigned place;      /* enum shell_place */
    uint32_t at;         /* its offset in the script */
    uint32_t word_count; /* words[0] is the program of a simple command */
    uint32_t assignment_count, redirect_count;
    /* Commands with the same non-zero number are one pipeline, position counts from 0: what reads from whom. A group in
     * a pipeline counts as one position, and what is in it has the group as parent. */
    uint32_t pipeline, position;
    /* The command that holds this one, as index: a group, a loop, a function, or the one whose word this substitution
     * is part of. SIZE_MAX at the top. */
    size_t parent;
    struct hv_str text; /* the source of this command alone, redirections and assignments included: a view */
    struct shell_word *words;
    struct shell_assignment *assignments;
    struct shell_redirect *redirects;
    struct hv_str variable; /* see the kinds */
    /* The working directory that it runs in: absolute and tidy, by following cd with known operands from the directory
     * the script starts in. Absent when not known (after cd "$x", cd -, pushd, a cd in a branch, loop or function, …).
     */
    struct hv_str directory;
    /* directory is absent only because an earlier cd to here may have failed, and then it runs where that one ran: what
     * directory would be otherwise. */
    struct hv_str likely_directory;
    /* directory is absent because it is one of several, as index from 1 of the script's choices; likely: as above. */
    uint32_t places, likely_places;
    /* directory is absent only because of cd "$(git rev-parse --show-toplevel)", run in this directory: it is the top
     * of the repository which that is in, or still that directory. */
    struct hv_str repository;
    /* directory is absent only because of cd WORD, where the word is not known and cd did not fail: that command, as
     * index from 1. It stood in a directory that is known. */
    uint32_t entered;
};

/* What is known of the world before the script runs. Zeroed: nothing. */
struct shell_start {
    struct hv_str directory; /* absolute and tidy, or absent */
    struct hv_str home;      /* for "~" and $HOME; absent: not known */
    /* The value of a variable in the environment, when it can be relied on ($PWD, $USER …); absent: not known. NULL:
     * none is. */
    struct hv_str (*variable)(void *user, struct hv_str name);
    void *user;
    /* The variables of the environment are those of the person: no other script has set some before this one. */
    bool outermost;
};

struct shell_script {
    bool accepted;                  /* bash 5.2 accepts it, and every command that it may run is in the list */
    bool open_document;             /* only the end closes a here-document: what came behind would be part of it */
    const char *reason;             /* not accepted: what the reader stumbled over, for people; static text */
    size_t place;                   /* not accepted: the offset of it */
    struct shell_command *commands; /* not accepted: those before the place, so that deny rules still see them */
    size_t count;
    const struct shell_choices *choices; /* that words name, the first one as 1 */
};

/*
 * Read a script. Everything of *out lives in arena or is a view of text, which must stay. Never fails: what is wrong is
 * in *out. start may be NULL.
 */
void shell_read(struct hv_arena *arena, struct hv_str text, const struct shell_start *start, struct shell_script *out);

/* There is a sign of assignment in an arithmetic expression: = (but not ==, !=, <=, >=), ++ or --. */
bool shell_arithmetic_assigns(struct hv_str text);

#endif
