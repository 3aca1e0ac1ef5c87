/*
 * arithmetic.c: whether evaluating an arithmetic expression is harmless. bash evaluates what variables hold, again and
 * again: a value may be an assignment, or a subscript with a command in it. Over numbers alone nothing can happen.
 */
#include "shell/resolve.h"

/* The parts within: only numbers may be put into the text. */
static bool inner_is_plain(struct resolver *resolver, const struct part *inner, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct hv_str value;
        if (inner[i].kind == PART_TEXT && !inner[i].text.len)
            continue; /* from double quotes around an expansion */
        if (inner[i].kind == PART_ARITHMETIC) {
            if (!arithmetic_is_plain(resolver, inner[i].text, inner[i].inner, inner[i].inner_count, false))
                return false;
            continue;
        }
        if (inner[i].kind == PART_COMMAND && substitution_counts(resolver, &inner[i]))
            continue;
        if (inner[i].kind != PART_VARIABLE || inner[i].element || inner[i].inner_count)
            return false;
        if (inner[i].form == FORM_LENGTH)
            continue;
        if (inner[i].form != FORM_PLAIN || inner[i].list)
            return false;
        enum value_state state = variable_get(resolver, inner[i].text, &value);
        if (state != VALUE_NUMBER && state != VALUE_COUNT && !(state == VALUE_KNOWN && variable_is_number(value)))
            return false;
    }
    return true;
}

/* The length of the expansion at the "$" at `at`: its parts are judged on their own. 0: not one that is plain. */
static size_t expansion_length(struct hv_str text, size_t at)
{
    char next = at + 1 < text.len ? text.ptr[at + 1] : 0;
    size_t length = read_identifier(text, at + 1), depth = 0;
    if (length)
        return length + 1;
    if ((next >= '0' && next <= '9') || next == '#' || next == '?' || next == '$')
        return 2;
    if (next != '{' && next != '(')
        return 0;
    char open = next, close = next == '{' ? '}' : ')';
    for (size_t i = at + 1; i < text.len; i++) {
        depth += text.ptr[i] == open;
        depth -= text.ptr[i] == close;
        if (!depth)
            return i + 1 - at;
    }
    return 0;
}

static size_t number_length(struct hv_str text, size_t at)
{
    size_t end = at;
    while (end < text.len && (read_identifier(text, end) || (text.ptr[end] >= '0' && text.ptr[end] <= '9') ||
                              (text.ptr[end] == '#' && end > at)))
        end++;
    return end - at;
}

static bool name_is_number(struct resolver *resolver, struct hv_str name)
{
    struct hv_str value;
    enum value_state state = variable_get(resolver, name, &value);
    return state == VALUE_NUMBER || state == VALUE_COUNT || (state == VALUE_KNOWN && variable_is_number(value));
}

/* What stands behind a name is put together with it: a$n, a"b". */
static bool is_joined(struct hv_str text, size_t at)
{
    return at < text.len && (text.ptr[at] == '$' || text.ptr[at] == '"');
}

/* `=` and no other operator behind the name that ends at `at`: its former value is not looked at. */
static bool is_assigned(struct hv_str text, size_t at)
{
    while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '\t'))
        at++;
    return at < text.len && text.ptr[at] == '=' && !(at + 1 < text.len && text.ptr[at + 1] == '=');
}

/* A name at `at` in an expression. straight: no part of it may be left out. */
static bool name_is_plain(struct resolver *resolver, struct hv_str text, size_t at, size_t length, bool straight)
{
    struct hv_str name = hv_str_slice(text, at, at + length);
    if (!is_assigned(text, at + length))
        return name_is_number(resolver, name);
    if (straight)
        variable_set(resolver, name, VALUE_NUMBER, (struct hv_str){0});
    return true;
}

bool arithmetic_is_plain(struct resolver *resolver, struct hv_str text, const struct part *inner, size_t inner_count,
                         bool assigns)
{
    /* What stands in it is expanded before anything of it is evaluated. */
    if (!inner_is_plain(resolver, inner, inner_count))
        return false;
    bool straight = assigns && hv_str_find_byte(text, '?', 0) == SIZE_MAX &&
                    hv_str_find_byte(text, '&', 0) == SIZE_MAX && hv_str_find_byte(text, '|', 0) == SIZE_MAX;
    for (size_t at = 0, length; at < text.len; at += length) {
        char byte = text.ptr[at];
        length = read_identifier(text, at);
        if (length) {
            if (is_joined(text, at + length) || !name_is_plain(resolver, text, at, length, straight))
                return false;
        } else if (byte >= '0' && byte <= '9') {
            length = number_length(text, at);
        } else if (byte == '$') {
            length = expansion_length(text, at);
            if (!length)
                return false;
        } else if (strchr(" \t\n+-*/%<>=!&|^~?:(),\"", byte)) {
            length = 1;
        } else {
            return false;
        }
    }
    return true;
}

void arithmetic_demote(struct resolver *resolver, struct hv_str text)
{
    bool changes = hv_str_find(text, HV_STR("++"), 0) != SIZE_MAX || hv_str_find(text, HV_STR("--"), 0) != SIZE_MAX ||
                   hv_str_find_byte(text, '=', 0) != SIZE_MAX;
    for (size_t at = 0, length; changes && at < text.len; at += length ? length : 1) {
        length = read_identifier(text, at);
        if (!length && text.ptr[at] >= '0' && text.ptr[at] <= '9')
            length = number_length(text, at);
        else if (length && (!at || text.ptr[at - 1] != '$'))
            variable_demote(resolver, hv_str_slice(text, at, at + length));
    }
}
