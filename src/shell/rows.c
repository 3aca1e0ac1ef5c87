/* rows.c: see rows.h. */
#include "shell/rows.h"

static void worsen(struct shell_reading *reading, enum shell_class class, const struct shell_word *name,
                   const char *does)
{
    reading->act.reads_listed = reading->act.writes_listed = false;
    shell_worsenf(reading, class, "%.*s %s", HV_STR_ARG(name->value), does);
}

/* One word stands after the name, and it is one of names. */
static bool is_only(const struct shell_word *words, size_t count, const char *names)
{
    return count == 2 && words[1].known && shell_names_have(names, words[1].value);
}

/* `npm install --help` only prints; the programs these judges are for agree on that when the word stands alone. */
static bool only_help(const struct shell_word *words, size_t count)
{
    return is_only(words, count, "--help");
}

void shell_judge_changes(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!only_help(words, count))
        worsen(reading, SHELL_WRITES, words, "changes something");
}

void shell_judge_runs(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!only_help(words, count))
        worsen(reading, SHELL_EXECUTES, words, "runs code");
}

void shell_judge_reaches(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!only_help(words, count))
        worsen(reading, SHELL_NETWORK, words, "reaches the network");
}

void shell_judge_tool(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!is_only(words, count, "--version -version"))
        worsen(reading, SHELL_EXECUTES, words, "runs code, or plugins of the project");
}

void shell_judge_about(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (is_only(words, count, "--version -version -v -V --help -help -fullversion --numeric-version"))
        return;
    reading->act.runs_input = count == 1;
    worsen(reading, SHELL_EXECUTES, words, "runs code");
}

void shell_judge_client(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!is_only(words, count, "--version -version"))
        worsen(reading, SHELL_NETWORK, words, "reaches the network");
}

void shell_judge_project(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    (void)count;
    worsen(reading, SHELL_EXECUTES, words, "runs what the project or a registry names");
}

static bool holds_none(struct shell_reading *reading, struct hv_str directory, const char *names)
{
    const struct shell_world *world = reading->world;
    return directory.ptr && world->holds_none && world->holds_none(world->user, directory, names);
}

void shell_needs_none(struct shell_reading *reading, const char *names)
{
    if (reading->act.class != SHELL_READ_ONLY)
        return;
    bool none = holds_none(reading, reading->directory, names);
    for (size_t at = 0; none && at < reading->elsewhere_count; at++)
        none = holds_none(reading, reading->elsewhere[at], names);
    if (!none)
        shell_worsen(reading, SHELL_EXECUTES, "the project's own files may make it run code");
}
