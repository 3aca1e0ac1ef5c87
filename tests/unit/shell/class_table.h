/* class_table.h: how the tests of classes judge lists of commands: in /ws, with a world in which git is quiet. */
#ifndef CLASS_TABLE_H
#define CLASS_TABLE_H

#include "judging.h"

/* All programs are the system's but those whose name begins with "own", and what is only built into bash. */
static inline bool is_system_here(void *user, struct hv_str name)
{
    (void)user;
    static const char *const others[] = {"cd", "read", "declare", "eval", "local", "export"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (hv_str_is(name, others[i]))
            return false;
    return !hv_str_starts(name, HV_STR("own"));
}

/* No directory has files that a program would take settings from. */
static inline bool holds_none_here(void *user, struct hv_str directory, const char *names)
{
    (void)user, (void)directory, (void)names;
    return true;
}

static inline struct hv_str top_here(void *user, struct hv_arena *arena, struct hv_str directory)
{
    (void)user, (void)arena, (void)directory;
    return HV_STR("/ws");
}

static inline void judge_here(struct hv_arena *arena, const char *command, struct shell_judgement *out)
{
    static const struct shell_start start = {{"/ws", 3}, {"/home/u", 7}, NULL, NULL, true};
    struct judging_world git = {.quiet = true};
    struct shell_world world = {.git_is_quiet = judging_is_quiet,
                                .is_system_program = is_system_here,
                                .holds_none = holds_none_here,
                                .repository_top = top_here,
                                .user = &git};
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
