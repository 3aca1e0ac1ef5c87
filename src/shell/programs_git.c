/*
 * programs_git.c: git(1): its own options, and the way to the tables of its sub-commands (programs_git.h).
 *
 * A sub-command that only reads is read-only when git, started with shell_run_environment(), runs no program that the
 * repository names; that is asked of the world, for the directory that git runs in.
 */
#include "shell/programs_git.h"

#include "base/path.h"

#include <string.h>

/* Before the sub-command. -p pages, --exec-path=X and --config-env change what runs: they are left out. */
static const struct shell_option global_options[] = {
    FLAGS("-P --no-pager --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs"
          " --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice -h --help"),
    VALUES("-C -c --git-dir --work-tree --attr-source --list-cmds"),
    HELPS("-v --version --build-options --exec-path --html-path --man-path --info-path"),
    {0},
};

/* What -c may set: how output looks, and what is switched off. All values but those that are named. */
static const struct {
    const char *section, *names; /* NULL: all of the section */
} harmless_settings[] = {
    {"color", NULL},
    {"column", NULL},
    {"advice", NULL},
    {"core", "quotepath abbrev whitespace filemode ignorecase precomposeunicode autocrlf safecrlf eol symlinks"
             " preloadindex commitgraph warnambiguousrefs"},
    {"diff", "renames renamelimit noprefix mnemonicprefix context interhunkcontext algorithm colormoved colormovedws"
             " wserrorhighlight statgraphwidth indentheuristic suppressblankempty ignoresubmodules relative dirstat"},
    {"log", "date decorate abbrevcommit follow showroot mailmap"},
    {"status", "short branch showuntrackedfiles relativepaths renames renamelimit showstash aheadbehind"},
    {"grep", "linenumber column patterntype extendedregexp fullname threads"},
    {"blame", "blankboundary coloring date showemail showroot"},
    {"i18n", "logoutputencoding commitencoding"},
    {"submodule", "recurse"},
    {"safe", "directory barerepository"},
    {"gc", "auto"},
    {"tag", "sort"},
    {"branch", "sort"},
};

static bool is_setting(struct hv_str setting, const char *section, const char *names)
{
    size_t dot = hv_str_find_byte(setting, '.', 0);
    if (dot == SIZE_MAX || !hv_str_eq_nocase(hv_str_slice(setting, 0, dot), hv_str_from(section)))
        return false;
    struct hv_str name = hv_str_slice(setting, dot + 1, setting.len), all = hv_str_from(names), one;
    if (!names)
        return true;
    while (hv_str_split(&all, ' ', &one))
        if (one.len && hv_str_eq_nocase(one, name))
            return true;
    return false;
}

/* "name=value", or a name alone. */
static bool is_harmless_setting(struct hv_str text)
{
    size_t equals = hv_str_find_byte(text, '=', 0);
    struct hv_str name = hv_str_slice(text, 0, equals);
    struct hv_str value = equals == SIZE_MAX ? HV_STR("true") : hv_str_slice(text, equals + 1, text.len);
    bool off = hv_str_is(value, "false") || !value.len;
    if (is_setting(name, "core", "pager") || is_setting(name, "pager", NULL))
        return hv_str_is(value, "cat") || off;
    if (is_setting(name, "core", "fsmonitor") || is_setting(name, "log", "showsignature"))
        return off && value.len;
    for (size_t at = 0; at < sizeof harmless_settings / sizeof *harmless_settings; at++)
        if (is_setting(name, harmless_settings[at].section, harmless_settings[at].names))
            return true;
    return false;
}

/* ---- sub-commands that do harm --------------------------------------------------------------------------- */

static const struct {
    const char *names;
    enum shell_class class;
    const char *does;
} harmful[] = {
    {"commit commit-tree merge rebase cherry-pick revert am replace notes-merge", SHELL_WRITES, "changes the history"},
    {"checkout switch restore reset read-tree checkout-index sparse-checkout", SHELL_WRITES,
     "changes the work tree or the index"},
    {"update-index update-ref update-server-info pack-refs mktag mktree write-tree", SHELL_WRITES,
     "changes the repository"},
    {"init init-db gc prune prune-packed repack maintenance pack-objects unpack-objects index-pack", SHELL_WRITES,
     "changes the repository"},
    {"multi-pack-index commit-graph fast-import unpack-file mailinfo mailsplit merge-index", SHELL_WRITES,
     "writes files"},
    {"merge-one-file credential-store credential-cache fsmonitor--daemon", SHELL_WRITES, "changes something"},
    {"fetch pull push clone fetch-pack send-pack http-fetch http-push remote-http remote-https", SHELL_NETWORK,
     "reaches the network"},
    {"request-pull send-email imap-send svn p4 cvsimport archimport daemon upload-archive", SHELL_NETWORK,
     "reaches the network"},
    {"difftool mergetool gui gitk citool instaweb web--browse filter-branch quiltimport for-each-repo", SHELL_EXECUTES,
     "runs other programs"},
    {"verify-commit verify-tag", SHELL_EXECUTES, "runs gpg"},
    {"shell upload-pack receive-pack credential fast-export bugreport diagnose hook", SHELL_EXECUTES,
     "may run other programs"},
};

/* asks: it is only asked how it is used. What git does not have is a program of that name, which may do anything. */
static void judge_harmful(struct shell_reading *reading, struct hv_str name, bool asks)
{
    for (size_t at = 0; at < sizeof harmful / sizeof *harmful; at++)
        if (shell_names_have(harmful[at].names, name)) {
            if (asks)
                return;
            reading->act.reads_listed = reading->act.writes_listed = false;
            shell_worsenf(reading, harmful[at].class, "git %.*s %s", HV_STR_ARG(name), harmful[at].does);
            return;
        }
    shell_worsenf(reading, SHELL_UNKNOWN, "what git %.*s does is not known", HV_STR_ARG(name));
}

/* ---- what concerns several sub-commands ------------------------------------------------------------------ */

static bool has(struct hv_str text, const char *part)
{
    return hv_str_find(text, hv_str_from(part), 0) != SIZE_MAX;
}

/* %G? and the like, also with a sign before the letter: "%+GK" begins a line when there is a signature. */
static bool asks_for_signature(struct hv_str format)
{
    for (size_t at = 0; (at = hv_str_find_byte(format, '%', at)) != SIZE_MAX; at++) {
        size_t sign = at + 1 < format.len && hv_str_find_byte(HV_STR("+- "), format.ptr[at + 1], 0) != SIZE_MAX;
        struct hv_str rest = hv_str_slice(format, at + 1 + sign, format.len);
        if (hv_str_starts(rest, HV_STR("G")) || hv_str_starts(rest, HV_STR("(signature")) ||
            hv_str_starts(rest, HV_STR("(*signature")))
            return true;
    }
    return has(format, "pretty:signature");
}

/* The key of an order: --sort=-signature:key. */
static bool sorts_by_signature(struct hv_str word)
{
    if (hv_str_starts(word, HV_STR("--sort=")))
        word = hv_str_slice(word, 7, word.len);
    while (word.len && (word.ptr[0] == '-' || word.ptr[0] == '*'))
        word = hv_str_slice(word, 1, word.len);
    return hv_str_starts(word, HV_STR("version:signature")) || hv_str_is(word, "signature") ||
           hv_str_starts(word, HV_STR("signature:"));
}

/* Formats that ask gpg about signatures; differences inside submodules, which other configurations rule. */
static void judge_formats(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char submodule[] = "--submodule=";
    for (size_t at = 1; at < count; at++) {
        struct hv_str value = words[at].value;
        bool sorted = hv_str_starts(value, HV_STR("--sort=")) || hv_str_is(words[at - 1].value, "--sort");
        if (asks_for_signature(value) || (sorted && sorts_by_signature(value)))
            shell_worsen(reading, SHELL_EXECUTES, "the format makes git run gpg");
        if (hv_str_starts(value, hv_str_from(submodule)) &&
            !(words[at].known && (hv_str_is(value, "--submodule=log") || hv_str_is(value, "--submodule=short"))))
            shell_worsen(reading, SHELL_EXECUTES, "--submodule=diff makes git run inside submodules");
    }
}

/* "HEAD:path" and ":path" read what the file held, so that rules about the file concern it. */
static void name_old_files(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++) {
        size_t colon = words[at].known ? hv_str_find_byte(words[at].value, ':', 0) : SIZE_MAX;
        if (colon == SIZE_MAX || words[at].value.ptr[0] == '-' || colon + 1 == words[at].value.len)
            continue;
        struct hv_str path = hv_str_slice(words[at].value, colon + 1, words[at].value.len);
        if (!colon && path.len > 2 && path.ptr[0] >= '0' && path.ptr[0] <= '3' && path.ptr[1] == ':')
            path = hv_str_slice(path, 2, path.len); /* ":1:path" stands in the index at that stage */
        else if (!colon && hv_str_find_byte(HV_STR("/!^("), path.ptr[0], 0) != SIZE_MAX)
            continue; /* ":/text" looks for a commit, the others are patterns with a sense of their own */
        struct shell_word *file = hv_arena_new(reading->arena, struct shell_word);
        *file = shell_word_known(path);
        shell_reads(reading, file, true);
    }
}

/* ---- directories ----------------------------------------------------------------------------------------- */

/* Where git looks for its repository, ".." and all, when the shell is at place; absent: not known. */
static struct hv_str follow_directories(struct shell_reading *reading, const struct shell_arguments *arguments,
                                        struct hv_str place)
{
    for (size_t at = 0; at < arguments->given_count; at++) {
        const struct shell_given *given = &arguments->given[at];
        if (!hv_str_is(given->name, "-C") || (given->argument.known && !given->argument.value.len))
            continue;
        struct hv_str value = given->argument.value;
        if (!given->argument.known || (value.ptr[0] != '/' && !place.ptr))
            place = hv_str_of(NULL, 0);
        else if (value.ptr[0] == '/')
            place = value;
        else
            place = path_join(reading->arena, place, value);
    }
    return place;
}

/* The directories that git may run in: the likely one first. */
struct places {
    struct hv_str items[1 + SHELL_ELSEWHERE_MAX];
    size_t count;
    const struct shell_word *below; /* git runs in any directory that stands directly in the first; NULL: in that */
};

/* git -C "$d" where d is one of some known words: each of them is a place. */
static bool find_each_place(struct shell_reading *reading, const struct shell_arguments *arguments,
                            struct places *places)
{
    struct hv_str values[1 + SHELL_ELSEWHERE_MAX];
    const struct shell_given *only = shell_given(arguments, "-C");
    size_t count = 0;
    for (size_t at = 0; at < arguments->given_count; at++)
        count += hv_str_is(arguments->given[at].name, "-C");
    if (count != 1 || only->argument.known || !reading->directory.ptr || reading->elsewhere_count)
        return false;
    places->count = shell_loop_values(reading, &only->argument, values, sizeof values / sizeof *values);
    struct hv_str from = reading->directory;
    for (size_t at = 0; at < places->count; at++) {
        places->items[at] = *values[at].ptr == '/' ? values[at]
                                                   : hv_arena_format(reading->arena, "%.*s/%.*s", HV_STR_ARG(from),
                                                                     HV_STR_ARG(values[at]));
        struct hv_str *directory = at ? &reading->elsewhere[at - 1] : &reading->directory;
        *directory = path_expand(reading->arena, places->items[at], HV_STR("/"), HV_STR("/"));
    }
    reading->elsewhere_count = places->count ? places->count - 1 : 0;
    return places->count != 0;
}

/* A component is "..": what stands before it may be an option's name, or a commit's. ("a..b" names commits.) */
static bool may_climb(struct hv_str text)
{
    for (size_t at = 0; (at = hv_str_find(text, HV_STR(".."), at)) != SIZE_MAX; at++) {
        bool begins = !at || strchr("/:=\"'", text.ptr[at - 1]);
        bool ends = at + 2 == text.len || strchr("/\"'", text.ptr[at + 2]);
        if (begins && ends)
            return true;
    }
    return false;
}

/* git -C "$d" where d is a name in a directory, as in a loop over patterns: any directory there is a place. Operands
 * are then relative to what is not known: they must not climb. */
static bool find_places_below(struct shell_reading *reading, const struct shell_arguments *arguments,
                              const struct shell_word *words, size_t count, struct places *places)
{
    const struct shell_given *only = shell_given(arguments, "-C");
    size_t given = 0;
    for (size_t at = 0; at < arguments->given_count; at++)
        given += hv_str_is(arguments->given[at].name, "-C");
    if (!given && !reading->directory.ptr && reading->below.ptr) { /* cd "$d" && git … */
        places->items[0] = reading->below;
        places->count = 1;
        places->below = &reading->below_by;
        shell_reads_directory(reading, true); /* one of them may be a link */
        return true;
    }
    if (given != 1 || !shell_is_direct_name(&only->argument) || !shell_is_variable(only->argument.text) ||
        !reading->directory.ptr || reading->elsewhere_count)
        return false;
    for (size_t at = 1; at < count; at++)
        if (may_climb(words[at].known ? words[at].value : words[at].text))
            return false;
    struct hv_str value = only->argument.value;
    size_t slash = hv_str_rfind_byte(value, '/');
    shell_reads(reading, &only->argument, true);
    if (slash != SIZE_MAX) {
        struct shell_word before = shell_word_known(hv_str_slice(value, 0, slash + 1));
        shell_enter(reading, &before);
    }
    places->items[0] = reading->directory;
    places->count = 1;
    places->below = &only->argument;
    return reading->directory.ptr != NULL;
}

/* Operands are relative to where git is from here on. */
static void find_places(struct shell_reading *reading, const struct shell_arguments *arguments,
                        const struct shell_word *words, size_t count, struct places *places)
{
    *places = (struct places){0};
    if (find_each_place(reading, arguments, places) || find_places_below(reading, arguments, words, count, places))
        return;
    places->count = 1 + reading->elsewhere_count;
    for (size_t at = 0; at < places->count; at++) {
        struct hv_str *directory = at ? &reading->elsewhere[at - 1] : &reading->directory;
        struct hv_str place = follow_directories(reading, arguments, *directory);
        places->items[at] = place;
        *directory = place.ptr ? path_expand(reading->arena, place, HV_STR("/"), HV_STR("/")) : place;
    }
}

/* --git-dir and --work-tree are understood where they say what git would find out itself. */
static bool names_own_repository(struct shell_reading *reading, const struct shell_arguments *arguments,
                                 struct places *places)
{
    const struct shell_given *git = shell_given(arguments, "--git-dir"), *tree = shell_given(arguments, "--work-tree");
    if (!git && !tree)
        return true;
    if (!git || places->below || !git->argument.known || (tree && !tree->argument.known) || !reading->directory.ptr ||
        places->count > 1)
        return false;
    struct hv_str path = path_expand(reading->arena, git->argument.value, reading->directory, HV_STR("/"));
    struct hv_str top =
        tree ? path_expand(reading->arena, tree->argument.value, reading->directory, HV_STR("/")) : reading->directory;
    if (has(git->argument.value, "..") || (tree && has(tree->argument.value, "..")) ||
        !hv_str_is(path_name(path), ".git") || !hv_str_eq(path_parent(path), top))
        return false;
    places->items[0] = top;
    return true;
}

static void ask_about(struct shell_reading *reading, struct hv_str place, bool below, struct hv_str name)
{
    struct hv_str why = {0};
    const struct shell_world *world = reading->world;
    bool (*is_quiet)(void *user, struct hv_arena *arena, struct hv_str directory, struct hv_str subcommand,
                     struct hv_str *why) = below ? world->git_is_quiet_below : world->git_is_quiet;
    if (!place.ptr)
        shell_worsen(reading, SHELL_UNKNOWN, "the directory that git runs in is not known");
    else if (!is_quiet)
        shell_worsen(reading, SHELL_UNKNOWN, "whether the repository names programs is not known");
    else if (!is_quiet(world->user, reading->arena, place, name, &why))
        shell_worsenf(reading, SHELL_EXECUTES, "%.*s", HV_STR_ARG(why));
}

static void ask_the_world(struct shell_reading *reading, const struct places *places, struct hv_str name)
{
    if (reading->act.class != SHELL_READ_ONLY)
        return;
    reading->act.git = hv_arena_cstr(reading->arena, name);
    for (size_t at = 0; at < places->count && reading->act.class == SHELL_READ_ONLY; at++)
        ask_about(reading, places->items[at], places->below != NULL, name);
}

/* Some sub-commands look at their words twice, or sort options from operands: an argument that begins with "-" may
 * become an option. */
void shell_git_plain_arguments(struct shell_reading *reading, const struct shell_program *row,
                               const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    if (!shell_arguments(reading, row, words, count, &arguments))
        return;
    for (size_t i = 0; i < arguments.given_count; i++)
        if (arguments.given[i].has_argument && shell_may_be_option(&arguments.given[i].argument))
            shell_worsenf(reading, SHELL_UNKNOWN, "git may take the argument of %.*s for an option",
                          HV_STR_ARG(arguments.given[i].name));
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

static void judge_subcommand(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    const struct shell_program *const tables[] = {shell_git_history, shell_git_objects, shell_git_lists};
    struct hv_str name = words[0].value;
    /* -h alone only prints the usage. */
    bool asks = count == 2 && words[1].known && hv_str_is(words[1].value, "-h");
    for (size_t at = 0; at < sizeof tables / sizeof *tables; at++) {
        const struct shell_program *row = shell_find_row(tables[at], name);
        if (!row)
            continue;
        if (asks)
            return;
        shell_judge_row(reading, row, words, count);
        judge_formats(reading, words, count);
        if (hv_str_is(name, "archive"))
            shell_git_plain_arguments(reading, row, words, count);
        if (tables[at] == shell_git_history || hv_str_is(name, "cat-file") || hv_str_is(name, "archive"))
            name_old_files(reading, words, count);
        return;
    }
    judge_harmful(reading, name, asks);
}

/* Options that stand before the sub-command. False: not understood, and said so. */
static bool judge_globals(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t at = 0; at < arguments->given_count; at++) {
        const struct shell_given *given = &arguments->given[at];
        if (hv_str_is(given->name, "-c") && !(given->argument.known && is_harmless_setting(given->argument.value))) {
            shell_worsenf(reading, SHELL_UNKNOWN, "-c %.*s may make git run something",
                          HV_STR_ARG(given->argument.text));
            return false;
        }
    }
    return true;
}

static void judge_git(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"git", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = global_options};
    struct shell_arguments arguments;
    if (!shell_arguments(reading, &row, words, count, &arguments) || !judge_globals(reading, &arguments) ||
        arguments.help || !arguments.operand_count)
        return;
    const struct shell_word *rest = words + arguments.first;
    size_t rest_count = count - arguments.first;
    struct hv_str name = rest[0].value;
    struct places places;
    find_places(reading, &arguments, words, count, &places);
    if (!rest[0].known) {
        shell_worsen(reading, SHELL_UNKNOWN, "which sub-command of git runs is not known");
        return;
    }
    if (!names_own_repository(reading, &arguments, &places)) {
        shell_worsen(reading, SHELL_UNKNOWN, "--git-dir and --work-tree lead git elsewhere");
        return;
    }
    bool help =
        shell_given(&arguments, "-h --help") || (rest_count > 1 && rest[1].known && hv_str_is(rest[1].value, "--help"));
    if (help && rest_count <= 2)
        name = HV_STR("help");
    else
        judge_subcommand(reading, shell_git_put_in_commits(reading, rest, rest_count), rest_count);
    if (!hv_str_is(name, "version"))
        ask_the_world(reading, &places, name);
}

const struct shell_program shell_programs_git[] = {
    {"git", .judge = judge_git},
    {0},
};
