/* judging.h: what the tests of the tables of programs share: judging one command in a world of a given kind. */
#ifndef TEST_SHELL_JUDGING_H
#define TEST_SHELL_JUDGING_H

#include "shell/class.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct judging_world {
    bool quiet;                   /* nothing in the project makes programs run code */
    char asked[256], command[64]; /* the directories that it was asked about, and the last sub-command */
};

static inline bool judging_is_quiet(void *user, struct hv_arena *arena, struct hv_str directory,
                                    struct hv_str subcommand, struct hv_str *why)
{
    struct judging_world *world = user;
    (void)arena;
    size_t len = strlen(world->asked);
    (void)snprintf(world->asked + len, sizeof world->asked - len, "%s%.*s", len ? " " : "", HV_STR_ARG(directory));
    (void)snprintf(world->command, sizeof world->command, "%.*s", HV_STR_ARG(subcommand));
    *why = HV_STR("the repository names a program");
    return world->quiet;
}

static inline bool judging_is_system(void *user, struct hv_str name)
{
    (void)user;
    return !hv_str_starts(name, HV_STR("./"));
}

static inline bool judging_holds_none(void *user, struct hv_str directory, const char *names)
{
    const struct judging_world *world = user;
    return directory.ptr && *names && world->quiet;
}

static inline void judge_in(struct hv_arena *arena, const char *command, struct judging_world *world,
                            struct shell_judgement *out)
{
    struct shell_start start = {.directory = HV_STR("/ws/project"), .home = HV_STR("/home/me")};
    struct shell_world callbacks = {.git_is_quiet = judging_is_quiet,
                                    .is_system_program = judging_is_system,
                                    .holds_none = judging_holds_none,
                                    .user = world};
    shell_judge(arena, hv_str_from(command), &start, &callbacks, out);
}

static inline enum shell_class class_of(const char *command)
{
    struct hv_arena arena = {0};
    struct shell_judgement judgement;
    struct judging_world world = {.quiet = true};
    judge_in(&arena, command, &world, &judgement);
    enum shell_class class = judgement.class;
    hv_arena_release(&arena);
    return class;
}

/* Every command of the list has the class; all that have not are printed. */
static inline void assert_all_are(enum shell_class wanted, const char *const *commands, size_t count)
{
    size_t wrong = 0;
    for (size_t at = 0; at < count; at++) {
        enum shell_class class = class_of(commands[at]);
        if (class != wanted) {
            wrong++;
            print_error("%s: %s, not %s\n", commands[at], shell_class_name(class), shell_class_name(wanted));
        }
    }
    assert_int_equal(wrong, 0);
}
#define ASSERT_ALL_ARE(wanted, commands) assert_all_are(wanted, commands, sizeof commands / sizeof *commands)

/* None of the list is read-only. */
static inline void assert_none_reads(const char *const *commands, size_t count)
{
    size_t wrong = 0;
    for (size_t at = 0; at < count; at++)
        if (class_of(commands[at]) == SHELL_READ_ONLY) {
            wrong++;
            print_error("%s: read_only\n", commands[at]);
        }
    assert_int_equal(wrong, 0);
}
#define ASSERT_NONE_READS(commands) assert_none_reads(commands, sizeof commands / sizeof *commands)

#endif
