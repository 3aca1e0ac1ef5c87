/* lists.c: arrays of words that are written out: files=(src/a.c 'b c'), and what "${files[@]}" becomes. */
#include "shell/resolve.h"

/* The word at *at of the text between the parentheses: of plain bytes, or one pair of quotes around such and blanks. */
static bool take_element(struct hv_str text, size_t *at, struct hv_str *element)
{
    size_t from = *at, end = from;
    char quote = text.ptr[from] == '\'' || text.ptr[from] == '"' ? text.ptr[from] : 0;
    for (end += quote != 0; end < text.len && text.ptr[end] != quote; end++) {
        char byte = text.ptr[end];
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
        if (!quote && byte && strchr(" \t\n", byte))
            break;
        if (!byte || (!letter && !strchr(quote ? "_./-+@,:%= " : "_./-+@,:%", byte)))
            return false;
    }
    if (quote && (end == text.len || (end + 1 < text.len && !strchr(" \t\n", text.ptr[end + 1]))))
        return false;
    *element = hv_str_slice(text, from + (quote != 0), end);
    *at = end + (quote != 0);
    return true;
}

uint32_t list_read(struct resolver *resolver, struct hv_str text)
{
    struct hv_str elements[SHELL_CHOICES_MAX];
    size_t count = 0;
    if (resolver->now.off || text.len < 2 || text.ptr[0] != '(' || text.ptr[text.len - 1] != ')')
        return 0;
    text = hv_str_slice(text, 1, text.len - 1);
    for (size_t at = 0; at < text.len;) {
        if (strchr(" \t\n", text.ptr[at])) {
            at++;
            continue;
        }
        if (count == SHELL_CHOICES_MAX || !take_element(text, &at, &elements[count++]))
            return 0;
    }
    return choices_add(resolver, read_copy(resolver->reader, elements, count, sizeof *elements), count, 0);
}

uint32_t list_append(struct resolver *resolver, uint32_t a, uint32_t b)
{
    if (!a || !b)
        return 0;
    struct shell_choices first = *choices_at(resolver, a), more = *choices_at(resolver, b);
    struct hv_str *elements = hv_arena_array(resolver->arena, struct hv_str, first.count + more.count);
    memcpy(elements, first.values, first.count * sizeof *elements);
    memcpy(elements + first.count, more.values, more.count * sizeof *elements);
    return choices_add(resolver, elements, first.count + more.count, 0);
}

uint32_t list_words(struct resolver *resolver, const struct part *part)
{
    uint32_t list = hv_str_is(part->subscript, "@") ? variable_list(resolver, part->text) : 0;
    if (!list || part->form == FORM_PLAIN)
        return list;
    if (part->form != FORM_NAMES)
        return 0;
    uint32_t count = choices_at(resolver, list)->count;
    struct hv_str *numbers = hv_arena_array(resolver->arena, struct hv_str, count);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = hv_arena_format(resolver->arena, "%u", (unsigned)i);
    return choices_add(resolver, numbers, count, 0);
}
