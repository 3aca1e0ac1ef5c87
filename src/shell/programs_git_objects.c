/*
 * programs_git_objects.c: git's sub-commands that show objects, names, the index and the work tree: git-status(1),
 * git-ls-files(1), git-grep(1), git-rev-parse(1), git-cat-file(1), git-for-each-ref(1) … .
 */
#include "shell/programs_git.h"

static const struct shell_option ls_remote_options[] = {
    FLAGS("-q --quiet -t --tags -h --heads -b --branches --refs --exit-code --symref --get-url"),
    VALUES("--sort -o --server-option"),
    RUNS_WITH("--upload-pack --exec"),
    {0},
};

static const struct shell_program apply_row = {
    "apply", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
    .options = OPTIONS(
        FLAGS("--check --stat --numstat --summary -v --verbose -q --quiet -R --reverse --cached --index --recount -z"
              " --unidiff-zero --binary --allow-overlap --ignore-whitespace --ignore-space-change --inaccurate-eof"),
        VALUES("-p -C --directory --include --exclude --whitespace"),
        CHANGES("--apply -3 --3way --reject -N --intent-to-add")),
    .rest = SHELL_EFFECT_READ};

/* git-apply(1): only with one of the options that look and do not touch. */
static void judge_apply(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    if (!shell_arguments(reading, &apply_row, words, count, &arguments))
        return;
    for (size_t at = 0; at < arguments.operand_count; at++)
        shell_apply(reading, SHELL_EFFECT_READ, arguments.operands[at], apply_row.names ? HV_STR("apply") : HV_STR(""));
    reading->act.reads_input |= !arguments.operand_count;
    if (!shell_given(&arguments, "--check --stat --numstat --summary"))
        shell_worsen(reading, SHELL_WRITES, "git apply changes files");
}

/* git-merge-tree(1): only the old form, with three trees, writes no objects. */
static void judge_merge_tree(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool plain = count == 4;
    for (size_t at = 1; at < count; at++)
        plain &= words[at].known && !shell_may_be_option(&words[at]);
    if (!plain)
        shell_worsen(reading, SHELL_WRITES, "git merge-tree writes objects");
}

/* git-merge-file(1): into the first file, or to stdout. */
static void check_merge_file(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t at = 0; at < arguments->operand_count; at++)
        shell_apply(reading, SHELL_EFFECT_READ, arguments->operands[at], HV_STR("merge-file"));
    if (!shell_given(arguments, "-p --stdout"))
        shell_worsen(reading, SHELL_WRITES, "git merge-file writes into its first file");
}

/* With --get-url it only tells where it would ask. */
static void judge_ls_remote(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"ls-remote",
                                             SHELL_SYNTAX_EXACT,
                                             SHELL_NETWORK,
                                             "git ls-remote reaches the network",
                                             .options = ls_remote_options,
                                             .rest = SHELL_EFFECT_NONE};
    bool asks = count > 1 && count < 4 && words[1].known && hv_str_is(words[1].value, "--get-url");
    if (!asks || (count == 3 && (!words[2].known || shell_may_be_option(&words[2]))))
        shell_judge_row(reading, &row, words, count);
}

#define READS SHELL_SYNTAX_EXACT, SHELL_READ_ONLY
#define NAMES .rest = SHELL_EFFECT_NONE

const struct shell_program shell_git_objects[] = {
    {"status", READS,
     .options =
         OPTIONS(FLAGS("-v --verbose -s --short -b --branch --no-branch --show-stash --no-show-stash --ahead-behind "
                       "--no-ahead-behind"
                       " --long -z --null --no-renames --no-column --renames"),
                 MAYBE("--porcelain -u --untracked-files --ignored --ignore-submodules --column -M --find-renames")),
     .rest = SHELL_EFFECT_READ_TREE, .harmless_options = true, .without_operands = SHELL_EFFECT_READ},
    {"grep", READS,
     .options = OPTIONS(
         FLAGS(
             "--cached --no-index --untracked --exclude-standard --no-exclude-standard --recurse-submodules"
             " --no-recurse-submodules -v --invert-match -i --ignore-case -w --word-regexp -a --text -I -r --recursive"
             " --no-recursive -E --extended-regexp -G --basic-regexp -F --fixed-strings -P --perl-regexp -n "
             "--line-number"
             " --no-line-number --column --no-column -h -H --full-name -l --files-with-matches --name-only -L"
             " --files-without-match -z --null -o --only-matching -c --count --no-color --break --heading -p"
             " --show-function -W --function-context --and --or --not -q --quiet --all-match --no-textconv --ext-grep"),
         VALUES("--max-depth -C --context -B --before-context -A --after-context --threads -e -m --max-count"),
         MAYBE("--color"), FILES("-f"), RUNS("--textconv"),
         {"-O --open-files-in-pager", SHELL_EFFECT_EXECUTE, SHELL_ARITY_OPTIONAL}),
     .first = {SHELL_EFFECT_NONE}, .first_count = 1, .rest = SHELL_EFFECT_READ_TREE, .first_given_by = "-e -f",
     .without_operands = SHELL_EFFECT_READ, .numeric_options = true, .answers = true},
    {"ls-files", READS,
     .options = OPTIONS(
         FLAGS(
             "-z -t -v -f -c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -k --killed"
             " --directory --eol --empty-directory --no-empty-directory -u --unmerged --resolve-undo --exclude-standard"
             " --full-name --recurse-submodules --error-unmatch --debug --deduplicate --sparse"),
         VALUES("-x --exclude --exclude-per-directory --with-tree --format"), MAYBE("--abbrev"),
         FILES("-X --exclude-from")),
     .rest = SHELL_EFFECT_NONE, .harmless_options = true, .without_operands = SHELL_EFFECT_READ, .answers = true},
    {"ls-tree", READS,
     .options = OPTIONS(FLAGS("-d -r -t -z -l --long --name-only --name-status --object-only --full-name --full-tree"),
                        VALUES("--format"), MAYBE("--abbrev")),
     NAMES, .harmless_options = true},
    {"ls-remote", .judge = judge_ls_remote},
    {"describe", READS,
     .options = OPTIONS(FLAGS("--contains --debug --all --tags --long --first-parent --exact-match --always"),
                        VALUES("--candidates --match --exclude"), MAYBE("--abbrev --dirty --broken")),
     NAMES, .harmless_options = true},
    {"name-rev", READS,
     .options = OPTIONS(FLAGS("--name-only --tags --all --stdin --annotate-stdin --undefined --no-undefined --always"),
                        VALUES("--refs --exclude")),
     NAMES, .harmless_options = true},
    {"merge-base", READS, .options = OPTIONS(FLAGS("-a --all --octopus --independent --is-ancestor --fork-point")),
     NAMES, .harmless_options = true, .answers = true},
    {"cat-file", READS,
     .options =
         OPTIONS(FLAGS("-e -p -t -s --allow-unknown-type --use-mailmap --no-use-mailmap --mailmap --no-mailmap -z -Z"
                       " --batch-all-objects --buffer --follow-symlinks --unordered"),
                 MAYBE("--batch --batch-check --batch-command"), VALUES("--path"), RUNS("--textconv --filters")),
     NAMES, .answers = true},
    {"show-ref", READS,
     .options = OPTIONS(FLAGS("--tags --heads --branches --verify --head -d --dereference -q --quiet --exists"),
                        MAYBE("-s --hash --abbrev --exclude-existing")),
     NAMES, .harmless_options = true, .answers = true},
    {"rev-parse", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, NAMES, .harmless_options = true, .answers = true},
    {"check-ignore", READS,
     .options = OPTIONS(FLAGS("-q --quiet -v --verbose --stdin -z -n --non-matching --no-index")), NAMES,
     .harmless_options = true, .answers = true},
    {"check-attr", READS, .options = OPTIONS(FLAGS("-a --all --cached --stdin -z"), VALUES("--source")), NAMES,
     .harmless_options = true},
    {"check-mailmap", READS, .options = OPTIONS(FLAGS("--stdin")), NAMES, .harmless_options = true},
    {"check-ref-format", READS,
     .options = OPTIONS(FLAGS("--branch --normalize --print --allow-onelevel --no-allow-onelevel --refspec-pattern")),
     NAMES, .harmless_options = true, .answers = true},
    {"count-objects", READS, .options = OPTIONS(FLAGS("-v --verbose -H --human-readable")), .harmless_options = true},
    {"cherry", READS, .options = OPTIONS(FLAGS("-v --verbose"), MAYBE("--abbrev")), NAMES, .harmless_options = true},
    {"fsck", READS,
     .options = OPTIONS(
         FLAGS("-v --verbose --unreachable --dangling --no-dangling --tags --root --cache --reflogs --no-reflogs --full"
               " --no-full --connectivity-only --strict --no-strict --progress --no-progress --name-objects"),
         CHANGES("--lost-found")),
     NAMES},
    {"hash-object", READS,
     .options = OPTIONS(FLAGS("--stdin --stdin-paths --no-filters --literally"), VALUES("-t --path"), CHANGES("-w")),
     .rest = SHELL_EFFECT_READ},
    {"archive", READS,
     .options = OPTIONS(FLAGS("--worktree-attributes -v --verbose -l --list -0 -1 -2 -3 -4 -5 -6 -7 -8 -9"),
                        VALUES("--format --prefix --mtime --add-virtual-file"), FILES("--add-file"),
                        OUTPUTS("-o --output"), REACHES_WITH("--remote"), RUNS_WITH("--exec")),
     .rest = SHELL_EFFECT_READ_TREE},
    {"show-branch", READS,
     .options = OPTIONS(FLAGS("-a --all -r --remotes --list --no-name --current --sha1-name --merge-base --independent "
                              "--topo-order --topics"
                              " --sparse --date-order --no-color"),
                        MAYBE("--color --more -g --reflog")),
     NAMES},
    {"interpret-trailers", READS,
     .options = OPTIONS(
         FLAGS("--trim-empty --only-trailers --only-input --unfold --parse --no-divider --no-where --no-if-exists"
               " --no-if-missing"),
         VALUES("--where --if-exists --if-missing --trailer"), CHANGES("--in-place")),
     .rest = SHELL_EFFECT_READ},
    {"patch-id", READS, .options = OPTIONS(FLAGS("--stable --unstable --verbatim")), .reads_input = true},
    {"stripspace", READS, .options = OPTIONS(FLAGS("-s --strip-comments -c --comment-lines")), .reads_input = true},
    {"column", READS,
     .options = OPTIONS(VALUES("--command --width --indent --nl --padding --raw-mode"), MAYBE("--mode")),
     .reads_input = true},
    {"get-tar-commit-id", READS, .reads_input = true},
    {"verify-pack", READS, .options = OPTIONS(FLAGS("-v --verbose -s --stat-only"), VALUES("--object-format")),
     .rest = SHELL_EFFECT_READ},
    {"show-index", READS, .reads_input = true},
    {"var", READS, .options = OPTIONS(FLAGS("-l")), NAMES},
    /* git-help(1): the manual page is shown by man; a browser and info are programs of other kinds. */
    {"help", READS,
     .options =
         OPTIONS(FLAGS("-a --all -g --guides -c --config -m --man -v --verbose --no-verbose --external-commands"
                       " --no-external-commands --aliases --no-aliases --user-interfaces --developer-interfaces"),
                 RUNS("-w --web -i --info")),
     NAMES},
    {"version", READS, .options = OPTIONS(FLAGS("--build-options"))},
    {"apply", .judge = judge_apply},
    {"merge-tree", .judge = judge_merge_tree},
    {"merge-file", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-p --stdout --diff3 --zdiff3 --ours --theirs --union -q --quiet"), VALUES("-L --marker-size")),
     .rest = SHELL_EFFECT_NONE, .check = check_merge_file},
    {0},
};
