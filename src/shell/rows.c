/* rows.c: see rows.h. */
#include "shell/rows.h"

static void worsen(struct shell_reading *reading, enum shell_class class, const struct shell_word *name,
                   const char *does)
{
    reading->act.reads_listed = reading->act.writes_listed = false;
    shell_worsenf(reading, class, "%.*s %s", HV_STR_ARG(name->value), does);
}

/* `npm install --help` only prints; the programs these judges are for agree on that when the word stands alone. */
static bool only_help(const struct shell_word *words, size_t count)
{
    return count == 2 && words[1].known && hv_str_is(words[1].value, "--help");
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
