/*
 * bash_judge.c: what a command does, as the tool Bash sees it: whether it only reads, what files it touches, whether it
 * can change the directory, what its exit code means (src/shell). It is asked several times for one input.
 */
#include "fs/git_probe.h"
#include "proc/system_program.h"
#include "tools/bash.h"

static bool ask_git(void *user, struct hv_arena *arena, struct hv_str directory, struct hv_str subcommand,
                    struct hv_str *why)
{
    (void)user;
    return git_probe_is_quiet(NULL, arena, directory, subcommand, why);
}

static bool ask_git_below(void *user, struct hv_arena *arena, struct hv_str directory, struct hv_str subcommand,
                          struct hv_str *why)
{
    (void)user;
    return git_probe_is_quiet_below(NULL, arena, directory, subcommand, why);
}

static struct hv_str repository_top(void *user, struct hv_arena *arena, struct hv_str directory)
{
    (void)user;
    return git_probe_top(arena, directory);
}

/* As written and as resolved. */
static const struct hv_str *list_roots(const struct hv_context *context, size_t *count)
{
    struct hv_str *roots = hv_arena_array(context->arena, struct hv_str, 2 * context->root_count);
    *count = 2 * context->root_count;
    for (size_t i = 0; i < context->root_count; i++) {
        roots[2 * i] = context->roots[i];
        roots[2 * i + 1] = bash_resolved(context, context->roots[i]);
    }
    return roots;
}

static struct system_programs programs_of(const struct hv_context *context, struct system_answers *answers)
{
    struct system_programs programs = {
        .answers = answers,
        .host = context->host,
        .environment = context->environment,
        .directory = context->directory,
    };
    programs.roots = list_roots(context, &programs.root_count);
    return programs;
}

struct hv_str bash_interpreter(const struct hv_context *context)
{
    struct system_programs programs = programs_of(context, NULL);
    return system_program_first(&programs, context->arena, HV_STR("bash"));
}

bool bash_is_installed(const struct hv_context *context)
{
    return bash_interpreter(context).len > 0;
}

static const struct shell_judgement *judge(struct hv_str command, const struct hv_context *context)
{
    struct shell_judgement *out = hv_arena_new(context->arena, struct shell_judgement);
    struct system_answers answers = {0};
    struct system_programs programs = programs_of(context, &answers);
    const struct shell_world world = {.git_is_quiet = ask_git,
                                      .git_is_quiet_below = ask_git_below,
                                      .is_system_program = system_program_is,
                                      .program_path = system_program_path,
                                      .repository_top = repository_top,
                                      .user = &programs};
    const struct shell_start start = {.directory = context->directory, .home = context->home};
    shell_judge(context->arena, command, &start, &world, out);
    system_answers_release(&answers);
    return out;
}

const struct shell_judgement *bash_judge(const struct bash_input *in, const struct hv_context *context)
{
    struct bash_judged *kept = &((struct bash_input *)in)->judged;
    if (!kept->judgement || !hv_str_eq(kept->directory, context->directory))
        *kept = (struct bash_judged){judge(in->command, context), hv_arena_str(context->arena, context->directory)};
    return kept->judgement;
}

bool bash_keeps_directory(const struct shell_judgement *judgement)
{
    if (!judgement->script.accepted || judgement->class < SHELL_WRITES)
        return false;
    for (size_t i = 0; i < judgement->count; i++) {
        const struct shell_act *act = &judgement->acts[i];
        const char *names[] = {"cd", "pushd", "popd"};
        for (size_t j = 0; act->word_count && j < sizeof names / sizeof *names; j++)
            if (hv_str_is(act->words[0].value, names[j]))
                return false;
    }
    return true;
}

bool bash_others_are_told(const struct shell_judgement *judgement)
{
    static const char *const names[] = {"cd", "test", "[", "true", ":", "export"};
    size_t others = 0;
    for (size_t i = 0; i < judgement->count; i++) {
        const struct shell_act *act = &judgement->acts[i];
        bool is_known = false;
        for (size_t j = 0; act->word_count && j < sizeof names / sizeof *names; j++)
            is_known |= hv_str_is(act->words[0].value, names[j]);
        others += !is_known;
    }
    return others <= 1;
}

/* All files of the part are in its lists, with their places. */
static bool is_listed(const struct shell_act *act)
{
    if (!act->reads_listed || !act->writes_listed)
        return false;
    return act->class == SHELL_READ_ONLY || (act->class == SHELL_WRITES && act->write_count);
}

bool bash_touches_listed(const struct shell_judgement *judgement)
{
    if (!bash_keeps_directory(judgement))
        return false;
    for (size_t i = 0; i < judgement->count; i++)
        if (!is_listed(&judgement->acts[i]))
            return false;
    return true;
}
