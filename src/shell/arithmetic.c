/*
 * arithmetic.c: whether evaluating an arithmetic expression is harmless. bash evaluates what variables hold, again and
 * again: a value may be an assignment, or a subscript with a command in it. Over numbers alone nothing can happen.
 */
#include "shell/resolve.h"

static bool is_harmless(enum value_state state, struct hv_str value)
{
    return state == VALUE_NUMBER || state == VALUE_COUNT || state == VALUE_PLACE ||
           (state == VALUE_KNOWN && variable_is_number(value));
}

/* The parts within: only numbers may be put into the text. *place: one may be a word instead, see VALUE_PLACE. */
static bool inner_is_plain(struct resolver *resolver, const struct part *inner, size_t count, bool *place)
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
        if (inner[i].kind == PART_COMMAND) {
            enum value_state printed = substitution_counts(resolver, &inner[i]);
            *place |= printed == VALUE_PLACE;
            if (printed == VALUE_UNKNOWN)
                return false;
            continue;
        }
        if (inner[i].kind != PART_VARIABLE || inner[i].element || inner[i].inner_count)
            return false;
        if (inner[i].form == FORM_LENGTH)
            continue;
        if (inner[i].form != FORM_PLAIN || inner[i].list)
            return false;
        enum value_state state = variable_get(resolver, inner[i].text, &value);
        if (!is_harmless(state, value))
            return false;
        *place |= state == VALUE_PLACE;
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
    return is_harmless(state, value);
}

/* What stands behind a name is put together with it: a$n, a"b". */
static bool is_joined(struct hv_str text, size_t at)
{
    return at < text.len && (text.ptr[at] == '$' || text.ptr[at] == '"');
}

/* What stands at `at`, behind an expansion, would be one name with it. */
static bool is_continued(struct hv_str text, size_t at)
{
    return at < text.len && (is_joined(text, at) || text.ptr[at] == '`' || read_identifier(text, at) ||
                             (text.ptr[at] >= '0' && text.ptr[at] <= '9'));
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
    bool place = false;
    if (!inner_is_plain(resolver, inner, inner_count, &place))
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
            if (!length || (place && is_continued(text, at + length)))
                return false;
        } else if (strchr(" \t\n+-*/%<>=!&|^~?:(),\"", byte)) {
            length = 1;
        } else {
            return false;
        }
    }
    return true;
}

/* ---- what it comes to -------------------------------------------------------------------------------------------- */

/* An expression of known numbers, while it is evaluated: + - * / % and parentheses, nothing else. */
struct sum {
    struct resolver *resolver;
    struct hv_str text;
    size_t at;
    unsigned depth;
};

static int next_byte(struct sum *sum)
{
    while (sum->at < sum->text.len && strchr(" \t\n", sum->text.ptr[sum->at]))
        sum->at++;
    return sum->at < sum->text.len ? sum->text.ptr[sum->at] : -1;
}

/* The operator at the place, of those in `operators`, and not doubled (++, **); 0: none. It is stepped over. */
static char take_operator(struct sum *sum, const char *operators)
{
    int byte = next_byte(sum);
    if (byte <= 0 || !strchr(operators, byte) || (sum->at + 1 < sum->text.len && sum->text.ptr[sum->at + 1] == byte))
        return 0;
    sum->at++;
    return (char)byte;
}

static bool sum_up(struct sum *sum, int64_t *value);

/* A name, $name or ${name}. Behind "$" the value becomes part of the text: its minus might be read otherwise there. */
static bool take_variable(struct sum *sum, bool expanded, int64_t *value)
{
    struct hv_str text;
    bool braces = expanded && sum->at < sum->text.len && sum->text.ptr[sum->at] == '{';
    size_t from = sum->at + braces, length = read_identifier(sum->text, from);
    struct hv_str name = hv_str_slice(sum->text, from, from + length);
    sum->at = from + length;
    if (!length || (braces && next_byte(sum) != '}'))
        return false;
    sum->at += braces;
    return variable_get(sum->resolver, name, &text) == VALUE_KNOWN && variable_is_number(text) &&
           !(expanded && *text.ptr == '-') && hv_str_to_int64(text, value);
}

/* Digits, without a leading zero, which would be octal, or a base. */
static bool take_number(struct sum *sum, int64_t *value)
{
    size_t from = sum->at, length = number_length(sum->text, from);
    struct hv_str digits = hv_str_slice(sum->text, from, from + length);
    sum->at += length;
    return variable_is_number(digits) && hv_str_to_int64(digits, value);
}

static bool take_operand(struct sum *sum, int64_t *value)
{
    char sign = take_operator(sum, "+-");
    if (sign) {
        if (next_byte(sum) == '+' || next_byte(sum) == '-' || !take_operand(sum, value))
            return false;
        return sign == '+' || !__builtin_sub_overflow((int64_t)0, *value, value);
    }
    int byte = next_byte(sum);
    if (byte >= '0' && byte <= '9')
        return take_number(sum, value);
    if (byte == '(') {
        sum->at++;
        if (!sum_up(sum, value) || next_byte(sum) != ')')
            return false;
        sum->at++;
        return true;
    }
    sum->at += byte == '$';
    return take_variable(sum, byte == '$', value);
}

static bool multiply(struct sum *sum, int64_t *value)
{
    int64_t other;
    if (!take_operand(sum, value))
        return false;
    for (char sign; (sign = take_operator(sum, "*/%"));) {
        if (!take_operand(sum, &other) || (sign != '*' && (other == 0 || other == -1)))
            return false;
        if (sign == '*' && __builtin_mul_overflow(*value, other, value))
            return false;
        *value = sign == '/' ? *value / other : sign == '%' ? *value % other : *value;
    }
    return true;
}

static bool sum_up(struct sum *sum, int64_t *value)
{
    enum { DEPTH_MAX = 32 };
    int64_t other;
    if (++sum->depth > DEPTH_MAX || !multiply(sum, value))
        return false;
    for (char sign; (sign = take_operator(sum, "+-"));)
        if (!multiply(sum, &other) ||
            (sign == '+' ? __builtin_add_overflow(*value, other, value) : __builtin_sub_overflow(*value, other, value)))
            return false;
    sum->depth--;
    return true;
}

bool arithmetic_value(struct resolver *resolver, struct hv_str text, int64_t *value)
{
    struct sum sum = {.resolver = resolver, .text = text};
    return sum_up(&sum, value) && next_byte(&sum) < 0;
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

bool shell_arithmetic_assigns(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i], next = i + 1 < text.len ? text.ptr[i + 1] : 0;
        if ((byte == '+' || byte == '-') && next == byte)
            return true;
        if (byte != '=')
            continue;
        if (next == '=')
            i++;
        else if (!i || !strchr("!<>", text.ptr[i - 1]) || (i > 1 && text.ptr[i - 2] == text.ptr[i - 1]))
            return true;
    }
    return false;
}
