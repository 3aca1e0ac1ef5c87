/* registry.c: from the name of a program to its row. See programs.h. */
#include "shell/programs.h"

static const struct shell_program *const tables[] = {
#define ROW(name) shell_programs_##name,
    SHELL_PROGRAM_TABLES(ROW)
#undef ROW
};

const struct shell_program *shell_find_program(struct hv_str name)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct shell_program *row = shell_find_row(tables[i], name);
        if (row)
            return row;
    }
    return NULL;
}
