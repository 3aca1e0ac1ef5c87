/* class_table.h: how the tests of classes judge lists of commands: in /ws, with a world in which git is quiet. */
#ifndef CLASS_TABLE_H
#define CLASS_TABLE_H

#include "judging.h"

/* All programs are the system's but those whose name begins with "own". */
static inline bool is_system_here(void *user, struct hv_str name)
{
    (void)user;
    return !hv_str_starts(name, HV_STR("own"));
}

static inline void judge_here(struct hv_arena *arena, const char *command, struct shell_judgement *out)
{
    static const struct shell_start start = {{"/ws", 3}, {"/home/u", 7}, NULL, NULL};
    struct judging_world git = {.quiet = true};
    struct shell_world world = {judging_is_quiet, is_system_here, &git};
    shell_judge(arena, hv_str_from(command), &start, &world, out);
}

/* Every command only reads, or none does; all that are otherwise are printed. */
static inline void check_commands(const char *const *commands, size_t count, bool harmless)
{
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        struct hv_arena arena = {0};
        struct shell_judgement judgement;
        judge_here(&arena, commands[i], &judgement);
        if ((judgement.class == SHELL_READ_ONLY) != harmless || !judgement.why.len) {
            print_error("%s: %s: %.*s\n", commands[i], shell_class_name(judgement.class), HV_STR_ARG(judgement.why));
            wrong++;
        }
        hv_arena_release(&arena);
    }
    assert_int_equal(wrong, 0);
}

static inline void check_harmless(const char *const *commands, size_t count)
{
    check_commands(commands, count, true);
}

static inline void check_harmful(const char *const *commands, size_t count)
{
    check_commands(commands, count, false);
}

#endif
