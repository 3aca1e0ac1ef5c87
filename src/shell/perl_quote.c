/*
 * perl_quote.c: the lexical side of perl.h: blanks, words, quotes and patterns. What stands in double quotes and in
 * patterns is looked through for variables: only their names with plain subscripts are accepted, since perl runs what
 * stands in "$x[…]" and "@{…}", and a pattern may hold code: (?{…}). perlop(1), "Gory details of parsing quoted
 * constructs".
 */
#include "shell/classify.h"
#include "shell/perl.h"
#include <string.h>

char perl_peek(const struct perl *perl, size_t ahead)
{
    return perl->at + ahead < perl->text.len ? perl->text.ptr[perl->at + ahead] : 0;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool begins_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static bool is_name_byte(char byte)
{
    return begins_name(byte) || is_digit(byte);
}

void perl_skip(struct perl *perl)
{
    for (;;) {
        char byte = perl_peek(perl, 0);
        if (byte == ' ' || byte == '\t' || byte == '\n') {
            perl->at++;
        } else if (byte == '#' && perl_peek(perl, 1) != '!') { /* "#!" in the first line names who runs it */
            size_t end = hv_str_find_byte(perl->text, '\n', perl->at);
            perl->at = end == SIZE_MAX ? perl->text.len : end;
        } else {
            return;
        }
    }
}

struct hv_str perl_word(const struct perl *perl)
{
    size_t end = perl->at;
    if (begins_name(perl_peek(perl, 0)))
        while (end < perl->text.len && is_name_byte(perl->text.ptr[end]))
            end++;
    return hv_str_slice(perl->text, perl->at, end);
}

/* ---- variables in text ------------------------------------------------------------------------------------ */

struct plain {
    struct hv_str text;
    size_t at;
    bool pattern;
};

static char look(const struct plain *plain, size_t ahead)
{
    return plain->at + ahead < plain->text.len ? plain->text.ptr[plain->at + ahead] : 0;
}

/* A name that may be read in text. */
static bool pass_name(struct plain *plain)
{
    size_t start = plain->at;
    while (is_name_byte(look(plain, 0)))
        plain->at++;
    struct hv_str name = hv_str_slice(plain->text, start, plain->at);
    bool package =
        (look(plain, 0) == ':' && look(plain, 1) == ':') || (look(plain, 0) == '\'' && begins_name(look(plain, 1)));
    return name.len && !package && (is_digit(*name.ptr) || perl_is_plain_name(name));
}

/* The inside of "$x[…]": numbers, variables, and what counts with them. */
static bool pass_index(struct plain *plain)
{
    size_t start = ++plain->at;
    for (; look(plain, 0) && look(plain, 0) != ']';) {
        if (look(plain, 0) == '$') {
            plain->at += look(plain, 1) == '#' ? 2 : 1;
            if (!begins_name(look(plain, 0)) || !pass_name(plain))
                return false;
        } else if (is_digit(look(plain, 0)) || strchr(" ,.+-", look(plain, 0))) {
            plain->at++;
        } else {
            return false;
        }
    }
    return plain->at > start && look(plain, 0) == ']' && plain->at++;
}

static bool pass_scalar(struct plain *plain, unsigned depth);

/* The inside of "$x{…}": a word, a number (or a count of a pattern), a quoted word, a variable. */
static bool pass_key(struct plain *plain, unsigned depth)
{
    char quote = look(plain, 1);
    plain->at++;
    if (quote == '$') {
        if (!begins_name(look(plain, 1)) && !is_digit(look(plain, 1)))
            return false;
        if (!pass_scalar(plain, depth + 1))
            return false;
    } else if (quote == '\'' || quote == '"') {
        for (plain->at++; is_name_byte(look(plain, 0)) || (look(plain, 0) && strchr(" .-/", look(plain, 0)));)
            plain->at++;
        if (look(plain, 0) != quote)
            return false;
        plain->at++;
    } else {
        size_t start = plain->at;
        while (is_name_byte(look(plain, 0)) || (plain->pattern && look(plain, 0) == ','))
            plain->at++;
        if (plain->at == start)
            return false;
    }
    return look(plain, 0) == '}' && plain->at++;
}

static bool pass_subscripts(struct plain *plain, unsigned depth)
{
    for (;;) {
        if (look(plain, 0) == '-' && look(plain, 1) == '>') {
            if (look(plain, 2) && strchr("@$%*&", look(plain, 2)))
                return false;
            if (look(plain, 2) != '[' && look(plain, 2) != '{')
                return true;
            plain->at += 2;
        }
        if (look(plain, 0) == '[') {
            if (!pass_index(plain))
                return false;
        } else if (look(plain, 0) == '{') {
            if (!pass_key(plain, depth))
                return false;
        } else {
            return true;
        }
    }
}

/* "${name}", "${^NAME}"; at the brace. */
static bool pass_braced(struct plain *plain)
{
    plain->at += look(plain, 1) == '^' ? 2 : 1;
    return pass_name(plain) && look(plain, 0) == '}' && plain->at++;
}

static bool at_subscript(const struct plain *plain, size_t ahead)
{
    return look(plain, ahead) == '[' || look(plain, ahead) == '{' ||
           (look(plain, ahead) == '-' && look(plain, ahead + 1) == '>');
}

/* $. $& and the like. */
static bool pass_punctuation(struct plain *plain, unsigned depth)
{
    char sign = look(plain, 1), next = look(plain, 2);
    if ((sign == '+' && (next == '[' || next == '{')) || (sign == '-' && next == '[')) { /* $+{name}, $+[0] */
        plain->at += 2;
        return pass_subscripts(plain, depth);
    }
    if (!sign || !strchr(plain->pattern ? "&" : "&.!@,;/`'$+", sign) || at_subscript(plain, 2))
        return false;
    if ((sign == '$' || sign == '\'') && (begins_name(next) || (next && strchr("$:'^", next))))
        return false; /* a variable that is named by another, or in a package */
    plain->at += 2;
    return true;
}

static bool pass_scalar(struct plain *plain, unsigned depth)
{
    char next = look(plain, 1);
    if (depth > 3)
        return false;
    if (plain->pattern && (!next || strchr("()| \t\n", next))) {
        plain->at++; /* the end of a line */
        return true;
    }
    if (!is_name_byte(next) && next != '{')
        return pass_punctuation(plain, depth);
    plain->at++;
    return (next == '{' ? pass_braced(plain) : pass_name(plain)) && pass_subscripts(plain, depth);
}

/* "@x", "@x[1,2]", "@{x}", "@$x", "@{$x{a}}"; any other "@" is only itself. */
static bool pass_array(struct plain *plain)
{
    char next = look(plain, 1), after = look(plain, 2);
    if (next == '{' && after == '$') {
        plain->at += 2;
        if (!begins_name(look(plain, 1)) || !pass_scalar(plain, 1) || look(plain, 0) != '}')
            return false;
        plain->at++;
        return pass_subscripts(plain, 1);
    }
    if (next == '$') {
        plain->at += 2;
        return begins_name(after) && pass_name(plain) && pass_subscripts(plain, 1);
    }
    if (next == '{' || is_name_byte(next)) {
        plain->at++;
        return (next == '{' ? pass_braced(plain) : pass_name(plain)) && pass_subscripts(plain, 1);
    }
    if (next == ':' || next == '\'' || ((next == '+' || next == '-') && at_subscript(plain, 2)))
        return false;
    plain->at++;
    return true;
}

bool perl_text_is_plain(struct hv_str text, bool pattern)
{
    struct plain plain = {text, 0, pattern};
    while (plain.at < text.len) {
        char byte = look(&plain, 0), next = look(&plain, 1);
        if (byte == '\\') {
            if (next == 'c' || (next == 'N' && look(&plain, 2) == '{')) /* \N{…} loads a table of names */
                return false;
            plain.at += 2;
        } else if (byte == '$') {
            if (!pass_scalar(&plain, 0))
                return false;
        } else if (byte == '@') {
            if (!pass_array(&plain))
                return false;
        } else if ((byte == '?' && (next == '{' || (next == 'p' && look(&plain, 2) == '{'))) ||
                   (pattern && byte == '*' && next == '{')) {
            return false; /* (?{…}), (??{…}), (*{…}): code */
        } else {
            plain.at++;
        }
    }
    return true;
}

/* ---- quotes ----------------------------------------------------------------------------------------------- */

static char closing(char opening)
{
    switch (opening) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    case '<': return '>';
    default: return opening;
    }
}

/* What stands between delimiters; *escaped: a delimiter within has a backslash, which perl takes away. */
static bool take_quoted(struct perl *perl, struct hv_str *content, bool *escaped)
{
    char opening = perl_peek(perl, 0), end = closing(opening);
    size_t start = ++perl->at, depth = 1;
    for (; perl->at < perl->text.len; perl->at++) {
        char byte = perl_peek(perl, 0);
        if (byte == '\\') {
            perl->at++;
            *escaped |= perl_peek(perl, 0) == opening || perl_peek(perl, 0) == end;
        } else if (byte == end && !--depth) {
            *content = hv_str_slice(perl->text, start, perl->at++);
            return true;
        } else if (byte == opening) {
            depth++;
        }
    }
    return false;
}

static bool is_delimiter(char byte)
{
    return byte && strchr("/|!#,@%~\"'({[<", byte);
}

enum content { CONTENT_RAW, CONTENT_TEXT, CONTENT_PATTERN };

static bool pass_quoted(struct perl *perl, enum content kind)
{
    struct hv_str content;
    char opening = perl_peek(perl, 0);
    bool escaped = false;
    if (!is_delimiter(opening) || !take_quoted(perl, &content, &escaped))
        return false;
    /* Without its backslash, what is escaped could be part of a variable: \@ where @ is the delimiter. */
    if (kind != CONTENT_RAW && escaped && strchr("({[<@", opening))
        return false;
    if (kind == CONTENT_RAW || opening == '\'') {
        bool code = hv_str_find(content, HV_STR("?{"), 0) != SIZE_MAX ||
                    hv_str_find(content, HV_STR("?p{"), 0) != SIZE_MAX ||
                    hv_str_find(content, HV_STR("*{"), 0) != SIZE_MAX;
        return kind != CONTENT_PATTERN || !code;
    }
    return perl_text_is_plain(content, kind == CONTENT_PATTERN);
}

bool perl_string(struct perl *perl, bool interpolates)
{
    return pass_quoted(perl, interpolates ? CONTENT_TEXT : CONTENT_RAW);
}

/* The letters behind the last delimiter, all of which must be known. */
static bool pass_flags(struct perl *perl, const char *known, bool *returns)
{
    struct hv_str flags = perl_word(perl);
    for (size_t i = 0; i < flags.len; i++) {
        if (!strchr(known, flags.ptr[i]))
            return false;
        *returns |= flags.ptr[i] == 'r';
    }
    perl->at += flags.len;
    return !is_name_byte(perl_peek(perl, 0));
}

bool perl_pattern(struct perl *perl)
{
    bool returns = false;
    return pass_quoted(perl, CONTENT_PATTERN) && pass_flags(perl, "msixpodualngc", &returns);
}

/* s and tr: two parts. Brackets have a second pair, perhaps of another kind. */
static bool pass_two_parts(struct perl *perl, bool substitutes)
{
    char opening = perl_peek(perl, 0);
    bool returns = false, raw = opening == '\'' || !substitutes;
    if (!pass_quoted(perl, substitutes ? CONTENT_PATTERN : CONTENT_RAW))
        return false;
    if (closing(opening) == opening) {
        perl->at--; /* one delimiter stands between the parts */
    } else {
        while (perl_peek(perl, 0) == ' ' || perl_peek(perl, 0) == '\n' || perl_peek(perl, 0) == '\t')
            perl->at++;
        if (perl_peek(perl, 0) == '\'' || perl_peek(perl, 0) == '#')
            return false;
    }
    if (!pass_quoted(perl, raw ? CONTENT_RAW : CONTENT_TEXT) ||
        !pass_flags(perl, substitutes ? "msixpodualngcr" : "cdsr", &returns))
        return false;
    perl->substitutions += !returns;
    perl->modifications += !returns; /* of $_, if of nothing else */
    return true;
}

bool perl_quote(struct perl *perl, struct hv_str word)
{
    bool blank = false, returns = false;
    for (; perl_peek(perl, 0) == ' ' || perl_peek(perl, 0) == '\n' || perl_peek(perl, 0) == '\t'; blank = true)
        perl->at++;
    if (blank && perl_peek(perl, 0) == '#')
        return false; /* a comment, and then the delimiter */
    if (hv_str_is(word, "q") || hv_str_is(word, "qw"))
        return pass_quoted(perl, CONTENT_RAW);
    if (hv_str_is(word, "qq"))
        return perl_peek(perl, 0) != '\'' && pass_quoted(perl, CONTENT_TEXT);
    if (hv_str_is(word, "m") || hv_str_is(word, "qr"))
        return pass_quoted(perl, CONTENT_PATTERN) && pass_flags(perl, "msixpodualngc", &returns);
    return pass_two_parts(perl, hv_str_is(word, "s"));
}
