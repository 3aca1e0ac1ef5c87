/*
 * expansions.c: ${x%.c}, ${x##*}, ${x/a/b}, ${x:-y}, ${#x} and the like over values that are known, exactly as bash
 * computes them. Only over ASCII, and with patterns of plain bytes, "*" and "?": with brackets, quotes and escapes, and
 * in other locales, bash has rules of its own, and what it makes is not known then.
 */
#include "shell/resolve.h"

enum {
    TEXT_MAX = 256, /* of a value or an operand, and what they become */
    MADE_MAX = 1024,
    MATCHED_MAX = 8 << 10, /* bytes that are compared with patterns, in one script */
};

static bool is_ascii(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] >= 0x80 || !text.ptr[i])
            return false;
    return text.len <= TEXT_MAX;
}

static bool is_letter_or_digit(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

enum operand { OPERAND_TEXT, OPERAND_PATTERN, OPERAND_REPLACEMENT };

/* $name or ${name} at *at, of plain bytes: neither a pattern nor anything else that the operand is read for. */
static bool add_inner(struct resolver *resolver, struct hv_str text, size_t *at, struct hv_buf *out)
{
    bool braces = *at + 1 < text.len && text.ptr[*at + 1] == '{';
    size_t from = *at + 1 + braces, length = read_identifier(text, from);
    struct hv_str value;
    if (!length || (braces && (from + length >= text.len || text.ptr[from + length] != '}')) ||
        variable_get(resolver, hv_str_slice(text, from, from + length), &value) != VALUE_KNOWN)
        return false;
    for (size_t i = 0; i < value.len; i++)
        if (!is_letter_or_digit(value.ptr[i]) && !(i && strchr("_./-", value.ptr[i])))
            return false;
    hv_buf_add_str(out, value);
    *at = from + length + braces;
    return true;
}

/* The operand, or a part of it, after its own expansion; false: it has something that is not modelled. */
static bool read_operand(struct resolver *resolver, struct hv_str text, enum operand kind, struct hv_buf *out)
{
    for (size_t at = 0; at < text.len;) {
        char byte = text.ptr[at];
        bool plain = is_letter_or_digit(byte) || (byte && strchr("_./-+=:,@ ", byte));
        bool special = kind == OPERAND_PATTERN && (byte == '*' || byte == '?');
        bool slash = kind == OPERAND_PATTERN && byte == '\\' && at + 1 < text.len && text.ptr[at + 1] == '/';
        if (byte == '$') {
            if (!add_inner(resolver, text, &at, out))
                return false;
            continue;
        }
        if (!plain && !special && !slash)
            return false;
        at += slash;
        hv_buf_add_byte(out, text.ptr[at++]);
    }
    return !out->failed;
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

/* All of text fits pattern. When too much was compared, nothing does, and matched says so. */
static bool fits(struct resolver *resolver, struct hv_str pattern, struct hv_str text)
{
    size_t at = 0, in = 0, star = SIZE_MAX, back = 0;
    while (at < text.len && resolver->matched <= MATCHED_MAX) {
        resolver->matched++;
        if (in < pattern.len && pattern.ptr[in] == '*') {
            star = in++;
            back = at;
        } else if (in < pattern.len && (pattern.ptr[in] == '?' || pattern.ptr[in] == text.ptr[at])) {
            in++, at++;
        } else if (star != SIZE_MAX) {
            in = star + 1;
            at = ++back;
        } else {
            return false;
        }
    }
    while (in < pattern.len && pattern.ptr[in] == '*')
        in++;
    resolver->matched++;
    return at == text.len && in == pattern.len;
}

/* ${x#p}, ${x##p}, ${x%p}, ${x%%p} */
static struct hv_str remove_part(struct resolver *resolver, struct hv_str value, struct hv_str pattern, bool behind,
                                 bool longest)
{
    for (size_t i = 0; i <= value.len; i++) {
        size_t length = longest ? value.len - i : i;
        struct hv_str piece =
            behind ? hv_str_slice(value, value.len - length, value.len) : hv_str_slice(value, 0, length);
        if (fits(resolver, pattern, piece))
            return behind ? hv_str_slice(value, 0, value.len - length) : hv_str_slice(value, length, value.len);
    }
    return value;
}

/* The longest stretch from `at` on that fits; SIZE_MAX: none. */
static size_t longest_fit(struct resolver *resolver, struct hv_str value, struct hv_str pattern, size_t at)
{
    for (size_t end = value.len + 1; end-- > at;)
        if (fits(resolver, pattern, hv_str_slice(value, at, end)))
            return end;
    return SIZE_MAX;
}

/* An operation, with its operands expanded. */
struct operation {
    char kind;    /* '#', '%', '/', '^', ',', '-', '+', ':' or 'l' for the length */
    bool doubled; /* ##, %%, //, ^^, and :- and :+, which take empty for unset */
    char anchor;  /* '#', '%' of a replacement; or 0 */
    struct hv_str pattern, text;
    int64_t from, length; /* of a slice; length < 0: to the end */
};

static bool replace(struct resolver *resolver, const struct operation *operation, struct hv_str value,
                    struct hv_buf *out)
{
    struct hv_str pattern = operation->pattern;
    bool done = false;
    for (size_t at = 0; at < value.len;) {
        size_t end = done ? SIZE_MAX : longest_fit(resolver, value, pattern, at);
        bool wrong = (operation->anchor == '#' && at) || (operation->anchor == '%' && end != value.len);
        if (end == SIZE_MAX || wrong) {
            hv_buf_add_byte(out, value.ptr[at++]);
            continue;
        }
        hv_buf_add_str(out, operation->text);
        done = !operation->doubled;
        at = end;
    }
    return !out->failed && resolver->matched <= MATCHED_MAX;
}

/* ---- one value --------------------------------------------------------------------------------------------------- */

static struct hv_str change_case(struct resolver *resolver, const struct operation *operation, struct hv_str value)
{
    char *bytes = hv_arena_alloc(resolver->arena, value.len + 1), low = operation->kind == '^' ? 'a' : 'A';
    for (size_t i = 0; i < value.len; i++) {
        bool change = (operation->doubled || !i) && value.ptr[i] >= low && value.ptr[i] <= low + 25;
        bytes[i] = (char)(change ? value.ptr[i] ^ 0x20 : value.ptr[i]);
    }
    return hv_str_of(bytes, value.len);
}

static bool cut_slice(const struct operation *operation, struct hv_str value, struct hv_str *out)
{
    int64_t size = (int64_t)value.len, from = operation->from < 0 ? size + operation->from : operation->from;
    if (from < 0 || from > size)
        return false;
    int64_t rest = size - from, length = operation->length < 0 || operation->length > rest ? rest : operation->length;
    *out = hv_str_slice(value, (size_t)from, (size_t)(from + length));
    return true;
}

static bool compute(struct resolver *resolver, const struct operation *operation, struct hv_str value,
                    struct hv_str *out)
{
    if (!is_ascii(value))
        return false;
    switch (operation->kind) {
    case 'l': *out = hv_arena_format(resolver->arena, "%zu", value.len); return true;
    case '#':
    case '%':
        *out = remove_part(resolver, value, operation->pattern, operation->kind == '%', operation->doubled);
        return resolver->matched <= MATCHED_MAX;
    case '^':
    case ',': *out = change_case(resolver, operation, value); return true;
    case '-': *out = value.len || !operation->doubled ? value : operation->text; return true;
    case '+': *out = value.len || !operation->doubled ? operation->text : value; return true;
    case ':': return cut_slice(operation, value, out);
    case '/':
    default: break;
    }
    struct hv_buf made;
    hv_buf_init(&made, MADE_MAX);
    bool good = replace(resolver, operation, value, &made);
    *out = good ? hv_arena_str(resolver->arena, hv_buf_str(&made)) : (struct hv_str){0};
    hv_buf_release(&made);
    return good;
}

/* ---- the operation ----------------------------------------------------------------------------------------------- */

static bool take_operand(struct resolver *resolver, struct hv_str text, enum operand kind, struct hv_str *out)
{
    struct hv_buf operand;
    hv_buf_init(&operand, TEXT_MAX);
    bool good = read_operand(resolver, text, kind, &operand);
    *out = good ? hv_arena_str(resolver->arena, hv_buf_str(&operand)) : (struct hv_str){0};
    hv_buf_release(&operand);
    return good;
}

/* Settings under which letters are compared otherwise. */
static bool sets_options(const struct resolver *resolver)
{
    const struct reader *reader = resolver->reader;
    for (size_t i = 0; i < reader->nodes.count; i++)
        if (reader->nodes.items[i].word_count &&
            hv_str_find(reader->nodes.items[i].words[0].text, HV_STR("shopt"), 0) != SIZE_MAX)
            return true;
    return false;
}

/* /pattern/text: a pattern that fits nothing at all (only "*" does) has rules of its own. */
static bool read_replacement(struct resolver *resolver, struct hv_str text, struct operation *operation)
{
    size_t slash = 0;
    operation->doubled = text.len && text.ptr[0] == '/';
    text = hv_str_slice(text, operation->doubled, text.len);
    if (!operation->doubled && text.len && strchr("#%", text.ptr[0])) {
        operation->anchor = text.ptr[0];
        text = hv_str_slice(text, 1, text.len);
    }
    while (slash < text.len && text.ptr[slash] != '/')
        slash += text.ptr[slash] == '\\' ? 2 : 1;
    if (slash > text.len || sets_options(resolver) ||
        !take_operand(resolver, hv_str_slice(text, 0, slash), OPERAND_PATTERN, &operation->pattern) ||
        !take_operand(resolver, hv_str_slice(text, slash + 1, text.len), OPERAND_REPLACEMENT, &operation->text))
        return false;
    for (size_t i = 0; i < operation->pattern.len; i++)
        if (operation->pattern.ptr[i] != '*')
            return true;
    return false;
}

/* "0:5", "2", " -3": numbers as they are written. */
static bool read_slice_numbers(struct hv_str text, struct operation *operation)
{
    size_t colon = hv_str_find_byte(text, ':', 0);
    struct hv_str from = hv_str_trim(hv_str_slice(text, 0, colon));
    operation->length = -1;
    if (!variable_is_number(from) || !hv_str_to_int64(from, &operation->from))
        return false;
    if (colon == SIZE_MAX)
        return true;
    struct hv_str length = hv_str_trim(hv_str_slice(text, colon + 1, text.len));
    return variable_is_number(length) && hv_str_to_int64(length, &operation->length) && operation->length >= 0;
}

static bool read_operation(struct resolver *resolver, const struct part *part, struct operation *operation)
{
    struct hv_str text = part->subscript;
    if (part->form == FORM_LENGTH || part->form == FORM_SLICE) {
        operation->kind = part->form == FORM_LENGTH ? 'l' : ':';
        return part->form == FORM_LENGTH || read_slice_numbers(text, operation);
    }
    bool colon = text.len > 1 && text.ptr[0] == ':';
    operation->kind = text.len > (size_t)colon ? text.ptr[colon] : 0;
    operation->doubled = colon;
    text = hv_str_slice(text, 1 + colon, text.len);
    if (operation->kind == '-' || operation->kind == '+')
        return take_operand(resolver, text, OPERAND_TEXT, &operation->text);
    if (operation->kind == '/')
        return read_replacement(resolver, text, operation);
    if (!operation->kind || !strchr("#%^,", operation->kind))
        return false;
    operation->doubled = text.len && text.ptr[0] == operation->kind;
    text = hv_str_slice(text, operation->doubled, text.len);
    return strchr("#%", operation->kind) ? take_operand(resolver, text, OPERAND_PATTERN, &operation->pattern)
                                         : !text.len;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static bool compute_each(struct resolver *resolver, const struct operation *operation, uint32_t index,
                         struct expansion *out)
{
    struct shell_choices choices = *choices_at(resolver, index);
    struct hv_str *values = hv_arena_array(resolver->arena, struct hv_str, choices.count);
    for (uint32_t i = 0; i < choices.count; i++)
        if (!compute(resolver, operation, choices.values[i], &values[i]))
            return false;
    out->choices = choices_add(resolver, values, choices.count, choices.base);
    return out->choices != 0;
}

/* ${#a[@]} */
static bool count_elements(struct resolver *resolver, const struct part *part, struct expansion *out)
{
    uint32_t list = variable_list(resolver, part->text);
    out->known = list != 0;
    if (list)
        out->value = hv_arena_format(resolver->arena, "%u", (unsigned)choices_at(resolver, list)->count);
    return out->known;
}

/* ${a[2]}, ${a[$i]} and ${a[i]}, where i is a number that is known, or one of some. */
static bool take_element(struct resolver *resolver, const struct part *part, struct expansion *out)
{
    uint32_t list = variable_list(resolver, part->text);
    struct hv_str text = part->subscript, number;
    if (!list || part->form != FORM_PLAIN)
        return false;
    struct shell_choices elements = *choices_at(resolver, list), at = {.values = &number, .count = 1};
    bool dollar = text.len && text.ptr[0] == '$';
    struct hv_str name = hv_str_slice(text, dollar, text.len);
    bool named = name.len && read_identifier(name, 0) == name.len;
    uint32_t choices = named ? variable_choices(resolver, name) : 0;
    number = text;
    if (named && variable_get(resolver, name, &number) != VALUE_KNOWN) {
        if (!choices)
            return false;
        at = *choices_at(resolver, choices);
    }
    struct hv_str *values = hv_arena_array(resolver->arena, struct hv_str, at.count);
    for (uint32_t i = 0; i < at.count; i++) {
        int64_t place;
        if (!variable_is_number(at.values[i]) || !hv_str_to_int64(at.values[i], &place) || place < 0 ||
            place >= elements.count)
            return false;
        values[i] = elements.values[place];
    }
    out->known = at.count == 1;
    out->value = values[0];
    out->choices = out->known ? 0 : choices_add(resolver, values, at.count, at.base);
    return out->known || out->choices;
}

bool expansion_of(struct resolver *resolver, const struct part *part, struct expansion *out)
{
    struct operation operation = {0};
    struct hv_str value;
    *out = (struct expansion){0};
    bool parameter = resolver->now.parameters && part->text.len && *part->text.ptr >= '1' && *part->text.ptr <= '9';
    if (resolver->now.off || !(parameter || read_identifier(part->text, 0)))
        return false;
    if (part->element)
        return take_element(resolver, part, out);
    if (part->list)
        return part->form == FORM_LENGTH && hv_str_is(part->subscript, "@") && count_elements(resolver, part, out);
    bool missing = parameter && resolver->now.missing & 1U << (*part->text.ptr - '0');
    if (parameter && (part->text.len > 1 || (missing && part->form != FORM_DEFAULT)))
        return false;
    bool known = variable_get(resolver, part->text, &value) == VALUE_KNOWN;
    uint32_t choices = known ? 0 : variable_choices(resolver, part->text);
    if (!known && !choices)
        return false;
    if (part->form == FORM_PLAIN) {
        *out = (struct expansion){known, value, choices};
        return true;
    }
    bool computed = part->form == FORM_LENGTH || part->form == FORM_SLICE || part->form == FORM_DEFAULT ||
                    part->form == FORM_PATTERN;
    if (!computed || !read_operation(resolver, part, &operation))
        return false;
    /* What a call does not give is empty here, but not set. */
    if (parameter && !operation.doubled && (operation.kind == '-' || operation.kind == '+'))
        return false;
    if (!known)
        return compute_each(resolver, &operation, choices, out);
    out->known = compute(resolver, &operation, value, &out->value);
    return out->known;
}
