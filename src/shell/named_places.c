/* named_places.c: see named_places.h. */
#include "shell/named_places.h"

#include "base/path.h"

#include <string.h>

struct finding {
    struct hv_arena *arena;
    struct hv_str home;
    struct hv_str *items;
    size_t count;
};

static void add(struct finding *finding, struct hv_str path)
{
    for (size_t i = 0; i < finding->count; i++)
        if (hv_str_eq(finding->items[i], path))
            return;
    if (finding->count < SHELL_NAMED_PLACES_MAX)
        finding->items[finding->count++] = path;
}

/* Half of all commands name one of these, none of which is a directory: they say nothing of where a command runs, and
 * every word would be a device there. */
static bool is_everyones_device(struct hv_str path)
{
    static const char *const names[] = {"null", "zero",  "full",   "random", "urandom",
                                        "tty",  "stdin", "stdout", "stderr"};
    if (!hv_str_starts(path, HV_STR("/dev/")))
        return false;
    struct hv_str name = hv_str_slice(path, sizeof "/dev/" - 1, path.len);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (hv_str_is(name, names[i]))
            return true;
    return false;
}

/* A path, if it says where it stands, and the directory that it is in. */
static void add_path(struct finding *finding, struct hv_str text)
{
    enum { LONGEST = 4096 };
    bool at_home = finding->home.len && (hv_str_is(text, "~") || hv_str_starts(text, HV_STR("~/")));
    if (finding->count == SHELL_NAMED_PLACES_MAX || text.len > LONGEST ||
        (!at_home && !hv_str_starts(text, HV_STR("/"))))
        return;
    struct hv_str path = path_expand(finding->arena, text, HV_STR("/"), finding->home);
    if (is_everyones_device(path))
        return;
    add(finding, path);
    add(finding, path_parent(path));
}

/* What a path in the text of a script cannot go on with. */
static bool ends_path(char byte)
{
    return strchr(" \t\n'\"`()[]{}<>|&;=:,$*?\\", byte) != NULL;
}

static void add_pieces(struct finding *finding, struct hv_str text)
{
    size_t start = 0;
    for (size_t at = 0; at <= text.len; at++) {
        if (at < text.len && !ends_path(text.ptr[at]))
            continue;
        add_path(finding, hv_str_slice(text, start, at));
        start = at + 1;
    }
}

void shell_find_named_places(struct hv_arena *arena, const struct shell_script *script, struct hv_str text,
                             struct hv_str home, struct shell_named_places *out)
{
    struct finding finding = {.arena = arena, .home = home};
    finding.items = hv_arena_array(arena, struct hv_str, SHELL_NAMED_PLACES_MAX);
    add_pieces(&finding, text);
    for (size_t i = 0; i < script->count; i++)
        for (uint32_t at = 0; at < script->commands[i].word_count; at++)
            if (script->commands[i].words[at].known)
                add_path(&finding, script->commands[i].words[at].value);
    *out = (struct shell_named_places){finding.items, finding.count};
}
