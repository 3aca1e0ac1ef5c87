/*
 * perl_expression.c: expressions of perl: operators and what they stand between. See perl.h; perlop(1). What an
 * operator binds to is read only as far as it matters to what is changed: operators that only compute stand on one
 * level.
 */
#include "shell/classify.h"
#include "shell/perl.h"
#include <string.h>

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static bool starts(const struct perl *perl, const char *text)
{
    return hv_str_starts(hv_str_slice(perl->text, perl->at, perl->text.len), hv_str_from(text));
}

static bool enter(struct perl *perl)
{
    return ++perl->depth <= PERL_DEPTH_MAX;
}

static bool leave(struct perl *perl, bool fine)
{
    perl->depth--;
    return fine;
}

struct perl_value perl_join(struct perl_value a, struct perl_value b)
{
    bool none = a.from == a.to;
    return (struct perl_value){
        .guarded = a.guarded || b.guarded,
        .arguments = a.arguments || b.arguments,
        .from = none || (b.from != b.to && b.from < a.from) ? b.from : a.from,
        .to = b.to > a.to ? b.to : a.to,
    };
}

/* ---- terms ------------------------------------------------------------------------------------------------ */

/* 12, 1_000, 0x1f, 0b1, 1.5e3. What follows must not be a part of it to anybody: v-strings, 1x3. */
static bool pass_number(struct perl *perl)
{
    bool fraction = false;
    if (perl_peek(perl, 0) == '0' && (perl_peek(perl, 1) == 'x' || perl_peek(perl, 1) == 'b')) {
        for (perl->at += 2;
             is_digit(perl_peek(perl, 0)) || (perl_peek(perl, 0) && strchr("abcdefABCDEF_", perl_peek(perl, 0)));)
            perl->at++;
        return !is_letter(perl_peek(perl, 0)) && perl_peek(perl, 0) != '.';
    }
    while (is_digit(perl_peek(perl, 0)) || perl_peek(perl, 0) == '_')
        perl->at++;
    if (perl_peek(perl, 0) == '.' && perl_peek(perl, 1) != '.') {
        fraction = true;
        for (perl->at++; is_digit(perl_peek(perl, 0)) || perl_peek(perl, 0) == '_';)
            perl->at++;
    }
    if (perl_peek(perl, 0) == 'e' || perl_peek(perl, 0) == 'E') {
        perl->at += perl_peek(perl, 1) == '-' || perl_peek(perl, 1) == '+' ? 2 : 1;
        if (!is_digit(perl_peek(perl, 0)))
            return false;
        while (is_digit(perl_peek(perl, 0)))
            perl->at++;
    }
    return !is_letter(perl_peek(perl, 0)) && !(fraction && perl_peek(perl, 0) == '.' && is_digit(perl_peek(perl, 1)));
}

/* An expression, or nothing, up to the closing bracket. */
static bool pass_brackets(struct perl *perl, char end, struct perl_value *value)
{
    *value = (struct perl_value){0};
    perl->at++;
    perl_skip(perl);
    if (perl_peek(perl, 0) != end && !perl_expression(perl, value))
        return false;
    perl_skip(perl);
    return perl_peek(perl, 0) == end && perl->at++;
}

bool perl_subscript(struct perl *perl)
{
    struct perl_value value;
    size_t start = perl->at;
    if (perl_peek(perl, 0) == '{') { /* a word is only a word there */
        do
            perl->at++;
        while (perl_peek(perl, 0) == ' ');
        struct hv_str word = perl_word(perl);
        perl->at += word.len;
        while (word.len && perl_peek(perl, 0) == ' ')
            perl->at++;
        if (word.len && perl_peek(perl, 0) == '}')
            return perl->at++;
        perl->at = start;
    }
    return enter(perl) && leave(perl, pass_brackets(perl, perl_peek(perl, 0) == '[' ? ']' : '}', &value));
}

/* <STDIN>, <> */
static bool pass_input(struct perl *perl)
{
    static const char *const forms[] = {"<STDIN>", "<>", "<ARGV>"};
    for (size_t i = 0; i < 3; i++)
        if (starts(perl, forms[i])) {
            perl->at += strlen(forms[i]);
            perl->reads_operands |= i > 0;
            perl->reads_input |= i == 0;
            perl->modifications++; /* while (<>) sets $_ */
            return true;
        }
    return false;
}

static bool pass_term(struct perl *perl, struct perl_value *value)
{
    char byte = perl_peek(perl, 0);
    struct perl_value inner;
    *value = (struct perl_value){0};
    if (is_letter(byte))
        return perl_word_term(perl, value);
    if (is_digit(byte) || (byte == '.' && is_digit(perl_peek(perl, 1))))
        return pass_number(perl);
    switch (byte) {
    case '$':
    case '@':
    case '%': return perl_variable(perl, value);
    case '"': return perl_string(perl, true);
    case '\'': return perl_string(perl, false);
    case '/': return perl_pattern(perl);
    case '<': return pass_input(perl);
    case '[': return pass_brackets(perl, ']', &inner);
    case '{': return pass_brackets(perl, '}', &inner);
    case '(': return pass_brackets(perl, ')', value) && (perl_peek(perl, 0) != '[' || perl_subscript(perl));
    default: return false;
    }
}

/* ---- operators with one operand --------------------------------------------------------------------------- */

static bool pass_change(struct perl *perl, struct perl_value *value)
{
    perl->at += 2;
    perl_skip(perl);
    return perl_operand(perl, value) && perl_modify(perl, *value);
}

/* \@x: only of the program's own variables. (To newer versions it may be assigned to.) */
static bool pass_backslash(struct perl *perl, struct perl_value *value)
{
    perl->at++;
    if (!perl_peek(perl, 0) || !strchr("$@%", perl_peek(perl, 0)) || !perl_variable(perl, value) || value->guarded ||
        value->arguments || value->from == value->to)
        return false;
    *value = (struct perl_value){.guarded = true};
    return true;
}

static bool pass_minus(struct perl *perl, struct perl_value *value)
{
    *value = (struct perl_value){0};
    if (is_letter(perl_peek(perl, 1)))
        return perl_file_test(perl);
    perl->at++;
    perl_skip(perl);
    return perl_operand(perl, value) && (*value = (struct perl_value){0}, true);
}

static bool pass_operand(struct perl *perl, struct perl_value *value)
{
    char byte = perl_peek(perl, 0), next = perl_peek(perl, 1);
    if ((byte == '+' || byte == '-') && next == byte)
        return pass_change(perl, value);
    if (byte == '-')
        return pass_minus(perl, value);
    if (byte == '\\')
        return pass_backslash(perl, value);
    if (byte == '!' || byte == '~' || byte == '+') {
        perl->at++;
        if (byte != '+' && (next == '~' || next == '.'))
            return false;
        perl_skip(perl);
        if (!perl_operand(perl, value))
            return false;
        if (byte != '+')
            *value = (struct perl_value){0};
        return true;
    }
    if (!pass_term(perl, value))
        return false;
    perl_skip(perl);
    if (!starts(perl, "++") && !starts(perl, "--"))
        return true;
    perl->at += 2;
    return perl_modify(perl, *value);
}

bool perl_operand(struct perl *perl, struct perl_value *value)
{
    return enter(perl) && leave(perl, pass_operand(perl, value));
}

/* $x =~ s/…/…/ */
static bool pass_bound(struct perl *perl, struct perl_value *value)
{
    if (!perl_operand(perl, value))
        return false;
    for (;;) {
        struct perl_value right;
        size_t substitutions = perl->substitutions;
        perl_skip(perl);
        if (!starts(perl, "=~") && !starts(perl, "!~"))
            return true;
        perl->at += 2;
        perl_skip(perl);
        if (!perl_operand(perl, &right) || (substitutions != perl->substitutions && !perl_modify(perl, *value)))
            return false;
        *value = (struct perl_value){0};
    }
}

/* ---- operators with two operands -------------------------------------------------------------------------- */

static size_t assignment_length(const struct perl *perl)
{
    static const char *const signs[] = {
        "**=", "||=", "&&=", "//=", "<<=", ">>=", "+=", "-=", "*=", "/=", ".=", "%=", "|=", "&=", "^="};
    char next = perl_peek(perl, 1);
    if (perl_peek(perl, 0) == '=')
        return next != '=' && next != '~' && next != '>';
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (starts(perl, signs[i]))
            return strlen(signs[i]);
    return 0;
}

static size_t word_operator_length(const struct perl *perl)
{
    struct hv_str word = perl_word(perl);
    if (perl_peek(perl, 0) == 'x' && is_digit(perl_peek(perl, 1)))
        return 1; /* "-"x20 */
    if (hv_str_is(word, "x"))
        return perl_peek(perl, 1) != '=';
    return shell_names_have("lt gt le ge eq ne cmp", word) ? word.len : 0;
}

/* The length of the operator here, 0: none that is known. *picks: it gives one of its operands. */
static size_t operator_length(const struct perl *perl, bool *picks)
{
    static const char *const signs[] = {"<=>", "...", "**", "==", "!=", "<=", ">=", "&&", "||", "//", "..", "<<",
                                        ">>",  "+",   "-",  "*",  "/",  "%",  ".",  "<",  ">",  "&",  "|",  "^"};
    char byte = perl_peek(perl, 0), next = perl_peek(perl, 1);
    *picks = starts(perl, "&&") || starts(perl, "||") || starts(perl, "//");
    if (is_letter(byte))
        return word_operator_length(perl);
    if (!byte || starts(perl, "++") || starts(perl, "--") || starts(perl, "->") || starts(perl, "=>"))
        return 0;
    /* -e is a test to perl wherever it stands; |. and the like are operators to newer versions only. */
    if ((byte == '-' && is_letter(next) && !is_letter(perl_peek(perl, 2)) && !is_digit(perl_peek(perl, 2))) ||
        (strchr("|&^", byte) && next == '.'))
        return 0;
    if (starts(perl, "<<") &&
        (is_letter(perl_peek(perl, 2)) || (perl_peek(perl, 2) && strchr("\"'~`\\", perl_peek(perl, 2)))))
        return 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (starts(perl, signs[i]))
            return strlen(signs[i]);
    return 0;
}

static bool pass_binary(struct perl *perl, struct perl_value *value)
{
    bool computes = false, picked = false;
    if (!pass_bound(perl, value))
        return false;
    for (;;) {
        struct perl_value right;
        bool picks;
        perl_skip(perl);
        size_t length = assignment_length(perl) ? 0 : operator_length(perl, &picks);
        if (!length) {
            if (computes && !picked)
                *value = (struct perl_value){0};
            return true;
        }
        perl->at += length;
        perl_skip(perl);
        if (!pass_bound(perl, &right))
            return false;
        *value = perl_join(*value, right);
        computes = true;
        picked |= picks;
    }
}

static bool pass_choice(struct perl *perl, struct perl_value *value)
{
    struct perl_value other;
    if (!pass_binary(perl, value))
        return false;
    perl_skip(perl);
    if (perl_peek(perl, 0) != '?')
        return true;
    perl->at++;
    perl_skip(perl);
    if (!perl_assignment(perl, value))
        return false;
    perl_skip(perl);
    if (perl_peek(perl, 0) != ':' || perl_peek(perl, 1) == ':')
        return false;
    perl->at++;
    perl_skip(perl);
    if (!enter(perl) || !leave(perl, pass_choice(perl, &other)))
        return false;
    *value = perl_join(*value, other);
    return true;
}

static bool pass_assignment(struct perl *perl, struct perl_value *value)
{
    struct perl_value right;
    if (!pass_choice(perl, value))
        return false;
    perl_skip(perl);
    size_t length = assignment_length(perl);
    if (!length)
        return true;
    perl->at += length;
    perl_skip(perl);
    return perl_modify(perl, *value) && perl_assignment(perl, &right);
}

bool perl_assignment(struct perl *perl, struct perl_value *value)
{
    return enter(perl) && leave(perl, pass_assignment(perl, value));
}

/* ---- lists ------------------------------------------------------------------------------------------------ */

bool perl_at_end(const struct perl *perl)
{
    char byte = perl_peek(perl, 0);
    if (is_letter(byte))
        return shell_names_have("if unless while until for foreach and or xor", perl_word(perl));
    return !byte || strchr(";)}]:", byte);
}

bool perl_list(struct perl *perl, struct perl_value *first, struct perl_value *all)
{
    if (!perl_assignment(perl, first))
        return false;
    *all = *first;
    for (;;) {
        struct perl_value item;
        perl_skip(perl);
        if (perl_peek(perl, 0) != ',' && !starts(perl, "=>"))
            return true;
        perl->at += perl_peek(perl, 0) == ',' ? 1 : 2;
        perl_skip(perl);
        if (perl_at_end(perl) || perl_peek(perl, 0) == ',')
            continue;
        if (!perl_assignment(perl, &item))
            return false;
        *all = perl_join(*all, item);
    }
}

bool perl_expression(struct perl *perl, struct perl_value *value)
{
    *value = (struct perl_value){0};
    for (;;) {
        struct perl_value first, all;
        while (hv_str_is(perl_word(perl), "not")) {
            perl->at += 3;
            perl_skip(perl);
        }
        if (!perl_list(perl, &first, &all))
            return false;
        *value = perl_join(*value, all);
        perl_skip(perl);
        struct hv_str word = perl_word(perl);
        if (!shell_names_have("and or xor", word))
            return true;
        perl->at += word.len;
        perl_skip(perl);
    }
}
