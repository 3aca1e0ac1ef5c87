/*
 * programs.h: all tables of programs, each in a file programs_NAME.c. Rows end with {0}. A name stands in one table
 * only (a test holds that). The list below is the one place to add a table; what is used most stands first.
 */
#ifndef SHELL_PROGRAMS_H
#define SHELL_PROGRAMS_H

#include "shell/classify.h"

#define SHELL_PROGRAM_TABLES(TABLE)                                                                                    \
    TABLE(builtins)                                                                                                    \
    TABLE(text)                                                                                                        \
    TABLE(files)                                                                                                       \
    TABLE(search)                                                                                                      \
    TABLE(git)                                                                                                         \
    TABLE(find)                                                                                                        \
    TABLE(sed)                                                                                                         \
    TABLE(awk)                                                                                                         \
    TABLE(wrappers)                                                                                                    \
    TABLE(archive)                                                                                                     \
    TABLE(system)                                                                                                      \
    TABLE(dev_languages)                                                                                               \
    TABLE(compilers)                                                                                                   \
    TABLE(dev_packages)                                                                                                \
    TABLE(dev_containers)                                                                                              \
    TABLE(dev_cloud)                                                                                                   \
    TABLE(dev_tools)                                                                                                   \
    TABLE(machine)                                                                                                     \
    TABLE(media)                                                                                                       \
    TABLE(inspect)                                                                                                     \
    TABLE(disks)                                                                                                       \
    TABLE(apple)                                                                                                       \
    TABLE(mobile)                                                                                                      \
    TABLE(binaries)                                                                                                    \
    TABLE(data)                                                                                                        \
    TABLE(documents)                                                                                                   \
    TABLE(desktop)                                                                                                     \
    TABLE(network)                                                                                                     \
    TABLE(versions)

/* The options of a row, where it stands. */
#define OPTIONS(...) ((const struct shell_option[]){__VA_ARGS__, {0}})

#define SHELL_PROGRAM_TABLE(name) extern const struct shell_program shell_programs_##name[];
SHELL_PROGRAM_TABLES(SHELL_PROGRAM_TABLE)
#undef SHELL_PROGRAM_TABLE

#endif
