/*
 * programs_archive.c: what packs and unpacks: gzip 1.12, bzip2, xz 5.4, zstd, zip 3, unzip 6, tar 1.34, cpio, and what
 * looks into programs: binutils 2.40.
 */
#include "shell/programs.h"
#include "shell/rows.h"
#include <string.h>

#define GNU_HELP HELPS("--help --version")
#define READ SHELL_EFFECT_READ
#define WRITE SHELL_EFFECT_WRITE
#define NONE SHELL_EFFECT_NONE

/* ---- compressors: to stdout, to test or to list they only read ------------------------------------------- */

/* needs: the options that send the result to stdout, or only look. */
static const struct shell_program compressors[] = {
    {"gzip gunzip uncompress pigz unpigz", SHELL_SYNTAX_GNU,
     .options =
         OPTIONS(FLAGS("-a --ascii -c --stdout --to-stdout -d --decompress --uncompress -f --force -k --keep -l --list "
                       "-n --no-name"),
                 FLAGS("-N --name -q --quiet -r --recursive --rsyncable --synchronous -t --test -v --verbose"),
                 FLAGS("-1 -2 -3 -4 -5 -6 -7 -8 -9 --fast --best"),
                 VALUES("-S --suffix -p --processes -b --bits --blocksize"), HELPS("-h -H -V -L --license"), GNU_HELP),
     .needs = "-c --stdout --to-stdout -l --list -t --test"},
    {"bzip2 bunzip2 lbzip2 lbunzip2", SHELL_SYNTAX_GNU,
     .options =
         OPTIONS(FLAGS("-c --stdout -d --decompress -z --compress -k --keep -f --force -t --test -q --quiet -v "
                       "--verbose -s --small"),
                 FLAGS("-1 -2 -3 -4 -5 -6 -7 -8 -9 --fast --best"), HELPS("-h --help -L --license -V --version")),
     .needs = "-c --stdout -t --test"},
    {"xz unxz lzma unlzma", SHELL_SYNTAX_GNU,
     .options = OPTIONS(
         FLAGS("-z --compress -d --decompress --uncompress -t --test -l --list -k --keep -f --force -c --stdout "
               "--to-stdout"),
         FLAGS("--single-stream --no-sparse --no-warn -Q -q --quiet -v --verbose --robot -e --extreme --no-adjust"),
         FLAGS("-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --best --fast --ignore-check"),
         VALUES(
             "-S --suffix -F --format -C --check -T --threads --block-size --block-list --flush-timeout -M --memlimit"),
         VALUES("--memlimit-compress --memlimit-decompress --memlimit-mt-decompress --memory"),
         MAYBE("--lzma1 --lzma2 --x86 --arm --armthumb --arm64 --powerpc --ia64 --sparc --delta"),
         HELPS("-h -H -V --long-help --info-memory"), GNU_HELP),
     .needs = "-c --stdout --to-stdout -l --list -t --test"},
    {"zstd unzstd", SHELL_SYNTAX_GNU,
     .options = OPTIONS(
         FLAGS("-d --decompress --uncompress -z --compress -k --keep -f --force -c --stdout -t --test -l --list -q "
               "--quiet"),
         FLAGS("-v --verbose -r --ultra --no-check --check --no-progress --progress --long --single-thread --sparse"),
         FLAGS("--no-sparse -1 -2 -3 -4 -5 -6 -7 -8 -9 -0 --no-dictID --stdout --to-stdout"),
         MAYBE("-T --threads -M --memory"), FILES("-D"), OUTPUTS("-o"), HELPS("-h -H -V"), GNU_HELP),
     .needs = "-c --stdout -l --list -t --test"},
    /* Its -t and -x undo each other, and it has a -n without a value. */
    {"lzop", SHELL_SYNTAX_EXACT,
     .options = OPTIONS(
         FLAGS("-c --stdout -d --decompress --uncompress -t --test -l --list -k --keep -f --force -v --verbose -q"
               " --quiet -1 -2 -3 -4 -5 -6 -7 -8 -9 --fast --best -n --no-name"),
         HELPS("-h --help -V --version")),
     .needs = "-c --stdout -t --test -l --list"},
    {"lzip plzip lunzip clzip", SHELL_SYNTAX_EXACT,
     .options = OPTIONS(
         FLAGS(
             "-c --stdout -d --decompress --uncompress -t --test -l --list -k --keep -f --force -v --verbose -q --quiet"
             " -0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --fast --best"),
         VALUES("-n --threads"), HELPS("-h --help -V --version")),
     .needs = "-c --stdout -t --test -l --list"},
    /* Its -l limits how many processors work; it lists nothing. */
    {"pbzip2", SHELL_SYNTAX_EXACT,
     .options = OPTIONS(
         FLAGS("-c --stdout -d --decompress -t --test -z --compress -k --keep -f --force -v --verbose -q --quiet -1 -2"
               " -3 -4 -5 -6 -7 -8 -9"),
         HELPS("-h --help -V --version")),
     .needs = "-c --stdout -t --test"},
    {"brotli unbrotli", SHELL_SYNTAX_EXACT,
     .options = OPTIONS(
         FLAGS(
             "-c --stdout -d --decompress -t --test -k --keep -f --force -v --verbose -Z --best -n --no-copy-stat -0 -1"
             " -2 -3 -4 -5 -6 -7 -8 -9"),
         VALUES("-q --quality -w --lgwin -S --suffix"), OUTPUTS("-o --output"), CHANGES("-j --rm"),
         HELPS("-h --help -V --version")),
     .needs = "-c --stdout -t --test"},
    {"lz4 unlz4 lz4cat", SHELL_SYNTAX_EXACT,
     .options = OPTIONS(
         FLAGS(
             "-c --stdout --to-stdout -d --decompress -z --compress -t --test --list -k --keep -f --force -v --verbose"
             " -q --quiet -m --multiple -1 -2 -3 -4 -5 -6 -7 -8 -9 --best"),
         HELPS("-h -H -V --help --version")),
     .needs = "-c --stdout --to-stdout -t --test --list"},
    {"zcat bzcat xzcat lzcat gzcat lbzcat", SHELL_SYNTAX_GNU, .options = OPTIONS(FLAGS("-f -k -n -q -v"), GNU_HELP),
     .harmless_options = true},
    /* It has -o. */
    {"zstdcat", SHELL_SYNTAX_GNU, .options = OPTIONS(FLAGS("-f -k -n -q -v"), GNU_HELP)},
    {0},
};

static struct hv_str bare_name(const struct shell_word *program)
{
    return hv_str_slice(program->value, hv_str_rfind_byte(program->value, '/') + 1, program->value.len);
}

static void judge_compressor(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    struct hv_str name = bare_name(words);
    const struct shell_program *row = shell_find_row(compressors, name);
    if (!shell_arguments(reading, row, words, count, &arguments) || arguments.help)
        return;
    bool prints = hv_str_ends(name, HV_STR("cat")), lz4 = hv_str_starts(hv_str_from(row->names), HV_STR("lz4"));
    bool quiet = prints || shell_given(&arguments, row->needs) != NULL;
    /* Of -t, -l, -d and -z the last one counts; gzip's own -t and -l always do, but not those of pigz. */
    bool own = hv_str_starts(hv_str_from(row->names), HV_STR("gzip")) &&
               hv_str_find(words[0].value, HV_STR("pigz"), 0) == SIZE_MAX;
    if (!own && !prints && shell_given(&arguments, "-d --decompress --uncompress -z --compress"))
        quiet = shell_given(&arguments, "-c --stdout --to-stdout") != NULL;
    bool tree = shell_given(&arguments, "-r --recursive") != NULL;
    reading->act.reads_input = !arguments.operand_count;
    for (size_t i = 0; i < arguments.operand_count; i++) {
        shell_reads(reading, arguments.operands[i], tree);
        if (!quiet && !(arguments.operands[i]->known && hv_str_is(arguments.operands[i]->value, "-")))
            shell_changes(reading, "%.*s replaces its files", HV_STR_ARG(words[0].value));
    }
    if (lz4 && reading->act.class == SHELL_READ_ONLY && arguments.operand_count > 1 &&
        !shell_given(&arguments, "-m --multiple -t --test --list"))
        shell_changes(reading, "the second operand of lz4 is the file that it writes");
}

/* ---- tar ------------------------------------------------------------------------------------------------ */

static const struct shell_program tar_row = {
    "tar", SHELL_SYNTAX_GNU,
    .options =
        OPTIONS(/* what it does */
                FLAGS("-t --list -d --diff --compare -x --extract --get -c --create"),
                CHANGES("-r --append -u --update -A --catenate --concatenate --delete"),
                CHANGES("--remove-files -U --unlink-first --recursive-unlink"),
                /* how */
                FLAGS("-v --verbose -z --gzip --gunzip --ungzip -j --bzip2 -J --xz --lzip --lzma --lzop --zstd -Z "
                      "--compress"),
                FLAGS("-a --auto-compress -O --to-stdout -p --preserve-permissions --same-permissions -k "
                      "--keep-old-files"),
                FLAGS("--keep-newer-files --no-overwrite-dir --overwrite --skip-old-files -m --touch --same-owner "
                      "--no-same-owner"),
                FLAGS("--numeric-owner -h --dereference --hard-dereference -l --check-links --one-file-system -P"),
                FLAGS(
                    "--absolute-names --no-recursion --recursion --wildcards --no-wildcards --anchored --no-anchored"),
                FLAGS("--ignore-case --no-ignore-case --wildcards-match-slash --no-wildcards-match-slash --full-time "
                      "--utc"),
                FLAGS("--totals --block-number -R -i --ignore-zeros -W --verify -B --read-full-records -S --sparse -s"),
                FLAGS(
                    "--preserve-order --same-order --null --no-null --exclude-vcs --exclude-backups --exclude-caches"),
                FLAGS("--no-auto-compress --ignore-failed-read --ignore-command-error --show-defaults "
                      "--show-omitted-dirs"),
                FLAGS("--verbatim-files-from --no-verbatim-files-from --no-unquote --unquote --acls --xattrs --selinux "
                      "--no-acls"),
                FLAGS("--no-xattrs --no-selinux --xz --posix --portability --old-archive -o -w --interactive "
                      "--confirmation"),
                FLAGS("--force-local --no-same-permissions --delay-directory-restore --no-delay-directory-restore "
                      "--seek -n"),
                FLAGS("--occurrence --exclude-caches-all --exclude-caches-under --exclude-vcs-ignores "
                      "--keep-directory-symlink"),
                FLAGS("--overwrite-dir --restrict --show-stored-names --show-transformed-names --test-label "
                      "--no-quote-chars"),
                FLAGS("--no-check-device --check-device --no-seek"), MAYBE("--one-top-level"),
                {"--atime-preserve", SHELL_EFFECT_WRITES, SHELL_ARITY_OPTIONAL}, /* sets the times of the files */
                VALUES(
                    "--exclude-tag-all --exclude-tag-under --exclude-ignore-recursive --quote-chars --suffix --level"),
                FILES("--add-file"),
                VALUES("-b --blocking-factor --record-size -H --format -V --label --exclude --exclude-ignore "
                       "--strip-components"),
                VALUES(
                    "--transform --xform --owner --group --mode --mtime --sort --quoting-style --warning -N --newer"),
                VALUES(
                    "--after-date --newer-mtime --clamp-mtime --hole-detection --sparse-version -K --starting-file -L"),
                VALUES("--exclude-tag --xattrs-include --xattrs-exclude --pax-option"), FILES("-X --exclude-from"),
                RUNS_WITH("-T --files-from"), /* lines that begin with a dash are options */
                {"-C --directory", SHELL_EFFECT_NONE, SHELL_ARITY_ONE},
                {"-f --file", SHELL_EFFECT_NONE, SHELL_ARITY_ONE},
                CHANGES_WITH("-g --listed-incremental --index-file --volno-file"),
                {"--backup", SHELL_EFFECT_NONE, SHELL_ARITY_OPTIONAL},
                RUNS_WITH("-I --use-compress-program --to-command -F --info-script --new-volume-script --rsh-command "
                          "--rmt-command"),
                RUNS_WITH("--checkpoint-action"), {"--checkpoint", SHELL_EFFECT_NONE, SHELL_ARITY_OPTIONAL},
                HELPS("-? --help --usage --version"))};

/* "host:file" is reached through rsh, unless there is a slash before the colon. */
static bool may_name_host(const struct shell_word *word)
{
    struct hv_str known = word->value;
    bool open = !word->known && hv_str_find_byte(known, '/', 0) == SIZE_MAX;
    bool only_names =
        open && word->flags & SHELL_WORD_GLOB && known.len &&
        !(word->flags & ~(unsigned)(SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED | SHELL_WORD_MARKS));
    open &= !(word->flags & SHELL_WORD_NUMBER) && !only_names;
    return open || hv_str_find_byte(known, ':', 0) != SIZE_MAX;
}

static void judge_archive(struct shell_reading *reading, const struct shell_given *file, bool writes)
{
    if (!file || (file->argument.known && hv_str_is(file->argument.value, "-"))) {
        reading->act.reads_input = !writes;
        return;
    }
    const struct shell_word *word = &file->argument;
    if (may_name_host(word))
        shell_worsen(reading, SHELL_NETWORK, "tar reaches archives with a colon in their name over the network");
    if (writes && !(word->known && hv_str_is(word->value, "/dev/null")))
        shell_writes(reading, word, false);
    else if (!writes)
        shell_reads(reading, word, false);
}

/* tar xzf FILE: bundled letters without a dash; those that take a value take the next words, in order. */
static struct shell_word *spread_letters(struct shell_reading *reading, const struct shell_word *words, size_t *count)
{
    struct hv_str letters = words[1].value;
    struct shell_word *spread = hv_arena_array(reading->arena, struct shell_word, *count + letters.len + 1);
    size_t length = 0, next = 2;
    spread[length++] = words[0];
    for (size_t i = 0; i < letters.len; i++) {
        spread[length++] = shell_word_known(hv_arena_format(reading->arena, "-%c", letters.ptr[i]));
        if (strchr("fCbHVNKLXTgIF", letters.ptr[i]) && next < *count)
            spread[length++] = words[next++];
    }
    while (next < *count)
        spread[length++] = words[next++];
    *count = length;
    return spread;
}

/* What is packed lies where tar starts, or where one of its -C leads, but for the archive. Each -C starts where the one
 * before it led, so these paths grow; only so many are made. */
static void read_members(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    enum { PLACES_MAX = 64, MOVED_MAX = 1024 };
    size_t places = 0, moved = 0;
    for (size_t i = 0; i <= arguments->given_count; i++) {
        const struct shell_given *given = i ? &arguments->given[i - 1] : NULL;
        if (given && !shell_names_have("-C --directory", given->name))
            continue;
        places += given != NULL;
        moved += given ? arguments->operand_count : 0;
        if (places > PLACES_MAX || moved > MOVED_MAX) {
            reading->act.reads_listed = false;
            shell_worsen(reading, SHELL_UNKNOWN, "tar is given too many files and directories to look at them all");
            return;
        }
        if (given)
            shell_enter(reading, &given->argument);
        for (size_t j = 0; j < arguments->operand_count; j++)
            shell_reads(reading, arguments->operands[j], true);
    }
}

static void judge_tar(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    bool letters = count > 1 && words[1].known && words[1].value.len && words[1].value.ptr[0] != '-';
    const struct shell_word *spread = letters ? spread_letters(reading, words, &count) : words;
    if (!shell_arguments(reading, &tar_row, spread, count, &arguments) || arguments.help)
        return;
    bool extracts = shell_given(&arguments, "-x --extract --get") != NULL;
    bool creates = shell_given(&arguments, "-c --create -r --append -u --update -A --catenate --concatenate --delete");
    if (!extracts && !creates && !shell_given(&arguments, "-t --list -d --diff --compare"))
        shell_worsen(reading, SHELL_UNKNOWN, "what tar does is not known");
    if (extracts && !shell_given(&arguments, "-O --to-stdout"))
        shell_changes(reading, "tar -x makes the files that are in the archive");
    const struct shell_given *file = shell_given(&arguments, "-f --file");
    if (creates && !file)
        shell_worsen(reading, SHELL_WRITES, "where tar writes its archive is not known");
    judge_archive(reading, file, creates);
    if (creates)
        read_members(reading, &arguments);
}

/* ---- zip ------------------------------------------------------------------------------------------------ */

/* Listing, testing and printing only read; without them files are made. */
static void check_unzip(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t i = 1; i + 1 < arguments->count; i++) /* -- -l: a list that is not made after all */
        if (arguments->words[i].known && hv_str_is(arguments->words[i].value, "--") &&
            shell_may_be_option(&arguments->words[i + 1]))
            shell_worsen(reading, SHELL_UNKNOWN, "unzip takes -- for a minus that undoes the option behind it");
    if (arguments->operand_count)
        shell_reads(reading, arguments->operands[0], false);
    if (!arguments->operand_count ||
        (shell_given(arguments, "-l -v -t -Z -z -p -c") && !shell_given(arguments, "-o -n -u -f -d") &&
         (shell_given(arguments, "-Z") || !shell_given(arguments, "-T")))) /* -T sets the time of the archive */
        return;
    shell_changes(reading, "unzip makes the files that are in the archive");
}

/* cpio -t lists; -i and -p make files, -o writes an archive to stdout. */
static void check_cpio(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    const struct shell_given *file = shell_given(arguments, "-F --file -I");
    reading->act.reads_input = !file;
    if (file && may_name_host(&file->argument))
        shell_worsen(reading, SHELL_NETWORK, "cpio reaches archives with a colon in their name over the network");
    if (!shell_given(arguments, "-t --list"))
        shell_changes(reading, "cpio makes files");
}

/* ar: the first word's letters say what it does. */
static void judge_ar(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct hv_str letters = count > 1 ? words[1].value : (struct hv_str){0};
    if (count > 1 && words[1].known && shell_names_have("--help --version -V -h", letters))
        return;
    if (letters.len && letters.ptr[0] == '-')
        letters = hv_str_slice(letters, 1, letters.len);
    bool reads = count > 2 && words[1].known && letters.len && strchr("tp", letters.ptr[0]);
    for (size_t i = 1; i < letters.len; i++)
        reads &= strchr("vOP", letters.ptr[i]) != NULL;
    for (size_t i = 2; i < count; i++)
        reads &= !shell_may_be_option(&words[i]) && !shell_may_be_many(&words[i]) &&
                 !(words[i].value.len && words[i].value.ptr[0] == '@');
    if (!reads) {
        reading->act.writes_listed = false;
        shell_worsen(reading, words[0].known && count > 2 ? SHELL_WRITES : SHELL_UNKNOWN, "ar changes the archive");
        return;
    }
    shell_reads(reading, &words[2], false);
}

/* ---- looking into programs -------------------------------------------------------------------------------- */

static const struct shell_program binary_rows[] = {
    {"nm", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-a --debug-syms -A -o --print-file-name -B --no-demangle --recurse-limit --no-recurse-limit"),
                 FLAGS("-D --dynamic -e -g --extern-only -j --just-symbols -l --line-numbers -n --numeric-sort -v -p "
                       "--no-sort -P"),
                 FLAGS("--portability -r --reverse-sort -S --print-size --size-sort -s --print-armap --special-syms "
                       "--synthetic -u"),
                 FLAGS("--inlines --recursion-limit --no-recursion-limit"),
                 FLAGS("--undefined-only -W --no-weak --defined-only -U --with-symbol-versions "
                       "--without-symbol-versions --quiet"),
                 MAYBE("-C --demangle --unicode"), VALUES("-f --format -t --radix -X --target --ifunc-chars"),
                 RUNS_WITH("--plugin"), HELPS("-h -V"), GNU_HELP),
     .rest = READ},
    {"objdump", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-a --archive-headers -f --file-headers -p --private-headers -h --section-headers --headers -x "
               "--all-headers"),
         FLAGS("-d --disassemble-all -D -S -s --full-contents -g --debugging -e --debugging-tags -G --stabs -t --syms"),
         FLAGS("-T --dynamic-syms -r --reloc -R --dynamic-reloc -i --info -w --wide -z --disassemble-zeroes -l"),
         FLAGS("--line-numbers -F --file-offsets --file-start-context --no-show-raw-insn --show-raw-insn "
               "--prefix-addresses"),
         FLAGS("--special-syms --inlines --no-addresses --visualize-jumps -L --process-links -K --source "
               "--archive-header"),
         FLAGS("--show-all-symbols --recurse-limit --no-recurse-limit --recursion-limit --no-recursion-limit"),
         MAYBE(
             "--disassemble -C --demangle --source-comment --dwarf --ctf --ctf-parent -W --visualize-jumps --unicode"),
         VALUES("-j --section -m --architecture -M --disassembler-options -b --target --start-address --stop-address"),
         VALUES("--disassembler-color --adjust-vma --prefix --prefix-strip --insn-width -P --private --dwarf-depth "
                "--dwarf-start --endian"),
         TREES("-I --include"), HELPS("-v -V -H"), GNU_HELP),
     .rest = READ},
    {"readelf", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-a --all -h --file-header -l --program-headers --segments -S --section-headers --sections -g"),
         FLAGS("--section-groups -t --section-details -e --headers -s --syms --symbols --dyn-syms --lto-syms -n "
               "--notes -r"),
         FLAGS("--relocs -u --unwind -d --dynamic -V --version-info -A --arch-specific -c --archive-index -D "
               "--use-dynamic"),
         FLAGS("-L --lint --enable-checks -I --histogram -W --wide -T --silent-truncation -z --decompress "
               "--got-contents"),
         FLAGS(
             "-P --process-links --no-demangle --recurse-limit --no-recurse-limit --quiet --ctf-strings --ctf-symbols"),
         MAYBE("-w --debug-dump -C --demangle --sframe --unicode --sym-base"),
         VALUES("-x --hex-dump -p --string-dump -R --relocated-dump --dwarf-depth --dwarf-start --ctf --ctf-parent -U"),
         HELPS("-H -v"), GNU_HELP),
     .rest = READ, .harmless_options = true},
    {"size", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-A -B -C -G -d -o -x -t --totals --common -f"), MAYBE("--mcu"),
                        VALUES("--format --radix --target"), HELPS("-h -H -V -v"), GNU_HELP),
     .rest = READ, .harmless_options = true},
    {"addr2line", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-r -R --recurse-limit --no-recurse-limit -a --addresses -i --inlines -p --pretty-print "
                              "-s --basenames -f --functions"),
                        MAYBE("-C --demangle"), VALUES("-b --target -j --section"), FILES("-e --exe"),
                        HELPS("-H -h -v"), GNU_HELP),
     .rest = NONE, .harmless_options = true, .reads_input = true},
    {"c++filt", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-_ --strip-underscore -n --no-strip-underscore -p --no-params -t --types -i"),
                        FLAGS("--no-verbose -r --no-recurse-limit -R --recurse-limit"), VALUES("-s --format"),
                        HELPS("-h -v"), GNU_HELP),
     .rest = NONE, .harmless_options = true, .reads_input = true},
    {0},
};

static void judge_binary(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    const struct shell_program *row = shell_find_row(binary_rows, shell_plain_tool(bare_name(words)));
    if (!shell_names_option_file(reading, words, count))
        shell_judge_row(reading, row, words, count);
}

static const struct shell_program seven_zip_row = {"7z", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
                                                   .options = OPTIONS(FLAGS("-slt -ba -bd -r -bb0 -bb1"))};

/* 7z l ARCHIVE lists, 7z t tests. "@file" is a list of names. */
static void judge_7z(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    bool lists = count > 1 && words[1].known && shell_names_have("l t i", words[1].value);
    if (!lists || !shell_arguments(reading, &seven_zip_row, words, count, &arguments)) {
        shell_changes(reading, "7z makes or changes an archive or files");
        return;
    }
    for (size_t at = 1; at < arguments.operand_count; at++) {
        if (hv_str_starts(arguments.operands[at]->value, HV_STR("@")))
            shell_worsen(reading, SHELL_UNKNOWN, "a list of names is not known");
        shell_reads(reading, arguments.operands[at], false);
    }
}

/* jar tf FILE lists what is in it; all else makes or unpacks. */
static void judge_jar(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool lists = count > 2 && words[1].known && shell_names_have("tf tvf -tf -tvf --version", words[1].value);
    if (count == 2 && words[1].known && hv_str_is(words[1].value, "--version"))
        return;
    for (size_t at = 2; at < count; at++) {
        lists = lists && words[at].known && !hv_str_starts(words[at].value, HV_STR("-")) &&
                !hv_str_starts(words[at].value, HV_STR("@"));
        shell_reads(reading, &words[at], false);
    }
    if (lists)
        return;
    shell_changes(reading, "jar makes or unpacks an archive");
}

static const struct shell_option ldd_options[] = {
    FLAGS("-v --verbose -u --unused -d --data-relocs -r --function-relocs"), GNU_HELP, {0}};

/* A file that only root could have put there. */
static bool is_of_the_system(const struct shell_word *word)
{
    static const char *const directories[] = {"/bin/",      "/sbin/",    "/lib/",       "/lib64/",      "/usr/bin/",
                                              "/usr/sbin/", "/usr/lib/", "/usr/lib64/", "/usr/libexec/"};
    for (size_t i = 0; word->known && i < sizeof directories / sizeof *directories; i++)
        if (hv_str_starts(word->value, hv_str_from(directories[i])))
            return hv_str_find(word->value, HV_STR(".."), 0) == SIZE_MAX;
    return false;
}

/* ldd may run the program to list its libraries: that of the system is no harm. */
static void check_ldd(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (!is_of_the_system(&words[i]) && !(words[i].known && shell_may_be_option(&words[i])))
            shell_worsen(reading, SHELL_EXECUTES, "ldd may run the program to list its libraries");
}

const struct shell_program shell_programs_archive[] = {
    {"gzip gunzip uncompress pigz unpigz bzip2 bunzip2 lbzip2 lbunzip2 xz unxz lzma unlzma zstd unzstd lz4 unlz4 "
     "lz4cat lzip plzip lunzip clzip lzop pbzip2 brotli unbrotli zcat bzcat xzcat lzcat zstdcat gzcat lbzcat",
     .judge = judge_compressor},
    {"zdiff zcmp bzdiff xzdiff", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-u -q -s -i -b -w -B -r"), GNU_HELP), .rest = READ, .answers = true},
    {"tar gtar", .judge = judge_tar},
    {"unzip", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-l -v -t -Z -z -p -c -q -C -a -b -M -h -1 -2 -s -m -T -x -i -o -n -j -u -f -L -U -K -X -D -V -W"),
         VALUES("-d -P -O -I"), HELPS("-hh --help")),
     .rest = NONE, .check = check_unzip},
    {"zipinfo", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-1 -2 -s -m -l -v -h -M -t -T -U -UU -C -z")), .first = {READ}, .first_count = 1,
     .rest = NONE, .harmless_options = true},
    {"zip", SHELL_SYNTAX_GNU, SHELL_WRITES, "zip makes or changes an archive",
     OPTIONS(FLAGS("-r --recurse-paths -q --quiet -v --verbose -j --junk-paths -u --update -f --freshen -m --move -d "
                   "--delete"),
             FLAGS("-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 -y --symlinks -X --no-extra -x --exclude -i --include -e --encrypt "
                   "-g -D -@"),
             HELPS("-h -L -h2 --help --license --version")),
     .first = {WRITE}, .first_count = 1, .rest = SHELL_EFFECT_READ_TREE},
    {"7z 7za 7zr 7zz", .judge = judge_7z},
    {"jar", .judge = judge_jar},
    {"zipcloak zipnote zipsplit arj lha", SHELL_SYNTAX_NONE, SHELL_WRITES, "makes or changes an archive or files",
     .rest = NONE, .harmless_options = true},
    {"cpio", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-t --list -v --verbose -n --numeric-uid-gid -i --extract -B -c --quiet -z"),
                        FILES("-F --file -I"), GNU_HELP),
     .rest = NONE, .check = check_cpio},
    {"ar", .judge = judge_ar},
    {"nm objdump readelf size addr2line c++filt", .judge = judge_binary},
    {"ldd", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = ldd_options, .rest = READ, .check_words = check_ldd},
    {"strip objcopy ranlib", SHELL_SYNTAX_NONE, SHELL_WRITES, "changes object files", .rest = NONE,
     .harmless_options = true},
    {0},
};
