/*
 * resolve.h: the second pass of the reader: along the tape of operations, with what is known of variables and of the
 * directory, words become what bash would make of them. Known means: on every way that leads there.
 */
#ifndef SHELL_RESOLVE_H
#define SHELL_RESOLVE_H

#include "shell/read.h"

enum {
    RESOLVE_BYTES_MAX = 256 << 10, /* of values that are put together; what goes beyond is not known */
    RESOLVE_WORDS_MAX = 16 << 10,  /* that are made by braces and splitting */
    RESOLVE_BRACE_MAX = 1024,      /* of one word */
    RESOLVE_PIECES_MAX = 64 << 10, /* that braces put together, in all words */
    RESOLVE_RANGE_MAX = 64 << 10,  /* operations that are looked at in advance; beyond, nothing is known */
};

enum value_state {
    VALUE_UNKNOWN = 0,
    VALUE_KNOWN,
    VALUE_NUMBER,  /* digits, perhaps with a minus */
    VALUE_COUNT,   /* numbers and blanks, or nothing: harmless in arithmetic */
    VALUE_PLACE,   /* the same, or what grep says of a binary file; no script has set what that may name */
    VALUE_INITIAL, /* not changed by the script: as the environment has it */
};

struct variable {
    struct hv_str name, value;
    enum value_state state;
    bool tainted;     /* has attributes (declare …): never known */
    bool array;       /* tainted only because it is one */
    uint32_t source;  /* the command that bound it, as index from 1; 0: not certain which */
    uint32_t choices; /* not known: it is one of these, as index from 1; 0: not certain */
    uint32_t list;    /* an array: these are its elements, without a gap, as index from 1; 0: not certain */
};

/* What a subshell has of its own. */
struct environment {
    bool blind;              /* of variables only what was set since is known: the body of a function */
    bool parameters;         /* $1 … are bound like variables */
    unsigned missing;        /* bits of those that a call does not give: they are not set there, and empty */
    uint32_t all_parameters; /* the values that "$@" gives a loop, which are some for certain; 0: not known */
    bool off;                /* something was run that may have changed any variable, or how words are read */
    bool splitting;          /* IFS was touched */
    bool physical; /* a cd -P was run: the shell may know the directory by another name than the one it has here */
    struct hv_str directory, likely; /* see shell_command */
    struct hv_str repository;        /* see shell_command */
    bool just_moved;                 /* the last command was a cd to `target`, or to one of `targets` */
    struct hv_str target;
    /* The same when it is one of several, as index from 1 of choices; 0: not so. */
    uint32_t places, likely_places, targets;
    /* The cd that led where it is, and the one that was run last, as index from 1, when only its operand is not known.
     */
    uint32_t entered, entering;
    uint32_t moves;             /* how often it may have changed */
    struct hv_str previous;     /* where `cd -` leads, when that is certain */
    const struct pushed *stack; /* what pushd pushed; NULL: nothing */
    uint32_t pushes;            /* how often that may have changed */
    bool stack_lost;            /* … is not known */
    bool stack_sure;            /* the last pushd did not fail; else, whatever followed it ran where it was before */
};

/* A directory that pushd left, above others. */
struct pushed {
    struct hv_str directory;
    const struct pushed *below;
    bool below_sure;
};

/* What a command of that name does to the shell (effects.c). */
struct effect_of_name {
    struct hv_str name;
    unsigned effect;
};

struct resolver {
    struct reader *reader;
    struct hv_arena *arena;
    const struct shell_start *start;
    struct shell_command *commands;
    struct environment now;
    struct effect_of_name effects[16]; /* of the last names */
    VEC(struct variable) variables;
    uint32_t *index; /* hash table of numbers in variables, from 1 */
    size_t index_capacity;
    uint32_t *functions; /* hash table of numbers in the reader's functions, from 1; NULL: there are none */
    size_t functions_capacity;
    VEC(struct variable_change {
        size_t number;
        struct variable was;
    })
    trail; /* what scopes undo */
    VEC(struct scope {
        struct environment outer;
        size_t trail;
    })
    scopes;
    VEC(size_t) checkpoints;       /* of the trail, where what may not run began */
    VEC(struct environment) lists; /* that are open: as it was before them */
    VEC(struct shell_word) words;  /* a stack, while words are made */
    VEC(struct shell_choices) choices;
    struct hv_buf bytes; /* of the word that is put together */
    size_t bytes_made, words_made, range_made, brace_budget, matched;
    bool in_functions;    /* what all bodies may change is being found */
    bool disorder;        /* somewhere, something was run that may have changed anything, or how words are cut */
    VEC(uint32_t) bodies; /* of functions: their operations, which are looked at when all calls are */
    bool bare;            /* reading stopped: no flow is known */
    enum { MOVES_UNSEEN, MOVES_NEVER, MOVES_PERHAPS } moves;
};

/* ---- resolve.c --------------------------------------------------------------------------------------------------- */

/* Run the operations from `from` to the end of their stretch. */
void resolve_run(struct resolver *resolver, size_t from);
/* Run those in [from, to). */
void resolve_range(struct resolver *resolver, size_t from, size_t to);
void resolve_script(struct reader *reader, const struct shell_start *start, struct shell_script *out);

/* ---- resolve_word.c ---------------------------------------------------------------------------------------------- */

enum word_expansion {
    EXPAND_SPLIT = 1 << 0, /* into several words */
    EXPAND_GLOB = 1 << 1,  /* names of files */
    EXPAND_BRACES = 1 << 2,
    EXPAND_ASSIGNMENT = 1 << 3, /* "~" also behind ":" (and "=", in an argument) */
    EXPAND_NO_TILDE = 1 << 4,
    EXPAND_BRACED = 1 << 5, /* braces gave the word: whether it is like an assignment is not certain */
};
/* Push what a word becomes: none, one or several. */
void resolve_word(struct resolver *resolver, const struct raw_word *word, unsigned how);
/* The same as one word, whatever becomes of it. */
struct shell_word resolve_single(struct resolver *resolver, const struct raw_word *word, unsigned how);

/* ---- choices.c --------------------------------------------------------------------------------------------------- */

/* What an expansion becomes: one value, or one of several. */
struct expansion {
    bool known;
    struct hv_str value;
    uint32_t choices; /* not known: index from 1; 0: not certain */
};

/* Keep count values, an array of the arena, for words and variables to name: the index, from 1. base: of choices that
 * they go together with; 0: of none. 0: too many. */
uint32_t choices_add(struct resolver *resolver, const struct hv_str *values, size_t count, uint32_t base);
const struct shell_choices *choices_at(const struct resolver *resolver, uint32_t index);
/* One of a or one of b, where each is one value or several. 0: too many. */
uint32_t choices_join(struct resolver *resolver, const struct variable *a, const struct variable *b);
/* All of them are numbers. */
bool choices_are_numbers(const struct resolver *resolver, uint32_t index);
/* None is cut or taken for a pattern where it is not quoted, or vanishes. */
bool choices_are_plain(const struct resolver *resolver, uint32_t index);
/* Stretches of text, in each of which stands what is chosen. */
struct choice_gap {
    uint32_t choices;
    size_t at; /* in the text */
};
/* What text becomes with the gaps filled. 0: too many. */
uint32_t choices_fill(struct resolver *resolver, struct hv_str text, const struct choice_gap *gaps, size_t count);
/* The same values without their first `length` bytes. */
uint32_t choices_cut(struct resolver *resolver, uint32_t index, size_t length);

/* ---- expansions.c ------------------------------------------------------------------------------------------------ */

/* What ${…} is, exactly as bash computes it; false: not certain. Nothing in it runs or changes anything then. */
bool expansion_of(struct resolver *resolver, const struct part *part, struct expansion *out) HV_MUST_CHECK;

/* ---- lists.c ----------------------------------------------------------------------------------------------------- */

/* The elements of (a 'b c' …), as it is written: an index; 0: not certain. */
uint32_t list_read(struct resolver *resolver, struct hv_str text);
/* The elements of a, then those of b. */
uint32_t list_append(struct resolver *resolver, uint32_t a, uint32_t b);
/* "${a[@]}" and "${!a[@]}": the words that it becomes; 0: not certain. */
uint32_t list_words(struct resolver *resolver, const struct part *part);

/* ---- resolve_brace.c --------------------------------------------------------------------------------------------- */

struct brace_result {
    const struct expander *expander;
    const struct made *items;
    size_t count;       /* of the words */
    struct part *parts; /* of the one that was asked for last */
};
/* True when the word holds braces that may be expanded. */
bool brace_is_candidate(const struct raw_word *word);
/* The words that it becomes (itself, if none); false when that is not modelled, or more than RESOLVE_BRACE_MAX, or
 * when *budget, which all words of a script share, is used up. */
bool brace_expand(struct hv_arena *arena, const struct raw_word *word, size_t *budget,
                  struct brace_result *result) HV_MUST_CHECK;
/* One of them; its parts last until the next is asked for. */
struct raw_word brace_word(const struct brace_result *result, size_t at);

/* ---- variables.c ------------------------------------------------------------------------------------------------- */

/* The value of a variable as it stands; VALUE_UNKNOWN for those that bash changes itself. */
enum value_state variable_get(struct resolver *resolver, struct hv_str name, struct hv_str *value);
void variable_set(struct resolver *resolver, struct hv_str name, enum value_state state, struct hv_str value);
void variable_taint(struct resolver *resolver, struct hv_str name);
/* The command at index gave it the value that it has and that is not known. */
void variable_note_source(struct resolver *resolver, struct hv_str name, size_t index);
/* That command, as index from 1; 0: not certain. */
uint32_t variable_source(const struct resolver *resolver, struct hv_str name);
/* What it may be, or holds, when that is certain: see struct variable. */
uint32_t variable_choices(const struct resolver *resolver, struct hv_str name);
uint32_t variable_list(const struct resolver *resolver, struct hv_str name);
void variable_set_choices(struct resolver *resolver, struct hv_str name, enum value_state state, uint32_t choices);
/* It is an array of these elements now; 0: not certain of which. */
void variable_set_list(struct resolver *resolver, struct hv_str name, uint32_t list);
/* Up to the end of the scope, nothing is known of any variable but what is set from here on. */
void variables_hide(struct resolver *resolver);
/* It has no attributes: an assignment gives it a value as it is. */
bool variable_is_free(const struct resolver *resolver, struct hv_str name);
/* It keeps what it has; whatever sets it from here on makes it unknown for good. */
void variable_freeze(struct resolver *resolver, struct hv_str name);
/* A number or a count becomes a count, all else unknown. */
void variable_count(struct resolver *resolver, struct hv_str name, enum value_state what);
/* A number stays a number, all else becomes unknown. */
void variable_demote(struct resolver *resolver, struct hv_str name);
bool variable_is_number(struct hv_str value);
void scope_open(struct resolver *resolver);
void scope_close(struct resolver *resolver);
/* What changes from here on may not happen: join what is known before and behind it. */
void maybe_open(struct resolver *resolver);
void maybe_close(struct resolver *resolver);
/* Nothing is known any more. */
void resolve_forget(struct resolver *resolver);

/* ---- arithmetic.c ------------------------------------------------------------------------------------------------ */

/* True when evaluating text can neither run anything nor change what is not named in it: all names are numbers.
 * assigns: what `name=` assigns to is a number from there on. */
bool arithmetic_is_plain(struct resolver *resolver, struct hv_str text, const struct part *inner, size_t inner_count,
                         bool assigns);
/* What plain arithmetic over known numbers comes to; false: it is more than that. */
bool arithmetic_value(struct resolver *resolver, struct hv_str text, int64_t *value) HV_MUST_CHECK;
/* What it assigns to becomes a number that is not known; nothing, when there is no sign of an assignment. */
void arithmetic_demote(struct resolver *resolver, struct hv_str text);

/* ---- counts.c, count_lines.c ------------------------------------------------------------------------------------- */

/* What part, a substitution, prints: VALUE_COUNT, VALUE_PLACE, or VALUE_UNKNOWN. */
enum value_state substitution_counts(const struct resolver *resolver, const struct part *part);
/* part is a substitution of one command that prints such as SHELL_WORD_PLAIN says, and no blank. */
bool substitution_is_plain(const struct resolver *resolver, const struct part *part);
/* What the assignment makes of its variable: the same. */
enum value_state assignment_counts(const struct resolver *resolver, const struct raw_assignment *assignment);
/* A name that neither the shell nor programs give a meaning to. */
bool counts_may_name(struct hv_str name);
/* What a node prints that is no counter itself, but the end of a pipeline: grep -n x f | cut -d: -f1. */
enum value_state pipeline_counts(const struct resolver *resolver, const struct node *node);
/* The node prints nothing but numbers and blanks. */
bool command_counts(const struct resolver *resolver, const struct node *node);
/* The word as it is written, if that is exactly one argument: no pattern, no braces, no "~"; else absent. */
struct hv_str literal_word(const struct node *node, size_t at);
/* No redirection but of what is read, and of errors away. */
bool redirects_are_plain(const struct node *node);

/* ---- effects.c --------------------------------------------------------------------------------------------------- */

/* What a command that has run changes in this shell. */
void effect_of_command(struct resolver *resolver, size_t index);
/* What the operations in [from, to) may change, if they run at all, and again. */
void effect_of_range(struct resolver *resolver, size_t from, size_t to);
/* No command of the script changes the directory, wherever it stands. */
bool effect_moves_never(const struct resolver *resolver);
bool effect_is_declaration(const struct raw_word *word);
/* The command of that name is cd; or it changes nothing of the shell. */
bool effect_is_cd(struct hv_str name);
bool effect_is_none(struct hv_str name);

/* ---- effect_eval.c ----------------------------------------------------------------------------------------------- */

/* eval, with its words: the command at index. */
void effect_of_eval(struct resolver *resolver, size_t index, const struct shell_word *words, size_t count);

/* ---- effect_options.c -------------------------------------------------------------------------------------------- */

/* The options change nothing of how words are read. */
bool effect_set_is_tame(const struct shell_word *words, size_t count);
bool effect_shopt_is_tame(const struct shell_word *words, size_t count);

/* ---- effect_directory.c ------------------------------------------------------------------------------------------ */

/* Nothing is known of the directory, and of what pushd pushed. */
void directory_lose(struct resolver *resolver);
/* cd, with its words: the command at index. */
void directory_change(struct resolver *resolver, size_t index, const struct shell_word *words, size_t count);
/* pushd, popd, dirs. */
void directory_stack(struct resolver *resolver, const struct shell_word *words, size_t count);
/* The command before, a cd, did not fail. */
void directory_arrive(struct resolver *resolver);
/* Some of the commands since `before` may not have run. */
void directory_doubt(struct resolver *resolver, const struct environment *before);

/* ---- functions.c ------------------------------------------------------------------------------------------------- */

/* Make the table of the names of functions that the script defines. */
void functions_index(struct resolver *resolver);
bool functions_have(const struct resolver *resolver, struct hv_str name);
/* The bodies that were met, with what their calls give them. */
void functions_resolve(struct resolver *resolver);

#endif
