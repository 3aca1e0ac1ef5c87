/*
 * programs_dev_tools.c: linters, formatters, counters, editors, multiplexers and other version controls. Linters whose
 * settings may name plugins of the project run code (programs_dev_languages.c); those here do not. shellcheck(1),
 * shfmt, clang-format --help, ruff, black, cppcheck, cloc, tokei, scc, ctags(1), tmux(1), svn help.
 */
#include "shell/programs.h"
#include "shell/rows.h"

#include <ctype.h>
#include <string.h>

/* A program that changes its operands unless it only compares. */
static void check_formatter(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!shell_given(arguments, "-c --check --check-only -d --diff"))
        shell_worsenf(reading, SHELL_WRITES, "%s changes files", arguments->row->names);
}

static const struct shell_option ruff_options[] = {
    FLAGS("-q --quiet -v --verbose -s --silent --isolated -n --no-cache --preview --no-preview"),
    HELPS("-h --help"),
    {0}};

/* The project's settings may put the cache anywhere, as may those that they extend. */
#define NAMES_CACHE(file) " " file ":cache-dir " file ":extend= " file ":\\u "
static const char ruff_cache[] = NAMES_CACHE("ruff.toml") NAMES_CACHE(".ruff.toml") NAMES_CACHE("pyproject.toml");

/* … and `fix = true` makes it change files. */
static const char ruff_fixes[] =
    "ruff.toml .ruff.toml pyproject.toml:fix pyproject.toml:fix-only" NAMES_CACHE("pyproject.toml");

static bool ruff_has(const struct shell_word *words, size_t count, const char *options)
{
    bool has = false;
    for (size_t at = 1; at < count; at++)
        has |= words[at].known && shell_names_have(options, words[at].value);
    return has;
}

static void check_ruff_format(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (!ruff_has(words, count, "-n --no-cache --isolated"))
        shell_needs_none(reading, ruff_cache);
}

static void check_ruff_check(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool fixes = !ruff_has(words, count, "--no-fix --diff --isolated");
    bool caches = !ruff_has(words, count, "-n --no-cache --isolated");
    if (fixes)
        shell_needs_none(reading, ruff_fixes);
    else if (caches)
        shell_needs_none(reading, ruff_cache);
}

static const struct shell_option clang_format_options[] = {
    HELPS("--version -version --help -help"),
    FLAGS(
        "-n --dry-run --Werror -Werror --verbose --dump-config -dump-config --sort-includes --fail-on-incomplete-format"
        " --output-replacements-xml"),
    MAYBE("--style -style --fallback-style -fallback-style --assume-filename -assume-filename --lines -lines --offset"
          " --length --cursor --ferror-limit --Wno-error --qualifier-alignment"),
    CHANGES("-i"),
    {0},
};

/* "@file" stands for the options that are in the file. */
static void check_clang_format(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++)
        if (words[at].value.len && words[at].value.ptr[0] == '@')
            shell_worsen(reading, SHELL_UNKNOWN, "the options in the file of clang-format are not known");
}

static const struct shell_option cloc_options[] = {
    HELPS("--version --help --show-lang --show-ext"),
    FLAGS("--by-file --by-file-by-lang --json --yaml --csv --md --xml --quiet --hide-rate --fullpath --skip-uniqueness"
          " --show-os --sum-one --no-recurse --3"),
    MAYBE("--exclude-dir --include-lang --exclude-lang --exclude-ext --include-ext --not-match-d --match-d --match-f"
          " --not-match-f --timeout --processes --max-file-size --csv-delimiter"),
    {0},
};

/* What cloc takes out with other programs before it counts: an archive, by its ending, or a commit, by its name. */
static bool is_taken_out(const struct shell_word *word)
{
    static const char endings[] = "tar tgz taz tbz tbz2 txz tlz tzst gz bz2 xz lz zst z zip jar war ear aar whl egg deb"
                                  " rpm src 7z apk ipa nupkg";
    struct hv_str name = word->known ? word->value : word->tail;
    size_t dot = name.len;
    while (dot && isalnum((unsigned char)name.ptr[dot - 1]))
        dot--;
    if (dot && dot < name.len && name.ptr[dot - 1] == '.') {
        struct hv_str ending = hv_str_slice(name, dot, name.len);
        for (const char *at = endings; *at; at += strspn(at, " ")) {
            size_t len = strcspn(at, " ");
            if (hv_str_eq_nocase(ending, (struct hv_str){at, len}))
                return true;
            at += len;
        }
        return false;
    }
    size_t digits = 0;
    while (digits < name.len && isxdigit((unsigned char)name.ptr[digits]))
        digits++;
    return !word->known || hv_str_starts(name, HV_STR("HEAD")) || hv_str_is(name, "master") ||
           (digits > 3 && digits == name.len) || hv_str_find_byte(name, '~', 0) != SIZE_MAX ||
           hv_str_find_byte(name, '^', 0) != SIZE_MAX || hv_str_find(name, HV_STR("@{"), 0) != SIZE_MAX;
}

static void check_cloc(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t at = 0; at < arguments->operand_count; at++) {
        shell_reads(reading, arguments->operands[at], true);
        if (arguments->operands[at]->known && hv_str_is(arguments->operands[at]->value, "-"))
            shell_apply(reading, SHELL_EFFECT_WRITES, NULL, HV_STR("-")); /* a file of that name, which it removes */
        if (is_taken_out(arguments->operands[at]))
            shell_worsen(reading, SHELL_EXECUTES, "cloc starts programs to take out what is in an archive or a commit");
    }
}

/* Options of ctags that choose what is listed: none of them names a file. */
static bool is_harmless_of_ctags(struct hv_str option)
{
    static const char *const beginnings[] = {"--list-", "--languages=", "--fields=", "--sort=", "--kinds-"};
    if (shell_names_have("-R --recurse -x -u -n -N --version --help --machinable --with-list-header", option))
        return true;
    for (size_t at = 0; at < sizeof beginnings / sizeof *beginnings; at++)
        if (hv_str_starts(option, hv_str_from(beginnings[at])))
            return true;
    return hv_str_starts(option, HV_STR("--")) && hv_str_find(option, HV_STR("-kinds="), 0) != SIZE_MAX;
}

/* The project's own options of ctags, which may send the list to a file. */
static const char ctags_files[] = ".ctags .ctags.d ctags.d .ctags.cnf";

/* ctags writes its file, but for -x and the lists; behind the first name of a file these come too late. */
static void judge_ctags(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool lists = false, begun = false;
    for (size_t at = 1; at < count; at++) {
        bool known = words[at].known;
        lists |= known && !begun &&
                 (hv_str_is(words[at].value, "-x") || hv_str_starts(words[at].value, HV_STR("--list-")) ||
                  hv_str_is(words[at].value, "--version") || hv_str_is(words[at].value, "--help"));
        bool option = shell_may_be_option(&words[at]) || shell_may_be_many(&words[at]);
        begun |= !option;
        if (!option)
            shell_reads(reading, &words[at], true);
        else if (!known || !is_harmless_of_ctags(words[at].value))
            shell_worsen(reading, SHELL_UNKNOWN, "an option of ctags is not known");
    }
    if (!lists)
        shell_worsen(reading, SHELL_WRITES, "ctags writes the file tags");
    shell_needs_none(reading, ctags_files);
}

/* ---- tmux ------------------------------------------------------------------------------------------------ */

/* Without -p what is captured becomes a buffer of the server. */
static void check_tmux_capture(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!shell_given(arguments, "-p"))
        shell_worsen(reading, SHELL_WRITES, "tmux capture-pane fills a buffer of the server; with -p it does not");
}

/* A format may run programs, #(…), and expand others that do, #{E:…}: only plain names are known to do neither. */
static bool is_plain_format(const struct shell_word *format)
{
    struct hv_str text = format->value;
    if (!format->known)
        return false;
    for (size_t at = 0; at < text.len; at++) {
        if (text.ptr[at] != '#')
            continue;
        if (++at < text.len && text.ptr[at] != '{') {
            if (!strchr("DFHhIPSTW", text.ptr[at]))
                return false;
            continue;
        }
        while (++at < text.len && ((text.ptr[at] >= 'a' && text.ptr[at] <= 'z') || text.ptr[at] == '_'))
            ;
        if (at >= text.len || text.ptr[at] != '}')
            return false;
    }
    return true;
}

static void check_tmux_list(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t at = 0; at < arguments->given_count; at++)
        if (hv_str_is(arguments->given[at].name, "-F") && !is_plain_format(&arguments->given[at].argument))
            shell_worsen(reading, SHELL_EXECUTES, "a format of tmux may run programs");
}

/* With -p it prints; the line below is shown else. */
static void judge_tmux_message(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool prints = count >= 2 && words[1].known && hv_str_is(words[1].value, "-p");
    if (!prints || count > 3 || (count == 3 && !is_plain_format(&words[2])))
        shell_worsen(reading, SHELL_EXECUTES, "a format of tmux may run programs");
}

static const struct shell_program tmux_rows[] = {
    {"list-sessions ls list-windows lsw list-panes lsp list-clients lsc", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a -s"), VALUES("-t -F")), .rest = SHELL_EFFECT_NONE, .check = check_tmux_list},
    {"display-message display", .judge = judge_tmux_message},
    SHOWS("list-buffers lsb info server-info", FLAGS("-T")),
    /* These start a server, which runs what the configuration says, if none is there. */
    RUNNERS("list-keys lsk list-commands lscm start-server start"),
    SHOWS("show-options show show-window-options showw show-environment showenv show-hooks",
          FLAGS("-g -s -w -p -q -v -A -H"), VALUES("-t")),
    SHOWS("has-session has", VALUES("-t")),
    {"capture-pane capturep", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-p -a -e -J -q -C -P -N -T"), VALUES("-t -S -E"), CHANGES_WITH("-b")),
     .rest = SHELL_EFFECT_NONE, .check = check_tmux_capture},
    RUNNERS(
        "new-session new new-window neww split-window splitw send-keys send respawn-pane respawn-window run-shell run"
        " if-shell if source-file source display-popup popup pipe-pane pipep attach-session attach a"),
    WRITERS("kill-session kill-server kill-window kill-pane rename-session rename-window set-option set setw set-hook"
            " select-pane selectp select-window selectw set-environment setenv set-buffer setb paste-buffer"),
    {0},
};

static const struct shell_program tmux_row = {"tmux",
                                              SHELL_SYNTAX_EXACT,
                                              SHELL_READ_ONLY,
                                              .subcommands = tmux_rows,
                                              .options = OPTIONS(HELPS("-V"), VALUES("-L")),
                                              .without_operands = SHELL_EFFECT_EXECUTE};

/* A ";" at the end of a word begins a further command of tmux. */
static void judge_tmux(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++)
        if (!words[at].known || hv_str_find_byte(words[at].value, ';', 0) != SIZE_MAX)
            shell_worsen(reading, SHELL_EXECUTES, "tmux may be given further commands");
    shell_judge_row(reading, &tmux_row, words, count);
}

/* ---- other version controls ------------------------------------------------------------------------------ */

/* Operands that are addresses, or end in the revision to start from, are asked of a server. */
static bool names_address(const struct shell_arguments *arguments)
{
    for (size_t at = 0; at < arguments->operand_count; at++)
        if (!arguments->operands[at]->known ||
            hv_str_find(arguments->operands[at]->value, HV_STR("://"), 0) != SIZE_MAX ||
            hv_str_find_byte(arguments->operands[at]->value, '@', 0) != SIZE_MAX ||
            hv_str_starts(arguments->operands[at]->value, HV_STR("^/")))
            return true;
    return false;
}

static void check_svn_local(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t at = 0; at < arguments->operand_count; at++)
        shell_apply(reading, SHELL_EFFECT_READ_TREE, arguments->operands[at], HV_STR("svn"));
    if (!arguments->operand_count)
        shell_reads_directory(reading, true);
    if (names_address(arguments))
        shell_worsen(reading, SHELL_NETWORK, "svn asks the server");
}

#define LISTER(names, list, operands)                                                                                  \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = list, .rest = operands                                  \
    }

const struct shell_program shell_programs_dev_tools[] = {
    {"shellcheck", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         HELPS("-V --version --help --list-optional"), FLAGS("-a --check-sourced -x --external-sources --norc"),
         MAYBE("-C --color"),
         VALUES("-i --include -e --exclude -f --format -o --enable -S --severity -s --shell -W --wiki-link-count"
                " --extended-analysis"),
         TREES("-P --source-path"), FILES("--rcfile")),
     .rest = SHELL_EFFECT_READ, .answers = true},
    /* shfmt prints unless -w is given. */
    {"shfmt", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(HELPS("--version -h --help"),
                        FLAGS("-l --list -d --diff -s --simplify -mn --minify -bn --binary-next-line -ci --case-indent "
                              "-sr --space-redirects"
                              " -kp --keep-padding -fn --func-next-line -f --find --to-json -tojson --from-json -p "
                              "--posix --apply-ignore"),
                        VALUES("-ln --language-dialect -i --indent --filename"), CHANGES("-w --write")),
     .rest = SHELL_EFFECT_READ_TREE, .reads_input = true},
    {"clang-format clang-format-14 clang-format-15 clang-format-16 clang-format-17 clang-format-18", SHELL_SYNTAX_WORDS,
     SHELL_READ_ONLY, .options = clang_format_options, .rest = SHELL_EFFECT_READ, .reads_input = true,
     .check_words = check_clang_format},
    LISTER(
        "cppcheck",
        OPTIONS(
            HELPS("--version --help -h --errorlist --doc"),
            FLAGS("-q --quiet -v --verbose -f --force --inline-suppr --inconclusive --xml --check-config -E "
                  "--check-headers"),
            MAYBE(
                "--enable --disable --std --language --suppress --error-exitcode --max-configs --max-ctu-depth "
                "--platform"
                " --template --xml-version --check-level --relative-paths --file-filter -D -U -j -l --report-progress"),
            TREES("-I -i")),
        SHELL_EFFECT_READ_TREE),
    {"cloc", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = cloc_options, .rest = SHELL_EFFECT_NONE,
     .check = check_cloc},
    {"tokei", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         HELPS("-V --version -h --help -l --languages"),
         FLAGS("-f --files -C --compact --hidden --no-ignore --no-ignore-dot --no-ignore-parent --no-ignore-vcs -v"),
         VALUES("-e --exclude -t --types --type -s --sort -r --rsort -o --output -c --columns -n --num-format"),
         FILES("-i --input")),
     .rest = SHELL_EFFECT_READ_TREE, .without_operands = SHELL_EFFECT_READ_TREE},
    {"scc", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         HELPS("--version -h --help -l --languages"),
         FLAGS("--by-file -c --no-complexity --no-cocomo -w --wide -a --dryness --no-size --no-duplicates -d --ci "
               "--no-gen -z"
               " --min --gen --debug -v --verbose --no-ignore --no-gitignore"),
         VALUES("-f --format -s --sort -i --include-ext -x --exclude-ext --exclude-dir -M --not-match --count-as"),
         OUTPUTS("-o --output")),
     .rest = SHELL_EFFECT_READ_TREE, .without_operands = SHELL_EFFECT_READ_TREE},
    {"pycodestyle pyflakes pydocstyle", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options =
         OPTIONS(HELPS("--version -h --help"),
                 FLAGS("-v --verbose -q --quiet --statistics --count --show-source --show-pep8 -s --strict --list-files"
                       " --no-warnings"),
                 VALUES("--max-line-length --select --ignore --exclude --filename --format -f")),
     .rest = SHELL_EFFECT_READ_TREE},
    {"yamllint", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(HELPS("-v --version -h --help"), FLAGS("-s --strict --no-warnings --list-files"),
                        VALUES("-f --format -d --config-data"), FILES("-c --config-file")),
     .rest = SHELL_EFFECT_READ_TREE},
    {"hadolint", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options =
         OPTIONS(HELPS("-v --version -h --help"), FLAGS("--no-fail --no-color -V --verbose --disable-ignore-pragma"),
                 VALUES("-f --format --ignore --error --warning --info --style -t --failure-threshold"
                        " --trusted-registry"),
                 FILES("-c --config")),
     .rest = SHELL_EFFECT_READ, .reads_input = true},
    {"black", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         HELPS("--version -h --help"),
         FLAGS("--check --diff --color --no-color -q --quiet -v --verbose -S --skip-string-normalization --preview"
               " -C --skip-magic-trailing-comma --fast --safe --pyi --ipynb -x --skip-source-first-line"),
         VALUES(
             "-l --line-length -t --target-version --include --exclude --extend-exclude --force-exclude -W --workers"),
         FILES("--config"), RUNS_WITH("-c --code")),
     .rest = SHELL_EFFECT_READ_TREE, .without_operands = SHELL_EFFECT_READ_TREE, .check = check_formatter},
    {"isort", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(HELPS("--version -h --help -V"),
                        FLAGS("-c --check --check-only -d --diff -q --quiet -v --verbose --color"),
                        VALUES("--profile -l --line-length --skip -s")),
     .rest = SHELL_EFFECT_READ_TREE, .without_operands = SHELL_EFFECT_READ_TREE, .check = check_formatter},
    {"ruff", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         {"check", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
          .options =
              OPTIONS(FLAGS("--diff --show-files --show-settings --statistics -e --exit-zero --exit-non-zero-on-fix"
                            " --ignore-noqa --no-fix --no-unsafe-fixes --no-show-fixes --show-fixes"
                            " --respect-gitignore --no-respect-gitignore --force-exclude"),
                      VALUES("--select --ignore --extend-select --extend-ignore --fixable --unfixable --exclude"
                             " --extend-exclude --target-version --output-format --per-file-ignores"
                             " --line-length --extension"),
                      CHANGES("--fix --fix-only --unsafe-fixes --add-noqa -w --watch"),
                      OUTPUTS("-o --output-file --cache-dir")),
          .more_options = ruff_options, .rest = SHELL_EFFECT_READ_TREE, .without_operands = SHELL_EFFECT_READ,
          .check_words = check_ruff_check},
         {"format", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
          .options = OPTIONS(FLAGS("--check --diff --respect-gitignore --no-respect-gitignore --force-exclude"),
                             VALUES("--line-length --target-version --exclude --extension --range")),
          .more_options = ruff_options, .rest = SHELL_EFFECT_READ_TREE, .without_operands = SHELL_EFFECT_READ_TREE,
          .check = check_formatter, .check_words = check_ruff_format},
         SHOWS("rule", FLAGS("--all"), VALUES("--output-format")),
         SHOWS("config linter version help", VALUES("--output-format")), WRITERS("clean server")),
     .more_options = ruff_options, .options = OPTIONS(HELPS("-V --version"))},
    {"ctags universal-ctags exuberant-ctags", .judge = judge_ctags},
    {"clang-tidy clang-check iwyu include-what-you-use scan-build buf swig flex bison yacc lex m4 gperf re2c"
     " doxygen asciidoctor hugo latex pdflatex xelatex lualatex typst",
     .judge = shell_judge_tool},
    /* It runs the settings of the directory before it looks at its words. */
    {"latexmk", .judge = shell_judge_tool, .needs_none = "latexmkrc .latexmkrc LatexMk"},
    {"direnv", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version --help")),
     .subcommands = SUBCOMMANDS(PLAIN("status version help"), RUNNERS("exec export reload edit hook stdlib"),
                                WRITERS("allow permit grant deny block revoke prune"))},
    {"tmux", .judge = judge_tmux},
    {"svn", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         {"status stat st info diff di", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
          .options =
              OPTIONS(FLAGS("-q --quiet -v --verbose --no-ignore --ignore-externals --xml --incremental --summarize -R "
                            "--recursive -N"
                            " --non-recursive --git --internal-diff --no-diff-deleted --show-item-only --no-newline"),
                      VALUES("--depth --changelist --show-item"), REACHES("-u --show-updates"),
                      REACHES_WITH("-r --revision -c --change --old --new"),
                      RUNS_WITH("--diff-cmd -x --extensions --config-dir --config-option"), HELPS("-h --help")),
          .rest = SHELL_EFFECT_NONE, .check = check_svn_local},
         {"help h", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = SHELL_EFFECT_NONE},
         REACHERS(
             "log cat blame praise annotate ann list ls checkout co update up commit ci export import switch sw merge"
             " copy cp move mv mkdir delete del remove rm lock unlock propget pget pg proplist plist pl relocate"),
         WRITERS("add revert resolve resolved cleanup propset pset ps propdel pdel pd propedit patch upgrade "
                 "changelist cl")),
     .options = OPTIONS(HELPS("--version --help -h"), FLAGS("-q --quiet"))},
    /* The repository's own settings name extensions and hooks, even for --version. */
    {"hg jj fossil bzr cvs darcs pijul sl", .judge = shell_judge_project},
    {"vim vi nvim emacs emacsclient nano micro helix hx ed ex pico joe kak subl gedit mcedit view vimdiff",
     .judge = shell_judge_tool},
    {"code cursor codium code-insiders idea pycharm webstorm", SHELL_SYNTAX_EXACT, SHELL_EXECUTES, "it opens an editor",
     .options = OPTIONS(HELPS("-v --version -h --help --list-extensions"), FLAGS("--show-versions")),
     .rest = SHELL_EFFECT_EXECUTE},
    {0},
};
