/*
 * git_environment.c: the environment of commands: without what would make bash read a script otherwise than it was
 * judged, and for a git or go command that only reads, with what it must hold. Each line was seen to stop, with
 * git 2.39, the program that a repository's configuration names (tests/live/test_git.py). diff.external is not
 * here: set to nothing, it makes `git diff` fail; git_probe.h looks for it instead.
 */
#include "shell/classify.h"

#include <stdlib.h>
#include <string.h>

#define STRING_OF(number) #number
#define SETTING(number, name, value)                                                                                   \
    "GIT_CONFIG_KEY_" STRING_OF(number) "=" name, "GIT_CONFIG_VALUE_" STRING_OF(number) "=" value

static const char *const environment[] = {
    "GIT_OPTIONAL_LOCKS=0", /* git status does not write the index, nor call the hook that this calls */
    "GIT_PAGER=cat",
    "GIT_TERMINAL_PROMPT=0",
    "GIT_NO_LAZY_FETCH=1", /* partial clones */
    "GIT_CONFIG_COUNT=18",
    SETTING(0, "core.fsmonitor", "false"),
    SETTING(1, "core.hooksPath", "/dev/null"),
    SETTING(2, "core.pager", "cat"),
    SETTING(3, "diff.autoRefreshIndex", "false"), /* git diff writes the index without it */
    SETTING(4, "log.showSignature", "false"),
    SETTING(5, "gpg.program", "false"), /* %G? in a format of the configuration */
    SETTING(6, "gpg.openpgp.program", "false"),
    SETTING(7, "gpg.x509.program", "false"),
    SETTING(8, "gpg.ssh.program", "false"),
    SETTING(9, "core.alternateRefsCommand", "false"),
    SETTING(10, "core.sshCommand", "false"),
    SETTING(11, "core.askPass", "false"),
    SETTING(12, "credential.helper", ""),
    SETTING(13, "protocol.ext.allow", "never"),
    SETTING(14, "core.editor", "false"),
    SETTING(15, "gc.auto", "0"),
    SETTING(16, "maintenance.auto", "false"),
    SETTING(17, "i18n.logOutputEncoding", "UTF-8"), /* in others a letter of a title has bytes "\n" and "-" */
    NULL,
};

/* ---- what a command has from its environment -------------------------------------------------------------- */

struct hv_str shell_known_variable(const char *const *pairs, struct hv_str name)
{
    static const char plain[] = "USER LOGNAME TMPDIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME "
                                "XDG_RUNTIME_DIR";
    struct hv_str value = {0};
    for (size_t at = 0; shell_names_have(plain, name) && pairs && pairs[at]; at++)
        if (strncmp(pairs[at], name.ptr, name.len) == 0 && pairs[at][name.len] == '=')
            value = hv_str_from(pairs[at] + name.len + 1);
    return value;
}

static struct hv_str variable_of(void *user, struct hv_str name)
{
    return shell_known_variable(user, name);
}

static struct hv_str home_of(const char *const *pairs)
{
    for (size_t at = 0; pairs && pairs[at]; at++)
        if (strncmp(pairs[at], "HOME=/", 6) == 0)
            return hv_str_from(pairs[at] + 5);
    return (struct hv_str){0};
}

/* Variables by which bash itself would read or run a script otherwise than it was judged. */
static bool is_for_bash(const char *pair)
{
    static const char names[] = "BASH_ENV ENV SHELLOPTS BASHOPTS CDPATH GLOBIGNORE IFS PS4 PROMPT_COMMAND "
                                "POSIXLY_CORRECT BASH_COMPAT BASH_XTRACEFD BASH_LOADABLES_PATH EXECIGNORE GLOBSORT";
    return strncmp(pair, "BASH_FUNC_", 10) == 0 || shell_names_have(names, hv_str_of(pair, strcspn(pair, "=")));
}

/* pairs, without those. */
static const char *const *plain_environment(struct hv_arena *arena, const char *const *pairs)
{
    size_t count = 0, dropped = 0, at = 0;
    for (; pairs && pairs[count]; count++)
        dropped += is_for_bash(pairs[count]);
    if (!dropped)
        return pairs;
    const char **list = hv_arena_array(arena, const char *, count - dropped + 1);
    for (size_t i = 0; i < count; i++)
        if (!is_for_bash(pairs[i]))
            list[at++] = pairs[i];
    return list;
}

/* ---- for a command --------------------------------------------------------------------------------------- */

static bool always_quiet(void *user, struct hv_arena *arena, struct hv_str directory, struct hv_str subcommand,
                         struct hv_str *why)
{
    (void)user, (void)arena, (void)directory, (void)subcommand, (void)why;
    return true;
}

static bool always_of_the_system(void *user, struct hv_str name)
{
    (void)user, (void)name;
    return true;
}

static bool always_holds_none(void *user, struct hv_str directory, const char *names)
{
    (void)user, (void)directory, (void)names;
    return true;
}

static bool always_plain(void *user, struct hv_str directory, unsigned wanted)
{
    (void)user, (void)directory, (void)wanted;
    return true;
}

static bool is_git(const struct shell_act *act)
{
    struct hv_str name = act->word_count ? act->words[0].value : hv_str_of(NULL, 0);
    return hv_str_is(name, "git") || hv_str_ends(name, HV_STR("/git"));
}

bool shell_needs_overrides(const struct shell_act *act)
{
    return act->git || act->go;
}

/* The overrides would change what this part does. */
static bool suffers(const struct shell_act *act)
{
    if (shell_needs_overrides(act) || act->class == SHELL_READ_ONLY)
        return false;
    return act->class != SHELL_WRITES || is_git(act);
}

bool shell_git_is_tame(const struct shell_judgement *judgement)
{
    for (size_t at = 0; at < judgement->count; at++)
        if (suffers(&judgement->acts[at]))
            return false;
    return true;
}

static bool same_name(const char *a, const char *b)
{
    size_t len = strcspn(a, "=");
    return strncmp(a, b, len) == 0 && b[len] == '=';
}

static bool is_overridden(const char *pair)
{
    for (size_t at = 0; environment[at]; at++)
        if (same_name(environment[at], pair))
            return true;
    return false;
}

/* How many settings the person's own environment gives git: ours are numbered after them, and so they win. */
static size_t settings_given(const char *const *pairs)
{
    enum { SETTINGS_MAX = 1000 };
    static const char name[] = "GIT_CONFIG_COUNT=";
    int64_t count = 0;
    for (size_t at = 0; pairs && pairs[at]; at++)
        if (strncmp(pairs[at], name, sizeof name - 1) == 0 &&
            !hv_str_to_int64(hv_str_from(pairs[at] + sizeof name - 1), &count))
            count = 0;
    return count > 0 && count <= SETTINGS_MAX ? (size_t)count : 0;
}

/* "GIT_CONFIG_KEY_3=core.pager" with its number moved up by `by`. */
static const char *renumbered(struct hv_arena *arena, const char *pair, size_t by)
{
    static const char *const names[] = {"GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_CONFIG_COUNT="};
    for (size_t at = 0; by && at < sizeof names / sizeof *names; at++) {
        size_t len = strlen(names[at]);
        char *end;
        if (strncmp(pair, names[at], len) != 0)
            continue;
        unsigned long number = strtoul(pair + len, &end, 10) + by;
        return hv_arena_format(arena, "%s%lu%s", names[at], number, end).ptr;
    }
    return pair;
}

/* The person's pairs but those that are replaced, then ours. Settings of the person keep their numbers. */
static const char *const *with_overrides(struct hv_arena *arena, const char *const *pairs)
{
    size_t count = 0, at = 0, given = settings_given(pairs);
    while (pairs && pairs[count])
        count++;
    const char **list = hv_arena_array(arena, const char *, count + sizeof environment / sizeof *environment);
    for (size_t i = 0; i < count; i++) {
        bool numbered =
            strncmp(pairs[i], "GIT_CONFIG_KEY_", 15) == 0 || strncmp(pairs[i], "GIT_CONFIG_VALUE_", 17) == 0;
        if ((given && numbered) || !is_overridden(pairs[i]))
            list[at++] = pairs[i];
    }
    for (size_t i = 0; environment[i]; i++)
        list[at++] = renumbered(arena, environment[i], given);
    return list;
}

/* pairs with this one in the place of all that have its name. */
static const char *const *with_pair(struct hv_arena *arena, const char *const *pairs, const char *pair)
{
    size_t count = 0, at = 0;
    while (pairs && pairs[count])
        count++;
    const char **list = hv_arena_array(arena, const char *, count + 2);
    for (size_t i = 0; i < count; i++)
        if (!same_name(pair, pairs[i]))
            list[at++] = pairs[i];
    list[at] = pair;
    return list;
}

/* What the parts of a command need. go.mod may name a toolchain that go fetches and starts, whatever it is asked; what
 * lists packages fetches those that are missing. */
static const char *const *with_needed(struct hv_arena *arena, const struct shell_judgement *judgement,
                                      const char *const *pairs)
{
    bool git = false, go = false, packages = false, npm = false, terraform = false;
    for (size_t at = 0; at < judgement->count; at++) {
        const char *name = judgement->acts[at].go;
        git |= judgement->acts[at].git != NULL;
        go |= name != NULL;
        npm |= judgement->acts[at].npm;
        terraform |= judgement->acts[at].terraform;
        packages |= name && strcmp(name, "version") != 0 && strcmp(name, "env") != 0;
    }
    /* These harm no other part. */
    pairs = npm && judgement->script.accepted ? with_pair(arena, pairs, "npm_config_update_notifier=false") : pairs;
    pairs = terraform && judgement->script.accepted ? with_pair(arena, pairs, "CHECKPOINT_DISABLE=1") : pairs;
    if ((!git && !go) || !judgement->script.accepted || !shell_git_is_tame(judgement))
        return pairs;
    pairs = git ? with_overrides(arena, pairs) : pairs;
    pairs = go ? with_pair(arena, pairs, "GOTOOLCHAIN=local") : pairs;
    return packages ? with_pair(arena, pairs, "GOPROXY=off") : pairs;
}

/* No word of it can become "git", "go", "npm" or "terraform": none stands there, and nothing hides it. */
static bool certainly_without_git(struct hv_str command)
{
    for (size_t at = 0; at < command.len; at++)
        if (!command.ptr[at] || strchr("'\"\\$`{}*?[]~!", command.ptr[at]))
            return false;
    return hv_str_find(command, HV_STR("git"), 0) == SIZE_MAX && hv_str_find(command, HV_STR("go"), 0) == SIZE_MAX &&
           hv_str_find(command, HV_STR("npm"), 0) == SIZE_MAX &&
           hv_str_find(command, HV_STR("terraform"), 0) == SIZE_MAX;
}

/* Of the world the best is assumed: what is harmless only with its consent was asked about before, if it was refused,
 * and overrides that are too many do less harm than one too few. */
static const char *const *with_overrides_for(struct hv_arena *arena, struct hv_str command, struct hv_str directory,
                                             const char *const *pairs)
{
    static const struct shell_world world = {.git_is_quiet = always_quiet,
                                             .git_is_quiet_below = always_quiet,
                                             .is_system_program = always_of_the_system,
                                             .holds_none = always_holds_none,
                                             .tree_is_plain = always_plain};
    if (certainly_without_git(command))
        return pairs;
    struct shell_judgement judgement;
    struct shell_start start = {.directory = directory,
                                .home = home_of(pairs),
                                .variable = variable_of,
                                .user = (void *)pairs,
                                .outermost = true};
    shell_judge(arena, command, &start, &world, &judgement);
    return with_needed(arena, &judgement, pairs);
}

/* Where a link led to the working directory, bash would go by its name in `cd ..`, and not to where it was judged. */
const char *const *shell_run_environment(struct hv_arena *arena, struct hv_str command, struct hv_str directory,
                                         const char *const *pairs)
{
    pairs = with_overrides_for(arena, command, directory, plain_environment(arena, pairs));
    return directory.len ? with_pair(arena, pairs, hv_arena_format(arena, "PWD=%.*s", HV_STR_ARG(directory)).ptr)
                         : pairs;
}
