/*
 * perl.h: a strict reader of the code of perl one-liners (perl -ne '…'), for programs_perl.c: it accepts a small part
 * of the language of perl 5 whose every program is harmless, and refuses all else. perlop(1), perldata(1), perlfunc(1).
 *
 * What is accepted can print to the standard streams, read them and the operands, and change its own variables; it
 * can neither run, open, write nor remove anything, nor load code of the project. That rests on four rules:
 *   - a function, a word or a variable that is not listed is refused;
 *   - patterns and strings hold only plain text, and variables with plain subscripts: no code;
 *   - what perl itself acts upon (@ARGV, $0, $^W, …) is only read (struct perl_value.guarded); and since a text may
 *     name any variable, one that may hold a text is never used as a reference to change something (perl_modify);
 *   - where perl guesses (a slash, a brace, a name behind print), what could be guessed in two ways is refused.
 * When perl reads an accepted text otherwise, it is a syntax error to it. Inner to src/shell; pure; linear in the text
 * but for the table of variables, and bounded in depth.
 */
#ifndef SHELL_PERL_H
#define SHELL_PERL_H

#include <helve/str.h>

enum { PERL_TEXT_MAX = 4096, PERL_DEPTH_MAX = 48, PERL_IMPORTS_MAX = 48 };

/* A place that a variable of the program names: $x is level 0 of the scalar x, @x level 1 of the array x (its
 * elements), $x[0]{a} level 2. */
struct perl_place {
    char kind; /* '$', '@' or '%' */
    struct hv_str name;
    unsigned level;
};

/* What an expression may stand for besides its value: places that change when it is changed. */
struct perl_value {
    bool guarded;    /* one of them must not be changed, or is not known */
    bool arguments;  /* one of them is in @ARGV */
    size_t from, to; /* of perl.places */
};

/* A function that a module gives. */
struct perl_import {
    struct hv_str name;
    bool selects; /* f { … } LIST */
};

struct perl {
    struct hv_str text;
    size_t at;
    unsigned depth;
    bool loops; /* -n or -p: the text stands within while (<>) { … } */
    bool says;  /* say, state and fc are known */
    struct perl_import imports[PERL_IMPORTS_MAX];
    size_t import_count;
    struct perl_place *places, *changed; /* in arena: those mentioned, those that are changed */
    size_t place_count, changed_count;
    /* How many so far: s/// and tr/// that change what they are bound to; changes of variables; mentions of what is
     * guarded, or in @ARGV. */
    size_t substitutions, modifications, guards;
    /* Found: it reads its operands as files, or stdin; it changes @ARGV; it looks at files whose names are computed. */
    bool reads_operands, reads_input, changes_arguments, looks_at_files;
    struct hv_str refused; /* the word that was refused, if it was one */
};

/* ---- perl_code.c ------------------------------------------------------------------------------------------ */

/* Make *perl ready for text: all code of the -e options, each ended by a newline. The other members say how it is run
 * and may be set afterwards. */
void perl_init(struct perl *perl, struct hv_arena *arena, struct hv_str text);
/* Bring in what -MModule (names absent) or -MModule=name,… does; false when the module, or what it is asked for, is not
 * known to be harmless. */
bool perl_use(struct perl *perl, struct hv_str module, struct hv_str names, char separator);
/* True when the whole text is harmless, as far as the operands are (perl_reads says which matter). */
bool perl_is_harmless(struct perl *perl);

/* ---- perl_expression.c ------------------------------------------------------------------------------------ */

/* Each reads what its name says from perl->at on, and is false when that is refused. */
bool perl_expression(struct perl *perl, struct perl_value *value); /* with commas, and, or, not */
bool perl_assignment(struct perl *perl, struct perl_value *value); /* one item of a list */
bool perl_operand(struct perl *perl, struct perl_value *value);    /* what =~ and named operators take */
bool perl_subscript(struct perl *perl);                            /* […] or {…} */
/* Items and commas; first: the first of them alone. */
bool perl_list(struct perl *perl, struct perl_value *first, struct perl_value *all);
/* What is here ends a list: a bracket, a semicolon, a word like if. */
bool perl_at_end(const struct perl *perl);
struct perl_value perl_join(struct perl_value a, struct perl_value b); /* may be either */

/* ---- perl_call.c ------------------------------------------------------------------------------------------ */

/* A term that begins with a word. */
bool perl_word_term(struct perl *perl, struct perl_value *value);
/* -e $file and the like; at the dash. */
bool perl_file_test(struct perl *perl);
/* Names that a module gives: f LIST in *functions, f { … } LIST in *selectors. False: it is not known to be harmless.
 */
bool perl_find_module(struct hv_str module, const char **functions, const char **selectors, bool *unasked);

/* ---- perl_code.c ------------------------------------------------------------------------------------------ */

/* From a "{" to behind its "}". */
bool perl_block(struct perl *perl);

/* ---- perl_variable.c -------------------------------------------------------------------------------------- */

/* A variable with its subscripts, at its $, @ or %. */
bool perl_variable(struct perl *perl, struct perl_value *value);
bool perl_is_plain_name(struct hv_str name); /* of a variable that may be read */
/* What value stands for is changed: false when that must not be. */
bool perl_modify(struct perl *perl, struct perl_value value);
/* The scalar name is made to stand for data of any kind. */
bool perl_modify_scalar(struct perl *perl, struct hv_str name);
/* Declare a variable, without subscripts, at its sign. */
bool perl_declare(struct perl *perl, struct perl_value *value);

/* ---- perl_quote.c ----------------------------------------------------------------------------------------- */

char perl_peek(const struct perl *perl, size_t ahead); /* NUL at the end */
/* Pass blanks, newlines and comments. */
void perl_skip(struct perl *perl);
/* The word that begins here, not passed; empty when none does. */
struct hv_str perl_word(const struct perl *perl);
/* From the opening delimiter to behind the closing one. */
bool perl_string(struct perl *perl, bool interpolates);
/* The rest of a quoting operator whose word (q qq qw m qr s tr y) is passed; changes: it changes what it is bound to.
 */
bool perl_quote(struct perl *perl, struct hv_str word);
/* A pattern without its word, at the slash. */
bool perl_pattern(struct perl *perl);
/* text holds, in double quotes or a pattern, no code. */
bool perl_text_is_plain(struct hv_str text, bool pattern);

#endif
