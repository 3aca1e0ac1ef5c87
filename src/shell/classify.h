/*
 * classify.h: the engine of the classes: what rows of the tables (program.h) and judges of grammars of their own share.
 *
 * One struct shell_reading is made per command of a script. It starts as read-only; whatever is found makes it worse,
 * and the first reason for the worst class stays. Inner to src/shell; pure.
 */
#ifndef SHELL_CLASSIFY_H
#define SHELL_CLASSIFY_H

#include "shell/program.h"
#include "shell/runs.h"

enum { SHELL_WRAPPER_DEPTH_MAX = 8 }; /* wrappers, -exec and -c within each other; deeper is unknown */

enum { SHELL_ELSEWHERE_MAX = 7 };

/* A flag of words besides enum shell_word_flags, set by the judgement: never begins with "-", whatever it is. */
enum { SHELL_WORD_NO_OPTION = 1 << 20 };
/* Names that need not be there (git knows them from its history): what the tree is like says nothing of how they begin.
 */
enum { SHELL_WORD_GONE = 1 << 21 };
/* Names that stand directly in the directory that value ends with (enum shell_names); or from it no link leads out. */
enum { SHELL_WORD_DIRECT = 1 << 22, SHELL_WORD_FOLLOWED = 1 << 23 };
/* What names may be marked with, besides being names. */
enum { SHELL_WORD_MARKS = SHELL_WORD_NO_OPTION | SHELL_WORD_DIRECT | SHELL_WORD_FOLLOWED };

/* How often rows were looked up in one judgement, and what makes many times cheap: most scripts name few programs. */
struct shell_lookups {
    struct {
        struct hv_str name; /* the one that was looked up last of those with this hash */
        const struct shell_program *row;
    } last[32];
    size_t count; /* of lookups that were none of these */
    /* Variables that were sought last, and the one loop of the script that sets them, or NULL: looked for once. */
    struct {
        const struct shell_script *script;
        struct hv_str name;
        const struct shell_command *loop;
        bool options; /* the script may set options by which patterns take other names */
    } loops[4];
    size_t loop_count;
    size_t origins;  /* how many variables were followed to where they were bound */
    size_t variants; /* how many were gone through, of words that are one of several values */
    size_t listed;   /* how many of them were listed as files */
    size_t summed;   /* how many words of loops were summed up */
    /* The variable of a loop that was resolved last: of which command, for which, and what became of it. */
    struct {
        const struct shell_reading *reading;
        const struct shell_command *judged, *command, *outer;
        struct hv_str directory;
        struct shell_word before, after;
        bool looks_around, inner;
    } resolved;
    struct shell_index *index;
};

/* All acts of the judgement. */
struct shell_acts {
    struct shell_act *items;
    size_t count, capacity;
    bool looks_around;      /* the command that is being judged depends on others around it */
    size_t resolved_within; /* words that were resolved for others */
};

/* A command that was judged, and its acts. */
struct shell_repeat {
    const struct shell_command *command; /* NULL: none */
    size_t act, act_count, seen_count;   /* of the reading behind it */
};
/* Those that were judged last, by what they say. */
struct shell_repeats {
    struct shell_repeat *slots;
    size_t mask;
};

/* A command whose words are resolved, since those of one before it need them. */
struct shell_resolving {
    const struct shell_command *command;
    const struct shell_resolving *outer;
};

struct shell_reading {
    struct hv_arena *arena;
    const struct shell_start *start;
    const struct shell_world *world;     /* never NULL */
    const struct shell_command *command; /* of the script that is judged */
    const struct shell_command *judged;  /* that the act is made for: the same, or one of a -c */
    const struct shell_script *script;   /* that is being read: the same, or the text of a -c */
    bool in_text;                        /* the text of a -c */
    const struct shell_word *given;      /* $0, $1 … of script, when these are known; NULL: they are not */
    size_t given_count;
    struct hv_str given_standing; /* where the patterns among them became names */
    bool in_redirect;             /* what is read or written now is so by a redirection */
    bool reads_by_number;         /* shell_reads_by_number of script, or of one whose command it is */
    struct shell_act act;         /* being filled */
    struct hv_str directory;      /* that operands are relative to; absent: not known */
    /* directory is not known, but it is one that stands directly in this one, by this name. Absent: not so. */
    struct hv_str below;
    struct shell_word below_by;
    struct hv_str standing; /* where the shell is, which makes names of patterns; absent: not certain */
    /* Where it runs instead when an earlier cd failed, or led elsewhere; only while directory is the one of the
     * command.
     */
    struct hv_str elsewhere[SHELL_ELSEWHERE_MAX];
    size_t elsewhere_count;
    /* The directories that the commands so far may have run in; too many, or not known: SHELL_ELSEWHERE_MAX + 1. */
    struct hv_str seen[SHELL_ELSEWHERE_MAX];
    size_t seen_count;
    const struct shell_resolving *resolving; /* whose words are being resolved; NULL: none */
    size_t read_capacity, write_capacity;
    enum { SHELL_ARRAYS_UNSEEN, SHELL_ARRAYS_NONE, SHELL_ARRAYS_SOME } arrays; /* among the script's variables */
    unsigned depth;
    bool outside; /* a program runs it, not bash: builtins are looked up in the PATH, too */
    struct shell_acts *acts;
    struct shell_lookups *lookups;
    const struct shell_repeats *repeats; /* of script; NULL: it has one command */
};

/* An option as it was given. */
struct shell_given {
    const struct shell_option *option;
    struct hv_str name;         /* as looked up: "-o" or "--output" */
    struct shell_word argument; /* the first one; only when it has one */
    bool has_argument;
};

struct shell_arguments {
    const struct shell_program *row; /* that the words were read by */
    const struct shell_word *words;
    size_t count;
    const struct shell_given *given;
    size_t given_count;
    const struct shell_word **operands;
    size_t operand_count;
    size_t first; /* where the first operand stands in words; their count when there is none */
    bool help;    /* --help or so was given, and no operand: nothing else happens */
    /* A word may become several: the places of the operands are only a guess. */
    bool scattered;
    /* A word that is not known may be options, and name files in them. All are harmless; but no list is complete. (A
     * glob becomes names without a slash, which can only name what is in the working directory.) */
    bool hidden;
};

/* The operands of the program are relative to directory from here on (env -C, git -C). */
void shell_enter(struct shell_reading *reading, const struct shell_word *directory);

/* Make the class worse, never better. why is static (or, with f, put into the arena). */
void shell_worsen(struct shell_reading *reading, enum shell_class class, const char *why);
void shell_worsenf(struct shell_reading *reading, enum shell_class class, const char *format, ...) HV_PRINTF(3, 4);

/* It changes something that its words do not tell: WRITES, for this reason. */
void shell_changes(struct shell_reading *reading, const char *format, ...) HV_PRINTF(2, 3);

/* What effect means for word, for the options and operands alike. word may be NULL for effects without a file. program
 * is for the reason. */
void shell_apply(struct shell_reading *reading, enum shell_effect effect, const struct shell_word *word,
                 struct hv_str program);

/* word is read, or written, with all below it when tree. Writing makes the class WRITES at best. */
void shell_reads(struct shell_reading *reading, const struct shell_word *word, bool tree);
void shell_writes(struct shell_reading *reading, const struct shell_word *word, bool tree);
/* The working directory is read. */
void shell_reads_directory(struct shell_reading *reading, bool tree);

/*
 * Read the words after words[0] as options and operands, as row describes them, and apply what the options do. False
 * when a word is not understood; the class is unknown then. Operands are not applied.
 */
bool shell_arguments(struct shell_reading *reading, const struct shell_program *row, const struct shell_word *words,
                     size_t count, struct shell_arguments *out);
/* The last one given of names ("-o --output"), or NULL. */
const struct shell_given *shell_given(const struct shell_arguments *arguments, const char *names);
/* names, a list separated by blanks, has name. */
static inline bool shell_names_have(const char *names, struct hv_str name)
{
    return shell_is_one_of(name, names);
}

/* Judge words (words[0] the program or sub-command) by row: all of it, sub-commands included. */
void shell_judge_row(struct shell_reading *reading, const struct shell_program *row, const struct shell_word *words,
                     size_t count);
/* Judge words as what the command runs instead of itself (timeout 5 ls): the act becomes theirs. */
void shell_judge_inner(struct shell_reading *reading, const struct shell_word *words, size_t count);
/* The same for what bash itself runs (command, builtin): it may be a builtin. */
void shell_judge_builtin(struct shell_reading *reading, const struct shell_word *words, size_t count);
/* Judge words as a further command that this one runs (find -exec): an act of its own. */
void shell_judge_further(struct shell_reading *reading, const struct shell_word *words, size_t count);
/* Judge text as a script that this command runs (eval): an act for each of its commands. */
void shell_judge_text(struct shell_reading *reading, struct hv_str text);
/* The same with count words that it is given as $0, $1 … (bash -c). */
void shell_judge_script(struct shell_reading *reading, struct hv_str text, const struct shell_word *given,
                        size_t count);

/* The row of a program, by its bare name; NULL: not known. */
const struct shell_program *shell_find_program(struct hv_str name);
/* The same within a judgement: cheap also for many names. */
const struct shell_program *shell_look_up(struct shell_reading *reading, struct hv_str name);
/* "arm-none-eabi-objdump" is objdump for another machine, "clang-18" one of several clangs; every other name is what
 * it is. */
struct hv_str shell_plain_tool(struct hv_str name);
/* The row for name among rows that end with {0}. */
const struct shell_program *shell_find_row(const struct shell_program *rows, struct hv_str name);

/* ---- names that another command prints (listed.c) -------------------------------------------------------- */

/* How what is read becomes names. */
enum shell_cut {
    SHELL_CUT_WORDS = 0, /* at blanks, with quotes and backslashes */
    SHELL_CUT_LINES,     /* at newlines */
    SHELL_CUT_NUL,
};
/* Each of these makes *word stand for names that lie in a directory, like a glob, when that is certain; false and
 * untouched when not. xargs: what comes through the pipe. */
bool shell_names_from_pipe(struct shell_reading *reading, enum shell_cut cut, struct shell_word *word);
/* What words, run here, find and hand on name by name (fd -x). */
bool shell_names_from_command(struct shell_reading *reading, const struct shell_word *words, size_t count,
                              struct shell_word *word);
/* words[at] of command is $(…) as a whole, with quotes or without. */
bool shell_names_from_substitution(struct shell_reading *reading, const struct shell_command *command, size_t at,
                                   struct shell_word *word);
/* "$name" in user, within the loop around reader: read name. */
bool shell_names_from_read(struct shell_reading *reading, const struct shell_command *reader,
                           const struct shell_command *user, struct hv_str name, struct shell_word *word);

/* What the one substitution in command prints, cut so. */
bool shell_names_from_output(struct shell_reading *reading, const struct shell_command *command, enum shell_cut cut,
                             struct shell_word *word);
/* "$name", "${name[@]}" and "dir/$name" in a command, where word->origin bound the variable to such names, to the names
 * of a list, or to the top of the repository (origins.c). */
bool shell_names_from_origin(struct shell_reading *reading, struct shell_word *word);

/* "$(git rev-parse --show-toplevel)/x" in command becomes known. */
bool shell_top_from_substitution(struct shell_reading *reading, const struct shell_command *command,
                                 struct shell_word *word);

/* $(which node), where the world knows node for a program of the system: an absolute path, which is no option. */
bool shell_program_from_substitution(struct shell_reading *reading, struct shell_word *word);

/* What is given to xargs -d for lines. */
bool shell_is_newline(struct hv_str word);

/* ---- positional parameters (parameters.c) ----------------------------------------------------------------- */

/* "$1" in command becomes what the script in an argument, or the function around it, is given. False: not certain. */
bool shell_resolve_parameter(struct shell_reading *reading, const struct shell_command *command,
                             struct shell_word *word);
/* The words that a loop over "$@" runs over, when the script, or the function around it, is given them: an array of
 * *count; and where the patterns among them became names, absent when that is not certain. NULL, and nothing is
 * changed: not certain which. */
const struct shell_word *shell_given_words(struct shell_reading *reading, const struct shell_command *loop,
                                           size_t *count, struct hv_str *standing);

/* ---- names in a directory -------------------------------------------------------------------------------- */

/* A glob at the beginning of a word, in a directory where no name begins with "-": the one where the shell is, or
 * another. */
bool shell_glob_is_plain(const struct shell_reading *reading, const struct shell_word *word);
bool shell_glob_is_plain_in(const struct shell_reading *reading, struct hv_str directory,
                            const struct shell_word *word);

/* command may start processes without end: it is not waited for in a loop, or a function that calls itself. */
bool shell_may_not_end(const struct shell_script *script, const struct shell_command *command);

/* ---- words that are one of several values (variants.c) ---------------------------------------------------- */

enum { SHELL_VARIANT_BASES = 4 };

/* Which of the values all words with choices have: a number, with a digit for each base. */
struct shell_variants {
    uint32_t base[SHELL_VARIANT_BASES], values[SHELL_VARIANT_BASES], at[SHELL_VARIANT_BASES];
    size_t count;
};
/* False: no word has choices that can be gone through. The first word, the program, has none. */
bool shell_variants_begin(struct shell_reading *reading, const struct shell_word *words, size_t count,
                          struct shell_variants *variants);
/* The words as they are then, in arena. */
const struct shell_word *shell_variant(struct shell_reading *reading, const struct shell_word *words, size_t count,
                                       const struct shell_variants *variants);
/* False: that was the last one. */
bool shell_variants_next(struct shell_variants *variants);

/* ---- what was judged before (repeats.c) ------------------------------------------------------------------- */

/* In arena, for a script of so many commands. */
void shell_repeats_begin(struct shell_repeats *repeats, struct hv_arena *arena, size_t commands);
/* Where what says the same as command is kept; NULL: it has to be judged by itself. */
struct shell_repeat *shell_repeat_of(const struct shell_reading *reading, const struct shell_command *command);
/* command, which the reading has placed, has the very acts of what is kept there. */
bool shell_is_repeat(const struct shell_reading *reading, const struct shell_repeat *of,
                     const struct shell_command *command);

/* ---- words ---------------------------------------------------------------------------------------------- */

/* The word may become something that begins with "-". */
bool shell_may_be_option(const struct shell_word *word);
/* The word may become no argument, or several. */
bool shell_may_be_many(const struct shell_word *word);
/* The words of command, with the variables of loops around it described by all the values that they may have. */
const struct shell_word *shell_resolve_loops(struct shell_reading *reading, const struct shell_command *command);
/* "$name" or "${name}", and nothing else. */
bool shell_is_variable(struct hv_str text);
/* word, resolved, is one name of those that stand directly in a directory, and is not taken for an option. */
bool shell_is_direct_name(const struct shell_word *word);
/* What word, a loop's variable and nothing else, may be: at most max known words. 0: not certain. */
size_t shell_loop_values(const struct shell_reading *reading, const struct shell_word *word, struct hv_str *values,
                         size_t max);
/* The same for one word of command: false when it stays as it is. */
bool shell_resolve_loop_word(struct shell_reading *reading, const struct shell_command *command,
                             struct shell_word *word);
/* A known word with these bytes, for what judges put together. */
struct shell_word shell_word_known(struct hv_str value);
/* The words of sed and awk, with a number put into the script where one that is not known stands (SHELL_WORD_FILLED):
 * sed -n "${i}p" has the same commands whatever the number is. */
const struct shell_word *shell_fill_script(struct shell_reading *reading, const struct shell_word *words, size_t count);
/* The words of sed, with a harmless script where one stands that can only show lines (SHELL_WORD_ADDRESS). */
const struct shell_word *shell_fill_addresses(struct shell_reading *reading, const struct shell_word *words,
                                              size_t count);
/* Something that nobody knows: one argument, or when many, any number of them. */
struct shell_word shell_word_unknown(bool many);
/* The command may set the variable (a loop over it is not looked at). */
bool shell_may_set(const struct shell_command *command, struct hv_str name);
/* SHELL_WORD_DIRECT, SHELL_WORD_FOLLOWED, or neither: what is certain of where names stand, a glob's or others. */
unsigned shell_where_names_stand(const struct shell_word *word);
/* The script sets IFS: what is cut is cut otherwise than at blanks. */
bool shell_sets_splitting(const struct shell_script *script);
/* All that the words of `values` may be, as one word: below one directory, and no option. False: not certain. */
bool shell_sum_up_words(struct shell_reading *reading, const struct shell_command *values, struct shell_word *word);
/* Known, and an identifier of bash. */
bool shell_is_identifier(struct hv_str text);
/* An arithmetic expression, or a word that holds one, sets only such variables, if any. */
bool shell_arithmetic_sets_harmless(struct hv_str text);

/* ---- descriptors.c --------------------------------------------------------------------------------------- */

/* A descriptor behind stderr, or one in a variable, may be open for reading a file. */
bool shell_reads_by_number(const struct shell_script *script);
/* A file to read does not get to where the names of stdout and stderr lead. */
void shell_judge_descriptor(struct shell_reading *reading, const struct shell_redirect *redirect);
/* "/dev/null", "/dev/stderr", "/dev/fd/1" …: what is written there comes to no file that is open for reading. */
bool shell_is_output_name(struct hv_str path);

#endif
