/* walked.c: see walked.h. */
#include "masks/walked.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/path.h"
#include "fs/scan_rules.h"
#include "policy/judged.h"
#include "policy/parts.h"
#include "policy/snapshot.h"

/* Programs that tell names of a tree, or move it, and open nothing in it. */
#define TELLERS "find fd fdfind ls dir vdir du tree stat chmod chown chgrp rm rmdir mkdir mv cd pushd realpath readlink"
#define INTERPRETERS "python python3 node deno bun perl ruby php bash sh dash zsh lua Rscript"
#define HANDERS "xargs parallel"

/* ---- what a part does -------------------------------------------------------------------------------------------- */

static bool is_called(const struct shell_word *words, size_t count, const char *names)
{
    return count && words[0].known && shell_is_one_of(shell_base_name(words[0].value), names);
}

static bool has_word(const struct shell_act *act, const char *names)
{
    for (size_t i = 1; i < act->word_count; i++)
        if (act->words[i].known && shell_is_one_of(act->words[i].value, names))
            return true;
    return false;
}

static bool is_pattern(const struct shell_word *word)
{
    for (size_t i = 0; !word->known && i < word->text.len; i++)
        if (strchr("*?[", word->text.ptr[i]))
            return hv_str_find_byte(word->text, '$', 0) == SIZE_MAX && hv_str_find_byte(word->text, '`', 0) == SIZE_MAX;
    return false;
}

/* It opens files whose names others print. */
static bool opens_what_is_printed(const struct shell_act *act)
{
    if (is_called(act->words, act->word_count, TELLERS))
        return has_word(act, "-exec -execdir -ok -okdir -x --exec -X --exec-batch");
    if (is_called(act->command->words, act->command->word_count, HANDERS))
        return true;
    for (size_t i = 1; i < act->word_count; i++)
        if (!act->words[i].known && !is_pattern(&act->words[i]))
            return true;
    return false;
}

static bool walks(const struct shell_act *act)
{
    for (size_t i = 0; i < act->read_count; i++)
        if (parts_act_takes_trees(act, i))
            return true;
    return false;
}

/* git goes by its index, and what that lists is not of the list; unless it is told not to. */
static bool opens_tree(const struct shell_act *act)
{
    if (is_called(act->words, act->word_count, "git"))
        return has_word(act, "--no-index --untracked");
    return !is_called(act->words, act->word_count, TELLERS);
}

static bool runs_code(const struct shell_act *act)
{
    return act->word_count > 1 && !has_word(act, "--version -V --help -h") &&
           is_called(act->words, act->word_count, INTERPRETERS);
}

static bool has_pattern(const struct shell_act *act)
{
    for (size_t i = 1; i < act->word_count; i++)
        if (is_pattern(&act->words[i]))
            return true;
    return false;
}

bool masks_could_be_walked(const struct policy_facts *facts)
{
    const struct policy_command *command = facts->command;
    for (size_t i = 0; command && i < command->part_count; i++) {
        const struct shell_act *act = command->parts[i].act;
        if (walks(act) || runs_code(act) || has_pattern(act) || has_word(act, "--no-index --untracked"))
            return true;
    }
    return false;
}

/* ---- what it meets ----------------------------------------------------------------------------------------------- */

struct walk {
    const struct sandbox_masks *masks;
    const struct policy_facts *facts;
    const struct policy_part *part;
};

/* Where its words do not tell rg to look at more: what they name, a pattern of names, beats every ignore file. */
static bool heeds_ignore_files(const struct shell_act *act)
{
    for (size_t i = 1; i < act->word_count; i++) {
        struct hv_str word = act->words[i].value;
        if (!act->words[i].known || hv_str_is(word, "--hidden") || hv_str_is(word, "-.") ||
            hv_str_starts(word, HV_STR("--no-ignore")) || hv_str_starts(word, HV_STR("--unrestricted")) ||
            hv_str_starts(word, HV_STR("--glob")) || hv_str_starts(word, HV_STR("--iglob")))
            return false;
        if (hv_str_starts(word, HV_STR("-")) && !hv_str_starts(word, HV_STR("--")) &&
            (hv_str_find_byte(word, 'u', 1) != SIZE_MAX || hv_str_find_byte(word, 'g', 1) != SIZE_MAX))
            return false;
    }
    return true;
}

/* The directory's own rules, from now on. False: it cannot be told what rg does there. */
static bool enter_directory(struct hv_arena *arena, struct scan_surroundings *around, struct hv_str directory,
                            struct scan_rules *rules)
{
    CLEANUP_FD int fd = open(hv_arena_cstr(arena, directory), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct scan_rule_files files = {0};
    if (fd < 0 || faccessat(fd, ".rgignore", F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        return false;
    scan_rule_files_probe(&files, fd);
    files.helve = false;
    struct hv_str base = hv_str_slice(directory, around->top.len + 1, directory.len);
    return scan_rules_enter(arena, around, fd, base, &files, rules).unreadable == 0;
}

/* On the way from tree to path some ignore file of a repository, or .ignore, leaves it out. */
static bool is_ignored(struct hv_str tree, struct hv_str path)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct scan_surroundings around = {0};
    struct scan_rules rules;
    struct hv_str directory = tree;
    if (tree.len < 2 || tree.len == path.len)
        return false;
    scan_rules_start(&arena, tree, (struct hv_str){0}, (struct hv_str){0}, &around, &rules);
    rules.helve = NULL; /* those are for helve's own tools */
    if (access(hv_arena_format(&arena, "%.*s/.git", HV_STR_ARG(around.top)).ptr, F_OK) != 0)
        return false;
    for (;;) {
        size_t end = hv_str_find_byte(path, '/', directory.len + 1);
        struct hv_str entry = hv_str_slice(path, 0, end);
        if (!enter_directory(&arena, &around, directory, &rules))
            return false;
        if (scan_rules_ignored(&rules, hv_str_slice(entry, around.top.len + 1, entry.len), end != SIZE_MAX))
            return true;
        if (end == SIZE_MAX)
            return false;
        directory = entry;
    }
}

/* rg passes by what is hidden or ignored, unless it is told not to; of ag only the first is known. */
static bool passes_by(const struct shell_act *act, struct hv_str tree, struct hv_str path)
{
    if (!is_called(act->words, act->word_count, "rg ag") || !heeds_ignore_files(act))
        return false;
    return hv_str_find(hv_str_slice(path, tree.len, path.len), HV_STR("/."), 0) != SIZE_MAX ||
           (is_called(act->words, act->word_count, "rg") && is_ignored(tree, path));
}

static const struct sandbox_mask *find_below(const struct walk *walk, struct hv_str tree, bool by_rule)
{
    for (size_t i = 0; tree.len && i < walk->masks->count; i++) {
        const struct sandbox_mask *mask = &walk->masks->items[i];
        if (mask->hides && (mask->by.len || !by_rule) && path_inside(mask->path, tree) &&
            !passes_by(walk->part->act, tree, mask->path))
            return mask;
    }
    return NULL;
}

static const struct sandbox_mask *find_in_trees(const struct walk *walk)
{
    const struct shell_act *act = walk->part->act;
    const struct sandbox_mask *found = NULL;
    for (size_t i = 0; i < act->read_count && !found; i++)
        if (parts_act_takes_trees(act, i) && !(act->reads[i].word && is_pattern(act->reads[i].word)))
            found = find_below(walk, walk->part->reads[i].resolved, false);
    return found;
}

/* It goes into directories that its words name. */
static bool descends(const struct shell_act *act)
{
    if (is_called(act->words, act->word_count, "tar zip rg ag cp rsync"))
        return true;
    for (size_t i = 1; i < act->word_count; i++) {
        struct hv_str word = act->words[i].value;
        if (act->words[i].known && hv_str_starts(word, HV_STR("-")) &&
            (hv_str_starts(word, HV_STR("--recurs")) ||
             (!hv_str_starts(word, HV_STR("--")) &&
              (hv_str_find_byte(word, 'r', 1) != SIZE_MAX || hv_str_find_byte(word, 'R', 1) != SIZE_MAX))))
            return true;
    }
    return false;
}

/* The names that a pattern takes: cat a/.e* */
static const struct sandbox_mask *find_by_pattern(const struct walk *walk, struct hv_arena *arena)
{
    const struct shell_act *act = walk->part->act;
    struct hv_str directory = act->command->directory.len ? act->command->directory : walk->facts->directory;
    int flags = FNM_PATHNAME | FNM_PERIOD | (descends(act) ? FNM_LEADING_DIR : 0);
    for (size_t i = 1; i < act->word_count; i++) {
        if (!is_pattern(&act->words[i]))
            continue;
        char *pattern = hv_arena_cstr(arena, path_expand(arena, act->words[i].text, directory, HV_STR("/")));
        for (size_t j = 0; j < walk->masks->count; j++) {
            const struct sandbox_mask *mask = &walk->masks->items[j];
            if (mask->hides && fnmatch(pattern, hv_arena_cstr(arena, mask->path), flags) == 0)
                return mask;
        }
    }
    return NULL;
}

static const struct sandbox_mask *find_of_part(const struct walk *walk, bool opened_elsewhere, struct hv_arena *arena)
{
    const struct shell_act *act = walk->part->act;
    struct hv_str directory = act->command->directory.len ? act->command->directory : walk->facts->directory;
    bool teller = is_called(act->words, act->word_count, TELLERS);
    const struct sandbox_mask *found = NULL;
    if (opens_tree(act) || opened_elsewhere || opens_what_is_printed(act))
        found = find_in_trees(walk);
    if (!found && is_called(act->words, act->word_count, "git") && opens_tree(act))
        found = find_below(walk, directory, false);
    if (!found && runs_code(act)) /* it may walk; most does not: only what somebody ruled out is worth a question */
        found = find_below(walk, directory, true);
    return found || teller ? found : find_by_pattern(walk, arena);
}

struct hv_str masks_walked(const struct sandbox_masks *masks, const struct policy_facts *facts, struct hv_arena *arena)
{
    const struct policy_command *command = facts->command;
    bool opened = false;
    for (size_t i = 0; command && i < command->part_count; i++)
        opened |= opens_what_is_printed(command->parts[i].act);
    for (size_t i = 0; command && i < command->part_count; i++) {
        const struct walk walk = {masks, facts, &command->parts[i]};
        const struct sandbox_mask *found = find_of_part(&walk, opened, arena);
        if (found && found->by.len)
            return hv_arena_format(arena, "it may open %.*s, which the rule %.*s keeps from being read",
                                   HV_STR_ARG(found->path), HV_STR_ARG(found->by));
        if (found)
            return hv_arena_format(arena, "it may open %.*s, which holds secrets", HV_STR_ARG(found->path));
    }
    return (struct hv_str){0};
}

void masks_restrict(const struct policy *policy, struct hv_str reason, struct policy_decision *decision,
                    struct hv_arena *arena)
{
    if (!reason.len || decision->verdict != HV_ALLOW)
        return;
    bool never_asks = policy->mode == POLICY_DONT_ASK;
    *decision = (struct policy_decision){
        .verdict = never_asks ? HV_DENY : HV_ASK,
        .stage = POLICY_STAGE_ALWAYS_CONFIRM,
        .always_confirm = true,
        .reason = hv_arena_format(arena, "%.*s; %s", HV_STR_ARG(reason),
                                  never_asks ? "nobody is asked in this mode" : "a person confirms such each time"),
    };
}
