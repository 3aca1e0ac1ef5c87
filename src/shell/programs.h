/*
 * programs.h: all tables of programs, each in a file programs_NAME.c. Rows end with {0}. A name stands in one table
 * only (a test holds that). The list below is the one place to add a table.
 */
#ifndef SHELL_PROGRAMS_H
#define SHELL_PROGRAMS_H

#include "shell/classify.h"

#define SHELL_PROGRAM_TABLES(TABLE)                                                                                    \
    TABLE(builtins)                                                                                                    \
    TABLE(wrappers)                                                                                                    \
    TABLE(text)

#define SHELL_PROGRAM_TABLE(name) extern const struct shell_program shell_programs_##name[];
SHELL_PROGRAM_TABLES(SHELL_PROGRAM_TABLE)
#undef SHELL_PROGRAM_TABLE

#endif
