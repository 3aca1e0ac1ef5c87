/* perl_variable.c: variables of perl in code: $x, $x[0]{a}, @$x, %{$x->{a}}, $#x, $. … . See perl.h; perlvar(1). */
#include "shell/classify.h"
#include "shell/perl.h"
#include <string.h>

static bool begins_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Names of which no variable is even read: secrets, what perl calls when something happens, handles. */
bool perl_is_plain_name(struct hv_str name)
{
    return !shell_names_have("ENV SIG ARGVOUT STDIN STDOUT STDERR ISA AUTOLOAD", name);
}

/* ---- what is changed -------------------------------------------------------------------------------------- */

/*
 * A text that is used as a reference names a variable: $x = "ARGV"; push @$x, "rm x|". So a variable is changed on one
 * level only: what holds data is never a reference, and what is a reference came to be by being used as one.
 */
static bool change_place(struct perl *perl, const struct perl_place *place)
{
    for (size_t i = 0; i < perl->changed_count; i++)
        if (perl->changed[i].kind == place->kind && hv_str_eq(perl->changed[i].name, place->name))
            return perl->changed[i].level == place->level;
    perl->changed[perl->changed_count++] = *place;
    return true;
}

bool perl_modify(struct perl *perl, struct perl_value value)
{
    perl->modifications++;
    perl->changes_arguments |= value.arguments;
    for (size_t i = value.from; i < value.to; i++)
        if (!change_place(perl, &perl->places[i]))
            return false;
    return !value.guarded;
}

bool perl_modify_scalar(struct perl *perl, struct hv_str name)
{
    struct perl_place place = {'$', name, 0};
    return !hv_str_is(name, "ARGV") && perl_is_plain_name(name) && change_place(perl, &place);
}

static bool guard(struct perl *perl, struct perl_value *value)
{
    *value = (struct perl_value){.guarded = true};
    perl->guards++;
    return true;
}

/* What the variable is to whoever changes it. */
static bool give_place(struct perl *perl, struct perl_place place, struct perl_value *value)
{
    bool arguments = hv_str_is(place.name, "ARGV");
    if (!perl_is_plain_name(place.name))
        return false;
    if ((arguments && (place.kind != '@' || place.level > 1)) || hv_str_is(place.name, "INC"))
        return guard(perl, value);
    *value = (struct perl_value){.from = perl->place_count, .to = perl->place_count + 1};
    perl->places[perl->place_count++] = place;
    value->arguments = arguments;
    perl->guards += arguments;
    return true;
}

/* ---- subscripts ------------------------------------------------------------------------------------------- */

static bool at_subscript(const struct perl *perl)
{
    return perl_peek(perl, 0) == '[' || perl_peek(perl, 0) == '{';
}

static bool at_arrow(const struct perl *perl)
{
    return perl_peek(perl, 0) == '-' && perl_peek(perl, 1) == '>';
}

/* Behind blanks, perl takes a bracket for a subscript, too; people do not. */
static bool blanks_hide_subscript(const struct perl *perl)
{
    size_t ahead = 0;
    while (perl_peek(perl, ahead) == ' ' || perl_peek(perl, ahead) == '\t' || perl_peek(perl, ahead) == '\n')
        ahead++;
    return ahead && (perl_peek(perl, ahead) == '[' || perl_peek(perl, ahead) == '{');
}

/* All subscripts from here on, each a level deeper. */
static bool pass_subscripts(struct perl *perl, unsigned *level)
{
    for (;;) {
        if (at_arrow(perl)) {
            perl->at += 2;
            if (!at_subscript(perl))
                return false; /* methods, calls, ->@* */
        }
        if (!at_subscript(perl))
            return !blanks_hide_subscript(perl);
        if (!perl_subscript(perl))
            return false;
        ++*level;
    }
}

/* A variable of that name whose sign is $: the subscript tells which. */
static bool pass_element(struct perl *perl, struct hv_str name, struct perl_value *value)
{
    struct perl_place place = {'$', name, 0};
    if (at_subscript(perl))
        place.kind = perl_peek(perl, 0) == '[' ? '@' : '%';
    return pass_subscripts(perl, &place.level) && give_place(perl, place, value);
}

/* A name, without a package before or behind it. */
static bool pass_name(struct perl *perl, struct hv_str *name)
{
    *name = perl_word(perl);
    perl->at += name->len;
    return name->len && perl_peek(perl, 0) != '\'' && !(perl_peek(perl, 0) == ':' && perl_peek(perl, 1) == ':');
}

/* ---- references ------------------------------------------------------------------------------------------- */

/* At the "$" or "{" behind a sign: what the reference is found in, a level deeper. */
static bool pass_reference(struct perl *perl, struct perl_place *place, bool *known)
{
    struct perl_value value;
    struct hv_str name;
    *known = false;
    if (perl_peek(perl, 0) == '$') {
        perl->at++;
        *place = (struct perl_place){'$', (struct hv_str){0}, 1};
        if (!pass_name(perl, &name) || !perl_is_plain_name(name))
            return false;
        place->name = name;
        *known = !hv_str_is(name, "ARGV");
        return true;
    }
    perl->at++;
    perl_skip(perl);
    if (perl_peek(perl, 0) == '[') { /* @{[ … ]} */
        if (!perl_assignment(perl, &value))
            return false;
    } else if (perl_peek(perl, 0) != '$' || !perl_variable(perl, &value)) {
        return false;
    } else if (value.to == value.from + 1 && !value.arguments) {
        *place = perl->places[value.from];
        place->level++;
        *known = true;
    }
    perl_skip(perl);
    return perl_peek(perl, 0) == '}' && perl->at++;
}

/* @$x, %{$x}, $$x[0], $#{$x}: at what stands behind the sign. */
static bool pass_dereference(struct perl *perl, bool subscripts, struct perl_value *value)
{
    struct perl_place place;
    unsigned deeper = 0;
    bool known;
    if (!pass_reference(perl, &place, &known) || (subscripts && !pass_subscripts(perl, &deeper)))
        return false;
    if (!known)
        return guard(perl, value);
    /* The first subscript of $$x[0] takes an element of @$x. */
    place.level += deeper ? deeper - 1 : 0;
    return give_place(perl, place, value);
}

/* ---- signs ------------------------------------------------------------------------------------------------ */

/* $. $& $^O and the like; at the sign behind the $. */
static bool pass_punctuation(struct perl *perl, struct perl_value *value)
{
    char sign = perl_peek(perl, 0), next = perl_peek(perl, 1);
    *value = (struct perl_value){0};
    perl->at++;
    if (sign == '^') {
        perl->at++;
        return next && strchr("OTVWX", next) && !begins_name(perl_peek(perl, 0)) && !at_subscript(perl) &&
               guard(perl, value);
    }
    if ((sign == '+' || sign == '-') && at_subscript(perl)) /* $+{name}, $-[0] */
        return !(sign == '-' && next == '{') && perl_subscript(perl);
    if (!sign || at_subscript(perl) || (sign == '\'' && (begins_name(next) || next == ':')))
        return false;
    if (strchr("&`'+", sign))
        return true; /* of the last match: perl lets nobody change it */
    if (strchr("!@$]", sign))
        return guard(perl, value);
    return strchr(".,/\\;|\"", sign) &&
           give_place(perl, (struct perl_place){'$', hv_str_slice(perl->text, perl->at - 1, perl->at), 0}, value);
}

/* $1, $0 */
static bool pass_number(struct perl *perl, struct perl_value *value)
{
    bool zero = perl_peek(perl, 0) == '0';
    *value = (struct perl_value){0};
    while (is_digit(perl_peek(perl, 0)))
        perl->at++;
    return !begins_name(perl_peek(perl, 0)) && !at_subscript(perl) && !at_arrow(perl) && (!zero || guard(perl, value));
}

/* ${name}, ${^MATCH}, ${$x}; at the brace. */
static bool pass_braced(struct perl *perl, struct perl_value *value)
{
    size_t start = perl->at++;
    bool caret = perl_peek(perl, 0) == '^';
    perl->at += caret;
    struct hv_str name = perl_word(perl);
    perl->at += name.len;
    if (name.len && perl_peek(perl, 0) == '}') {
        perl->at++;
        if (!caret)
            return pass_element(perl, name, value);
        return shell_names_have("MATCH PREMATCH POSTMATCH", name) && !at_subscript(perl) && guard(perl, value);
    }
    perl->at = start;
    return !caret && pass_dereference(perl, true, value);
}

/* $#x, $#{$x}, $#$x; at the "#". */
static bool pass_last_index(struct perl *perl, struct perl_value *value)
{
    struct hv_str name;
    perl->at++;
    if (perl_peek(perl, 0) == '{' || perl_peek(perl, 0) == '$')
        return pass_dereference(perl, false, value) && !at_subscript(perl);
    if (perl_peek(perl, 0) == '+' || perl_peek(perl, 0) == '-') {
        perl->at++;
        return !at_subscript(perl) && guard(perl, value);
    }
    return pass_name(perl, &name) && !at_subscript(perl) && !blanks_hide_subscript(perl) &&
           give_place(perl, (struct perl_place){'@', name, 1}, value);
}

static bool pass_scalar(struct perl *perl, struct perl_value *value)
{
    char next = perl_peek(perl, 1), after = perl_peek(perl, 2);
    struct hv_str name;
    perl->at++;
    if (begins_name(next))
        return pass_name(perl, &name) && pass_element(perl, name, value);
    if (is_digit(next))
        return pass_number(perl, value);
    if (next == '{')
        return pass_braced(perl, value);
    if (next == '#')
        return pass_last_index(perl, value);
    if (next == '$' && (begins_name(after) || after == '{' || after == '$'))
        return pass_dereference(perl, true, value);
    return (next != '$' || (after != ':' && after != '\'')) && pass_punctuation(perl, value);
}

/* @x, @x[…], @x{…}, %x, @$x, @{…} */
static bool pass_aggregate(struct perl *perl, struct perl_value *value)
{
    char sign = perl_peek(perl, 0), next = perl_peek(perl, 1);
    struct perl_place place = {sign, (struct hv_str){0}, 1};
    perl->at++;
    if (next == '$' || next == '{') {
        if (!pass_dereference(perl, false, value))
            return false;
    } else if (next == '+' || next == '-') { /* of the last match */
        perl->at++;
        return perl_peek(perl, 0) && strchr(" );}", perl_peek(perl, 0)) && !blanks_hide_subscript(perl) &&
               guard(perl, value);
    } else {
        if (!pass_name(perl, &place.name))
            return false;
        if (sign == '@' && perl_peek(perl, 0) == '{')
            place.kind = '%';
        if (!give_place(perl, place, value))
            return false;
    }
    if (at_subscript(perl))
        return sign == '@' && perl_subscript(perl) && !at_subscript(perl) && !at_arrow(perl);
    return !at_arrow(perl) && !blanks_hide_subscript(perl);
}

bool perl_variable(struct perl *perl, struct perl_value *value)
{
    return perl_peek(perl, 0) == '$' ? pass_scalar(perl, value) : pass_aggregate(perl, value);
}

bool perl_declare(struct perl *perl, struct perl_value *value)
{
    struct perl_place place = {perl_peek(perl, 0), (struct hv_str){0}, perl_peek(perl, 0) != '$'};
    if (!place.kind || !strchr("$@%", place.kind))
        return false;
    perl->at++;
    return pass_name(perl, &place.name) && !at_subscript(perl) && !at_arrow(perl) && give_place(perl, place, value) &&
           !value->guarded;
}
