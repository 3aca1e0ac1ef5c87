/*
 * programs_git_lists.c: git's sub-commands that list or change, depending on their words: git-branch(1), git-tag(1),
 * git-config(1), git-remote(1), git-stash(1), git-reflog(1) … . `git branch NAME` makes a branch, and so does
 * `git branch -v NAME`: operands are patterns only where an option says that it lists.
 */
#include "shell/listings.h"
#include "shell/programs_git.h"

#include <string.h>

#define ROW SHELL_SYNTAX_EXACT, SHELL_READ_ONLY
#define NAMES .rest = SHELL_EFFECT_NONE

/* ---- branch, tag ----------------------------------------------------------------------------------------- */

static const struct shell_option branch_options[] = {
    FLAGS("-v --verbose -q --quiet --no-color -r --remotes -a --all -l --list --show-current --no-column -i"
          " --ignore-case --no-abbrev --omit-empty --no-verbose"),
    VALUES("--contains --no-contains --merged --no-merged --points-at --sort --format"),
    MAYBE("--color --abbrev --column"),
    CHANGES("-d --delete -D -m --move -M -c --copy -C --unset-upstream --create-reflog -f --force"
            " --recurse-submodules --no-track"),
    {"-t --track", SHELL_EFFECT_WRITES, SHELL_ARITY_OPTIONAL},
    CHANGES_WITH("-u --set-upstream-to"),
    RUNS("--edit-description"),
    {0},
};
static const struct shell_option tag_options[] = {
    FLAGS("-l --list -i --ignore-case --no-column --omit-empty --no-color"),
    VALUES("--contains --no-contains --merged --no-merged --points-at --sort --format"),
    MAYBE("-n --column --color"),
    CHANGES("-d --delete -a --annotate -f --force --create-reflog"),
    CHANGES_WITH("-m --message -F --file --cleanup --trailer"),
    RUNS("-v --verify -e --edit -s --sign"),
    RUNS_WITH("-u --local-user"),
    {0},
};

/* An option that takes a commit, or none when it is the last word. */
static size_t without_open_option(const struct shell_word *words, size_t count)
{
    static const char names[] = "--contains --no-contains --merged --no-merged --points-at";
    bool open = count > 1 && words[count - 1].known && shell_names_have(names, words[count - 1].value);
    return open ? count - 1 : count;
}

static void judge_names(struct shell_reading *reading, const struct shell_program *row, const char *listing,
                        const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    size_t read = without_open_option(words, count);
    if (!shell_arguments(reading, row, words, read, &arguments))
        return;
    if (arguments.operand_count && read == count && !shell_given(&arguments, listing))
        shell_worsenf(reading, SHELL_WRITES, "git %s makes one of that name", row->names);
}

static void judge_branch(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"branch", ROW, .options = branch_options};
    judge_names(reading, &row, "-l --list --contains --no-contains --merged --no-merged --points-at", words, count);
}

static void judge_tag(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"tag", ROW, .options = tag_options};
    judge_names(reading, &row, "-l --list -n --contains --no-contains --merged --no-merged --points-at", words, count);
}

/* git-for-each-ref(1). */
static const struct shell_option for_each_ref_options[] = {
    FLAGS("-s --shell -p --perl --python --tcl --ignore-case --omit-empty --stdin --include-root-refs"),
    VALUES("--count --format --sort --points-at --exclude --merged --no-merged --contains --no-contains"),
    MAYBE("--color"),
    {0},
};

static void judge_for_each_ref(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"for-each-ref", ROW, .options = for_each_ref_options, NAMES};
    shell_judge_row(reading, &row, words, without_open_option(words, count));
}

/* word is one of names, or may become one. */
static bool may_be_one_of(const struct shell_word *word, const char *names)
{
    struct hv_str rest = hv_str_from(names), name;
    if (word->known)
        return shell_names_have(names, word->value);
    while (!(word->flags & SHELL_WORD_NUMBER) && hv_str_split(&rest, ' ', &name))
        if (hv_str_starts(name, word->value) && hv_str_ends(name, word->tail))
            return true;
    return false;
}

/* ---- config, symbolic-ref -------------------------------------------------------------------------------- */

static const struct shell_option config_options[] = {
    FLAGS("--global --system --local --worktree --get --get-all --get-regexp --get-urlmatch -l --list --fixed-value"
          " --get-color --get-colorbool --bool --int --bool-or-int --bool-or-str --path --expiry-date --no-type -z"
          " --null --name-only --includes --no-includes --show-origin --show-scope --all --regexp --show-names"),
    VALUES("--blob -t --type --default --value --url"),
    FILES("-f --file"),
    CHANGES("--replace-all --add --unset --unset-all --rename-section --remove-section --append"),
    CHANGES_WITH("--comment"),
    RUNS("-e --edit"),
    {0},
};

/* The first name ends the options: `git config user.name --get` sets user.name. */
static void check_config(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    static const char looks[] = "--get --get-all --get-regexp --get-urlmatch -l --list --get-color --get-colorbool";
    bool looking = false;
    for (size_t at = 1; at < arguments->first; at++)
        looking |= arguments->words[at].known && shell_names_have(looks, arguments->words[at].value);
    if (looking && shell_given(arguments, looks))
        return;
    /* `git config list` and `git config get NAME` are new; older versions take them for names that they refuse. */
    bool known = arguments->operand_count && arguments->operands[0]->known && !arguments->scattered;
    if (known && shell_names_have("list get", arguments->operands[0]->value))
        return;
    static const char changing[] = "set unset edit rename-section remove-section";
    if (arguments->count > arguments->first + 1 || arguments->scattered ||
        (arguments->operand_count && may_be_one_of(arguments->operands[0], changing)))
        shell_worsen(reading, SHELL_WRITES, "git config changes a setting");
}

static void check_symbolic_ref(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (arguments->operand_count > 1 || arguments->scattered)
        shell_worsen(reading, SHELL_WRITES, "git symbolic-ref changes a reference");
}

/* ---- remote ---------------------------------------------------------------------------------------------- */

static void check_remote_show(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (arguments->operand_count && !shell_given(arguments, "-n"))
        shell_worsen(reading, SHELL_NETWORK, "git remote show asks the remote; with -n it does not");
}

/* ---- stash, reflog, notes, worktree, submodule, bisect … ------------------------------------------------- */

/* It hands its words on to git log, but for the first "--": options may stand behind that. */
static void judge_stash_list(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i + 1 < count; i++)
        if (words[i].known && hv_str_is(words[i].value, "--") && shell_may_be_option(&words[i + 1]))
            shell_worsen(reading, SHELL_UNKNOWN, "git stash list takes options behind --, too");
    shell_judge_row(reading, &shell_git_log_row, words, count);
}

static void judge_stash_show(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    const struct shell_program *row = shell_find_row(shell_git_history, HV_STR("stash-show"));
    shell_judge_row(reading, row, words, count);
    shell_git_plain_arguments(reading, row, words, count);
}

static const struct shell_program stash_rows[] = {
    {"list", .judge = judge_stash_list},
    {"show", .judge = judge_stash_show},
    {"push save pop apply drop clear branch create store export import", .judge = shell_judge_changes},
    {0},
};

/* `git stash` and `git stash -u` put changes away. */
static void judge_stash(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"stash", ROW, .subcommands = stash_rows};
    if (count < 2 || (words[1].known && hv_str_starts(words[1].value, HV_STR("-"))))
        shell_judge_changes(reading, words, count);
    else
        shell_judge_row(reading, &row, words, count);
}

/* `git reflog` and `git reflog REF` show; a word that changes counts wherever it stands, unless the first one says what
 * is done. */
static void judge_reflog(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool shows = count > 1 && words[1].known && shell_names_have("show list exists", words[1].value);
    for (size_t at = 1; at < count; at++)
        if (may_be_one_of(&words[at], "expire delete drop write") && (words[at].known || !shows))
            shell_worsen(reading, SHELL_WRITES, "git reflog changes the log of references");
    shell_judge_row(reading, &shell_git_log_row, words, count);
}

/* ---- what only tells what it would do -------------------------------------------------------------------- */

static void check_dry(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!shell_given(arguments, "-n --dry-run"))
        shell_worsenf(reading, SHELL_WRITES, "git %s changes files or the index", arguments->row->names);
}

const struct shell_program shell_git_lists[] = {
    {"branch", .judge = judge_branch},
    {"tag", .judge = judge_tag},
    {"for-each-ref", .judge = judge_for_each_ref},
    {"config", ROW, .options = config_options, .rest = SHELL_EFFECT_NONE, .check = check_config},
    {"symbolic-ref", ROW,
     .options = OPTIONS(FLAGS("-q --quiet --short --recurse --no-recurse"), CHANGES("-d --delete"), CHANGES_WITH("-m")),
     .rest = SHELL_EFFECT_NONE, .check = check_symbolic_ref},
    {"remote", ROW, .options = OPTIONS(FLAGS("-v --verbose")),
     .subcommands = SUBCOMMANDS({"show", ROW, .options = OPTIONS(FLAGS("-n -v --verbose")), .rest = SHELL_EFFECT_NONE,
                                 .check = check_remote_show},
                                {"get-url", ROW, .options = OPTIONS(FLAGS("--push --all")), NAMES},
                                {"update prune", .judge = shell_judge_reaches},
                                {"add rename remove rm set-head set-branches set-url", .judge = shell_judge_changes})},
    {"stash", .judge = judge_stash},
    {"reflog", .judge = judge_reflog},
    {"notes", ROW, .options = OPTIONS(VALUES("--ref")),
     .subcommands = SUBCOMMANDS({"list", ROW, NAMES}, {"show", ROW, NAMES}, {"get-ref", ROW},
                                {"add copy append edit merge remove prune", .judge = shell_judge_changes})},
    {"worktree", ROW,
     .subcommands =
         SUBCOMMANDS({"list", ROW, .options = OPTIONS(FLAGS("--porcelain -v --verbose -z"), VALUES("--expire"))},
                     {"add lock move prune remove repair unlock", .judge = shell_judge_changes})},
    {"submodule", ROW, .options = OPTIONS(FLAGS("-q --quiet --cached")),
     .subcommands = SUBCOMMANDS(
         {"status", ROW, .options = OPTIONS(FLAGS("-q --quiet --cached --recursive")), NAMES,
          .without_operands = SHELL_EFFECT_READ},
         {"summary", ROW,
          .options = OPTIONS(FLAGS("-q --quiet --cached --files --for-status"), VALUES("-n --summary-limit")), NAMES,
          .without_operands = SHELL_EFFECT_READ},
         {"foreach", .judge = shell_judge_runs}, {"add update", .judge = shell_judge_reaches},
         {"init deinit set-branch set-url sync absorbgitdirs", .judge = shell_judge_changes})},
    {"bisect", ROW,
     .subcommands = SUBCOMMANDS({"log", ROW}, {"run visualize view", .judge = shell_judge_runs},
                                {"start bad new good old skip next reset replay terms", .judge = shell_judge_changes})},
    {"bundle", ROW,
     .subcommands = SUBCOMMANDS({"verify", ROW, .options = OPTIONS(FLAGS("-q --quiet")), .rest = SHELL_EFFECT_READ},
                                {"list-heads", ROW, .first = {SHELL_EFFECT_READ}, .first_count = 1, NAMES},
                                {"create unbundle", .judge = shell_judge_changes})},
    {"rerere", SHELL_SYNTAX_EXACT, SHELL_WRITES,
     .subcommands =
         SUBCOMMANDS({"status diff remaining", ROW, NAMES}, {"clear forget gc", .judge = shell_judge_changes})},
    {"sparse-checkout", ROW,
     .subcommands =
         SUBCOMMANDS({"list", ROW}, {"set add reapply disable init check-rules", .judge = shell_judge_changes})},
    {"add stage", ROW,
     .options = OPTIONS(
         FLAGS("-n --dry-run -v --verbose -A --all --no-all -u --update -f --force --ignore-removal --ignore-errors"
               " --ignore-missing --sparse"),
         RUNS("-i --interactive -p --patch -e --edit"), CHANGES("-N --intent-to-add --refresh --renormalize")),
     .rest = SHELL_EFFECT_READ_TREE, .check = check_dry},
    {"clean", ROW,
     .options = OPTIONS(FLAGS("-n --dry-run -d -x -X -f --force -q --quiet"), VALUES("-e --exclude"),
                        CHANGES("-i --interactive")),
     .rest = SHELL_EFFECT_READ_TREE, .check = check_dry},
    {"rm", ROW, .options = OPTIONS(FLAGS("-n --dry-run -r -f --force --cached -q --quiet --ignore-unmatch --sparse")),
     .rest = SHELL_EFFECT_READ_TREE, .check = check_dry},
    {"mv", ROW, .options = OPTIONS(FLAGS("-n --dry-run -f --force -k -v --verbose --sparse")),
     .rest = SHELL_EFFECT_READ_TREE, .check = check_dry},
    {0},
};

/* ---- what git diff --name-only names --------------------------------------------------------------------- */

/* A commit, as one word: not "a..b" or "a^!", which are two, nor what stands in one. */
static bool is_one_commit(struct hv_str word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789./_-~";
    for (size_t i = 0; i < word.len; i++)
        if (!word.ptr[i] || (!strchr(plain, word.ptr[i]) && !(word.ptr[i] == '^' && i + 1 == word.len)))
            return false;
    return hv_str_find(word, HV_STR(".."), 0) == SIZE_MAX;
}

/* =ACM, =d behind --diff-filter: what was deleted is left out, so the index has all that is named. */
static bool leaves_out_deleted(struct hv_str filter)
{
    for (size_t i = 1; i < filter.len; i++)
        if (!filter.ptr[i] || !strchr("ACMRTd", filter.ptr[i]))
            return false;
    return filter.len > 1 && *filter.ptr == '=';
}

bool shell_git_differs_from_past(const struct shell_word *words, size_t count)
{
    size_t commits = 0, filters = 0;
    bool one = true, leaves = false, past = false;
    for (size_t i = 2; i < count && !hv_str_is(words[i].value, "--"); i++) {
        struct hv_str word = words[i].value;
        bool filter = hv_str_starts(word, HV_STR("--diff-filter"));
        past |= shell_names_have("--cached --staged", word);
        filters += filter;
        if (filter)
            leaves = leaves_out_deleted(hv_str_slice(word, strlen("--diff-filter"), word.len));
        bool commit = !hv_str_starts(word, HV_STR("-"));
        one = one && (!commit || (!commits && is_one_commit(word)));
        commits += commit;
    }
    return (past || commits) && !(one && leaves && filters == 1);
}
