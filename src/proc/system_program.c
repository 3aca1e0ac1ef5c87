/* system_program.c: see system_program.h. */
#include "proc/system_program.h"

#include "base/cleanup.h"
#include "base/path.h"

enum { ANSWERS_MAX = 10000 };

static const char usual_path[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/* The value of a variable among "NAME=value" pairs; absent when it is not set. */
static struct hv_str system_variable(const char *const *environment, struct hv_str name)
{
    for (; environment && *environment; environment++) {
        struct hv_str entry = hv_str_from(*environment);
        if (hv_str_starts(entry, name) && entry.len > name.len && entry.ptr[name.len] == '=')
            return hv_str_slice(entry, name.len + 1, entry.len);
    }
    return (struct hv_str){0};
}

/* Only the administrator writes here, wherever the workspace is. */
static bool is_system_directory(struct hv_str directory)
{
    static const char *const names[] = {"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin", "/usr/local/sbin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (hv_str_is(directory, names[i]))
            return true;
    return false;
}

static bool in_workspace(const struct system_programs *programs, struct hv_str path)
{
    for (size_t i = 0; i < programs->root_count; i++)
        if (path_inside(path, programs->roots[i]))
            return true;
    return false;
}

static bool is_trusted_directory(const struct system_programs *programs, struct hv_str directory)
{
    struct hv_file_stat stat;
    if (is_system_directory(directory))
        return true;
    if (!hv_str_starts(directory, HV_STR("/")) || in_workspace(programs, directory))
        return false;
    return programs->host->stat(programs->host, directory, true, &stat, NULL) == HV_OK && !(stat.mode & 0002);
}

/* A link in a directory of the machine may lead into the workspace. */
static bool leads_out(const struct system_programs *programs, struct hv_arena *arena, struct hv_str path)
{
    struct hv_str resolved;
    return programs->host->resolve(programs->host, arena, path, &resolved, NULL) == HV_OK &&
           (is_system_directory(path_parent(resolved)) || !in_workspace(programs, resolved));
}

/* A program that PATH leads to. */
struct found {
    struct hv_str directory, path; /* as PATH has it; absent: there is none. In the arena */
    uint32_t mode;
};

/* The next one of that name on the way *rest, which is left behind it. */
static struct found find_next(const struct system_programs *programs, struct hv_arena *arena, struct hv_str name,
                              struct hv_str *rest)
{
    struct hv_str entry;
    struct hv_file_stat stat;
    while (hv_str_split(rest, ':', &entry)) {
        struct hv_str directory = entry.len ? entry : HV_STR(".");
        struct hv_str from = programs->directory.len ? programs->directory : HV_STR("/");
        struct hv_str path = hv_arena_format(
            arena, "%.*s/%.*s", HV_STR_ARG(path_expand(arena, directory, from, HV_STR("/"))), HV_STR_ARG(name));
        if (programs->host->stat(programs->host, path, true, &stat, NULL) == HV_OK && stat.kind == HV_FILE_REGULAR &&
            stat.mode & 0111)
            return (struct found){directory, path, stat.mode};
    }
    return (struct found){0};
}

static struct found find(const struct system_programs *programs, struct hv_arena *arena, struct hv_str name)
{
    struct hv_str rest = system_variable(programs->environment, HV_STR("PATH"));
    if (!rest.ptr)
        rest = hv_str_from(usual_path);
    return find_next(programs, arena, name, &rest);
}

static bool is_machines_own(const struct system_programs *programs, struct hv_arena *arena, struct found found)
{
    return is_trusted_directory(programs, found.directory) && leads_out(programs, arena, found.path);
}

static bool look_up(const struct system_programs *programs, struct hv_str name)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    if (!programs->host)
        return false;
    struct found found = find(programs, &scratch, name);
    if (!found.path.len)
        return true; /* there is no such program: nothing can run */
    return is_machines_own(programs, &scratch, found);
}

struct hv_str system_program_first(const struct system_programs *programs, struct hv_arena *arena, struct hv_str name)
{
    struct hv_str ways[] = {system_variable(programs->environment, HV_STR("PATH")), hv_str_from(usual_path)};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (struct found found; (found = find_next(programs, arena, name, &ways[i])).path.len;)
            if (is_machines_own(programs, arena, found))
                return found.path;
    return (struct hv_str){0};
}

struct hv_str system_program_path(void *user, struct hv_arena *arena, struct hv_str name)
{
    const struct system_programs *programs = user;
    if (!programs->host || !system_program_is(user, name))
        return (struct hv_str){0};
    struct found found = find(programs, arena, name);
    bool as_is = hv_str_eq(path_parent(found.path), found.directory);
    return as_is && (found.mode & 0111) == 0111 ? found.path : (struct hv_str){0};
}

/* ---- answers ----------------------------------------------------------------------------------------------------- */

void system_answers_release(struct system_answers *answers)
{
    map_release(&answers->found);
    hv_arena_release(&answers->arena);
    *answers = (struct system_answers){0};
}

static bool is_same_place(const struct system_answers *answers, const struct system_programs *programs)
{
    if (!hv_str_eq(answers->path, system_variable(programs->environment, HV_STR("PATH"))) ||
        !hv_str_eq(answers->directory, programs->directory) || answers->root_count != programs->root_count)
        return false;
    for (size_t i = 0; i < answers->root_count; i++)
        if (!hv_str_eq(answers->roots[i], programs->roots[i]))
            return false;
    return true;
}

/* Forget what was found for another place. */
static void place(struct system_answers *answers, const struct system_programs *programs)
{
    if (answers->found.count && is_same_place(answers, programs))
        return;
    system_answers_release(answers);
    answers->path = hv_arena_str(&answers->arena, system_variable(programs->environment, HV_STR("PATH")));
    answers->directory = hv_arena_str(&answers->arena, programs->directory);
    answers->root_count = programs->root_count;
    answers->roots = hv_arena_array(&answers->arena, struct hv_str, programs->root_count);
    for (size_t i = 0; i < programs->root_count; i++)
        answers->roots[i] = hv_arena_str(&answers->arena, programs->roots[i]);
}

bool system_program_is(void *user, struct hv_str name)
{
    static const bool truths[] = {false, true}; /* a map holds pointers */
    struct system_programs *programs = user;
    struct system_answers *answers = programs->answers;
    if (!programs->is_placed)
        place(answers, programs);
    programs->is_placed = true;
    const bool *found = map_get(&answers->found, name);
    if (found)
        return *found;
    bool trusted = look_up(programs, name);
    if (answers->found.count < ANSWERS_MAX)
        map_set(&answers->found, hv_arena_str(&answers->arena, name), (void *)&truths[trusted]);
    return trusted;
}
