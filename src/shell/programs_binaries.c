/*
 * programs_binaries.c: what looks into programs, object files and byte code, and what tells how to compile: elfutils
 * 0.189, LLVM 17, libdwarf, wabt 1.0, binaryen, SPIRV-Tools 2023, pkgconf 1.8, and their like. binutils are in
 * programs_archive.c. "@file" stands for the options in the file to nearly all of these.
 */
#include "shell/programs.h"
#include "shell/rows.h"

#define NONE SHELL_EFFECT_NONE
#define READ SHELL_EFFECT_READ

static const struct shell_program llvm_rows[] = {
    /* LLVM's options take one dash or two. */
    {"dwarfdump llvm-dwarfdump", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-a -all -statistics -verify -summarize-types -u -uuid -c -show-children -p -show-parents -F -show-form"
               " -quiet -v -verbose -i -ignore-case -diff -x -regex -show-section-sizes -show-sources -b -l -r -s -m -k"
               " -G -M -D -vv -ka -kr -ke -ks -ki"),
         MAYBE(
             "-debug-info -debug-line -debug-abbrev -debug-str -debug-ranges -debug-rnglists -debug-loc -debug-loclists"
             " -debug-aranges -debug-frame -eh-frame -debug-names -debug-macro -debug-pubnames -debug-pubtypes "
             "-debug-types"
             " -debug-addr -debug-str-offsets -debug-line-str -debug-cu-index -debug-tu-index -apple-names -apple-types"
             " -gdb-index -recurse-depth -parent-recurse-depth -arch -name -find -lookup"),
         VALUES("-n -f"), OUTPUTS("-o -out-file"), HELPS("-h -help --help -version --version")),
     .rest = READ},
    {"llvm-readobj", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS(
             "-a -all -h -file-header -file-headers -S -sections -section-headers -s -symbols -syms -r -relocs "
             "-relocations"
             " -l -program-headers -segments -d -dynamic-table -dynamic -n -notes -u -unwind -A -arch-specific -V"
             " -version-info -needed-libs -hash-table -gnu-hash-table -dyn-symbols -dyn-syms -stackmap -C -demangle"
             " -expand-relocs -section-details -t -coff-imports -coff-exports -coff-basereloc -coff-resources -W -wide"
             " -macho-version-min -macho-dysymtab -macho-segment -macho-indirect-symbols -macho-linker-options "
             "-codeview"),
         VALUES("-x -hex-dump -p -string-dump -j"), MAYBE("-elf-output-style"),
         HELPS("-help --help -version --version")),
     .rest = READ},
    {"llvm-symbolizer", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-f -functions -i -inlines -inlining -a -addresses -p -pretty-print -C -demangle -s "
                              "-basenames -relativenames"
                              " -no-inlines -no-demangle -print-address -no-debuginfod"),
                        MAYBE("-output-style -default-arch -print-source-context-lines"), FILES("-e -exe -obj"),
                        HELPS("-h -help --help -v -version --version")),
     .rest = NONE, .reads_input = true},
    {"llvm-dis", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(OUTPUTS("-o"), FLAGS("-show-annotations"), HELPS("-help --help -version --version")),
     .rest = READ, .needs = "-o"},
    {"llvm-bcanalyzer llvm-cxxdump llvm-undname llvm-cxxmap", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-dump -no-histogram -disable-histogram -show-binary-blobs"), HELPS("-help --help --version")),
     .rest = READ},
    {"llvm-profdata", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version")),
     .subcommands = SUBCOMMANDS(
         {"show", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
          .options = OPTIONS(FLAGS("-all-functions -counts -memop-sizes -ic-targets -text -detailed-summary -instr "
                                   "-sample -binary-ids -showcs"),
                             MAYBE("-topn -function -value-cutoff"), OUTPUTS("-o -output"), HELPS("-help --help")),
          .rest = READ},
         WRITERS("merge overlap order"))},
    {"llvm-cov", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version -version")),
     .subcommands = SUBCOMMANDS({"report", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
                                 .options = OPTIONS(FLAGS("-show-functions -summary-only -show-region-summary "
                                                          "-show-branch-summary -use-color -show-mcdc-summary"),
                                                    MAYBE("-ignore-filename-regex -arch"),
                                                    FILES("-instr-profile -object"), HELPS("-help --help")),
                                 .rest = READ},
                                WRITERS("show export gcov"))},
    {"llvm-pdbutil", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version")),
     .subcommands = SUBCOMMANDS(
         {"dump pretty", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
          .options =
              OPTIONS(FLAGS("-all -summary -modules -symbols -types -globals -publics -streams -files -stream-blocks"
                            " -classes -enums -typedefs -compilands -module-syms -lines")),
          .rest = READ},
         WRITERS("pdb2yaml yaml2pdb merge export"))},
    {0},
};

static void judge_llvm(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    size_t slash = hv_str_rfind_byte(words[0].value, '/');
    struct hv_str name = hv_str_slice(words[0].value, slash == SIZE_MAX ? 0 : slash + 1, words[0].value.len);
    const struct shell_program *row = shell_find_row(llvm_rows, shell_plain_tool(name));
    if (!shell_names_option_file(reading, words, count) && row)
        shell_judge_row(reading, row, words, count);
    else if (!row)
        shell_worsen(reading, SHELL_UNKNOWN, "what the program does is not known");
    /* Without -o the file of llvm-dis is written beside the other; "-o -" prints. */
    for (size_t at = 1; at + 1 < count; at++)
        if (words[at].known && hv_str_is(words[at].value, "-o") && reading->act.class == SHELL_WRITES)
            reading->act.writes_listed = false;
}

/* Linkers link, unless every word only asks about them. */
static void judge_linker(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const char about[] = "--version -v -V --verbose -verbose --help -help -print_version -version_details"
                                " --print-output-format --print-sysroot --target-help";
    static const char about_gold[] = "--version -v -V --help"; /* --verbose goes on, and removes a.out */
    bool gold = hv_str_ends(words[0].value, HV_STR("gold")), asks = count > 1;
    for (size_t at = 1; at < count; at++)
        asks &= words[at].known && shell_names_have(gold ? about_gold : about, words[at].value);
    if (asks)
        return;
    reading->act.writes_listed = false;
    shell_worsen(reading, SHELL_EXECUTES, "the linker writes a program, and may load plugins");
}

/* protoc decodes what it reads; all else makes files, by plugins. */
static const struct shell_option protoc_options[] = {
    FLAGS("--decode_raw"), VALUES("--decode"), TREES("-I --proto_path"), HELPS("--version -h --help"), {0}};

static void judge_protoc(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"protoc",        SHELL_SYNTAX_EXACT,
                                             SHELL_READ_ONLY, .options = protoc_options,
                                             .rest = READ,    .needs = "--decode_raw --decode"};
    if (!shell_names_option_file(reading, words, count))
        shell_judge_row(reading, &row, words, count);
    reading->act.reads_input = true;
}

/* What @file can be given to. */
#define BINARY(names, list)                                                                                            \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = list, .rest = READ                                      \
    }

const struct shell_program shell_programs_binaries[] = {
    {"dwarfdump llvm-dwarfdump llvm-readobj llvm-symbolizer llvm-dis llvm-bcanalyzer llvm-cxxdump llvm-undname "
     "llvm-cxxmap llvm-profdata llvm-cov llvm-pdbutil",
     .judge = judge_llvm},
    {"ld ld.bfd ld.gold ld.lld ld.mold gold lld mold ld64.lld wasm-ld", .judge = judge_linker},
    {"as gas llc lli opt llvm-mc llvm-as llvm-link clangd ccls sccache distcc gcov gcov-tool cgo",
     .judge = shell_judge_tool},
    {"protoc", .judge = judge_protoc},
    LOOKS_ANYHOW("gcov-dump", FLAGS("-l --long -p --positions -r --raw -s --stable"), HELPS("-h --help -v --version")),
    {"gprof", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-b --brief -a --no-static -l --line"),
                        MAYBE("-p --flat-profile -q --graph -P --no-flat-profile -Q --no-graph -C --exec-counts"),
                        HELPS("-v --version -h --help")),
     .rest = READ, .without_operands = READ},
    /* All that these can do is print how to compile with a library. */
    {"llvm-config xml2-config xslt-config curl-config pg_config mysql_config mariadb_config python-config "
     "python3-config php-config freetype-config sdl-config sdl2-config libpng-config icu-config pcre-config "
     "pcre2-config ncurses5-config ncurses6-config ncursesw5-config ncursesw6-config krb5-config gpg-error-config "
     "libgcrypt-config nc-config gdal-config geos-config cups-config libusb-config "
     "root-config apr-1-config apu-1-config libassuan-config ksba-config npth-config neon-config taglib-config",
     SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = NONE},
    {"net-snmp-config fltk-config", .judge = shell_judge_tool},
    {"pkg-config pkgconf pkg-config.real", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("--cflags --libs --libs-only-l --libs-only-L --libs-only-other --cflags-only-I --cflags-only-other "
               "--modversion"
               " --exists --static --shared --pure --uninstalled --print-errors --short-errors --silence-errors"
               " --errors-to-stdout --print-variables --print-requires --print-requires-private --print-provides "
               "--list-all"
               " --list-package-names --path --keep-system-libs --keep-system-cflags --validate --simulate --digraph"
               " --solution --print-digraph --env-only --no-cache --no-provides --ignore-conflicts --dont-define-prefix"
               " --define-prefix --msvc-syntax --debug --internal-cflags"),
         VALUES(
             "--variable --atleast-version --exact-version --max-version --atleast-pkgconfig-version --define-variable"
             " --prefix-variable --maximum-traverse-depth --env"),
         TREES("--with-path"), FILES("--personality"), OUTPUTS("--log-file"),
         HELPS("--help --usage -? --version --about")),
     .rest = READ, .answers = true},
    SHOWS_WITH("apxs apxs2", "-q", FLAGS("-q")),

    LOOKS_AT("wasm2wat wasm-decompile wasm2c wasm-stats wasm-validate", FLAGS("-v --verbose -f --fold-exprs"),
             FLAGS("--inline-exports --inline-imports --no-debug-names --generate-names --no-check --enable-all"),
             FLAGS("--enable-exceptions --enable-threads --enable-simd --enable-gc --enable-multi-memory"),
             FLAGS("--enable-tail-call --enable-memory64 --enable-function-references"), VALUES("-c --cutoff"),
             OUTPUTS("-o --output"), HELPS("--help --version")),
    BINARY(
        "wasm-objdump",
        OPTIONS(
            FLAGS("-h --headers -x --details -d --disassemble -s --full-contents -r --reloc --section-offsets --debug"),
            VALUES("-j --section"), HELPS("--help --version"))),
    LOOKS_AT("wasm-dis", FLAGS("--all-features -all"), OUTPUTS("-o --output -sm --source-map"),
             HELPS("-h --help --version")),
    LOOKS_AT("wasm-nm", FLAGS("-e -i -p -j -z")),
    COMMANDS("wasm-tools",
             LOOKS_AT("print dump objdump validate", FLAGS("-v --verbose -p --print-offsets --skeleton --name-unnamed"),
                      VALUES("--features --color"), OUTPUTS("-o --output")),
             GROUP("metadata", LOOKS_AT("show", FLAGS("--json"), OUTPUTS("-o --output")))),
    COMMANDS("twiggy", LOOKS_AT("top dominators paths garbage monos diff", FLAGS("--retained --retaining-paths -r -d"),
                                VALUES("-n -f -m --max-items"), OUTPUTS("-o"))),
    {"spirv-dis", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("--no-color --no-indent --no-header --raw-id --offsets --comment --nested-indent "
                              "--reorder-blocks --color"),
                        OUTPUTS("-o"), HELPS("-h --help --version")),
     .rest = READ},
    {"spirv-val", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("--relax-block-layout --relax-logical-pointer --relax-struct-store --scalar-block-layout"
                              " --uniform-buffer-standard-layout --skip-block-layout --workgroup-scalar-block-layout"),
                        VALUES("--target-env"), HELPS("-h --help --version")),
     .rest = READ},
    {"spirv-cross", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("--reflect --dump-resources --es --no-es --msl --hlsl --cpp -V --vulkan-semantics --flip-vert-y"
                       " --flatten-ubo --combined-samplers-inherit-bindings --no-420pack-extension --force-temporary"),
                 VALUES("--version --entry --stage --shader-model --msl-version --iterations"), OUTPUTS("--output"),
                 HELPS("--help --revision")),
     .rest = READ},
    LOOKS_AT("spirv-reflect", FLAGS("-e -v -y -s -ci"), HELPS("-h --help")),
    {"glslangValidator glslang", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-i -q -l -E -d -w -s -r -v -C"), VALUES("-S"), HELPS("-h --help --version")),
     .rest = READ},
    {"spirv-as spirv-opt spirv-link spirv-reduce glslc dxc fxc wasm-opt wasm-as wasm2js wasm-strip wasm-split"
     " wasm-interp wasm-bindgen wit-bindgen",
     .judge = shell_judge_tool},

    LOOKS_AT("pahole", FLAGS("-s --sizes -E --expand_types -q --quiet -P --packable -I --show_decl_info --hex"),
             VALUES("-C --class_name -y --prefix_filter -F --format_path"), HELPS("-V --version -? --help --usage")),
    LOOKS_AT("bloaty", FLAGS("-v -vv -vvv -w --csv --tsv"), VALUES("-d --domain -n -s --source-filter -C --demangle"),
             FILES("-c --debug-file"), HELPS("--help --version")),
    SHOWS("checksec", FILES("--file"), TREES("--dir"), VALUES("--output --format --proc -o"), FLAGS("--extended"),
          FLAGS("--verbose"), HELPS("--help --version -h -v")),
    LOOKS_WITH("patchelf", "--print-rpath --print-needed --print-interpreter --print-soname --print-os-abi",
               FLAGS("--print-rpath --print-needed --print-interpreter --print-soname --print-os-abi"),
               HELPS("-h --help --version")),
    LOOKS_WITH("chrpath", "-l --list", FLAGS("-l --list"), HELPS("-h --help --version")),
    {"ccache", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-s --show-stats -v --verbose -p --show-config -x --show-compression --print-stats"),
                        VALUES("-k --get-config"), HELPS("-h --help -V --version")),
     .rest = SHELL_EFFECT_EXECUTE},
    LOOKS_AT("lddtree", FLAGS("-a --all -l --list -x --debug --no-recursive"), HELPS("-h --help -V --version")),
    LOOKS_AT("rustfilt", FLAGS("-h"), FILES("-i --input"), OUTPUTS("-o --output"), HELPS("--help -V --version")),
    LOOKS_AT("rabin2 rz-bin", FLAGS("-I -i -E -s -S -z -l -e -M -R -q -j -r -H"), HELPS("-h -v")),
    {"r2 radare2 rizin objection frida ghidra ida64 hopper cutter edb", .judge = shell_judge_tool},
    {"yara", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-r --recursive -s --print-strings -m --print-meta -g --print-tags -c --count -n --negate"),
         FLAGS("-w --no-warnings -e --print-namespace -L --print-string-length -f --fast-scan"),
         VALUES("-t --tag -i --identifier -p --threads -a --timeout -l --max-rules"), HELPS("-h --help -v --version")),
     .first = {READ}, .first_count = 1, .rest = SHELL_EFFECT_READ_TREE},
    LOOKS_WITH("upx", "-l -t --list --test --version -V --help",
               FLAGS("-l --list -t --test -q -qq -v --version -V --help")),
    LOOKS_ANYHOW("hexyl", FLAGS("-v --no-squeezing -p --plain -P --no-position -C --no-characters"),
                 VALUES(
                     "-n --length -c --bytes -s --skip --block-size --color --border -o --display-offset --panels -g"),
                 VALUES("--group-size --terminal-width -b --base --endianness --character-table"),
                 HELPS("-h --help -V --version")),
    {0},
};
