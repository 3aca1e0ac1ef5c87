/* settled.c: see settled.h. */
#include "shell/settled.h"

#include <string.h>

/* ---- what an act leaves behind ----------------------------------------------------------------------------------- */

/* Names that make a directory a repository, or say where one is. */
static const char repository_names[] = "HEAD config config.worktree commondir gitdir .git .gitmodules";

static bool is_plain_component(struct hv_str name)
{
    if (!name.len || strchr("-+=", *name.ptr) || shell_names_have(repository_names, name))
        return !name.len;
    for (size_t i = 0; i < name.len; i++) {
        char byte = name.ptr[i];
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
        if (!letter && (!byte || !strchr("._-+=@,:%~", byte)))
            return false;
    }
    return true;
}

/* What is written is one file of a plain name, or a directory. */
static bool is_plain_write(const struct shell_access *access)
{
    struct hv_str rest, name;
    if (!access->path.len || !access->word || !access->word->known)
        return false;
    rest = access->word->value;
    while (hv_str_split(&rest, '/', &name))
        if (!is_plain_component(name))
            return false;
    return true;
}

/* Programs that make files and directories of the names that they are given, and nothing else. */
static bool makes_plain_files(const struct shell_act *act)
{
    return act->word_count && act->words[0].known && shell_names_have("touch mkdir tee sed", act->words[0].value);
}

bool shell_act_is_git_change(const struct shell_act *act)
{
    return act->word_count > 1 && act->words[0].known && hv_str_is(act->words[0].value, "git") && act->words[1].known &&
           shell_names_have("add commit tag branch push fetch", act->words[1].value);
}

/* What runs code may do anything itself; what only writes, or fetches, may bring what others take for more. */
bool shell_act_brings_names(const struct shell_act *act)
{
    if ((act->class != SHELL_WRITES && act->class != SHELL_NETWORK) || shell_act_is_git_change(act))
        return false;
    if (!act->writes_listed || act->class == SHELL_NETWORK)
        return true;
    for (size_t i = 0; i < act->write_count; i++)
        if (!is_plain_write(&act->writes[i]) || (!act->writes[i].redirect && !makes_plain_files(act)))
            return true;
    return !act->write_count;
}

bool shell_acts_bring_names(const struct shell_act *acts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (acts[i].first >= i && shell_act_brings_names(&acts[i]))
            return true;
    return false;
}

/* ---- the world --------------------------------------------------------------------------------------------------- */

static bool is_unsettled(struct shell_watched *watched, struct hv_str *why)
{
    watched->asked = true;
    if (watched->brings)
        *why = HV_STR("another part of the command may bring a repository that names programs");
    return watched->brings;
}

static bool git_is_quiet(void *user, struct hv_arena *arena, struct hv_str directory, struct hv_str subcommand,
                         struct hv_str *why)
{
    struct shell_watched *watched = user;
    return !is_unsettled(watched, why) &&
           watched->inner->git_is_quiet(watched->inner->user, arena, directory, subcommand, why);
}

static bool git_is_quiet_below(void *user, struct hv_arena *arena, struct hv_str directory, struct hv_str subcommand,
                               struct hv_str *why)
{
    struct shell_watched *watched = user;
    return !is_unsettled(watched, why) &&
           watched->inner->git_is_quiet_below(watched->inner->user, arena, directory, subcommand, why);
}

static bool is_system_program(void *user, struct hv_str name)
{
    struct shell_watched *watched = user;
    return watched->inner->is_system_program(watched->inner->user, name);
}

static struct hv_str program_path(void *user, struct hv_arena *arena, struct hv_str name)
{
    struct shell_watched *watched = user;
    watched->asked = true;
    return watched->brings ? (struct hv_str){0} : watched->inner->program_path(watched->inner->user, arena, name);
}

/* One of names, which may be paths and have ":text" behind them, ends like the path that is written. */
static bool may_be_one(const char *names, struct hv_str path)
{
    struct hv_str rest = hv_str_from(names), name;
    struct hv_str written = hv_str_slice(path, hv_str_rfind_byte(path, '/') + 1, path.len);
    while (hv_str_split(&rest, ' ', &name)) {
        name = hv_str_slice(name, 0, hv_str_find_byte(name, ':', 0));
        size_t slash = hv_str_rfind_byte(name, '/');
        if (name.len && hv_str_eq_nocase(slash == SIZE_MAX ? name : hv_str_slice(name, slash + 1, name.len), written))
            return true;
    }
    return false;
}

/* The acts write one of names. */
static bool write_one(const struct shell_acts *acts, const char *names)
{
    for (size_t i = 0; acts && i < acts->count; i++) {
        const struct shell_act *act = &acts->items[i];
        for (size_t j = 0; act->first == i && j < act->write_count; j++)
            if (may_be_one(names, act->writes[j].path))
                return true;
    }
    return false;
}

/* The same, found out once for each of the few lists that rows have. */
static bool is_written(struct shell_watched *watched, const char *names)
{
    for (size_t i = 0; i < watched->told_count; i++)
        if (watched->told[i].names == names)
            return watched->told[i].written;
    bool written = write_one(watched->acts, names);
    if (watched->told_count < SHELL_TOLD_MAX) {
        watched->told[watched->told_count].names = names;
        watched->told[watched->told_count++].written = written;
    }
    return written;
}

static bool holds_none(void *user, struct hv_str directory, const char *names)
{
    struct shell_watched *watched = user;
    watched->asked = true;
    return !is_written(watched, names) && !watched->brings &&
           watched->inner->holds_none(watched->inner->user, directory, names);
}

static bool tree_is_plain(void *user, struct hv_str directory, unsigned wanted)
{
    struct shell_watched *watched = user;
    watched->asked = true;
    return !watched->brings && watched->inner->tree_is_plain(watched->inner->user, directory, wanted);
}

static struct hv_str repository_top(void *user, struct hv_arena *arena, struct hv_str directory)
{
    struct shell_watched *watched = user;
    watched->asked = true;
    return watched->brings ? (struct hv_str){0}
                           : watched->inner->repository_top(watched->inner->user, arena, directory);
}

void shell_watch(struct shell_watched *watched, const struct shell_world *inner)
{
    *watched = (struct shell_watched){.inner = inner};
    watched->world = (struct shell_world){
        .git_is_quiet = inner->git_is_quiet ? git_is_quiet : NULL,
        .git_is_quiet_below = inner->git_is_quiet_below ? git_is_quiet_below : NULL,
        .is_system_program = inner->is_system_program ? is_system_program : NULL,
        .program_path = inner->program_path ? program_path : NULL,
        .holds_none = inner->holds_none ? holds_none : NULL,
        .tree_is_plain = inner->tree_is_plain ? tree_is_plain : NULL,
        .repository_top = inner->repository_top ? repository_top : NULL,
        .user = watched,
    };
}

static bool writes_something(const struct shell_acts *acts)
{
    for (size_t i = 0; i < acts->count; i++)
        if (acts->items[i].write_count || acts->items[i].class == SHELL_NETWORK || acts->items[i].class == SHELL_WRITES)
            return true;
    return false;
}

bool shell_heed(struct shell_watched *watched, const struct shell_acts *acts)
{
    watched->acts = acts;
    watched->brings = shell_acts_bring_names(acts->items, acts->count);
    watched->told_count = 0;
    return watched->asked && writes_something(acts);
}
