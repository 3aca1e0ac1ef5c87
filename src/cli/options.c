/* options.c: reads flags by their table. See options.h. */
#include "cli/options.h"

#include <helve/tool.h>

#include <ctype.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/nearest.h"

enum { HELP_COLUMN = 34, HELP_WIDTH = 110 };

/* The parser at work. */
struct parser {
    const struct option *table;
    char *const *arguments;
    size_t count, at;
    struct hv_arena *arena;
    char *out;
    struct options_rest *rest;
    struct hv_error *err;
};

/* ---- finding a row --------------------------------------------------------------------------------------------- */

/* The next byte of a name that counts: letters in lower case, no '-' and no '_'. */
static int next_letter(struct hv_str name, size_t *at)
{
    while (*at < name.len && (name.ptr[*at] == '-' || name.ptr[*at] == '_'))
        ++*at;
    return *at < name.len ? tolower((unsigned char)name.ptr[(*at)++]) : 0;
}

static bool same_name(struct hv_str a, struct hv_str b)
{
    size_t i = 0, j = 0;
    for (;;) {
        int left = next_letter(a, &i), right = next_letter(b, &j);
        if (left != right)
            return false;
        if (!left)
            return true;
    }
}

/* The row of that name or letter, and the base of its struct. */
static const struct option *find(const struct option *table, struct hv_str name, char letter, char **base)
{
    for (const struct option *row = table; row->type != OPTION_END; row++) {
        if (row->type == OPTION_TABLE) {
            char *inner = *base + row->offset;
            const struct option *found = find(row->table, name, letter, &inner);
            if (found) {
                *base = inner;
                return found;
            }
        } else if (letter ? row->letter == letter : same_name(hv_str_from(row->name), name)) {
            return row;
        }
    }
    return NULL;
}

static void collect_names(const struct option *table, struct hv_str *names, size_t max, size_t *count)
{
    for (const struct option *row = table; row->type != OPTION_END; row++) {
        if (row->type == OPTION_TABLE)
            collect_names(row->table, names, max, count);
        else if (*count < max && !row->hidden)
            names[(*count)++] = hv_str_from(row->name);
    }
}

static enum hv_code unknown_flag(struct parser *parser, struct hv_str flag)
{
    struct hv_str names[128];
    size_t count = 0, equals = hv_str_find_byte(flag, '=', 0), dashes = hv_str_starts(flag, HV_STR("--")) ? 2 : 1;
    struct hv_str name = hv_str_slice(flag, dashes, equals);
    collect_names(parser->table, names, sizeof names / sizeof *names, &count);
    struct hv_str near = nearest_name(name, names, count);
    hv_fail(parser->err, HV_EINVAL, "unknown flag %.*s", HV_STR_ARG(hv_str_slice(flag, 0, equals)));
    if (near.ptr)
        hv_error_hint(parser->err, "did you mean --%.*s?", HV_STR_ARG(near));
    return HV_EINVAL;
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

static bool is_known_tool(struct hv_str text)
{
    size_t count;
    const struct hv_tool *const *tools = hv_builtin_tools(&count);
    for (size_t i = 0; i < count; i++)
        if (hv_tool_is_named(tools[i], text))
            return true;
    return false;
}

/* True for the name of a built-in tool, and for what has the form of a rule: "Bash(git diff:*)", "mcp__server". */
static bool options_is_rule(struct hv_str text)
{
    size_t open = hv_str_find_byte(text, '(', 0);
    struct hv_str name = hv_str_slice(text, 0, open);
    for (size_t i = 0; i < name.len; i++)
        if (!isalnum((unsigned char)name.ptr[i]) && name.ptr[i] != '_' && name.ptr[i] != '*')
            return false;
    if (open != SIZE_MAX && name.len > 0 && hv_str_ends(text, HV_STR(")")))
        return true;
    return open == SIZE_MAX && (hv_str_starts(text, HV_STR("mcp__")) || is_known_tool(text));
}

static void add_item(struct parser *parser, struct option_list *list, struct hv_str item)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 8;
        struct hv_str *items = hv_arena_array(parser->arena, struct hv_str, capacity);
        for (size_t i = 0; i < list->count; i++)
            items[i] = list->items[i];
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
}

/* "Bash(git diff:*), Read" has two elements: commas and blanks count outside parentheses only. */
static void add_rules(struct parser *parser, struct option_list *list, struct hv_str text)
{
    size_t depth = 0, start = 0;
    for (size_t i = 0; i <= text.len; i++) {
        char c = i < text.len ? text.ptr[i] : ',';
        if (c == '(')
            depth++;
        else if (c == ')' && depth > 0)
            depth--;
        if (i < text.len && (depth > 0 || (c != ',' && c != ' ')))
            continue;
        if (i > start)
            add_item(parser, list, hv_str_slice(text, start, i));
        start = i + 1;
    }
}

static enum hv_code wrong_value(struct parser *parser, const struct option *row, struct hv_str value,
                                const char *wanted)
{
    return hv_fail(parser->err, HV_EINVAL, "--%s: expected %s, got \"%.*s\"", row->name, wanted, HV_STR_ARG(value));
}

static enum hv_code set_choice(struct parser *parser, const struct option *row, struct hv_str value, int *out)
{
    struct hv_str names[16];
    size_t count = 0;
    for (; row->choices[count]; count++) {
        names[count] = hv_str_from(row->choices[count]);
        if (same_name(value, names[count])) {
            *out = (int)count + 1;
            return HV_OK;
        }
    }
    CLEANUP_BUF struct hv_buf list = {0};
    hv_buf_init(&list, 1024);
    for (size_t i = 0; i < count; i++)
        hv_buf_addf(&list, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", row->choices[i]);
    wrong_value(parser, row, value, list.data);
    struct hv_str near = nearest_name(value, names, count);
    if (near.ptr)
        hv_error_hint(parser->err, "did you mean %.*s?", HV_STR_ARG(near));
    return HV_EINVAL;
}

static enum hv_code set_number(struct parser *parser, const struct option *row, struct hv_str value, double *out)
{
    char *text = hv_arena_cstr(parser->arena, value), *end;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number) || number < 0)
        return wrong_value(parser, row, value, "a number");
    *out = number;
    return HV_OK;
}

static enum hv_code set_integer(struct parser *parser, const struct option *row, struct hv_str value, int64_t *out)
{
    int64_t number;
    if (!hv_str_to_int64(value, &number))
        return wrong_value(parser, row, value, "a whole number");
    if (number < row->minimum)
        return hv_fail(parser->err, HV_EINVAL, "--%s: %lld is too small, the least is %lld", row->name,
                       (long long)number, (long long)row->minimum);
    *out = number;
    return HV_OK;
}

static void take_more_rules(struct parser *parser, struct option_list *list)
{
    while (parser->at < parser->count && options_is_rule(hv_str_from(parser->arguments[parser->at])))
        add_item(parser, list, hv_str_from(parser->arguments[parser->at++]));
}

static enum hv_code set_value(struct parser *parser, const struct option *row, char *base, struct hv_str value)
{
    void *member = base + row->offset;
    struct option_list *list = member;
    switch (row->type) {
    case OPTION_TEXT: *(struct hv_str *)member = value; return HV_OK;
    case OPTION_INTEGER: return set_integer(parser, row, value, member);
    case OPTION_NUMBER: return set_number(parser, row, value, member);
    case OPTION_CHOICE: return set_choice(parser, row, value, member);
    case OPTION_LIST:
        list->given = true;
        add_item(parser, list, value);
        return HV_OK;
    default:
        list->given = true;
        add_rules(parser, list, value);
        take_more_rules(parser, list);
        return HV_OK;
    }
}

/* ---- arguments ------------------------------------------------------------------------------------------------- */

/* A flag was recognised; given: the value after "=", or absent. */
static enum hv_code take_flag(struct parser *parser, const struct option *row, char *base, struct hv_str given)
{
    if (row->type == OPTION_FLAG) {
        if (given.ptr)
            return hv_fail(parser->err, HV_EINVAL, "--%s takes no value", row->name);
        *(bool *)(base + row->offset) = true;
        return HV_OK;
    }
    if (given.ptr)
        return set_value(parser, row, base, given);
    bool has_next = parser->at < parser->count;
    bool next_is_flag = has_next && parser->arguments[parser->at][0] == '-' && parser->arguments[parser->at][1];
    if (row->value_optional && (!has_next || next_is_flag)) {
        *(struct hv_str *)(base + row->offset) = HV_STR("");
        return HV_OK;
    }
    if (!has_next) {
        hv_fail(parser->err, HV_EINVAL, "--%s needs a value", row->name);
        hv_error_hint(parser->err, "write --%s %s", row->name, row->value);
        return HV_EINVAL;
    }
    return set_value(parser, row, base, hv_str_from(parser->arguments[parser->at++]));
}

static enum hv_code take_long(struct parser *parser, struct hv_str argument)
{
    size_t equals = hv_str_find_byte(argument, '=', 0);
    char *base = parser->out;
    const struct option *row = find(parser->table, hv_str_slice(argument, 2, equals), 0, &base);
    if (!row)
        return unknown_flag(parser, argument);
    struct hv_str given = {0};
    if (equals != SIZE_MAX)
        given = hv_str_slice(argument, equals + 1, argument.len);
    return take_flag(parser, row, base, given);
}

/* "-pc" is "-p -c"; a letter that takes a value takes the rest of the argument, or the next one. */
static enum hv_code take_letters(struct parser *parser, struct hv_str argument)
{
    for (size_t i = 1; i < argument.len; i++) {
        char *base = parser->out;
        const struct option *row = find(parser->table, (struct hv_str){0}, argument.ptr[i], &base);
        if (!row)
            return unknown_flag(parser, argument);
        bool rest = row->type != OPTION_FLAG && i + 1 < argument.len;
        enum hv_code code =
            take_flag(parser, row, base, rest ? hv_str_slice(argument, i + 1, argument.len) : (struct hv_str){0});
        if (code != HV_OK || rest)
            return code;
    }
    return HV_OK;
}

static bool asks_for_help(char *const *arguments, size_t count)
{
    for (size_t i = 0; i < count && !hv_str_is(hv_str_from(arguments[i]), "--"); i++)
        if (hv_str_is(hv_str_from(arguments[i]), "--help") || hv_str_is(hv_str_from(arguments[i]), "-h"))
            return true;
    return false;
}

enum hv_code options_parse(const struct option *table, char *const *arguments, size_t count, struct hv_arena *arena,
                           void *out, struct options_rest *rest, struct hv_error *err)
{
    struct parser parser = {
        .table = table, .arguments = arguments, .count = count, .arena = arena, .out = out, .rest = rest, .err = err};
    *rest = (struct options_rest){.arguments = hv_arena_array(arena, struct hv_str, count)};
    rest->help = asks_for_help(arguments, count);
    bool flags_ended = false;
    while (!rest->help && parser.at < count) {
        struct hv_str argument = hv_str_from(arguments[parser.at++]);
        enum hv_code code = HV_OK;
        if (!flags_ended && hv_str_is(argument, "--"))
            flags_ended = true;
        else if (flags_ended || argument.len < 2 || argument.ptr[0] != '-')
            rest->arguments[rest->count++] = argument;
        else if (argument.ptr[1] == '-')
            code = take_long(&parser, argument);
        else
            code = take_letters(&parser, argument);
        if (code != HV_OK)
            return code;
    }
    return HV_OK;
}

/* ---- help ------------------------------------------------------------------------------------------------------- */

/* Words from the current column on, broken at the width, continued at the help column. */
static void put_wrapped(struct hv_buf *out, struct hv_str text)
{
    size_t column = HELP_COLUMN;
    struct hv_str word;
    bool first = true;
    while (hv_str_split(&text, ' ', &word)) {
        if (!first && column + 1 + word.len > HELP_WIDTH) {
            hv_buf_addf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
            first = true;
        }
        hv_buf_addf(out, "%s%.*s", first ? "" : " ", HV_STR_ARG(word));
        column += word.len + !first;
        first = false;
    }
    hv_buf_add_byte(out, '\n');
}

static void put_row(const struct option *row, struct hv_buf *out)
{
    char letter[8] = "    ";
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    size_t start = out->len;
    hv_buf_addf(out, "  %s--%s", letter, row->name);
    if (row->value)
        hv_buf_addf(out, row->value_optional ? " [%s]" : " %s", row->value);
    size_t used = out->len - start;
    if (used + 2 > HELP_COLUMN)
        hv_buf_addf(out, "\n%*s", HELP_COLUMN, "");
    else
        hv_buf_addf(out, "%*s", (int)(HELP_COLUMN - used), "");
    put_wrapped(out, hv_str_from(row->help));
}

void options_help(const struct option *table, struct hv_buf *out)
{
    for (const struct option *row = table; row->type != OPTION_END; row++) {
        if (row->type == OPTION_TABLE)
            options_help(row->table, out);
        else if (!row->hidden)
            put_row(row, out);
    }
}
