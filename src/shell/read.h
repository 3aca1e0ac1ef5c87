/*
 * read.h: what the parts of the reader of scripts share (script.h is its contract).
 *
 * Two passes. The first (lexer.c, read_*.c) follows bash's grammar over the bytes and leaves two things: nodes, one for
 * each command, with words as parts that are not expanded yet; and a tape of operations in the order in which bash
 * would execute them, with marks for what may be left out, is repeated, or runs in a shell of its own. The second
 * (resolve*.c) runs along the tape, keeps what is known of variables and of the directory, and expands the parts to the
 * words of script.h. Nesting is bounded by READ_DEPTH_MAX, so that recursion may follow it.
 */
#ifndef SHELL_READ_H
#define SHELL_READ_H

#include "base/vec.h"
#include "shell/script.h"

enum { READ_DEPTH_MAX = 256 };
#define READ_NO_PARENT UINT32_MAX

enum part_kind {
    PART_TEXT,       /* text, quotes and escapes removed */
    PART_VARIABLE,   /* $x or ${x…}: text is the name */
    PART_COMMAND,    /* $(…) or `…` */
    PART_PROCESS,    /* <(…) or >(…) */
    PART_ARITHMETIC, /* $((…)) or $[…]: text is the expression */
    PART_UNKNOWN,    /* bytes that depend on the locale */
};

enum variable_form {
    FORM_PLAIN,     /* $x, ${x} */
    FORM_LENGTH,    /* ${#x} */
    FORM_DEFAULT,   /* ${x:-…}, ${x-…}, ${x:+…}, ${x+…}, ${x:?…}, ${x?…} */
    FORM_ASSIGN,    /* ${x:=…}, ${x=…} */
    FORM_PATTERN,   /* ${x#…}, ${x%…}, ${x/…}, ${x^…}, ${x,…} */
    FORM_SLICE,     /* ${x:…}: inner is arithmetic */
    FORM_TRANSFORM, /* ${x@Q} … but for P */
    FORM_NAMES,     /* ${!x*}, ${!x@}, ${!a[@]} */
    FORM_EVALUATE,  /* ${!x}, ${x@P} */
};

/* A stretch of a word that expands in one way. (Small, as all that there are thousands of: most of the time that a long
 * script takes goes into touching fresh memory.) */
struct part {
    enum part_kind kind : 8;
    enum variable_form form : 8;
    bool quoted : 1;         /* in quotes or escaped: neither split, nor a pattern, nor removed when empty */
    bool list : 1;           /* "$@", "${a[@]}": several words even in quotes */
    bool element : 1;        /* ${a[…]}: subscript */
    bool open : 1;           /* $name: letters that come to stand behind it would become part of it */
    uint32_t inner_count;    /* of inner */
    struct hv_str text;      /* see the kinds; a view of the script or in the arena */
    struct hv_str subscript; /* of an element, the arithmetic of a slice; of all elements "@" or "*", else what stands
                              * behind the name in braces */
    struct part *inner;      /* parts inside of it: the operand of ${x-…}, expansions within arithmetic */
    size_t tape;             /* PART_COMMAND, PART_PROCESS: where its operations begin */
};

struct raw_word {
    struct hv_str text;
    struct part *parts;
    uint32_t count;
    bool quoted;  /* some part */
    bool joined;  /* a backslash-newline stands in the midst of it */
    bool escaped; /* a byte of it has a backslash before it */
    bool array;   /* value of an assignment: (…) */
};

struct raw_assignment {
    struct hv_str name;
    struct raw_word value;
    struct hv_str subscript;
    struct part *subscript_parts;
    uint32_t subscript_count;
    bool appends, element, array;
};

struct raw_redirect {
    enum shell_redirect_kind kind;
    int descriptor;
    struct hv_str variable;
    struct raw_word target;
};

/* How the words of a node are expanded. */
enum node_words { WORDS_ARGUMENTS, WORDS_SINGLE, WORDS_PATTERNS };

/* A command while it is read: stands beside the shell_command of the same index. */
struct node {
    enum shell_command_kind kind : 8;
    enum node_words expand : 8;
    bool negated : 1, timed : 1;
    bool finished : 1; /* its redirections are all there: here-documents can be put into them */
    unsigned place;
    uint32_t at, parent, pipeline, position; /* parent: READ_NO_PARENT at the top */
    uint32_t word_count, assignment_count, redirect_count;
    struct hv_str text;
    struct hv_str variable;
    struct raw_word *words;
    struct raw_assignment *assignments;
    struct raw_redirect *redirects;
};

enum op_kind {
    OP_NONE,
    OP_COMMAND,      /* node */
    OP_SUBSTITUTION, /* the operations up to `to` belong to a word, and run when that is expanded */
    OP_SCOPE,        /* a subshell begins … */
    OP_END_SCOPE,
    OP_LIST,  /* an && || list of several begins … */
    OP_AND,   /* what follows runs if the command before it succeeded */
    OP_NOT,   /* what follows does not know whether the command before it succeeded */
    OP_MAYBE, /* may not run, up to `to` … */
    OP_END_MAYBE,
    OP_END_LIST,
    OP_LOOP, /* may run never or many times, up to `to` … */
    OP_END_LOOP,
    OP_FUNCTION, /* the body of a function, up to `to` … */
    OP_END_FUNCTION,
    OP_END, /* of a substitution */
};

struct op {
    enum op_kind kind;
    uint32_t to; /* a node; the index of the operation at the other end */
};

/* A here-document whose body has not come yet. */
struct pending_document {
    size_t node, redirect; /* where its body goes: SIZE_MAX while the command is read; then index in redirects */
    struct hv_str delimiter;
    bool literal, strip_tabs;
};

/* What the lexer stands on. */
struct source {
    struct hv_str text;
    size_t at;
    size_t offset; /* of text in the script */
    bool copied;   /* text is not a view of the script: all of it counts as standing at offset */
};

struct reader {
    struct hv_arena *arena;
    struct source source;
    const char *reason; /* set: reading ended */
    size_t place;
    unsigned depth;
    unsigned operands;    /* ${x-…} around the place */
    size_t requoted;      /* double quotes seen within others, where brace expansion loses count of them */
    bool outer_documents; /* a here-document is awaited outside of this substitution */
    bool open_document;   /* the end of the script closed one */
    enum { NAMES_UNSEEN = 0, NAMES_FREE, NAMES_TAKEN } names; /* what is known of them: see count_lines.c */

    VEC(struct node) nodes;
    VEC(struct op) tape;
    VEC(struct part) parts; /* stacks, while something is read */
    VEC(struct raw_word) words;
    VEC(struct raw_assignment) assignments;
    VEC(struct raw_redirect) redirects;
    VEC(struct pending_document) documents;
    VEC(struct hv_str) functions; /* names */

    /* What the next command gets. */
    uint32_t parent, pipelines;
    unsigned place_flags;
};

/* ---- lexer.c ----------------------------------------------------------------------------------------------------- */

/* Stop: always false, so that `return read_stop(…)` is one statement. The first reason stays. */
bool read_stop(struct reader *reader, const char *reason);
/* The byte at the place, `ahead` further on; -1 at the end of the text. */
static inline int read_peek(const struct reader *reader, size_t ahead)
{
    size_t at = reader->source.at + ahead;
    return at < reader->source.text.len ? (unsigned char)reader->source.text.ptr[at] : -1;
}
static inline struct hv_str read_slice(const struct reader *reader, size_t from, size_t to)
{
    return hv_str_of(reader->source.text.ptr + from, to - from);
}
/* Quick to say no: most words are none of any list. */
static inline bool read_one_of(struct hv_str word, const char *const *names, size_t count)
{
    for (size_t i = 0; word.len && i < count; i++)
        if (*names[i] == *word.ptr && hv_str_is(word, names[i]))
            return true;
    return false;
}
#define READ_ONE_OF(word, names) read_one_of(word, names, sizeof(names) / sizeof *(names))
/* Skip blanks, continued lines and a comment: where there are some, and where there are none, as most often. */
bool read_some_blanks(struct reader *reader) HV_MUST_CHECK;
HV_MUST_CHECK static inline bool read_blanks(struct reader *reader)
{
    int byte = read_peek(reader, 0);
    if (byte == ' ' || byte == '\t' || byte == '\\' || byte == '#')
        return read_some_blanks(reader);
    return !reader->reason;
}
/* The same with newlines, each of which brings the here-documents that are awaited. */
bool read_newlines(struct reader *reader) HV_MUST_CHECK;
/* True when byte (or -1) ends a word that is not quoted. */
bool read_ends_word(int byte);
bool read_is_keyword(struct hv_str word);
/* The reserved word at the place, absent if none is. */
struct hv_str read_keyword(const struct reader *reader);
/* Step over the reserved word, or stop. */
bool read_expect(struct reader *reader, const char *keyword, const char *reason) HV_MUST_CHECK;
size_t read_identifier(struct hv_str text, size_t from); /* length of the identifier at from, or 0 */
bool read_enter(struct reader *reader) HV_MUST_CHECK;    /* one level deeper */
/* Returns its index. */
static inline size_t read_emit(struct reader *reader, enum op_kind kind, size_t to)
{
    *vec_push(&reader->tape) = (struct op){kind, (uint32_t)to};
    return reader->tape.count - 1;
}

/* ---- read_word.c ------------------------------------------------------------------------------------------------- */

enum word_mode {
    WORD_PLAIN = 0,
    WORD_PATTERN = 1 << 0, /* @(…) and the like are part of the word */
    WORD_REGEX = 1 << 1,   /* the right side of =~ */
};
/* The word at the place, which does not stand at a blank. */
bool read_word(struct reader *reader, unsigned mode, struct raw_word *word) HV_MUST_CHECK;
/* A word up to the end of the source in which only $ ` and \ are special: the body of a here-document. */
bool read_here_body(struct reader *reader, struct source body, struct raw_word *word) HV_MUST_CHECK;
/* The text of arithmetic up to close (")", "]"), which is stepped over; expansions in it become parts. */
bool read_arithmetic(struct reader *reader, char close, struct hv_str *text, struct part **inner,
                     uint32_t *inner_count) HV_MUST_CHECK;
/* The parts above base become an array of the arena. */
struct part *read_take_parts(struct reader *reader, size_t base, uint32_t *count);

/* ---- read_expansion.c -------------------------------------------------------------------------------------------- */

/* What begins with the $ at the place: adds a part. quoted: within double quotes or a here-document. */
bool read_dollar(struct reader *reader, bool quoted, bool document) HV_MUST_CHECK;
/* strips: within double quotes, where \\" is a quote of the commands. */
bool read_backquoted(struct reader *reader, bool quoted, bool strips) HV_MUST_CHECK;
/* The commands up to the ")" that is stepped over; the place is behind the "(". */
bool read_substitution(struct reader *reader, enum part_kind kind, bool quoted) HV_MUST_CHECK;

/* ---- read_quote.c ------------------------------------------------------------------------------------------------ */

/* The quote at the place is closed, and what is between holds nothing special (besides what may not be among others):
 * bash's lexer and its expansion, which do not always agree what quotes, see the same. */
bool read_is_plain_quoted(const struct reader *reader, const char *others);
bool read_single_quoted(struct reader *reader) HV_MUST_CHECK;
bool read_double_quoted(struct reader *reader) HV_MUST_CHECK;
bool read_ansi_quoted(struct reader *reader) HV_MUST_CHECK;
void read_add_text(struct reader *reader, struct hv_str text, bool quoted);

/* ---- read_list.c ------------------------------------------------------------------------------------------------- */

/* A list of at least one command, up to what cannot be part of it. */
bool read_list(struct reader *reader) HV_MUST_CHECK;
bool read_command(struct reader *reader) HV_MUST_CHECK;
/* Make a node for the command at the place. */
size_t read_begin(struct reader *reader, enum shell_command_kind kind);
/* count items of the arena; NULL for none. Most often there is one, and its size is known. */
static inline void *read_copy(struct reader *reader, const void *items, size_t count, size_t size)
{
    if (!count)
        return NULL;
    void *copy = hv_arena_alloc(reader->arena, count * size);
    return count == 1 ? memcpy(copy, items, size) : memcpy(copy, items, count * size);
}
/* Its source ends at the place. */
void read_finish(struct reader *reader, size_t index);
/* The redirections behind a compound command. */
bool read_redirects_after(struct reader *reader, size_t index) HV_MUST_CHECK;

/* ---- read_simple.c, read_compound.c, read_condition.c, read_redirect.c ------------------------------------------- */

/* The command at the place, of words, assignments and redirections, as node index; or a function that is defined so:
 * f() …. */
bool read_simple(struct reader *reader, size_t index) HV_MUST_CHECK;
/* The command that begins with this reserved word, at the place. */
bool read_compound(struct reader *reader, struct hv_str keyword) HV_MUST_CHECK;
/* Plain enough for the name of a function that calls can have. */
bool read_is_function_name(const struct raw_word *name);
/* What follows the name (and "()") of the function that node index is. */
bool read_function_body(struct reader *reader, size_t index) HV_MUST_CHECK;
/* [[ … ]], at the place. */
bool read_condition(struct reader *reader) HV_MUST_CHECK;
/* True at an operator of redirection (digits and {name} before it not counted). */
bool read_at_redirect(const struct reader *reader);
/* The operator at the place and its target; adds to redirects. */
bool read_redirect(struct reader *reader, size_t node, size_t index, int descriptor,
                   struct hv_str variable) HV_MUST_CHECK;
/* Digits or {name} before an operator of redirection: steps over them. */
bool read_descriptor(struct reader *reader, int *descriptor, struct hv_str *variable);
/* The bodies of the here-documents that are awaited; the place is behind a newline. */
bool read_documents(struct reader *reader) HV_MUST_CHECK;

#endif
