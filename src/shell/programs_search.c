/*
 * programs_search.c: what searches in files and for files: grep 3.8, ripgrep 14, the silver searcher 2.2, ack 3, ugrep
 * 3, fd 8–10, plocate 1.1, which, whereis, man-db 2.11. find has a file of its own.
 */
#include "shell/programs.h"
#include "shell/rows.h"

#define GNU_HELP HELPS("--help --version")

static const struct shell_option grep_options[] = {
    FLAGS("-E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -i -y --ignore-case"),
    FLAGS("--no-ignore-case -v --invert-match -w --word-regexp -x --line-regexp -c --count -L --files-without-match"),
    FLAGS("-l --files-with-matches -o --only-matching -q --quiet --silent -s --no-messages -b --byte-offset -H"),
    FLAGS("--with-filename -h --no-filename -n --line-number -T --initial-tab -Z --null -z --null-data -a --text -I"),
    FLAGS("-U --binary -u --unix-byte-offsets -r --recursive -R --dereference-recursive --line-buffered"),
    FLAGS("--no-group-separator"),
    MAYBE("--color --colour"),
    VALUES("-e --regexp -m --max-count -A --after-context -B --before-context -C --context --label --group-separator"),
    VALUES("--binary-files -D --devices -d --directories --exclude --exclude-dir --include"),
    FILES("-f --file --exclude-from"),
    HELPS("-V"),
    GNU_HELP,
    {0},
};
static const struct shell_program grep_row = {"grep",
                                              SHELL_SYNTAX_GNU,
                                              SHELL_READ_ONLY,
                                              .options = grep_options,
                                              .harmless_options = true,
                                              .numeric_options = true};

static bool descends(const struct shell_arguments *arguments)
{
    const struct shell_given *directories = shell_given(arguments, "-d --directories");
    return shell_given(arguments, "-r -R --recursive --dereference-recursive") || arguments->hidden ||
           (directories &&
            !(directories->argument.known && shell_names_have("read skip", directories->argument.value)));
}

/* The operands of a search: a pattern unless an option gave it, then places, or else the working directory or stdin. */
static void search_places(struct shell_reading *reading, const struct shell_arguments *arguments, bool pattern_given,
                          bool tree, bool directory)
{
    bool spread = arguments->operand_count && shell_may_be_many(arguments->operands[0]);
    size_t first = pattern_given || spread ? 0 : 1;
    for (size_t i = first; i < arguments->operand_count; i++)
        shell_reads(reading, arguments->operands[i], tree);
    if (arguments->hidden)
        reading->act.reads_listed = false;
    if (arguments->operand_count > first && !arguments->scattered)
        return;
    reading->act.reads_input = true;
    if (directory)
        shell_reads_directory(reading, true);
}

static void judge_grep(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    reading->act.answers = true;
    if (!shell_arguments(reading, &grep_row, words, count, &arguments) || arguments.help)
        return;
    bool tree = descends(&arguments);
    search_places(reading, &arguments, shell_given(&arguments, "-e -f --regexp --file") != NULL, tree, tree);
}

/* zgrep unpacks with gzip and hands its options on to grep; the same options. */
static const struct shell_program zgrep_row = {
    "zgrep",
    SHELL_SYNTAX_GNU,
    SHELL_READ_ONLY,
    .options = OPTIONS({"-r -R --recursive --dereference-recursive", SHELL_EFFECT_UNKNOWN}),
    .more_options = grep_options,
    .harmless_options = true,
    .numeric_options = true};

static void judge_zgrep(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    reading->act.answers = true;
    if (!shell_arguments(reading, &zgrep_row, words, count, &arguments) || arguments.help)
        return;
    search_places(reading, &arguments, shell_given(&arguments, "-e -f --regexp --file") != NULL, false, false);
}

/* ---- ripgrep -------------------------------------------------------------------------------------------- */

static void check_rg(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    bool given = shell_given(arguments, "-e --regexp -f --file --files --type-list") != NULL;
    search_places(reading, arguments, given, true, true);
}

/* ---- ag, ack, ugrep ------------------------------------------------------------------------------------- */

/* Behind -A and its like, what is no number is read once more: as the pattern, or as an option. */
static void check_lines(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct shell_given *given = &arguments->given[i];
        int64_t lines;
        if (shell_names_have("-A --after -B --before -C --context", given->name) &&
            !(given->argument.known && hv_str_to_int64(given->argument.value, &lines)) &&
            shell_may_be_option(&given->argument))
            shell_worsenf(reading, SHELL_UNKNOWN, "ag takes %.*s for an option", HV_STR_ARG(given->argument.text));
    }
}

static void check_ag(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    check_lines(reading, arguments);
    search_places(reading, arguments, shell_given(arguments, "-g") != NULL, true, true);
}

/* ack takes options from .ackrc of the tree, --pager among them: only with --noenv is it known what it does. */
static void check_ack(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!shell_given(arguments, "--noenv"))
        shell_worsen(reading, SHELL_EXECUTES,
                     "ack takes options from .ackrc, which may name a program; with --noenv it does not");
    search_places(reading, arguments, shell_given(arguments, "--match -f -g") != NULL, true, true);
}

/* ---- finding files -------------------------------------------------------------------------------------- */

static const struct shell_program fd_row = {
    "fd", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
    .options = OPTIONS(
        FLAGS("-H --hidden --no-hidden -I --no-ignore --ignore --no-ignore-vcs --ignore-vcs --no-ignore-parent"),
        FLAGS("--no-require-git --require-git --no-global-ignore-file -u --unrestricted -s --case-sensitive -i"),
        FLAGS("--ignore-case -g --glob --regex -F --fixed-strings --literal -a --absolute-path --relative-path -L "
              "--follow"),
        FLAGS("--no-follow -p --full-path -0 --print0 --prune -1 -q --quiet --has-results --show-errors "
              "--one-file-system"),
        FLAGS("--mount --xdev"), MAYBE("--strip-cwd-prefix --hyperlink"),
        VALUES("-d --max-depth --maxdepth --min-depth --exact-depth -t --type -e --extension -S --size -E --exclude"),
        VALUES("--changed-within --newer --changed-before --older --change-newer-than --change-older-than "
               "--changed-after"),
        VALUES("-o --owner --format --max-results -j --threads -c --color --path-separator --and --max-buffer-time"),
        VALUES("--batch-size"), FILES("--ignore-file"), TREES("--search-path -C --base-directory"),
        RUNS("-l --list-details"), /* ls, looked up in PATH */
        HELPS("-h --help -V --version"))};

/* -x and -X run what follows, up to ";", with the files' names. */
static size_t find_execution(const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (words[i].known && shell_names_have("-x --exec -X --exec-batch", words[i].value))
            return i;
    return count;
}

/* names: what fd finds, as one word; of these, {} is one. */
static void judge_fd_execution(struct shell_reading *reading, const struct shell_word *names,
                               const struct shell_word *words, size_t count)
{
    struct shell_word *run = hv_arena_array(reading->arena, struct shell_word, count + 1);
    bool placed = false;
    for (size_t i = 0; i < count; i++) {
        bool mark = hv_str_find_byte(words[i].value, '{', 0) != SIZE_MAX;
        bool whole = words[i].known && hv_str_is(words[i].value, "{}") && names->flags & SHELL_WORD_GLOB;
        run[i] = whole ? *names : mark ? shell_word_unknown(false) : words[i];
        placed |= mark;
        if (words[i].known && hv_str_is(words[i].value, ";"))
            shell_worsen(reading, SHELL_UNKNOWN, "what stands behind the program that fd runs is not known");
    }
    if (!placed)
        run[count] = *names;
    shell_judge_further(reading, run, count + (placed ? 0 : 1));
}

static void judge_fd(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    size_t end = find_execution(words, count);
    if (!shell_arguments(reading, &fd_row, words, end, &arguments) || arguments.help)
        return;
    const struct shell_given *base = shell_given(&arguments, "-C --base-directory");
    if (base)
        shell_enter(reading, &base->argument); /* what it runs does so there, too */
    search_places(reading, &arguments, shell_given(&arguments, "--search-path") != NULL, true, true);
    reading->act.reads_input = false;
    struct shell_word names = shell_word_unknown(true);
    if (end + 1 < count) {
        (void)shell_names_from_command(reading, words, end, &names);
        judge_fd_execution(reading, &names, words + end + 1, count - end - 1);
    }
}

static const struct shell_program man_row = {
    "man", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
    .options = OPTIONS(FLAGS("-d --debug -K --global-apropos -f --whatis -k --apropos -w --where --path --location -W "
                             "--where-cat --location-cat -a"),
                       FLAGS("--all -i --ignore-case -I --match-case --regex --wildcard --names-only --no-subpages -7"),
                       FLAGS("--ascii --no-hyphenation --nh --no-justification --nj"),
                       VALUES("-s -S --sections -e --extension -L --locale -E --encoding -m --systems -P --pager"),
                       HELPS("-? --help --usage -V --version")),
    .rest = SHELL_EFFECT_NONE};

/* man without a terminal prints; a pager or a browser named by an option runs. A page with a slash is a file. */
static void judge_man(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    shell_judge_row(reading, &man_row, words, count);
    bool understood = shell_arguments(reading, &man_row, words, count, &arguments);
    for (size_t i = 0; understood && i < arguments.given_count; i++)
        if (shell_names_have("-P --pager", arguments.given[i].name) &&
            (!arguments.given[i].argument.known || !hv_str_is(arguments.given[i].argument.value, "cat")))
            shell_worsen(reading, SHELL_EXECUTES, "man runs the pager that it is given");
    for (size_t i = 1; i < count; i++)
        if (!words[i].known || hv_str_find_byte(words[i].value, '/', 0) != SIZE_MAX)
            shell_reads(reading, &words[i], false);
}

#define NONE SHELL_EFFECT_NONE

const struct shell_program shell_programs_search[] = {
    {"grep egrep fgrep", .answers = true, .judge = judge_grep},
    {"zgrep zegrep zfgrep bzgrep xzgrep", .answers = true, .judge = judge_zgrep},
    {"rg", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS(
             "--auto-hybrid-regex --no-auto-hybrid-regex --binary --no-binary --block-buffered --no-block-buffered -b"),
         FLAGS("--byte-offset --no-byte-offset -s --case-sensitive --column --no-column -c --count --count-matches "
               "--crlf"),
         FLAGS("--no-crlf --debug --files -l --files-with-matches --files-without-match -F --fixed-strings"),
         FLAGS(
             "--no-fixed-strings -L --follow --no-follow --glob-case-insensitive --no-glob-case-insensitive --heading"),
         FLAGS("--no-heading -. --hidden --no-hidden -i --ignore-case --ignore-file-case-insensitive --include-zero"),
         FLAGS("--no-include-zero --no-ignore-file-case-insensitive -v --invert-match --no-invert-match --json "
               "--no-json"),
         FLAGS("--line-buffered --no-line-buffered -n --line-number -N --no-line-number -x --line-regexp"),
         FLAGS("--max-columns-preview --no-max-columns-preview --mmap --no-mmap -U --multiline --no-multiline"),
         FLAGS(
             "--multiline-dotall --no-multiline-dotall --no-config --no-ignore --ignore --no-ignore-dot --ignore-dot"),
         FLAGS("--no-ignore-exclude --ignore-exclude --no-ignore-files --ignore-files --no-ignore-global "
               "--ignore-global"),
         FLAGS(
             "--no-ignore-messages --ignore-messages --no-ignore-parent --ignore-parent --no-ignore-vcs --ignore-vcs"),
         FLAGS("--no-messages --messages --no-require-git --require-git --no-unicode --unicode --no-pcre2-unicode"),
         FLAGS("--pcre2-unicode -0 --null --null-data --one-file-system --no-one-file-system -o --only-matching"),
         FLAGS(
             "--passthru --passthrough -P --pcre2 --no-pcre2 --pcre2-version --no-pre -p --pretty --print0 -q --quiet"),
         FLAGS("--no-search-zip --sort-files --no-sort-files -S --smart-case --stats --no-stats --stop-on-nonmatch -a"),
         FLAGS(
             "--text --no-text --trace --trim --no-trim --type-list -u --unrestricted --vimgrep -H --with-filename -I"),
         FLAGS("--no-filename -w --word-regexp --no-encoding --no-context-separator --no-hostname-bin"),
         VALUES("-A --after-context -B --before-context -C --context --color --colors --context-separator"),
         VALUES("--dfa-size-limit -E --encoding --engine --field-context-separator --field-match-separator -g --glob"),
         VALUES("--iglob --hyperlink-format -M --max-columns -m --max-count -d --max-depth --maxdepth --max-filesize"),
         VALUES("--path-separator --pre-glob --regex-size-limit -e --regexp -r --replace --sort --sortr -j --threads"),
         VALUES("-t --type --type-add --type-clear -T --type-not --generate"), FILES("-f --file --ignore-file"),
         RUNS_WITH("--pre --hostname-bin"), RUNS("-z --search-zip"), /* unpackers, looked up in PATH */
         HELPS("-h --help -V --version")),
     .rest = NONE, .answers = true, .check = check_rg},
    {"ag", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("--ackmate -0 --null --print0 --column --group --nogroup --heading --noheading -H --no-filename "
               "--line-number"),
         FLAGS("--nonumbers --numbers -l --files-with-matches -L --files-without-matches --print-all-files"),
         FLAGS("--print-long-lines --passthrough --passthru --silent --stats --stats-only --vimgrep -a --all-types -D"),
         FLAGS("--debug -f --follow -F --fixed-strings --hidden -i --ignore-case -o --only-matching"),
         FLAGS("-Q --literal -s --case-sensitive -S --smart-case --search-binary -t --all-text -u --unrestricted -U"),
         FLAGS("--skip-vcs-ignores -v --invert-match -w --word-regexp -z --search-zip --color --nocolor --break "
               "--nobreak"),
         FLAGS("--multiline --nomultiline --one-device --affinity --noaffinity --mmap --nommap -c --count -r --recurse "
               "-R"),
         FLAGS("-n --norecurse --nofollow --list-file-types --recursive --norecursive"),
         FLAGS("--python --py --js --json --cc --cpp --html --css --go --rust --java --ruby --php --sh --shell --perl "
               "--make"),
         FLAGS("--md --markdown --xml --yaml --sql --lua --swift --ts --kotlin --scala"),
         VALUES("-A --after -B --before -C --context -G --file-search-regex -g --ignore --ignore-dir --depth -m"),
         VALUES("--max-count --width -W --workers --color-line-number --color-match --color-path"),
         FILES("-p --path-to-ignore"), RUNS_WITH("--pager"), HELPS("-h --help -V --version")),
     .rest = NONE, .answers = true, .check = check_ag},
    {"ack", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("--noenv --nopager --nocolor --nogroup --noheading --color --colour --group --heading --break -i "
               "--ignore-case"),
         FLAGS("-S --smart-case -w --word-regexp -Q --literal -l -L -c --count -o -h --no-filename -H --with-filename "
               "-n"),
         FLAGS("--no-recurse -r -R --recurse -v --invert-match -x -s -f -1 --column --passthru --follow --nofollow "
               "--sort-files"),
         VALUES("-A -B -C -m --max-count --match -t --type -g --ignore-dir --ignore-file -T"),
         HELPS("--help --version")),
     .rest = NONE, .answers = true, .check = check_ack},
    {"fd fdfind", .judge = judge_fd},
    {"locate plocate mlocate", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-A --all -b --basename -c --count -e --existing -i --ignore-case -P --nofollow --nothing"),
                 FLAGS("-N --literal -0 --null -r --regexp --regex -w --wholename -p --ignore-spaces -q --quiet"),
                 FLAGS("-S --statistics -s -L --follow -H"), VALUES("-l --limit -n"), FILES("-d --database"),
                 HELPS("-h -V"), GNU_HELP),
     .rest = NONE, .harmless_options = true, .answers = true},
    {"which", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-a -s --all"), GNU_HELP), .rest = NONE,
     .harmless_options = true, .answers = true},
    {"whereis", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-b -m -s -u -g -l"), HELPS("-h -V --help --version")), .rest = NONE,
     .harmless_options = true},
    {"man", .judge = judge_man},
    {"whatis apropos", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-d --debug -v --verbose -r --regex -w --wildcard -l --long -e --exact -a --and"),
                        VALUES("-s --sections --section -m --systems -M --manpath -L --locale"),
                        /* a configuration names the programs that are run */
                        RUNS_WITH("-C --config-file"), HELPS("-? --help --usage -V --version")),
     .rest = NONE},
    {"tldr", SHELL_SYNTAX_GNU, SHELL_NETWORK, .options = OPTIONS(HELPS("--version --help")), .rest = NONE},
    {0},
};
