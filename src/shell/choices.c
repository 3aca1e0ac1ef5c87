/*
 * choices.c: values of which a variable or a word has one: those that a loop goes through, or that the branches of a
 * condition give. What is computed from such a value keeps its place: in a loop over names, "$f" and "${f%.c}.h" of one
 * round belong together, so both name the same base.
 */
#include "shell/resolve.h"

enum { CHOICES_KEPT_MAX = 256 }; /* in one script */

const struct shell_choices *choices_at(const struct resolver *resolver, uint32_t index)
{
    return &resolver->choices.items[index - 1];
}

uint32_t choices_add(struct resolver *resolver, const struct hv_str *values, size_t count, uint32_t base)
{
    for (size_t i = 0; i < count; i++)
        resolver->bytes_made += values[i].len + 1;
    if (!count || count > SHELL_CHOICES_MAX || resolver->choices.count == CHOICES_KEPT_MAX ||
        resolver->bytes_made > RESOLVE_BYTES_MAX)
        return 0;
    uint32_t own = (uint32_t)resolver->choices.count + 1;
    *vec_push(&resolver->choices) = (struct shell_choices){values, (uint32_t)count, base ? base : own};
    return own;
}

/* The values that a variable has: how many; 0: not certain. */
static size_t values_of(const struct resolver *resolver, const struct variable *variable, struct hv_str *values)
{
    const struct shell_choices *choices = variable->choices ? choices_at(resolver, variable->choices) : NULL;
    if (variable->state == VALUE_KNOWN)
        values[0] = variable->value;
    for (uint32_t i = 0; variable->state != VALUE_KNOWN && choices && i < choices->count; i++)
        values[i] = choices->values[i];
    return variable->state == VALUE_KNOWN ? 1 : choices ? choices->count : 0;
}

uint32_t choices_join(struct resolver *resolver, const struct variable *a, const struct variable *b)
{
    struct hv_str values[2 * SHELL_CHOICES_MAX];
    if (a->state != VALUE_KNOWN && a->choices && a->choices == b->choices)
        return a->choices;
    size_t first = values_of(resolver, a, values), more = first ? values_of(resolver, b, values + first) : 0;
    if (!more || first + more > SHELL_CHOICES_MAX)
        return 0;
    return choices_add(resolver, read_copy(resolver->reader, values, first + more, sizeof *values), first + more, 0);
}

bool choices_are_numbers(const struct resolver *resolver, uint32_t index)
{
    const struct shell_choices *choices = choices_at(resolver, index);
    for (uint32_t i = 0; i < choices->count; i++)
        if (!variable_is_number(choices->values[i]))
            return false;
    return true;
}

bool choices_are_plain(const struct resolver *resolver, uint32_t index)
{
    const struct shell_choices *choices = choices_at(resolver, index);
    for (uint32_t i = 0; i < choices->count; i++) {
        struct hv_str value = choices->values[i];
        for (size_t at = 0; at < value.len; at++)
            if (strchr(" \t\n*?[]\\()", value.ptr[at]))
                return false;
        if (!value.len)
            return false;
    }
    return true;
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* Which value of each gap is taken: gaps of one base take the same one. Counts up like a number; false: back at the
 * beginning. */
struct counter {
    const struct resolver *resolver;
    const struct choice_gap *gaps;
    size_t count;
    uint32_t base[4], at[4], bases;
};

static size_t digit_of(const struct counter *counter, size_t gap)
{
    uint32_t base = choices_at(counter->resolver, counter->gaps[gap].choices)->base;
    size_t digit = 0;
    while (digit < counter->bases && counter->base[digit] != base)
        digit++;
    return digit;
}

/* How many words there are. */
static size_t begin_counter(struct counter *counter)
{
    size_t product = 1;
    for (size_t i = 0; i < counter->count; i++) {
        const struct shell_choices *choices = choices_at(counter->resolver, counter->gaps[i].choices);
        if (digit_of(counter, i) < counter->bases)
            continue;
        counter->base[counter->bases++] = choices->base;
        product *= choices->count;
    }
    return product;
}

static struct hv_str value_of(const struct counter *counter, size_t gap)
{
    return choices_at(counter->resolver, counter->gaps[gap].choices)->values[counter->at[digit_of(counter, gap)]];
}

static void count_up(struct counter *counter)
{
    for (uint32_t digit = 0; digit < counter->bases; digit++) {
        uint32_t values = choices_at(counter->resolver, counter->base[digit])->count;
        if (++counter->at[digit] < values)
            return;
        counter->at[digit] = 0;
    }
}

static struct hv_str fill(struct resolver *resolver, struct hv_str text, const struct counter *counter)
{
    size_t len = text.len, to = 0, from = 0;
    for (size_t i = 0; i < counter->count; i++)
        len += value_of(counter, i).len;
    char *bytes = hv_arena_alloc(resolver->arena, len + 1);
    for (size_t i = 0; i <= counter->count; i++) {
        size_t end = i < counter->count ? counter->gaps[i].at : text.len;
        struct hv_str value = i < counter->count ? value_of(counter, i) : HV_STR("");
        if (end > from)
            memcpy(bytes + to, text.ptr + from, end - from);
        to += end - from;
        if (value.len)
            memcpy(bytes + to, value.ptr, value.len);
        to += value.len;
        from = end;
    }
    return hv_str_of(bytes, len);
}

uint32_t choices_fill(struct resolver *resolver, struct hv_str text, const struct choice_gap *gaps, size_t count)
{
    struct counter counter = {.resolver = resolver, .gaps = gaps, .count = count};
    size_t words = begin_counter(&counter);
    if (count == 1 && !text.len)
        return gaps[0].choices;
    if (words > SHELL_CHOICES_MAX || resolver->bytes_made + words * text.len > RESOLVE_BYTES_MAX)
        return 0;
    struct hv_str *values = hv_arena_array(resolver->arena, struct hv_str, words);
    for (size_t i = 0; i < words; i++, count_up(&counter))
        values[i] = fill(resolver, text, &counter);
    return choices_add(resolver, values, words, counter.bases == 1 ? counter.base[0] : 0);
}

uint32_t choices_cut(struct resolver *resolver, uint32_t index, size_t length)
{
    struct shell_choices choices = *choices_at(resolver, index);
    struct hv_str *values = hv_arena_array(resolver->arena, struct hv_str, choices.count);
    for (uint32_t i = 0; i < choices.count; i++)
        values[i] = hv_str_slice(choices.values[i], length, choices.values[i].len);
    return choices_add(resolver, values, choices.count, choices.base);
}
