/*
 * registry.c: from the name of a program to its row. A script of a few commands is looked up row by row; in a long one,
 * the names of all rows are hashed once, into the arena of the judgement.
 */
#include "shell/programs.h"
#include <string.h>

static const struct shell_program *const tables[] = {
#define ROW(name) shell_programs_##name,
    SHELL_PROGRAM_TABLES(ROW)
#undef ROW
};

enum { TABLES = sizeof tables / sizeof *tables, LOOKUPS_BEFORE_INDEX = 24, SLOTS = 4096 };

struct shell_index {
    struct {
        struct hv_str name;
        const struct shell_program *row;
    } slots[SLOTS];
    size_t count;
};

const struct shell_program *shell_find_program(struct hv_str name)
{
    for (size_t i = 0; i < TABLES; i++) {
        const struct shell_program *row = shell_find_row(tables[i], name);
        if (row)
            return row;
    }
    return NULL;
}

static size_t slot_of(const struct shell_index *index, struct hv_str name)
{
    size_t slot = hv_str_hash(name) % SLOTS;
    while (index->slots[slot].row && !hv_str_eq(index->slots[slot].name, name))
        slot = (slot + 1) % SLOTS;
    return slot;
}

/* False when the index is full: then it is not used. */
static bool add_names(struct shell_index *index, const struct shell_program *row)
{
    struct hv_str rest = hv_str_from(row->names), name;
    while (hv_str_split(&rest, ' ', &name)) {
        size_t slot = slot_of(index, name);
        if (index->slots[slot].row)
            continue; /* the first row of a name counts */
        if (++index->count > SLOTS / 2)
            return false;
        index->slots[slot].name = name;
        index->slots[slot].row = row;
    }
    return true;
}

static struct shell_index *make_index(struct hv_arena *arena)
{
    struct shell_index *index = hv_arena_new(arena, struct shell_index);
    for (size_t i = 0; i < TABLES; i++)
        for (const struct shell_program *row = tables[i]; row->names; row++)
            if (!add_names(index, row))
                return NULL;
    return index;
}

const struct shell_program *shell_look_up(struct shell_reading *reading, struct hv_str name)
{
    struct shell_lookups *lookups = reading->lookups;
    if (lookups->count++ < LOOKUPS_BEFORE_INDEX)
        return shell_find_program(name);
    if (!lookups->index)
        lookups->index = make_index(reading->arena);
    if (!lookups->index)
        return shell_find_program(name);
    return lookups->index->slots[slot_of(lookups->index, name)].row;
}

struct hv_str shell_plain_tool(struct hv_str name)
{
    static const char *const targets[] = {"arm-",     "aarch64-", "x86_64-", "i686-",    "riscv32-",
                                          "riscv64-", "xtensa-",  "avr-",    "powerpc-", "mips-"};
    size_t dash = hv_str_rfind_byte(name, '-');
    bool target = false;
    for (size_t i = 0; dash != SIZE_MAX && i < sizeof targets / sizeof *targets; i++)
        target |= hv_str_starts(name, hv_str_from(targets[i]));
    if (!target)
        return name;
    struct hv_str tool = hv_str_slice(name, dash + 1, name.len);
    return shell_names_have("nm objdump readelf size addr2line strings", tool) ? tool : name;
}
