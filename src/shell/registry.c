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
        if (++index->count > SLOTS / 4 * 3)
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

static const struct shell_program *look_up_anew(struct shell_reading *reading, struct hv_str name)
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

/* name without the "-14" or "5.36" at its end. */
static struct hv_str without_version(struct hv_str name)
{
    size_t end = name.len;
    while (end && ((name.ptr[end - 1] >= '0' && name.ptr[end - 1] <= '9') || name.ptr[end - 1] == '.'))
        end--;
    if (end == name.len || !end)
        return name;
    return hv_str_slice(name, 0, name.ptr[end - 1] == '-' ? end - 1 : end);
}

/* The part before the first dash begins with the name of a machine: armv7a, mipsel, powerpc64le, i686 … */
static bool is_for_machine(struct hv_str name)
{
    static const char *const machines[] = {
        "arm",       "aarch64",    "x86_64",  "i386", "i486",   "i586",   "i686", "riscv",
        "xtensa",    "avr",        "powerpc", "ppc",  "mips",   "sparc",  "s390", "m68k",
        "loongarch", "sh4",        "nios2",   "or1k", "msp430", "bpf",    "hppa", "alpha",
        "ia64",      "microblaze", "tricore", "arc",  "csky",   "wasm32", "llvm", "eu"};
    size_t dash = hv_str_find_byte(name, '-', 0);
    for (size_t i = 0; dash != SIZE_MAX && i < sizeof machines / sizeof *machines; i++)
        if (hv_str_starts(name, hv_str_from(machines[i])))
            return true;
    return false;
}

const struct shell_program *shell_look_up(struct shell_reading *reading, struct hv_str name)
{
    struct shell_lookups *lookups = reading->lookups;
    size_t slot = hv_str_hash(name) % (sizeof lookups->last / sizeof *lookups->last);
    if (!name.len || !hv_str_eq(lookups->last[slot].name, name)) {
        lookups->last[slot].row = look_up_anew(reading, name);
        lookups->last[slot].name = name;
    }
    return lookups->last[slot].row;
}

struct hv_str shell_plain_tool(struct hv_str name)
{
    static const char binutils[] = "nm objdump readelf size addr2line strings c++filt";
    static const char compilers[] = "gcc g++ cc c++ cpp clang clang++";
    static const char versioned[] =
        "gcc g++ cpp clang clang++ clang-format clang-tidy gfortran ld.lld lld opt llc lli clangd php ruby perl lua"
        " llvm-dwarfdump llvm-readobj llvm-symbolizer llvm-dis llvm-bcanalyzer llvm-cxxdump llvm-undname llvm-profdata"
        " llvm-cov llvm-pdbutil llvm-config llvm-mc llvm-as llvm-link";
    struct hv_str plain = without_version(name);
    if (hv_str_starts(name, HV_STR("qemu-system-")))
        return HV_STR("qemu-system");
    if (plain.len < name.len && shell_names_have(versioned, plain))
        return plain;
    if (!is_for_machine(name))
        return name;
    struct hv_str tool = hv_str_slice(plain, hv_str_rfind_byte(plain, '-') + 1, plain.len);
    bool llvm = hv_str_starts(name, HV_STR("llvm-")) || hv_str_starts(name, HV_STR("eu-"));
    if (hv_str_is(tool, "cxxfilt"))
        return HV_STR("c++filt");
    if (!llvm && shell_names_have(compilers, tool))
        return tool;
    if (!llvm && shell_names_have("ld ld.bfd ld.gold as", tool))
        return tool;
    return shell_names_have(binutils, tool) ? tool : name;
}
