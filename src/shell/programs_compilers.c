/*
 * programs_compilers.c: gcc 14 and clang 18, asked about themselves, or to show what the preprocessor makes of a text:
 * gcc(1), clang(1), cpp(1). All else compiles, and may load plugins.
 */
#include "shell/programs.h"
#include "shell/rows.h"

/* Options of gcc and clang that neither run nor write anything, by what they begin with. */
static bool is_harmless_compiler_option(struct hv_str word)
{
    static const char *const exact[] = {
        "-E",        "-M",     "-MM",   "-fsyntax-only", "-v",        "-P",
        "-C",        "-CC",    "-H",    "-dM",           "-dD",       "-dI",
        "-dN",       "-w",     "-g",    "-pthread",      "-pedantic", "-pedantic-errors",
        "-ansi",     "-fPIC",  "-fpic", "-fPIE",         "-fpie",     "-fopenmp",
        "-nostdinc", "-S",     "-MG",   "-MP",           "-undef",    "-nostdinc++",
        "-ftrapv",   "-fwrapv"};
    static const char *const beginnings[] = {"-D",
                                             "-U",
                                             "-I",
                                             "-O",
                                             "-std=",
                                             "-x",
                                             "-fno-",
                                             "-march=",
                                             "-mtune=",
                                             "-fdiagnostics-color",
                                             "-isystem",
                                             "-iquote",
                                             "-idirafter",
                                             "-include",
                                             "--target=",
                                             "-ferror-limit=",
                                             "-fmax-errors=",
                                             "-finput-charset=",
                                             "-fvisibility=",
                                             "-fsanitize="};
    for (size_t at = 0; at < sizeof exact / sizeof *exact; at++)
        if (hv_str_is(word, exact[at]))
            return !hv_str_is(word, "-S"); /* -S writes */
    if (hv_str_is(word, "-fno-syntax-only"))
        return false;
    for (size_t at = 0; at < sizeof beginnings / sizeof *beginnings; at++)
        if (hv_str_starts(word, hv_str_from(beginnings[at])))
            return true;
    /* Warnings; -Wp,… -Wa,… -Wl,… hand options on. */
    return hv_str_starts(word, HV_STR("-W")) && hv_str_find_byte(word, ',', 0) == SIZE_MAX;
}

static bool is_about_compiler(const struct shell_word *word)
{
    static const char names[] = "--version --help -v -dumpversion -dumpmachine -dumpfullversion -dumpspecs"
                                " -print-search-dirs -print-libgcc-file-name -print-multi-lib -print-multi-directory"
                                " -print-multiarch -print-sysroot -print-resource-dir -print-targets"
                                " -print-target-triple -print-effective-triple -print-supported-cpus"
                                " --print-supported-cpus"
                                " --print-search-dirs --print-sysroot --print-libgcc-file-name --print-multi-lib"
                                " --print-multi-directory --print-multiarch --target-help";
    static const char *const beginnings[] = {
        "-print-file-name=", "-print-prog-name=", "--print-file-name=", "--print-prog-name=", "--help="};
    for (size_t at = 0; at < sizeof beginnings / sizeof *beginnings; at++)
        if (hv_str_starts(word->value, hv_str_from(beginnings[at])))
            return true;
    return shell_names_have(names, word->value);
}

/* Options whose argument may be the next word. */
static bool takes_word(struct hv_str word)
{
    return shell_names_have("-D -U -I -x -isystem -iquote -idirafter -include", word);
}

/* What -include names is printed with the rest. */
static void read_included(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char option[] = "-include";
    if (!words[0].known || !hv_str_starts(words[0].value, hv_str_from(option)))
        return;
    bool attached = words[0].value.len > sizeof option - 1;
    struct shell_word file = shell_word_known(hv_str_slice(words[0].value, sizeof option - 1, words[0].value.len));
    if (attached || count > 1)
        shell_reads(reading, attached ? &file : &words[1], false);
}

/* `gcc -march=native -Q --help=target`: what the options beside it turn on; without it they would compile. */
static bool lists_options(const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++)
        if (words[at].known && hv_str_starts(words[at].value, HV_STR("--help=")))
            return true;
    return false;
}

static bool chooses_target(struct hv_str option)
{
    return hv_str_is(option, "-Q") || hv_str_starts(option, HV_STR("-O")) || hv_str_starts(option, HV_STR("-march=")) ||
           hv_str_starts(option, HV_STR("-mtune="));
}

/* The last redirection of stdin is the one that counts. */
static bool takes_nothing(const struct shell_command *command)
{
    bool nothing = false;
    for (size_t i = 0; i < command->redirect_count; i++) {
        const struct shell_redirect *redirect = &command->redirects[i];
        if (redirect->descriptor == 0)
            nothing = redirect->kind == SHELL_REDIRECT_READ && redirect->target.known &&
                      hv_str_is(redirect->target.value, "/dev/null");
    }
    return nothing;
}

/* `gcc -dM -E - < /dev/null`: there is no text that could include a file. */
static bool reads_nothing(const struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++) {
        struct hv_str word = words[at].value;
        bool empty = hv_str_is(word, "/dev/null") || (hv_str_is(word, "-") && takes_nothing(reading->judged));
        if (!words[at].known || hv_str_starts(word, HV_STR("-i")) || (!empty && (word.len < 2 || word.ptr[0] != '-')))
            return false;
        if (hv_str_is(word, "-x"))
            at++;
    }
    return count > 1;
}

/* Only what C is written in, and its kin: of other languages gcc writes files even where it only checks or lists, as
 * the modules of Fortran. What has no ending is for the linker, which does not come to it. */
static bool is_kin_of_c(const struct shell_word *file)
{
    static const char endings[] =
        "c h i ii cc cp cxx cpp CPP c++ C hh H hp hxx hpp HPP h++ tcc inl m mi mm M mii s S sx"
        " o a so";
    struct hv_str name = file->known ? file->value : file->tail;
    size_t dot = name.len;
    while (dot && name.ptr[dot - 1] != '.' && name.ptr[dot - 1] != '/')
        dot--;
    if (!dot || name.ptr[dot - 1] == '/')
        return file->known;
    return shell_names_have(endings, hv_str_slice(name, dot, name.len));
}

/* Likewise for the language that -x names, in its own word or the next. */
static bool names_kin_of_c(const struct shell_word *words, size_t count)
{
    static const char languages[] = "c c-header cpp-output c++ c++-header c++-cpp-output objective-c objective-c-header"
                                    " objective-c-cpp-output objective-c++ objective-c++-header"
                                    " objective-c++-cpp-output assembler assembler-with-cpp none";
    if (!hv_str_starts(words[0].value, HV_STR("-x")))
        return true;
    if (words[0].value.len > 2)
        return shell_names_have(languages, hv_str_slice(words[0].value, 2, words[0].value.len));
    return count > 1 && words[1].known && shell_names_have(languages, words[1].value);
}

static void judge_compiler(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool cpp = hv_str_ends(shell_plain_tool(words[0].value), HV_STR("cpp"));
    bool looks = cpp && count > 1, about = count > 1, unknown = false;
    bool lists = lists_options(words, count);
    size_t files = 0;
    for (size_t at = 1; at < count; at++) {
        about &= words[at].known && (is_about_compiler(&words[at]) || (lists && chooses_target(words[at].value)));
        bool option = shell_may_be_option(&words[at]) || shell_may_be_many(&words[at]);
        if (words[at].known && shell_names_have("-E -M -MM -fsyntax-only", words[at].value))
            looks = true;
        if (words[at].known && words[at].value.len && words[at].value.ptr[0] == '@')
            unknown = true;
        if (!option) {
            files++;
            unknown |= !is_kin_of_c(&words[at]);
            shell_reads(reading, &words[at], false);
            continue;
        }
        files += !words[at].known;
        unknown |= !words[at].known || !is_harmless_compiler_option(words[at].value) ||
                   !names_kin_of_c(words + at, count - at);
        read_included(reading, words + at, count - at);
        if (words[at].known && takes_word(words[at].value) && at + 1 < count)
            at++;
    }
    /* The second file of cpp is the one that it writes. */
    unknown |= cpp && files > 1;
    /* What the text includes. */
    if (looks && !reads_nothing(reading, words, count))
        reading->act.reads_listed = false;
    if (!about && (!looks || unknown))
        shell_worsenf(reading, SHELL_EXECUTES, "%.*s compiles, writes files and may run plugins",
                      HV_STR_ARG(words[0].value));
}

const struct shell_program shell_programs_compilers[] = {
    {"gcc g++ cc c++ clang clang++ cpp gcc-9 gcc-10 gcc-11 gcc-12 gcc-13 gcc-14 g++-9 g++-10 g++-11 g++-12 g++-13"
     " g++-14 clang-13 clang-14 clang-15 clang-16 clang-17 clang-18 clang-19 clang++-14 clang++-15 clang++-16"
     " clang++-17 clang++-18",
     .judge = judge_compiler},
    {0},
};
