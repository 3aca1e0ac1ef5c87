/* perl_code.c: statements of perl, and the doors of the reader. See perl.h; perlsyn(1). */
#include "shell/classify.h"
#include "shell/perl.h"
#include <string.h>

static bool pass_statements(struct perl *perl);

static bool pass_byte(struct perl *perl, char byte)
{
    perl_skip(perl);
    if (perl_peek(perl, 0) != byte)
        return false;
    perl->at++;
    return true;
}

/* The word that stands here, when it is name and no text before "=>". */
static bool pass_word(struct perl *perl, const char *name)
{
    struct hv_str word = perl_word(perl);
    size_t start = perl->at;
    if (!hv_str_is(word, name))
        return false;
    perl->at += word.len;
    perl_skip(perl);
    if (perl_peek(perl, 0) != '=' || perl_peek(perl, 1) != '>')
        return true;
    perl->at = start;
    return false;
}

bool perl_block(struct perl *perl)
{
    bool fine =
        ++perl->depth <= PERL_DEPTH_MAX && pass_byte(perl, '{') && pass_statements(perl) && pass_byte(perl, '}');
    perl->depth--;
    return fine;
}

/* ---- compound statements ---------------------------------------------------------------------------------- */

static bool pass_condition(struct perl *perl, bool may_be_empty)
{
    struct perl_value value;
    if (!pass_byte(perl, '('))
        return false;
    perl_skip(perl);
    if (perl_peek(perl, 0) == ')')
        return may_be_empty && perl->at++;
    return perl_expression(perl, &value) && pass_byte(perl, ')');
}

static bool pass_if(struct perl *perl)
{
    if (!pass_condition(perl, false) || !perl_block(perl))
        return false;
    for (perl_skip(perl); pass_word(perl, "elsif"); perl_skip(perl))
        if (!pass_condition(perl, false) || !perl_block(perl))
            return false;
    return !pass_word(perl, "else") || perl_block(perl);
}

static bool pass_loop_body(struct perl *perl)
{
    if (!perl_block(perl))
        return false;
    perl_skip(perl);
    return !pass_word(perl, "continue") || perl_block(perl);
}

/* The rest of for (a; b; c), behind the first semicolon. */
static bool pass_steps(struct perl *perl)
{
    struct perl_value value;
    perl_skip(perl);
    if (perl_peek(perl, 0) != ';' && !perl_expression(perl, &value))
        return false;
    if (!pass_byte(perl, ';'))
        return false;
    perl_skip(perl);
    if (perl_peek(perl, 0) != ')' && !perl_expression(perl, &value))
        return false;
    return pass_byte(perl, ')') && perl_block(perl);
}

/* The variable of a loop, if it has one of its own. */
static bool pass_loop_variable(struct perl *perl, bool *given)
{
    perl_skip(perl);
    *given = pass_word(perl, "my") || pass_word(perl, "our");
    if (perl_peek(perl, 0) != '$')
        return !*given;
    *given = true;
    perl->at++;
    struct hv_str name = perl_word(perl);
    perl->at += name.len;
    return name.len && perl_modify_scalar(perl, name);
}

static bool pass_for(struct perl *perl)
{
    struct perl_value list = {0};
    bool variable;
    if (!pass_loop_variable(perl, &variable) || !pass_byte(perl, '('))
        return false;
    perl_skip(perl);
    if (perl_peek(perl, 0) != ';' && perl_peek(perl, 0) != ')' && !perl_expression(perl, &list))
        return false;
    if (!variable && pass_byte(perl, ';'))
        return pass_steps(perl);
    if (!pass_byte(perl, ')'))
        return false;
    size_t modifications = perl->modifications;
    return pass_loop_body(perl) && (perl->modifications == modifications || perl_modify(perl, list));
}

/* use strict; use List::Util qw(sum max); use v5.10; */
static bool pass_use(struct perl *perl)
{
    size_t end = hv_str_find_byte(perl->text, ';', perl->at);
    struct hv_str line = hv_str_trim(hv_str_slice(perl->text, perl->at, end)), names = {0};
    perl->at = end;
    if (end == SIZE_MAX || hv_str_find_byte(line, '\n', 0) != SIZE_MAX)
        return false;
    if (hv_str_is(line, "v5.10") || hv_str_is(line, "5.010") || hv_str_is(line, "feature 'say'")) {
        perl->says = true;
        return true;
    }
    size_t quote = hv_str_find(line, HV_STR("qw("), 0);
    if (quote != SIZE_MAX && hv_str_ends(line, HV_STR(")"))) {
        names = hv_str_slice(line, quote + 3, line.len - 1);
        line = hv_str_trim(hv_str_slice(line, 0, quote));
    }
    return perl_use(perl, line, names, ' ');
}

static bool pass_label(struct perl *perl)
{
    struct hv_str label = perl_word(perl);
    size_t ahead = label.len;
    for (size_t i = 0; i < label.len; i++)
        if (label.ptr[i] >= 'a' && label.ptr[i] <= 'z')
            return false;
    while (perl_peek(perl, ahead) == ' ')
        ahead++;
    if (!label.len || perl_peek(perl, ahead) != ':' || perl_peek(perl, ahead + 1) == ':')
        return false;
    perl->at += ahead + 1;
    perl_skip(perl);
    return true;
}

/* ---- statements ------------------------------------------------------------------------------------------- */

/* An expression, with if, while or for behind it or not, up to the semicolon or the end of the block. */
static bool pass_simple(struct perl *perl)
{
    static const char *const modifiers[] = {"if", "unless", "while", "until"};
    struct perl_value value, list;
    size_t modifications = perl->modifications;
    if (!perl_expression(perl, &value))
        return false;
    perl_skip(perl);
    if (pass_word(perl, "for") || pass_word(perl, "foreach")) {
        if (!perl_expression(perl, &list) || (perl->modifications != modifications && !perl_modify(perl, list)))
            return false;
    } else {
        for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
            if (pass_word(perl, modifiers[i])) {
                if (!perl_expression(perl, &value))
                    return false;
                break;
            }
    }
    perl_skip(perl);
    return perl_peek(perl, 0) == '}' || !perl_peek(perl, 0) || pass_byte(perl, ';');
}

static bool pass_statement(struct perl *perl)
{
    if (pass_label(perl) && (perl_peek(perl, 0) == '}' || perl_peek(perl, 0) == ';'))
        return false;
    if (perl_peek(perl, 0) == '{')
        return pass_loop_body(perl);
    if (pass_word(perl, "if") || pass_word(perl, "unless"))
        return pass_if(perl);
    if (pass_word(perl, "while") || pass_word(perl, "until"))
        return pass_condition(perl, true) && pass_loop_body(perl);
    if (pass_word(perl, "for") || pass_word(perl, "foreach"))
        return pass_for(perl);
    if (pass_word(perl, "BEGIN") || pass_word(perl, "END"))
        return perl_block(perl);
    if (pass_word(perl, "use"))
        return pass_use(perl);
    return pass_simple(perl);
}

static bool pass_statements(struct perl *perl)
{
    for (;;) {
        perl_skip(perl);
        while (perl_peek(perl, 0) == ';') {
            perl->at++;
            perl_skip(perl);
        }
        if (!perl_peek(perl, 0) || perl_peek(perl, 0) == '}')
            return true;
        if (!pass_statement(perl))
            return false;
    }
}

/* -n puts while (<>) { … } around the text, which may close it and go on behind it: print }{ print "end". */
static bool pass_program(struct perl *perl)
{
    if (!pass_statements(perl))
        return false;
    if (perl->loops && perl_peek(perl, 0) == '}') {
        perl->at++;
        perl_skip(perl);
        (void)(pass_word(perl, "END") || pass_word(perl, "BEGIN"));
        if (!pass_byte(perl, '{') || !pass_statements(perl))
            return false;
    }
    return perl->at >= perl->text.len;
}

/* ---- doors ------------------------------------------------------------------------------------------------ */

void perl_init(struct perl *perl, struct hv_arena *arena, struct hv_str text)
{
    static const struct perl_place data[] = {{'$', {"_", 1}, 0}, {'$', {"a", 1}, 0}, {'$', {"b", 1}, 0},
                                             {'@', {"_", 1}, 1}, {'@', {"F", 1}, 1}, {'@', {"ARGV", 4}, 1}};
    size_t room = text.len > PERL_TEXT_MAX ? 0 : text.len;
    *perl = (struct perl){.text = text};
    perl->places = hv_arena_array(arena, struct perl_place, room + 1);
    perl->changed = hv_arena_array(arena, struct perl_place, room + 1 + sizeof data / sizeof *data);
    memcpy(perl->changed, data, sizeof data);
    perl->changed_count = sizeof data / sizeof *data;
}

/* Every name of names is one that list has. */
static bool import(struct perl *perl, struct hv_str name, const char *functions, const char *selectors)
{
    bool selects = shell_names_have(selectors, name);
    if ((!selects && !shell_names_have(functions, name)) || perl->import_count == PERL_IMPORTS_MAX)
        return false;
    perl->imports[perl->import_count++] = (struct perl_import){name, selects};
    return true;
}

bool perl_use(struct perl *perl, struct hv_str module, struct hv_str names, char separator)
{
    const char *functions, *selectors;
    struct hv_str name;
    bool unasked;
    if (!perl_find_module(module, &functions, &selectors, &unasked))
        return false;
    if (!names.ptr) {
        names = unasked ? hv_str_from(functions) : (struct hv_str){0};
        separator = ' ';
    }
    while (names.len && hv_str_split(&names, separator, &name))
        if (name.len && !import(perl, name, functions, selectors))
            return false;
    return true;
}

/* Bytes that end the text for perl, and lines that begin with "=": documentation up to "=cut". */
static bool is_plain(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if ((byte < ' ' && byte != '\t' && byte != '\n') || byte == 127)
            return false;
        if (byte == '=' && (!i || text.ptr[i - 1] == '\n'))
            return false;
    }
    return text.len <= PERL_TEXT_MAX;
}

bool perl_is_harmless(struct perl *perl)
{
    if (!is_plain(perl->text) || !pass_program(perl))
        return false;
    return !perl->changes_arguments || !(perl->reads_operands || perl->loops);
}
