/*
 * programs_git_history.c: git's sub-commands that show commits and differences: git-log(1), git-diff(1), git-show(1),
 * git-rev-list(1), git-blame(1), git-shortlog(1), git-range-diff(1), git-format-patch(1) --stdout … .
 *
 * --output, which all of them take, is left out, and so is --alternate-refs, which runs core.alternateRefsCommand.
 */
#include "shell/programs_git.h"

/* git-diff(1), OPTIONS. */
#define DIFF_OPTIONS                                                                                                   \
    FLAGS("-p -u --patch -s --no-patch --raw --patch-with-raw --patch-with-stat --numstat --shortstat --cumulative"    \
          " --compact-summary --no-compact-summary --summary --name-only --name-status --check --full-index"           \
          " --no-full-index --binary -z"),                                                                             \
        FLAGS("--indent-heuristic --no-indent-heuristic --minimal --no-minimal --patience --histogram -a --text"       \
              " --no-text -R -r -t --no-color --no-color-moved --no-color-moved-ws --no-renames --rename-empty"        \
              " --no-rename-empty --no-prefix --default-prefix --no-relative"),                                        \
        FLAGS("-b --ignore-space-change -w --ignore-all-space --ignore-space-at-eol --ignore-cr-at-eol"                \
              " --ignore-blank-lines -W --function-context --no-function-context --find-copies-harder -D"              \
              " --irreversible-delete --pickaxe-all --pickaxe-regex --exit-code --quiet --no-ext-diff --no-textconv"   \
              " --ita-invisible-in-index --ita-visible-in-index"),                                                     \
        VALUES("-l -S -G -I --ignore-matching-lines --inter-hunk-context --diff-algorithm --anchored"                  \
               " --diff-filter --find-object --src-prefix --dst-prefix --line-prefix --output-indicator-new"           \
               " --output-indicator-old --output-indicator-context --ws-error-highlight --color-moved-ws"              \
               " --word-diff-regex --skip-to --rotate-to --stat-width --stat-name-width --stat-graph-width"            \
               " --stat-count"),                                                                                       \
        MAYBE("-U --unified --submodule --stat -X --dirstat --dirstat-by-file --color --color-moved --word-diff "      \
              "--color-words --abbrev"                                                                                 \
              " -B --break-rewrites -M --find-renames -C --find-copies --relative --ignore-submodules"),               \
        FILES("-O"), RUNS("--ext-diff --textconv"),                                                                    \
    {                                                                                                                  \
        "--output", SHELL_EFFECT_WRITE, SHELL_ARITY_ONE                                                                \
    }

/* git-rev-list(1): which commits, in which order. */
#define REVISION_OPTIONS                                                                                               \
    VALUES("-n --max-count --skip --since --after --until --before --since-as-filter --author --committer --grep"      \
           " --grep-reflog --glob --exclude --exclude-hidden --max-age --min-age"),                                    \
        FLAGS("--all-match --invert-grep -i --regexp-ignore-case --basic-regexp -E --extended-regexp -F"               \
              " --fixed-strings -P --perl-regexp --remove-empty --merges --no-merges --no-min-parents"                 \
              " --no-max-parents --first-parent --exclude-first-parent-only --not --all --reflog --single-worktree"    \
              " --ignore-missing --bisect --stdin --cherry-mark --cherry-pick --left-only --right-only --cherry -g"    \
              " --walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history --dense"        \
              " --sparse --simplify-merges --date-order --author-date-order --topo-order --reverse --do-walk"          \
              " --parents --children --left-right --graph --no-graph --indexed-objects"),                              \
        MAYBE("--min-parents --max-parents --branches --tags --remotes --ancestry-path --no-walk --show-linear-break")

/* git-log(1): how a commit is shown. %G in a format runs gpg: programs_git.c looks for it. */
#define PRETTY_OPTIONS                                                                                                 \
    FLAGS("--abbrev-commit --no-abbrev-commit --no-abbrev --oneline --no-expand-tabs --no-notes --standard-notes"      \
          " --no-standard-notes --relative-date --no-show-signature"),                                                 \
        VALUES("--date --encoding"), MAYBE("--pretty --format --expand-tabs --notes --show-notes"),                    \
        RUNS("--show-signature")

/* git-log(1): its own. */
#define LOG_OPTIONS                                                                                                    \
    FLAGS("--follow --no-follow --no-decorate --clear-decorations --source --mailmap --no-mailmap --use-mailmap"       \
          " --no-use-mailmap --full-diff --log-size -q -c --cc -m --combined-all-paths --no-diff-merges"),             \
        MAYBE("--decorate"), VALUES("--decorate-refs --decorate-refs-exclude -L --diff-merges"), FLAGS("--dd"),        \
        FLAGS("--remerge-diff --root --always --merge-base --no-commit-id -v")

static const struct shell_option diff_options[] = {
    FLAGS("--cached --staged --merge-base --no-index -1 -2 -3 -0 --base --ours --theirs -c --cc -m -q"),
    FLAGS("--combined-all-paths --no-abbrev --follow"),
    DIFF_OPTIONS,
    {0},
};
static const struct shell_option log_options[] = {LOG_OPTIONS, REVISION_OPTIONS, PRETTY_OPTIONS, {0}};
static const struct shell_option diff_list[] = {DIFF_OPTIONS, {0}};

/* git-blame(1). */
static const struct shell_option blame_options[] = {
    FLAGS("-b --root --show-stats --progress --no-progress --score-debug -f --show-name -n --show-number -p --porcelain"
          " --line-porcelain -c -t -l -s -e --show-email -w --incremental --color-lines --color-by-age --minimal"
          " --reverse --first-parent --no-ignore-revs-file --no-ignore-rev"),
    VALUES("-L --ignore-rev --date --encoding --since --after --until --before --max-age --min-age --diff-algorithm"),
    MAYBE("-C -M --abbrev"),
    FILES("-S --contents --ignore-revs-file"),
    {0},
};

/* git-format-patch(1) with --stdout; without it files are made. */
static const struct shell_option format_patch_options[] = {
    FLAGS("--stdout -n --rfc -k --keep-subject -N --no-numbered --numbered -s --signoff --no-signoff --no-attach "
          "--no-thread"
          " --no-cover-letter --no-signature --root --full-index --zero-commit --always --ignore-if-in-upstream"
          " --no-notes -q --quiet --no-binary --no-stat --no-base"),
    VALUES("--start-number --subject-prefix -v --reroll-count --to --cc --add-header --in-reply-to --signature --suffix"
           " --base"),
    MAYBE("--attach --inline --thread --notes --from"),
    OUTPUTS("-o --output-directory"),
    REVISION_OPTIONS,
    {0},
};

static void check_format_patch(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!shell_given(arguments, "--stdout"))
        shell_worsen(reading, SHELL_WRITES, "git format-patch makes files");
}

#define HISTORY SHELL_SYNTAX_EXACT, SHELL_READ_ONLY
#define LOG_ROW                                                                                                        \
    .options = log_options, .more_options = diff_list, .rest = SHELL_EFFECT_READ_TREE, .numeric_options = true,        \
    .without_operands = SHELL_EFFECT_READ

const struct shell_program shell_git_log_row = {"log", HISTORY, LOG_ROW};

const struct shell_program shell_git_history[] = {
    {"log", HISTORY, LOG_ROW},
    {"show", HISTORY, LOG_ROW},
    {"whatchanged", HISTORY, LOG_ROW},
    {"diff", HISTORY, .options = diff_options, .rest = SHELL_EFFECT_READ_TREE, .without_operands = SHELL_EFFECT_READ,
     .answers = true},
    /* git-diff-tree(1). */
    {"diff-tree", HISTORY,
     .options =
         OPTIONS(FLAGS("--stdin --root -m -c --cc --combined-all-paths --no-commit-id --always --merge-base -v -q"),
                 PRETTY_OPTIONS),
     .more_options = diff_list, .rest = SHELL_EFFECT_READ_TREE, .answers = true},
    {"diff-index", HISTORY, .options = diff_options, .rest = SHELL_EFFECT_READ_TREE, .answers = true},
    {"diff-files", HISTORY, .options = diff_options, .rest = SHELL_EFFECT_READ_TREE,
     .without_operands = SHELL_EFFECT_READ, .answers = true},
    {"rev-list", HISTORY,
     .options = OPTIONS(
         FLAGS(
             "--count --objects --objects-edge --objects-edge-aggressive --unpacked --use-bitmap-index --header"
             " --timestamp --test-bitmap --bisect-vars --bisect-all --in-commit-order --no-object-names --object-names"
             " --filter-print-omitted --exclude-promisor-objects --no-commit-header --commit-header --unsorted-input -v"
             " --verify-objects --quiet --show-all --no-filter --oneline"),
         MAYBE("--filter --missing --progress --abbrev --disk-usage"), REVISION_OPTIONS, PRETTY_OPTIONS),
     .rest = SHELL_EFFECT_NONE, .numeric_options = true},
    /* git-shortlog(1). */
    {"shortlog", HISTORY,
     .options = OPTIONS(
         FLAGS("-c --committer -n --numbered -s --summary -e --email"), MAYBE("-w"), VALUES("--group --date"),
         MAYBE("--format"),
         VALUES("--max-count --skip --since --after --until --before --author --grep --glob --exclude"),
         FLAGS("--all --merges --no-merges --first-parent --not --reverse --no-min-parents --no-max-parents -i"
               " --regexp-ignore-case -E --extended-regexp -F --fixed-strings --all-match --invert-grep --no-mailmap"),
         MAYBE("--branches --tags --remotes --min-parents --max-parents")),
     .rest = SHELL_EFFECT_NONE, .numeric_options = true},
    {"blame", HISTORY, .options = blame_options, .rest = SHELL_EFFECT_READ},
    {"annotate", HISTORY, .options = blame_options, .rest = SHELL_EFFECT_READ},
    /* git-range-diff(1). */
    {"range-diff", HISTORY,
     .options = OPTIONS(FLAGS("--no-dual-color --dual-color --left-only --right-only --no-notes"),
                        VALUES("--creation-factor"), MAYBE("--notes")),
     .more_options = diff_list, .rest = SHELL_EFFECT_NONE},
    {"stash-show", HISTORY,
     .options = OPTIONS(FLAGS("--include-untracked --no-include-untracked --only-untracked"), LOG_OPTIONS,
                        REVISION_OPTIONS, PRETTY_OPTIONS),
     .more_options = diff_list, .rest = SHELL_EFFECT_NONE, .numeric_options = true},
    {"format-patch", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .numeric_options = true, .options = format_patch_options,
     .more_options = diff_list, .rest = SHELL_EFFECT_NONE, .check = check_format_patch},
    {0},
};
