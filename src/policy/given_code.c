/* given_code.c: see given_code.h. One row a program; only what its manual says. */
#include "policy/given_code.h"

#include "shell/runs.h"

#include <string.h>

enum { ABBREVIATION_MIN = 4 }; /* of a long option, with its dashes */

/* ---- code for interpreters --------------------------------------------------------------------------------------- */

static const struct interpreter {
    const char *programs;
    const char *letters; /* also in a cluster: perl -pie */
    const char *words;   /* options as they stand, alone or before "="; sub-commands */
} interpreters[] = {
    {"node nodejs bun", "ep", "--eval --print --import"},
    {"deno", "", "eval"},
    {"perl raku perl6", "eE", ""},
    {"ruby jruby irb", "e", ""},
    {"php", "rBRE", "--run --process-begin --process-code --process-end"},
    {"lua luajit texlua", "e", ""},
    {"julia", "eE", "--eval --print"},
    {"elixir iex", "", "-e --eval --rpc-eval"},
    {"erl", "", "-eval"},
    {"swipl", "", "-g -t"},
    {"R Rscript", "", "-e --expression"},
    {"ghc ghci runghc", "", "-e"},
    {"crystal mix", "", "eval"},
    {"python python2 python3 pypy pypy3 ipython ipython3 bpython", "c", "--command"},
    {"sh bash dash zsh ksh mksh ash yash csh tcsh fish", "c", "--command --init-command"},
    {"pwsh powershell", "c", "-Command -EncodedCommand -command -ec -e"},
    {"scala scala-cli groovy clojure clj bb swift racket guile sbcl ecl ccl clisp ocaml janet fennel gdb lldb vim vi "
     "view "
     "nvim ex emacs emacsclient",
     "", "-e -E -c -ex -ix -iex -eval --eval --execute --command --cmd"},
};

static bool is_word_of(struct hv_str word, const char *names)
{
    return shell_is_one_of(hv_str_slice(word, 0, hv_str_find_byte(word, '=', 0)), names);
}

static bool has_letter_of(struct hv_str word, const char *letters)
{
    if (word.len < 2 || word.ptr[0] != '-' || word.ptr[1] == '-')
        return false;
    for (; *letters; letters++)
        if (hv_str_find_byte(word, *letters, 1) != SIZE_MAX)
            return true;
    return false;
}

static bool is_versioned_python(struct hv_str name)
{
    return hv_str_starts(name, HV_STR("python")) || hv_str_starts(name, HV_STR("pypy"));
}

static bool is_named(const struct interpreter *row, struct hv_str name)
{
    return shell_is_one_of(name, row->programs) ||
           (is_versioned_python(name) && shell_is_one_of(HV_STR("python"), row->programs));
}

/* All options and sub-commands of the table begin so. */
static bool may_give_code(struct hv_str word)
{
    return hv_str_starts(word, HV_STR("-")) || hv_str_starts(word, HV_STR("eval"));
}

/* The last of words by which the row's programs take code; 0: none but perhaps the first, which is a program. */
static size_t last_code(const struct interpreter *row, const struct shell_word *words, size_t count)
{
    size_t at = count;
    while (at-- > 1)
        if (may_give_code(words[at].value) &&
            (is_word_of(words[at].value, row->words) || has_letter_of(words[at].value, row->letters)))
            return at;
    return 0;
}

bool given_code(const struct shell_word *words, size_t count)
{
    while (count && !may_give_code(words[count - 1].value))
        count--;
    for (size_t i = 0; count && i < sizeof interpreters / sizeof *interpreters; i++) {
        size_t end = last_code(&interpreters[i], words, count);
        for (size_t at = 0; at < end; at++)
            if (words[at].known && is_named(&interpreters[i], shell_base_name(words[at].value)))
                return true;
    }
    return false;
}

/* ---- programs for the rest --------------------------------------------------------------------------------------- */

static const struct carrier {
    const char *programs, *sub_command; /* NULL: with any */
    const char *options;                /* a single letter may have its value right behind it */
    bool clusters;                      /* … and others before it */
} carriers[] = {
    {"git", NULL, "--upload-pack --receive-pack --exec --exec-path", false},
    {"git", "grep", "-O --open-files-in-pager", true},
    {"git", "difftool", "-x --extcmd", false},
    {"git", "clone", "-u -c --config", false},
    {"git", "rebase", "-x", false},
    {"go", NULL, "-exec --exec -toolexec --toolexec -vettool --vettool -overlay --overlay", false},
    {"cargo", NULL, "--config", false},
    {"cmake", NULL, "-E -P", false},
    {"ctest", NULL, "-S -SP --script --script-new-process --build-and-test --build-makeprogram", false},
    {"make gmake", NULL, "-E --eval SHELL .SHELLFLAGS MAKEFLAGS", false},
    {"gcc g++ cc c++ clang clang++", NULL, "-wrapper -specs --specs -fplugin -fpass-plugin", false},
    {"ghc", NULL, "-e -F -pgmF -pgmc -pgml -fplugin", false},
    {"latexmk", NULL, "-e -r -latex -pdflatex -xelatex -lualatex", false},
    {"latex pdflatex xelatex lualatex", NULL, "-shell-escape --shell-escape -enable-write18 --enable-write18", false},
    {"pandoc", NULL, "-F -L --filter --lua-filter --pdf-engine", false},
    {"npm pnpm yarn", NULL, "--script-shell --node-options", false},
    {"rsync", NULL, "-e --rsh --rsync-path", true},
    {"tar", NULL,
     "-I -F --to-command --checkpoint-action --use-compress-program --info-script --new-volume-script --rsh-command "
     "--rmt-command",
     false},
    {"sort", NULL, "--compress-program", false},
    {"rg", NULL, "--pre --hostname-bin", false},
    {"man", NULL, "-P -H --pager --html", false},
};

/* Programs take the beginnings of long options. */
static bool is_option(struct hv_str word, struct hv_str option, bool clusters)
{
    struct hv_str head = hv_str_slice(word, 0, hv_str_find_byte(word, '=', 0));
    bool is_long = hv_str_starts(option, HV_STR("--")), is_letter = option.len == 2 && option.ptr[0] == '-';
    if (hv_str_eq(head, option) || (is_long && head.len >= ABBREVIATION_MIN && hv_str_starts(option, head)))
        return true;
    if (!is_letter || word.len < 2 || word.ptr[0] != '-' || word.ptr[1] == '-')
        return false;
    return clusters ? hv_str_find_byte(word, option.ptr[1], 1) != SIZE_MAX : word.ptr[1] == option.ptr[1];
}

static bool is_carrier(const struct carrier *row, const struct shell_word *words, size_t count)
{
    if (!shell_is_one_of(shell_base_name(words[0].value), row->programs))
        return false;
    for (size_t i = 1; row->sub_command && i < count; i++)
        if (hv_str_is(words[i].value, row->sub_command))
            return true;
    return !row->sub_command;
}

bool given_program(const struct shell_word *words, size_t count, struct hv_str pattern)
{
    for (size_t i = 0; count && i < sizeof carriers / sizeof *carriers; i++) {
        struct hv_str rest = hv_str_from(carriers[i].options), option;
        if (!is_carrier(&carriers[i], words, count))
            continue;
        while (rest.len && hv_str_split(&rest, ' ', &option)) {
            if (hv_str_find(pattern, option, 0) != SIZE_MAX)
                continue;
            for (size_t at = 1; at < count; at++)
                if (words[at].known && is_option(words[at].value, option, carriers[i].clusters))
                    return true;
        }
    }
    return false;
}
