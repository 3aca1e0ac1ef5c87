/*
 * programs_dev_languages.c: interpreters and build tools: what they say about themselves, and the few things
 * they do without running or writing anything. Everything else of them runs code. node(1), python(1), perlrun(1),
 * php(1), ruby(1), go help, rustc --help, cargo --help, make(1), ninja, cmake(1), java(1).
 */
#include "shell/programs.h"
#include "shell/rows.h"

#include <string.h>

#define VERSIONS HELPS("--version --help")

/* ---- interpreters ---------------------------------------------------------------------------------------- */

/* A program that runs code, but only looks at a file when one of `checks` is given. */
static void judge_interpreter(struct shell_reading *reading, const struct shell_program *row, const char *checks,
                              const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    if (!shell_arguments(reading, row, words, count, &arguments) || arguments.help)
        return;
    if (!shell_given(&arguments, checks) || !arguments.operand_count) {
        reading->act.runs_input = !arguments.operand_count;
        shell_worsenf(reading, SHELL_EXECUTES, "%s runs code", row->names);
        return;
    }
    for (size_t at = 0; at < arguments.operand_count; at++)
        shell_apply(reading, SHELL_EFFECT_READ, arguments.operands[at], hv_str_from(row->names));
}

static void judge_node(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_option options[] = {HELPS("-v --version -h --help --v8-options"),
                                                  FLAGS("-c --check"),
                                                  RUNS_WITH("-e --eval -p --print -r --require"),
                                                  {0}};
    static const struct shell_program row = {"node", SHELL_SYNTAX_POSIX, SHELL_EXECUTES, .options = options};
    judge_interpreter(reading, &row, "-c --check", words, count);
}

static const struct shell_program ruby_row = {
    "ruby", SHELL_SYNTAX_POSIX, SHELL_EXECUTES,
    .options = OPTIONS(HELPS("--version -h --help --copyright"), FLAGS("-c -w -v"), RUNS_WITH("-e -r"))};

/* -c checks the syntax alone, but takes options from the first line of the script: "#!ruby -r./x" runs x. */
static void judge_ruby(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (count == 2 && words[1].known && hv_str_is(words[1].value, "-v"))
        return;
    struct shell_arguments arguments;
    if (!shell_arguments(reading, &ruby_row, words, count, &arguments) || arguments.help)
        return;
    reading->act.runs_input = !arguments.operand_count;
    shell_worsen(reading, SHELL_EXECUTES, "ruby runs code");
}

static const struct shell_program php_row = {
    "php", SHELL_SYNTAX_POSIX, SHELL_EXECUTES,
    .options = OPTIONS(HELPS("-v --version -h --help -m --modules -i --info --ini"),
                       {"--rf --rc --re --ri", SHELL_EFFECT_HELP, SHELL_ARITY_ONE}, FLAGS("-l --syntax-check"),
                       RUNS_WITH("-r --run -f --file -B -R -F -E"))};

static void judge_php(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    judge_interpreter(reading, &php_row, "-l --syntax-check", words, count);
}

static const struct shell_program lua_compiler_row = {"luac", SHELL_SYNTAX_POSIX, SHELL_EXECUTES,
                                                      .options = OPTIONS(HELPS("-v"), FLAGS("-p -l"))};

static void judge_lua_compiler(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    judge_interpreter(reading, &lua_compiler_row, "-p", words, count);
}

/* ---- python ---------------------------------------------------------------------------------------------- */

/* Modules that only read. */
static const struct shell_program python_modules[] = {
    {"json.tool", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(HELPS("-h --help"),
                        FLAGS("--sort-keys --no-ensure-ascii --json-lines --tab --no-indent"
                              " --compact"),
                        VALUES("--indent")),
     .first = {SHELL_EFFECT_READ}, .first_count = 1, .rest = SHELL_EFFECT_WRITE, .reads_input = true},
    {"tokenize", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = OPTIONS(HELPS("-h --help"), FLAGS("-e --exact")),
     .rest = SHELL_EFFECT_READ, .reads_input = true},
    {"ast", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(HELPS("-h --help"), FLAGS("--no-type-comments -a --include-attributes"),
                        VALUES("-m --mode -i --indent")),
     .rest = SHELL_EFFECT_READ, .reads_input = true},
    {"platform", SHELL_SYNTAX_NONE, SHELL_READ_ONLY},
    {0},
};

/* -m finds modules in the working directory first: files that would stand for those that the modules above need. */
static const char python_files[] =
    ". json.py *.so json/__init__*.so argparse/__init__*.so re/__init__*.so pip/__init__*.so"
    " json.pyc json/__init__.py argparse.py argparse.pyc argparse/__init__.py re.py re.pyc"
    " re/__init__.py enum.py enum.pyc enum/__init__.py types.py types.pyc types/__init__.py pathlib.py"
    " pathlib.pyc pathlib/__init__.py os.py os.pyc os/__init__.py sys.py sys.pyc sys/__init__.py io.py io.pyc"
    " io/__init__.py abc.py abc.pyc abc/__init__.py runpy.py runpy.pyc runpy/__init__.py pkgutil.py"
    " pkgutil.pyc pkgutil/__init__.py importlib.py importlib.pyc importlib/__init__.py collections.py"
    " collections.pyc collections/__init__.py functools.py functools.pyc functools/__init__.py fnmatch.py"
    " fnmatch.pyc fnmatch/__init__.py ntpath.py ntpath.pyc ntpath/__init__.py posixpath.py posixpath.pyc"
    " posixpath/__init__.py urllib.py urllib.pyc urllib/__init__.py ipaddress.py ipaddress.pyc"
    " ipaddress/__init__.py gettext.py gettext.pyc gettext/__init__.py locale.py locale.pyc locale/__init__.py"
    " shutil.py shutil.pyc shutil/__init__.py struct.py struct.pyc struct/__init__.py contextlib.py"
    " contextlib.pyc contextlib/__init__.py operator.py operator.pyc operator/__init__.py keyword.py"
    " keyword.pyc keyword/__init__.py heapq.py heapq.pyc heapq/__init__.py reprlib.py reprlib.pyc"
    " reprlib/__init__.py copyreg.py copyreg.pyc copyreg/__init__.py warnings.py warnings.pyc"
    " warnings/__init__.py weakref.py weakref.pyc weakref/__init__.py typing.py typing.pyc typing/__init__.py"
    " tokenize.py tokenize.pyc tokenize/__init__.py token.py token.pyc token/__init__.py codecs.py codecs.pyc"
    " codecs/__init__.py ast.py ast.pyc ast/__init__.py platform.py platform.pyc platform/__init__.py"
    " sysconfig.py sysconfig.pyc sysconfig/__init__.py zipfile.py zipfile.pyc zipfile/__init__.py bz2.py"
    " bz2.pyc bz2/__init__.py lzma.py lzma.pyc lzma/__init__.py pip.py pip.pyc pip/__init__.py logging.py"
    " logging.pyc logging/__init__.py optparse.py optparse.pyc optparse/__init__.py textwrap.py textwrap.pyc"
    " textwrap/__init__.py subprocess.py subprocess.pyc subprocess/__init__.py threading.py threading.pyc"
    " threading/__init__.py random.py random.pyc random/__init__.py signal.py signal.pyc signal/__init__.py"
    " site.py site.pyc site/__init__.py usercustomize.py usercustomize.pyc usercustomize/__init__.py"
    " sitecustomize.py sitecustomize.pyc sitecustomize/__init__.py _json.py _json.pyc _json/__init__.py"
    " copy.py copy.pyc copy/__init__.py _colorize.py _colorize.pyc _colorize/__init__.py dataclasses.py"
    " dataclasses.pyc dataclasses/__init__.py inspect.py inspect.pyc inspect/__init__.py errno.py errno.pyc"
    " errno/__init__.py posix.py posix.pyc posix/__init__.py __future__.py __future__.pyc"
    " __future__/__init__.py _py_abc.py _py_abc.pyc _py_abc/__init__.py _collections_abc.py"
    " _collections_abc.pyc _collections_abc/__init__.py _weakrefset.py _weakrefset.pyc _weakrefset/__init__.py"
    " genericpath.py genericpath.pyc genericpath/__init__.py string.py string.pyc string/__init__.py bisect.py"
    " bisect.pyc bisect/__init__.py difflib.py difflib.pyc difflib/__init__.py tempfile.py tempfile.pyc"
    " tempfile/__init__.py math.py math.pyc math/__init__.py dis.py dis.pyc dis/__init__.py opcode.py"
    " opcode.pyc opcode/__init__.py zlib.py zlib.pyc zlib/__init__.py pprint.py pprint.pyc pprint/__init__.py"
    " pip/__main__.py"
    /* Names that begin so belong to python, but for __init__; packages may be compiled. */
    " _*.py _*.pyc _*/__init__.py */__init__.pyc */__init__*.so"
    " UserDict.py UserDict.pyc UserDict/__init__.py copy_reg.py copy_reg.pyc copy_reg/__init__.py linecache.py"
    " linecache.pyc linecache/__init__.py sre_compile.py sre_compile.pyc sre_compile/__init__.py"
    " sre_constants.py sre_constants.pyc sre_constants/__init__.py sre_parse.py sre_parse.pyc"
    " sre_parse/__init__.py stat.py stat.pyc stat/__init__.py strop.py strop.pyc strop/__init__.py"
    " traceback.py traceback.pyc traceback/__init__.py codeop.py codeop.pyc codeop/__init__.py selectors.py"
    " selectors.pyc selectors/__init__.py select.py select.pyc select/__init__.py fcntl.py fcntl.pyc"
    " fcntl/__init__.py grp.py grp.pyc grp/__init__.py pwd.py pwd.pyc pwd/__init__.py binascii.py binascii.pyc"
    " binascii/__init__.py itertools.py itertools.pyc itertools/__init__.py array.py array.pyc"
    " array/__init__.py unicodedata.py unicodedata.pyc unicodedata/__init__.py datetime.py datetime.pyc"
    " datetime/__init__.py time.py time.pyc time/__init__.py marshal.py marshal.pyc marshal/__init__.py"
    " socket.py socket.pyc socket/__init__.py plistlib.py plistlib.pyc plistlib/__init__.py pyexpat.py"
    " pyexpat.pyc pyexpat/__init__.py xml.py xml.pyc xml/__init__.py ctypes.py ctypes.pyc ctypes/__init__.py"
    " winreg.py winreg.pyc winreg/__init__.py";

/* -X names that make it write: -X pycache_prefix=DIRECTORY, -X perf … */
static void judge_python_setting(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    static const char harmless[] = "dev utf8 utf8=0 utf8=1 importtime faulthandler tracemalloc no_debug_ranges"
                                   " frozen_modules=on frozen_modules=off showrefcount warn_default_encoding";
    for (size_t at = 0; at < arguments->given_count; at++)
        if (hv_str_is(arguments->given[at].name, "-X") &&
            !(arguments->given[at].argument.known && shell_names_have(harmless, arguments->given[at].argument.value)))
            shell_worsen(reading, SHELL_WRITES, "an option -X of python may make it write");
}

/* `python -m MODULE`: the words from the module on. */
static void judge_python_module(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    const struct shell_program *row = words[0].known ? shell_find_row(python_modules, words[0].value) : NULL;
    if (words[0].known && hv_str_is(words[0].value, "pip"))
        row = shell_find_program(HV_STR("pip"));
    if (row)
        shell_judge_row(reading, row, words, count);
    else
        shell_worsenf(reading, SHELL_EXECUTES, "python -m %.*s runs code", HV_STR_ARG(words[0].text));
}

static const struct shell_program python_row = {
    "python", SHELL_SYNTAX_POSIX, SHELL_EXECUTES,
    .options = OPTIONS(HELPS("-V --version -h --help --help-env --help-xoptions --help-all"),
                       FLAGS("-b -B -d -E -I -O -OO -P -q -s -S -u -v"), VALUES("-W -X"),
                       RUNS("-i"), /* it goes on with what it reads */
                       RUNS_WITH("-c"), {"-m", SHELL_EFFECT_NONE, SHELL_ARITY_ONE})};

static void judge_python(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    /* Options end at -c and -m: what follows belongs to the code. */
    size_t at = 1;
    while (at < count && words[at].known && words[at].value.len > 1 && words[at].value.ptr[0] == '-' &&
           !hv_str_is(words[at].value, "-m") && !hv_str_is(words[at].value, "-c"))
        at += hv_str_is(words[at].value, "-W") || hv_str_is(words[at].value, "-X") ? 2 : 1;
    bool module = at + 1 < count && words[at].known && hv_str_is(words[at].value, "-m");
    if (!shell_arguments(reading, &python_row, words, at < count ? at : count, &arguments) || arguments.help)
        return;
    judge_python_setting(reading, &arguments);
    if (module) {
        judge_python_module(reading, words + at + 1, count - at - 1);
        if (!shell_given(&arguments, "-I -P"))
            shell_needs_none(reading, python_files);
        return;
    }
    reading->act.runs_input = at >= count || (words[at].known && hv_str_is(words[at].value, "-"));
    shell_worsen(reading, SHELL_EXECUTES, "python runs code");
}

/* ---- go, rust -------------------------------------------------------------------------------------------- */

#define GO(names, ...)                                                                                                 \
    {                                                                                                                  \
        names, SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__), .rest = SHELL_EFFECT_NONE         \
    }

/* go.mod may name a toolchain, which go fetches and starts whatever it is asked. It does not with the environment that
 * commands run with whose git is tame; where that is not put on them, there must be no such file. */
static void tame_go(struct shell_reading *reading, struct hv_str name)
{
    if (reading->act.class != SHELL_READ_ONLY || hv_str_is(name, "help"))
        return;
    reading->act.go = hv_arena_cstr(reading->arena, name);
    if (!reading->world->git_is_quiet)
        shell_needs_none(reading, "go.mod go.work");
}

static void check_go(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    size_t at = count > 2 && hv_str_is(words[1].value, "-C") ? 3 : 1;
    tame_go(reading, at < count ? words[at].value : HV_STR("help"));
}

/* goimports and gofumpt run go to find packages and the version of the module. */
static void check_gofmt(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    if (!hv_str_ends(arguments->words[0].value, HV_STR("gofmt")))
        tame_go(reading, HV_STR("list"));
}

/* Cargo's own options, which stand before or after the sub-command. */
static const struct shell_option cargo_options[] = {
    FLAGS("-v --verbose -vv -q --quiet --frozen --locked --offline"), VALUES("--color"), HELPS("-h --help"), {0}};

/* What reads the packages of a project fetches what is missing, unless that is forbidden. */
static void check_cargo_packages(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    shell_reads_directory(reading, true);
    /* The argument of -i and -p may be left out: then what follows is an option. */
    for (size_t at = 0; at < arguments->given_count; at++)
        if (arguments->given[at].has_argument && hv_str_starts(arguments->given[at].argument.value, HV_STR("-")))
            shell_worsen(reading, SHELL_UNKNOWN, "the argument of an option of cargo looks like an option");
    if (shell_given(arguments, "--frozen --no-deps"))
        return;
    if (!shell_given(arguments, "--offline"))
        shell_worsenf(reading, SHELL_NETWORK, "cargo %.*s may fetch packages; with --frozen it does not",
                      HV_STR_ARG(arguments->words[0].value));
    else if (!shell_given(arguments, "--locked"))
        shell_worsenf(reading, SHELL_WRITES, "cargo %.*s may write Cargo.lock; with --frozen it does not",
                      HV_STR_ARG(arguments->words[0].value));
}

/* `cargo fmt --check` and `cargo fmt -- --check` only compare. */
static void judge_cargo_format(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char harmless[] = "--all --check -- --quiet -q -v --verbose -l --files-with-diff --all-targets";
    bool check = false, known = true;
    for (size_t at = 1; at < count; at++) {
        check |= words[at].known && hv_str_is(words[at].value, "--check");
        known &= words[at].known && shell_names_have(harmless, words[at].value);
    }
    if (!check || !known)
        shell_worsen(reading, SHELL_WRITES, "cargo fmt changes files");
}

static const struct shell_program cargo_installed = {"install",
                                                     SHELL_SYNTAX_EXACT,
                                                     SHELL_READ_ONLY,
                                                     .options = OPTIONS(FLAGS("--list")),
                                                     .more_options = cargo_options,
                                                     .rest = SHELL_EFFECT_NETWORK};

/* `cargo install --list` shows what it noted in its own directory of what it installed; where it noted nothing yet, it
 * makes the two files for that. */
static void judge_cargo_install(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool lists = false;
    for (size_t at = 1; at < count; at++)
        lists |= words[at].known && hv_str_is(words[at].value, "--list");
    if (!lists) {
        shell_judge_reaches(reading, words, count);
        return;
    }
    shell_judge_row(reading, &cargo_installed, words, count);
    shell_worsen(reading, SHELL_WRITES, "cargo install --list makes the files of its notes where they are missing");
}

/* Of what is no command of its own, cargo starts the program cargo-NAME with --help. */
static void judge_cargo_help(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char own[] =
        "add b bench build c check clean clippy config d doc fetch fix fmt generate-lockfile help "
        "info init install locate-project login logout metadata miri new owner package pkgid "
        "publish r read-manifest remove report rm run rustc rustdoc search t test tree uninstall "
        "update vendor verify-project version yank";
    if (count > 2 || (count == 2 && (!words[1].known || !shell_names_have(own, words[1].value))))
        shell_worsen(reading, SHELL_EXECUTES, "cargo help starts the program of a command that is not cargo's own");
}

/* cargo-clippy and the like tell their version before they build. */
static void judge_cargo_version(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (count != 2 || !words[1].known || !shell_names_have("--version -V", words[1].value))
        shell_judge_runs(reading, words, count);
}

static void check_rustc(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    /* --print KIND=FILE writes. */
    const struct shell_given *print = shell_given(arguments, "--print");
    if (print && (!print->argument.known || hv_str_find_byte(print->argument.value, '=', 0) != SIZE_MAX))
        shell_worsen(reading, SHELL_WRITES, "rustc --print may write a file");
    if (arguments->operand_count || !shell_given(arguments, "--print --explain"))
        shell_worsen(reading, SHELL_EXECUTES, "rustc compiles and runs macros");
}

/* A file of the project may say which toolchain runs, and cargo's which compiler: even for --version. */
static const char rust_files[] = "rust-toolchain rust-toolchain.toml .cargo/config .cargo/config.toml";

static const struct shell_program rustfmt_row = {
    "rustfmt", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
    .options = OPTIONS(HELPS("-V --version -h --help"), FLAGS("--check -q --quiet -v --verbose -l --files-with-diff"),
                       VALUES("--edition --color"), FILES("--config-path"))};

/* A formatter that prints or compares unless it is told to write. */
static void judge_rustfmt(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    if (count > 1 && hv_str_starts(words[1].value, HV_STR("+")))
        shell_worsen(reading, SHELL_NETWORK, "rustup may fetch the toolchain that is named");
    if (!shell_arguments(reading, &rustfmt_row, words, count, &arguments) || arguments.help)
        return;
    for (size_t at = 0; at < arguments.operand_count; at++)
        shell_apply(reading, SHELL_EFFECT_READ, arguments.operands[at], HV_STR("rustfmt"));
    if (!shell_given(&arguments, "--check") && arguments.operand_count)
        shell_worsen(reading, SHELL_WRITES, "rustfmt changes files");
}

/* ---- builds ---------------------------------------------------------------------------------------------- */

static const struct shell_program ninja_tools[] = {
    /* They make the directory of the logs, and throw away a log of another version. */
    {"query deps missingdeps", .judge = shell_judge_changes},
    {"targets commands graph inputs rules compdb list multi-inputs", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-r -x -s --all -a")), .rest = SHELL_EFFECT_NONE},
    {0},
};

static const struct shell_program ninja_row = {"ninja samu", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
                                               .options =
                                                   OPTIONS(HELPS("--version -h --help"), TREES("-C"), FILES("-f"),
                                                           FLAGS("-v --verbose --quiet -n"), VALUES("-j -k -l -d"))};

static void judge_ninja(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    for (size_t at = 1; at + 1 < count; at++)
        if (words[at].known && hv_str_is(words[at].value, "-t")) {
            const struct shell_program *tool =
                words[at + 1].known ? shell_find_row(ninja_tools, words[at + 1].value) : NULL;
            if (!tool || !shell_arguments(reading, &ninja_row, words, at, &arguments))
                break;
            shell_judge_row(reading, tool, words + at + 1, count - at - 1);
            return;
        }
    if (shell_arguments(reading, &ninja_row, words, count, &arguments) && !arguments.help)
        shell_worsen(reading, SHELL_EXECUTES, "ninja builds");
}

/* cmake -N -LAH [DIRECTORY]: shows what a directory was configured with. */
static bool shows_cache(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    const struct shell_word *directory = NULL;
    bool view = false, list = false;
    for (size_t at = 1; at < count; at++) {
        bool option = words[at].known && shell_names_have("-N -L -LA -LH -LAH", words[at].value);
        view |= option && hv_str_is(words[at].value, "-N");
        list |= option && !hv_str_is(words[at].value, "-N");
        if (!option && (directory || !words[at].known || shell_may_be_option(&words[at])))
            return false;
        directory = option ? directory : &words[at];
    }
    if (view && list && directory)
        shell_reads(reading, directory, true);
    else if (view && list)
        shell_reads_directory(reading, true);
    return view && list;
}

static void judge_cmake(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char about[] = "--version -version --help -help -h --help-command-list --help-variable-list"
                                " --help-module-list --help-property-list --help-policy-list --help-manual-list";
    static const char one[] = "--help-command --help-variable --help-module --help-property --help-policy"
                              " --help-manual";
    bool known = count > 1 && words[1].known;
    if (known && count == 2 && shell_names_have(about, words[1].value))
        return;
    if (known && count == 3 && words[2].known && hv_str_is(words[1].value, "-E") &&
        hv_str_is(words[2].value, "capabilities"))
        return;
    if (known && count == 3 && words[2].known && !shell_may_be_option(&words[2]) &&
        shell_names_have(one, words[1].value))
        return;
    if (shows_cache(reading, words, count))
        return;
    shell_worsen(reading, SHELL_EXECUTES, "cmake runs the project's scripts");
}

static const struct shell_program meson_introspection = {
    "introspect", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
    .options = OPTIONS(HELPS("-h --help"),
                       FLAGS("--targets --installed --install-plan --buildoptions --buildsystem-files --dependencies"
                             " --tests --benchmarks --projectinfo --machines --compilers -a --all -i --indented -f"
                             " --force-object-output")),
    .rest = SHELL_EFFECT_READ_TREE};

/* What it noted of a directory when that was set up. A meson.build in its place would be interpreted, and compilers
 * run;
 * "@file" stands for the words in a file. */
static void judge_meson_introspection(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++) {
        struct hv_str value = words[at].value;
        if (!words[at].known || hv_str_find(value, HV_STR("meson.build"), 0) != SIZE_MAX ||
            hv_str_starts(value, HV_STR("@")))
            shell_worsen(reading, SHELL_EXECUTES, "meson may interpret the build description of the project");
    }
    shell_judge_row(reading, &meson_introspection, words, count);
}

static void judge_meson(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (count > 1 && words[1].known && hv_str_is(words[1].value, "introspect"))
        judge_meson_introspection(reading, words + 1, count - 1);
    else
        shell_judge_tool(reading, words, count);
}

static const struct shell_program tsc_row = {"tsc", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
                                             .options = OPTIONS(FLAGS("--showConfig"), TREES("-p --project"))};

/* What it says of itself, and what tsconfig.json and those that it extends amount to. */
static void judge_tsc(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    if (count == 2 && words[1].known && shell_names_have("-v -h --all", words[1].value))
        return;
    if (count < 2 || !words[1].known || !shell_names_have("--showConfig -p --project", words[1].value)) {
        shell_judge_tool(reading, words, count);
        return;
    }
    if (shell_arguments(reading, &tsc_row, words, count, &arguments) && !shell_given(&arguments, "--showConfig"))
        shell_judge_tool(reading, words, count);
    shell_judge_row(reading, &tsc_row, words, count);
    shell_reads_directory(reading, true);
}

/* Programs that are asked for their version: in one way, and in any. */
/* It compiles and runs build.zig before it prints the help of --help. */
static void judge_zig_build(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    (void)words;
    (void)count;
    shell_worsen(reading, SHELL_EXECUTES, "zig build runs build.zig, even for its help");
}

#define TOOLS(names)                                                                                                   \
    {                                                                                                                  \
        names, .judge = shell_judge_tool                                                                               \
    }
#define ABOUT(names)                                                                                                   \
    {                                                                                                                  \
        names, .judge = shell_judge_about                                                                              \
    }

const struct shell_program shell_programs_dev_languages[] = {
    {"node nodejs", .judge = judge_node},
    {"python python2 python3 python3.6 python3.7 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13"
     " python3.14 pypy pypy3",
     .judge = judge_python},
    {"ruby", .judge = judge_ruby},
    {"php", .judge = judge_php},
    {"luac luac5.3 luac5.4", .judge = judge_lua_compiler},
    {"go", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .subcommands =
         SUBCOMMANDS(GO("version", FLAGS("-m -v -json")), GO("env", FLAGS("-json -changed"), CHANGES("-w -u")),
                     GO("doc", FLAGS("-all -c -cmd -short -src -u"), REACHES("-http")),
                     {"help", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = SHELL_EFFECT_NONE},
                     GROUP("mod", REACHERS("download graph tidy vendor verify why"), WRITERS("init"),
                           {"edit", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-json -print")),
                            .rest = SHELL_EFFECT_READ, .needs = "-json -print"}),
                     GROUP("work", WRITERS("edit init sync use vendor")), REACHERS("list get"),
                     RUNNERS("build run test vet install generate tool bug fix telemetry"), WRITERS("fmt clean")),
     .options = OPTIONS(TREES("-C"), VERSIONS), .check_words = check_go},
    {"gofmt goimports gofumpt", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-l -d -s -e"), VALUES("-r -local -lang"), CHANGES("-w"), OUTPUTS("-cpuprofile")),
     .rest = SHELL_EFFECT_READ_TREE, .reads_input = true, .check = check_gofmt},
    {"cargo", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(
         {"tree metadata", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
          .options = OPTIONS(
              FLAGS("-d --duplicates --no-dev-dependencies --all-features --no-default-features --no-dedupe -a --all"
                    " --workspace --no-deps --locked-only"),
              VALUES("-p --package --exclude -F --features -i --invert --prune --depth --prefix --charset -f --format"
                     " -e --edges --format-version --filter-platform"),
              FILES("--manifest-path")),
          .more_options = cargo_options, .rest = SHELL_EFFECT_NONE, .check = check_cargo_packages},
         {"fmt", .judge = judge_cargo_format}, {"clippy nextest", .judge = judge_cargo_version},
         {"install", .judge = judge_cargo_install}, SHOWS("pkgid", VALUES("-p --package"), FILES("--manifest-path")),
         SHOWS("locate-project read-manifest verify-project", FLAGS("--workspace"), VALUES("--message-format"),
               FILES("--manifest-path")),
         SHOWS("version", FLAGS("-v --verbose")), {"help", .judge = judge_cargo_help},
         REACHERS("search info fetch update publish login logout owner yank audit outdated add uninstall"),
         RUNNERS("build b check c test t run r bench doc d fix rustc rustdoc package expand miri llvm-cov"
                 " watch make xtask flamegraph"),
         WRITERS("new init remove rm clean vendor generate-lockfile")),
     .more_options = cargo_options,
     .options = OPTIONS(HELPS("-V --version --list"), {"--explain", SHELL_EFFECT_HELP, SHELL_ARITY_ONE}),
     .needs_none = rust_files},
    {"rustc", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(HELPS("-V --version -h --help"), FLAGS("-v --verbose"),
                        VALUES("--print --explain --target --edition")),
     .rest = SHELL_EFFECT_NONE, .check = check_rustc, .needs_none = rust_files},
    {"rustup", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands =
         SUBCOMMANDS(SHOWS("show", FLAGS("-v --verbose --installed")), SHOWS("which", VALUES("--toolchain")),
                     GROUP("toolchain", SHOWS("list", FLAGS("-v --verbose -q --quiet")), REACHERS("install update"),
                           WRITERS("uninstall remove link")),
                     GROUP("target", SHOWS("list", FLAGS("--installed -q --quiet"), VALUES("--toolchain")),
                           REACHERS("add"), WRITERS("remove")),
                     GROUP("component", SHOWS("list", FLAGS("--installed -q --quiet"), VALUES("--toolchain")),
                           REACHERS("add"), WRITERS("remove")),
                     GROUP("override", PLAIN("list"), WRITERS("set unset")),
                     GROUP("self", REACHERS("update"), WRITERS("uninstall")), REACHERS("update check install"),
                     RUNNERS("run"), WRITERS("default set uninstall")),
     .options = OPTIONS(HELPS("-V --version -h --help"), FLAGS("-v --verbose -q --quiet")), .needs_none = rust_files},
    {"rustfmt", .judge = judge_rustfmt, .needs_none = rust_files},
    {"ninja samu", .judge = judge_ninja},
    {"cmake", .judge = judge_cmake},
    {"meson", .judge = judge_meson},
    {"just", SHELL_SYNTAX_POSIX, SHELL_EXECUTES,
     .options = OPTIONS(HELPS("-l --list --summary -V --version -h --help"),
                        {"--show -s", SHELL_EFFECT_HELP, SHELL_ARITY_ONE}),
     .rest = SHELL_EFFECT_EXECUTE},
    ABOUT("perl"),
    ABOUT("javac jshell kotlinc kotlin scala scalac groovy ant"),
    /* Options of the machine that runs them stand in files of the project. */
    {"mvn gradle sbt", .judge = shell_judge_about,
     .needs_none = ".mvn .jvmopts .sbtopts build.sbt project/build.properties gradle.properties"},
    ABOUT("lua luajit lua5.1 lua5.2 lua5.3 lua5.4"),
    ABOUT("make gmake"),
    TOOLS("bmake mingw32-make scons buck buck2 waf autoconf automake aclocal autoreconf"
          " libtoolize b2 tup mvnw gradlew tclsh wish"),
    /* Its scripts run before its options are looked at. */
    {"premake5", .judge = shell_judge_tool, .needs_none = "premake5.lua premake4.lua premake-system.lua"},
    /* The machine of Erlang may run the file of its own that lies here, rebar3 scripts of the project. */
    {"elixir elixirc mix iex erlc rebar3", .judge = shell_judge_about,
     .needs_none = ".erlang rebar.config rebar.config.script"},
    ABOUT("ghc ghci runghc nim erl julia ocaml crystal dart nasm yasm gfortran swift R nvcc sbcl racket guile"),
    TOOLS("stack cabal swiftc nimble Rscript ocamlc ocamlopt dune opam shards dmd"
          " ldc2 ifort gnat fpc clisp clojure elm purescript spago v odin gleam roc solc vyper forge hipcc"
          " icc tcc emcc wat2wasm wasm-pack wasmtime wasmer csc mcs mono fsc fsi pwsh powershell osascript"),
    /* The project may have a wrapper of its own, or name which of them runs. */
    {"bazel bazelisk lein pants", .judge = shell_judge_tool,
     .needs_none = "tools/bazel .bazelversion .bazeliskrc project.clj pants.toml"},
    ABOUT("gdb lldb valgrind perf"),
    TOOLS("rr cgdb bpftrace dtrace"),
    {"zig", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .subcommands = SUBCOMMANDS(PLAIN("version env zen targets help"), {"build", .judge = judge_zig_build},
                                {"fmt", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .needs = "--check",
                                 .options = OPTIONS(HELPS("-h --help"), FLAGS("--check --ast-check --stdin"),
                                                    VALUES("--color"), FILES("--exclude")),
                                 .rest = SHELL_EFFECT_READ_TREE},
                                RUNNERS("build-exe build-lib build-obj test run cc c++ init fetch"))},
    /* The project may name the place of the kit that runs. */
    {"dotnet", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(HELPS("--version --info --list-sdks --list-runtimes -h --help")),
     .subcommands =
         SUBCOMMANDS(GROUP("nuget", GROUP("list", PLAIN("source")),
                           SHOWS_WITH("locals", "-l --list", FLAGS("-l --list")), REACHERS("add push delete update")),
                     RUNNERS("build run test publish pack clean restore new list add remove msbuild tool"
                             " watch format exec ef sln")),
     .needs_none = "global.json"},
    /* `flutter --version` fetches tags, and notes what it found. */
    REACHERS("flutter"),
    {"deno", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("-V --version -h --help")),
     .takes_commands = true,
     .subcommands = SUBCOMMANDS(PLAIN("types help"), REACHERS("info check cache install add outdated update"),
                                RUNNERS("run eval test task bench compile repl serve lint fmt doc x"))},
    {"tsc", .judge = judge_tsc},
    {"ts-node tsx nodemon pm2 esbuild swc babel vite rollup parcel next vitest cypress playwright"
     " eslint prettier stylelint biome tslint standard markdownlint nox mypy pyright bandit coverage"
     " sphinx-build mkdocs jupyter ipython streamlit uvicorn gunicorn flask django-admin celery alembic"
     " golangci-lint staticcheck pre-commit storybook electron serve http-server live-server",
     .judge = shell_judge_tool},
    /* The project may have a copy of its own or settings that run before they tell their version. */
    {"webpack ng nx turbo lerna gulp grunt jest mocha ava karma xo tap hardhat ember nest gatsby docusaurus expo"
     " react-native ionic nuxt eleventy serverless",
     .judge = shell_judge_tool,
     .needs_none =
         "node_modules .mocharc.js .mocharc.cjs .mocharc.mjs .mocharc.json .mocharc.jsonc .mocharc.yml"
         " .mocharc.yaml package.json:node-option ava.config.js ava.config.cjs ava.config.mjs .taprc .gulp.js"},
    {"pytest py.test tox flake8 pylint", .judge = shell_judge_tool,
     .needs_none = "conftest.py test*/conftest.py pytest.ini .pytest.ini"
                   " pytest.toml .pytest.toml tox.ini setup.cfg pyproject.toml toxfile.py .flake8 pylintrc"
                   " .pylintrc pylintrc.toml .pylintrc.toml"},
    {"phpunit phpstan psalm php-cs-fixer", .judge = shell_judge_tool,
     .needs_none = "vendor phpunit.xml phpunit.xml.dist psalm.xml phpstan.neon"},
    {0},
};
