/* arriving.c: see arriving.h. */
#include "policy/arriving.h"

#include "base/path.h"
#include "shell/runs.h"

#include <string.h>

enum { DEPTH_MAX = 64, LOOKED_BACK_MAX = 64 };

/* One source on its way to one place. */
struct arrival {
    struct fs_trees *trees;
    struct hv_arena *arena;
    const struct arriving *with;
    struct hv_str place;          /* where it goes */
    struct hv_str real;           /* the same without links */
    struct hv_str prefix, suffix; /* of the names that a pattern takes in the source itself */
    bool is_pattern, deep;
    struct hv_str found;
    bool unseen;
};

/* cp writes through a link that stands where a file arrives. */
static bool is_link(const struct arrival *arrival, struct policy_path *path)
{
    const struct hv_host *host = arrival->with->host;
    struct hv_file_stat found;
    return host->stat(host, path->resolved, false, &found, NULL) == HV_OK && found.kind == HV_FILE_SYMLINK &&
           host->resolve(host, arrival->arena, path->resolved, &path->resolved, NULL) == HV_OK;
}

static bool is_protected(struct arrival *arrival, struct hv_str below)
{
    const struct arriving *with = arrival->with;
    struct policy_path path = {.written = path_join(arrival->arena, arrival->place, below),
                               .resolved = path_join(arrival->arena, arrival->real, below)};
    bool leads_out = is_link(arrival, &path) && !policy_in_workspace(with->policy, &path);
    if (!leads_out && path_classify(with->policy->classes, &path, true).class != POLICY_PATH_PROTECTED &&
        !home_links_name(with->links, with->host, arrival->arena, path.resolved).len)
        return false;
    arrival->found = path.written;
    return true;
}

/* below: what stands before the names of tree where they arrive. */
static bool look_through(struct arrival *arrival, struct fs_tree *tree, struct hv_str below, unsigned depth)
{
    arrival->unseen |= !tree || !tree->is_readable || depth > DEPTH_MAX;
    for (size_t i = 0; !arrival->unseen && i < tree->count; i++) {
        struct fs_tree_entry *entry = &tree->entries[i];
        bool hidden = hv_str_starts(entry->name, HV_STR(".")) && !hv_str_starts(arrival->prefix, HV_STR("."));
        if (!depth && arrival->is_pattern &&
            (hidden || !hv_str_starts(entry->name, arrival->prefix) || !hv_str_ends(entry->name, arrival->suffix)))
            continue;
        struct hv_str name = below.len ? path_join(arrival->arena, below, entry->name) : entry->name;
        arrival->unseen |= !fs_trees_may_look(arrival->trees);
        if (is_protected(arrival, name) || arrival->unseen)
            return true;
        if (arrival->deep && entry->kind == HV_FILE_DIRECTORY &&
            look_through(arrival, fs_trees_below(arrival->trees, tree, entry), name, depth + 1))
            return true;
    }
    return arrival->unseen;
}

static bool brings(struct arrival *arrival, struct hv_str source, bool whole)
{
    struct fs_tree *tree;
    struct hv_str name = path_name(source);
    if (!arrival->is_pattern && is_protected(arrival, name))
        return true;
    if (!(whole && arrival->deep) && !arrival->is_pattern)
        return false;
    enum fs_tree_kind kind = fs_trees_find(arrival->trees, source, &tree);
    arrival->unseen |= kind == FS_TREE_HIDDEN;
    if (kind != FS_TREE_DIRECTORY)
        return arrival->unseen;
    return look_through(arrival, tree, (struct hv_str){0}, 0) ||
           (!arrival->is_pattern && look_through(arrival, tree, name, 1));
}

static const char programs[] = "cp mv ln install rsync";

static bool is_looked_at(const struct shell_act *act)
{
    return act->word_count && act->words[0].known && shell_is_one_of(shell_base_name(act->words[0].value), programs);
}

/* What a pattern takes begins, and ends, with what is known of it. */
static bool may_take(const struct shell_word *word, struct hv_str path)
{
    struct hv_str start = hv_str_slice(word->value, hv_str_rfind_byte(word->value, '/') + 1, word->value.len);
    struct hv_str name = hv_str_slice(path, 0, hv_str_find_byte(path, '/', 0));
    bool is_last = hv_str_find_byte(word->tail, '/', 0) == SIZE_MAX;
    return hv_str_starts(name, start) && (!is_last || hv_str_ends(name, word->tail));
}

/* An act that ran before may have put other names there: one of these programs was looked at itself. */
static bool was_filled(const struct shell_act *act, size_t before, struct hv_str source)
{
    for (size_t i = 1; i <= before && i <= LOOKED_BACK_MAX; i++)
        for (size_t j = 0;
             shell_act_brings_names(act - i) && !is_looked_at(act - i) && j < act[-(ptrdiff_t)i].write_count; j++) {
            struct hv_str path = act[-(ptrdiff_t)i].writes[j].path;
            if (path.len && (path_inside(source, path) || path_inside(path, source)))
                return true;
        }
    return false;
}

static bool has_letter(struct hv_str option, const char *letters)
{
    bool found = false;
    for (size_t i = 1; i < option.len && option.ptr[0] == '-' && option.ptr[1] != '-' && !found; i++)
        found = option.ptr[i] && strchr(letters, option.ptr[i]);
    return found;
}

/* Where the words of the act say that all goes, and whether it goes with all below it. */
static const struct shell_word *find_place(const struct shell_act *act, struct hv_str name, bool *deep)
{
    const struct shell_word *place = NULL, *last = NULL;
    static const struct hv_str target = HV_STR("--target-directory");
    *deep = hv_str_is(name, "mv");
    for (size_t i = 1; i < act->word_count; i++) {
        struct hv_str word = act->words[i].value;
        bool takes = !hv_str_is(name, "rsync") &&
                     (hv_str_eq(word, target) || (has_letter(word, "t") && hv_str_ends(word, HV_STR("t"))));
        if (takes && i + 1 < act->word_count)
            place = &act->words[i + 1];
        if (!hv_str_starts(word, HV_STR("-")))
            last = &act->words[i];
        *deep |= shell_is_one_of(name, "cp rsync") &&
                 (has_letter(word, "rRa") || hv_str_starts(word, HV_STR("--r")) || hv_str_starts(word, HV_STR("--a")));
    }
    return place ? place : last;
}

struct hv_str act_brings_protected(const struct arriving *arriving, struct hv_arena *arena, const struct shell_act *act,
                                   size_t before, bool *unseen)
{
    struct fs_trees *trees = arriving->trees;
    struct arrival arrival = {.trees = trees, .arena = arena, .with = arriving};
    struct hv_str here = act->command->directory, home = arriving->policy->home.written, none = {0};
    if (!trees || !here.len || !is_looked_at(act))
        return none;
    struct hv_str name = shell_base_name(act->words[0].value);
    const struct shell_word *place = find_place(act, name, &arrival.deep);
    if (!place || !place->known || hv_str_find_byte(place->value, ':', 0) != SIZE_MAX)
        return none;
    arrival.place = path_expand(arena, place->value, here, home);
    arrival.real = fs_trees_real(trees, arrival.place, &none);
    for (size_t i = 1; i < act->word_count; i++) {
        const struct shell_word *word = &act->words[i];
        size_t slash = hv_str_rfind_byte(word->value, '/');
        struct hv_str head = word->value, tail = word->tail;
        if (word == place || (word->known && hv_str_starts(head, HV_STR("-"))) ||
            (!word->known && !(word->flags & SHELL_WORD_GLOB)))
            continue;
        arrival.is_pattern = !word->known;
        if (!word->known) {
            arrival.prefix = hv_str_slice(head, slash == SIZE_MAX ? 0 : slash + 1, head.len);
            arrival.suffix = hv_str_find_byte(tail, '/', 0) == SIZE_MAX ? tail : (struct hv_str){0};
            head = slash == SIZE_MAX ? HV_STR(".") : hv_str_slice(head, 0, slash + 1);
        }
        struct hv_str source = path_expand(arena, head, here, home);
        *unseen = arrival.deep && was_filled(act, before, source);
        if (*unseen || brings(&arrival, source, word->known)) {
            *unseen |= arrival.unseen;
            return arrival.found.len ? arrival.found : arrival.place;
        }
    }
    return (struct hv_str){0};
}

/* A directory that stays what it is while something comes into it. */
static bool is_entered(const struct shell_act *act, const struct shell_word *word, enum hv_file_kind kind)
{
    bool deep;
    const struct shell_word *place = find_place(act, shell_base_name(act->words[0].value), &deep);
    bool into = kind == HV_FILE_DIRECTORY && place && hv_str_eq(place->value, word->value) &&
                !shell_is_one_of(shell_base_name(act->words[0].value), "rm");
    for (size_t i = 1; into && i < act->word_count; i++)
        into = !has_letter(act->words[i].value, "T") && !hv_str_starts(act->words[i].value, HV_STR("--no-t"));
    return into;
}

struct hv_str act_replaces_linked(const struct home_links *links, const struct shell_act *act,
                                  const struct shell_access *access, const struct policy_path *path)
{
    const struct shell_word *word = access->word;
    bool is_pattern = word && !word->known;
    if (!links->count || access->redirect || !word || !act->word_count ||
        (!is_pattern &&
         (!shell_is_one_of(shell_base_name(act->words[0].value), "ln mv rm") || is_entered(act, word, path->kind))))
        return (struct hv_str){0};
    for (size_t i = 0; i < links->count; i++) {
        struct hv_str target = links->items[i].target;
        if (!hv_str_eq(target, path->resolved) && path_inside(target, path->resolved) &&
            (!is_pattern || may_take(word, path_relative(target, path->resolved))))
            return links->items[i].path;
    }
    return (struct hv_str){0};
}
