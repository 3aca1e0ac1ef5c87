/* functions.c: the names of the functions that a script defines, wherever it does. */
#include "shell/resolve.h"

/* Where name is in the table, or the free place for it. */
static size_t slot_of(const struct resolver *resolver, struct hv_str name)
{
    size_t mask = resolver->functions_capacity - 1, at = hv_str_hash(name) & mask;
    while (resolver->functions[at] && !hv_str_eq(resolver->reader->functions.items[resolver->functions[at] - 1], name))
        at = (at + 1) & mask;
    return at;
}

void functions_index(struct resolver *resolver)
{
    enum { FIRST = 8 };
    size_t count = resolver->reader->functions.count;
    if (!count)
        return;
    resolver->functions_capacity = FIRST;
    while (resolver->functions_capacity < 2 * count)
        resolver->functions_capacity *= 2;
    resolver->functions = hv_arena_array(resolver->arena, uint32_t, resolver->functions_capacity);
    for (size_t i = 0; i < count; i++)
        resolver->functions[slot_of(resolver, resolver->reader->functions.items[i])] = (uint32_t)i + 1;
}

bool functions_have(const struct resolver *resolver, struct hv_str name)
{
    return resolver->functions && resolver->functions[slot_of(resolver, name)];
}
