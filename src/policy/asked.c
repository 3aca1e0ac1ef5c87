/* asked.c: see asked.h. */
#include "policy/asked.h"

#include "fs/git_probe.h"
#include "fs/plain_tree.h"
#include "fs/project_files.h"

#include <string.h>

/* An answer: of git with the reason, of a repository with its top. */
struct answer {
    bool yes;
    struct hv_str text;
};

/* A directory and what else the question is about; the length keeps them apart. */
static struct hv_str key_of(struct asked *asked, struct hv_str directory, struct hv_str about)
{
    size_t size = sizeof directory.len + directory.len + about.len;
    char *key = hv_arena_alloc(asked->arena, size);
    memcpy(key, &directory.len, sizeof directory.len);
    if (directory.len)
        memcpy(key + sizeof directory.len, directory.ptr, directory.len);
    if (about.len)
        memcpy(key + size - about.len, about.ptr, about.len);
    return hv_str_of(key, size);
}

static struct answer *keep(struct asked *asked, struct map *answers, struct hv_str key)
{
    struct answer *answer = hv_arena_new(asked->arena, struct answer);
    (void)map_set(answers, key, answer);
    return answer;
}

typedef bool probe_git(struct git_probe *probe, struct hv_arena *arena, struct hv_str directory,
                       struct hv_str subcommand, struct hv_str *why);

static struct answer *ask_git(struct asked *asked, probe_git *look, struct map *answers, struct hv_str directory,
                              struct hv_str subcommand, struct hv_str why)
{
    struct hv_str key = key_of(asked, directory, subcommand);
    struct answer *answer = map_get(answers, key);
    if (!answer) {
        answer = keep(asked, answers, key);
        answer->text = why;
        answer->yes = look(asked->programs.user, asked->arena, directory, subcommand, &answer->text);
    }
    return answer;
}

/* Git is asked about once in each place where its search upwards ends, not in each directory below. */
static bool git_is_quiet(void *user, struct hv_arena *arena, struct hv_str directory, struct hv_str subcommand,
                         struct hv_str *why)
{
    struct asked *asked = user;
    struct hv_str key = key_of(asked, directory, subcommand);
    struct answer *answer = map_get(&asked->git, key);
    (void)arena;
    if (!answer) {
        struct hv_str start = git_probe_start(&asked->seen, directory);
        answer = ask_git(asked, git_probe_is_quiet, &asked->git, start, subcommand, *why);
        (void)map_set(&asked->git, key, answer);
    }
    *why = answer->text;
    return answer->yes;
}

static bool git_is_quiet_below(void *user, struct hv_arena *arena, struct hv_str directory, struct hv_str subcommand,
                               struct hv_str *why)
{
    struct asked *asked = user;
    (void)arena;
    const struct answer *answer =
        ask_git(asked, git_probe_is_quiet_below, &asked->git_below, directory, subcommand, *why);
    *why = answer->text;
    return answer->yes;
}

static bool holds_none(void *user, struct hv_str directory, const char *names)
{
    struct asked *asked = user;
    if (asked->last_names == names && hv_str_eq(asked->last_directory, directory))
        return asked->last_holds_none;
    struct hv_str key = key_of(asked, directory, hv_str_from(names));
    struct answer *answer = map_get(&asked->directories, key);
    if (!answer) {
        answer = keep(asked, &asked->directories, key);
        answer->yes = fs_holds_none(&asked->seen, directory, asked->home, names);
    }
    asked->last_names = names;
    asked->last_directory = hv_str_slice(key, sizeof directory.len, sizeof directory.len + directory.len);
    return asked->last_holds_none = answer->yes;
}

static bool look_at_tree(struct fs_trees *trees, struct hv_str directory, unsigned wanted)
{
    const struct fs_plain plain = {.no_option = wanted & SHELL_TREE_NO_OPTION,
                                   .words = wanted & SHELL_TREE_WORDS,
                                   .names = wanted & SHELL_TREE_NAMES,
                                   .links = wanted & SHELL_TREE_LINKS,
                                   .lines = wanted & SHELL_TREE_LINES,
                                   .no_dash = wanted & SHELL_TREE_NO_DASH};
    return fs_is_plain(trees, directory, &plain) &&
           (!(wanted & SHELL_TREE_TRACKED) || git_probe_names_are_plain(directory, &plain));
}

static bool tree_is_plain(void *user, struct hv_str directory, unsigned wanted)
{
    struct asked *asked = user;
    struct hv_str key = key_of(asked, directory, hv_str_of((const char *)&wanted, sizeof wanted));
    struct answer *answer = map_get(&asked->trees, key);
    if (!answer) {
        answer = keep(asked, &asked->trees, key);
        answer->yes = look_at_tree(&asked->seen, directory, wanted);
    }
    return answer->yes;
}

static struct hv_str repository_top(void *user, struct hv_arena *arena, struct hv_str directory)
{
    struct asked *asked = user;
    struct answer *answer = map_get(&asked->tops, directory);
    (void)arena;
    if (!answer) {
        answer = keep(asked, &asked->tops, hv_arena_str(asked->arena, directory));
        answer->text = git_probe_top(asked->arena, directory);
    }
    return answer->text;
}

struct shell_world asked_world(struct asked *asked, bool git_is_tamed)
{
    return (struct shell_world){
        .git_is_quiet = git_is_tamed ? git_is_quiet : NULL,
        .git_is_quiet_below = git_is_tamed ? git_is_quiet_below : NULL,
        .is_system_program = system_program_is,
        .program_path = system_program_path,
        .holds_none = holds_none,
        .tree_is_plain = tree_is_plain,
        .repository_top = repository_top,
        .user = asked,
    };
}

void asked_release(struct asked *asked)
{
    map_release(&asked->git);
    map_release(&asked->git_below);
    map_release(&asked->directories);
    map_release(&asked->trees);
    map_release(&asked->tops);
    fs_trees_release(&asked->seen);
}
