/*
 * programs_files.c: what lists, names and changes files and directories: coreutils 9.1, util-linux 2.38, file 5.44,
 * tree 2.1, rsync 3.2.
 */
#include "shell/programs.h"
#include "shell/rows.h"
#include <string.h>

#define GNU_HELP HELPS("--help --version")

#define READ SHELL_EFFECT_READ
#define TREE SHELL_EFFECT_READ_TREE
#define WRITE SHELL_EFFECT_WRITE
#define WRITE_TREE SHELL_EFFECT_WRITE_TREE
#define NONE SHELL_EFFECT_NONE

/* ---- listing -------------------------------------------------------------------------------------------- */

/* The value of a letter of tree is the next word even when letters follow it: -Po is -P, then -o with a file. Only a
 * number may be attached, to -L. */
static bool has_letter_behind_value(const struct shell_word *word)
{
    struct hv_str value = word->value;
    if (value.len < 2 || value.ptr[0] != '-' || value.ptr[1] == '-')
        return false;
    size_t at = 1;
    while (at < value.len && !memchr("LPIHTo", value.ptr[at], 6))
        at++;
    bool digits = at < value.len && value.ptr[at] == 'L';
    for (size_t i = at + 1; digits && i < value.len; i++)
        digits = value.ptr[i] >= '0' && value.ptr[i] <= '9';
    return at + 1 < value.len && !digits;
}

static void check_tree(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (has_letter_behind_value(&words[i]))
            shell_worsen(reading, SHELL_UNKNOWN,
                         "letters of tree that stand behind one with a value take further words");
}

/* ---- changing ------------------------------------------------------------------------------------------- */

static const struct shell_option copy_options[] = {
    FLAGS("-a --archive --attributes-only -b --copy-contents -d -f --force -i --interactive -H -l --link -L"),
    FLAGS("--dereference -n --no-clobber -P --no-dereference -p -R -r --recursive --remove-destination"),
    FLAGS("--strip-trailing-slashes -s --symbolic-link -T --no-target-directory -u -v --verbose -x --one-file-system"),
    FLAGS("-Z --debug"),
    MAYBE("--backup --context --preserve --reflink --update"),
    VALUES("--no-preserve -S --suffix --sparse"),
    OUTPUTS("-t --target-directory"),
    GNU_HELP,
    {0},
};

static const struct shell_option move_options[] = {
    FLAGS("-b -f --force -i --interactive -n --no-clobber --strip-trailing-slashes -T --no-target-directory -u -v"),
    FLAGS("--verbose -Z --context --debug --no-copy"),
    MAYBE("--backup --update"),
    VALUES("-S --suffix"),
    OUTPUTS("-t --target-directory"),
    GNU_HELP,
    {0},
};

static const struct shell_option mode_options[] = {
    FLAGS("-c --changes -f --silent --quiet -v --verbose --dereference -h --no-dereference --no-preserve-root"),
    FLAGS("--preserve-root -R --recursive -H -L -P"),
    VALUES("--from"),
    FILES("--reference"),
    GNU_HELP,
    {0},
};

/* cp, mv, ln, install: sources, then the destination. With -t all operands are sources. */
static void check_transfer(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    bool moves = arguments->row->options == move_options;
    bool target = shell_given(arguments, "-t --target-directory") != NULL;
    shell_worsenf(reading, SHELL_WRITES, "%.*s changes files", HV_STR_ARG(arguments->words[0].value));
    for (size_t i = 0; i < arguments->operand_count; i++) {
        bool last = i + 1 == arguments->operand_count;
        if ((last && !target && (i > 0 || arguments->row->options != copy_options)) || moves)
            shell_writes(reading, arguments->operands[i], true);
        if (!last || target)
            shell_reads(reading, arguments->operands[i], true);
    }
    if (arguments->hidden || !reading->act.write_count)
        reading->act.reads_listed = reading->act.writes_listed = false;
}

/* A link with one operand is made in the working directory, under the name of what it leads to. */
static void check_ln(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    check_transfer(reading, arguments);
    if (arguments->operand_count == 1)
        reading->act.writes_listed = false;
}

static void check_install(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    check_transfer(reading, arguments);
    if (shell_given(arguments, "-d --directory"))
        for (size_t i = 0; i < arguments->operand_count; i++)
            shell_writes(reading, arguments->operands[i], false);
}

/* dd: if=, of= and numbers. Without of= it prints. */
static void judge_dd(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct shell_word file = words[i];
        size_t equals = hv_str_find_byte(words[i].value, '=', 0);
        if (words[i].known && shell_names_have("--help --version", words[i].value) && count == 2)
            return;
        struct hv_str name = hv_str_slice(words[i].value, 0, equals == SIZE_MAX ? 0 : equals);
        file.value = hv_str_slice(words[i].value, name.len + 1, words[i].value.len);
        struct shell_word *kept = hv_arena_new(reading->arena, struct shell_word);
        *kept = file;
        if (!name.len || shell_may_be_many(&words[i]))
            shell_worsen(reading, SHELL_UNKNOWN, "what dd does is not known");
        else if (hv_str_is(name, "if"))
            shell_reads(reading, kept, false);
        else if (hv_str_is(name, "of") && !(file.known && shell_names_have("/dev/null /dev/stdout", file.value)))
            shell_writes(reading, kept, false);
        else if (!shell_names_have("of bs cbs ibs obs count skip seek iseek oseek status conv iflag oflag", name))
            shell_worsen(reading, SHELL_UNKNOWN, "what dd does is not known");
    }
}

static bool sets_temporary(const struct shell_reading *reading)
{
    for (size_t i = 0; i < reading->script->count; i++)
        if (shell_may_set(&reading->script->commands[i], HV_STR("TMPDIR")))
            return true;
    return reading->in_text; /* what is around it may, too */
}

/* mktemp makes a file of a fresh name in the directory for temporary files, or where its operands say; with -u it only
 * prints a name. */
static void check_mktemp(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    const struct shell_word *at = arguments->operand_count == 1 ? arguments->operands[0] : NULL;
    if (shell_given(arguments, "-u --dry-run"))
        return;
    if (!arguments->operand_count && !sets_temporary(reading)) {
        struct shell_word *fresh = hv_arena_new(reading->arena, struct shell_word);
        *fresh = shell_word_known(HV_STR("/tmp/tmp.XXXXXXXXXX"));
        at = fresh;
    }
    if (!at || !hv_str_starts(at->value, HV_STR("/")) || shell_given(arguments, "-p --tmpdir"))
        shell_changes(reading, "mktemp makes a file");
    else
        shell_writes(reading, at, false);
}

static const struct shell_program tee_row = {
    "tee", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
    .options = OPTIONS(FLAGS("-a --append -i --ignore-interrupts -p"), MAYBE("--output-error"), GNU_HELP),
    .harmless_options = true};

/* tee without files, or with streams, copies its input to its output. */
static void judge_tee(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    reading->act.reads_input = true;
    if (!shell_arguments(reading, &tee_row, words, count, &arguments) || arguments.help)
        return;
    for (size_t i = 0; i < arguments.operand_count; i++) {
        const struct shell_word *word = arguments.operands[i];
        bool process = !word->known && word->flags == SHELL_WORD_PROCESS && !word->value.len;
        if (!process && !(word->known && shell_names_have("/dev/null /dev/stdout /dev/stderr", word->value)))
            shell_writes(reading, word, false);
    }
}

static const struct shell_option patch_options[] = {
    FLAGS("-b --backup -c --context -E --remove-empty-files -f --force -l --ignore-whitespace -n"),
    FLAGS("--normal -N --forward -R --reverse -s --quiet --silent -t --batch -T -u --unified -v"),
    FLAGS("--verbose -Z --dry-run --binary --posix --backup-if-mismatch --no-backup-if-mismatch"),
    VALUES("-F --fuzz -p --strip -V --version-control -z --suffix -B --prefix -Y -D --ifdef"),
    VALUES("--quoting-style --reject-format --read-only -g --get"),
    FILES("-i --input"),
    OUTPUTS("-o --output -r --reject-file"),
    CHANGES_WITH("-d --directory"),
    GNU_HELP,
    {0}};

/* --dry-run changes nothing, whatever the patch names; -g fetches files with other programs all the same. */
static void judge_patch(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = {"patch",
                                             SHELL_SYNTAX_GNU,
                                             SHELL_WRITES,
                                             "patch changes the files that the patch names",
                                             .options = patch_options,
                                             .first = {WRITE},
                                             .first_count = 1,
                                             .rest = READ};
    static const char plain[] =
        "-p0 -p1 -p2 -p3 -R -N -s -u -f -t -l -E --dry-run --verbose --reverse --forward --silent "
        "--quiet --batch --force --unified";
    bool dry = false, certain = true;
    for (size_t i = 1; i < count && certain; i++) {
        struct hv_str word = words[i].value;
        bool input = words[i].known && shell_names_have("-i", word) && i + 1 < count && words[i + 1].known;
        dry |= hv_str_is(word, "--dry-run");
        certain = words[i].known && (input || !shell_may_be_option(&words[i]) || shell_names_have(plain, word) ||
                                     hv_str_starts(word, HV_STR("--input=")));
        i += input;
    }
    if (!dry || !certain) {
        shell_judge_row(reading, &row, words, count);
        return;
    }
    reading->act.reads_input = true;
    reading->act.reads_listed = false;
}

const struct shell_program shell_programs_files[] = {
    {"ls dir vdir", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-a --all -A --almost-all --author -b --escape -B --ignore-backups -c -C -d --directory -D --dired -f"),
         FLAGS("--file-type -F -g -G --no-group --full-time --group-directories-first -h --human-readable --si -H"),
         FLAGS("--dereference-command-line --dereference-command-line-symlink-to-dir -i --inode -k --kibibytes -l -L"),
         FLAGS("--dereference -m -n --numeric-uid-gid -N --literal -o -p -q --hide-control-chars --show-control-chars "
               "-Q"),
         FLAGS("--quote-name -r --reverse -R --recursive -s --size -S -t -u -U -v -x -X -Z --context -1 --zero"),
         MAYBE("--classify --color --hyperlink"),
         VALUES(
             "--block-size --format --hide --indicator-style -I --ignore --quoting-style --sort --time --time-style"),
         VALUES("-T --tabsize -w --width"), GNU_HELP),
     .rest = TREE, .without_operands = READ, .harmless_options = true},
    {"tree", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-a -d -f -x -q -N -Q -p -u -g -s -h -D -F -v -t -c -U -r -i -A -S -n -C -X -J -l --gitignore "
               "--ignore-case"),
         FLAGS(
             "--matchdirs --metafirst --prune --info --noreport --si --du --inodes --device --dirsfirst --filesfirst"),
         FLAGS("--nolinks --noreport --hintro --houtro --fromfile --fromtabfile"),
         VALUES("-L -P -I -H -T --filelimit --timefmt --charset --sort"), FILES("--gitfile --infofile"),
         MAYBE("--filesort"), OUTPUTS("-o"), CHANGES("-R"), /* with -H and -L it writes 00Tree.html into directories */
         HELPS("--help --version")),
     .rest = TREE, .without_operands = TREE, .check_words = check_tree},
    {"eza exa", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS(
             "-1 --oneline -l --long -G --grid -x --across -R --recurse -T --tree -X --dereference -a --all -A"
             " --almost-all -d --list-dirs -D --only-dirs -f --only-files -r --reverse -b --binary -B --bytes -g "
             "--group"
             " -h --header -H --links -i --inode -m --modified -M --mounts -n --numeric -S --blocksize -u --accessed -U"
             " --created -F --classify --no-permissions --no-filesize --no-user --no-time --git --no-git --git-repos"
             " --git-ignore --group-directories-first --group-directories-last --hyperlink --no-quotes -@ --extended -Z"
             " --context --octal-permissions -O --flags --total-size --changed --no-icons"),
         MAYBE("--color --colour --icons --color-scale --classify --absolute"),
         VALUES("-L --level -s --sort -t --time --time-style -I --ignore-glob -w --width"),
         HELPS("-? --help -v --version")),
     .rest = READ, .without_operands = READ, .harmless_options = true},
    {"stat", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-L --dereference -f --file-system -t --terse"), MAYBE("--cached"),
                        VALUES("-c --format --printf"), GNU_HELP),
     .rest = READ, .harmless_options = true},
    {"file", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-b --brief -c --checking-printout -d -E --extension -h --no-dereference -i --mime --mime-type"),
         FLAGS("--mime-encoding -I -k --keep-going -l --list -L --dereference -n --no-buffer -N --no-pad -0 --print0"),
         FLAGS("-r --raw -s --special-files -S --no-sandbox -z --uncompress -Z --uncompress-noreport"),
         FLAGS("--apple --uncompress-no-report"), VALUES("-e --exclude --exclude-quiet -F --separator -P --parameter"),
         FILES("-f --files-from -m --magic-file"),
         CHANGES("-C --compile -p --preserve-date"), /* with -p it sets the times of what it read, to full seconds */
         HELPS("-v --version --help")),
     .rest = READ},
    {"du", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-0 --null -a --all --apparent-size -b --bytes -c --total -D --dereference-args -H -h --human-readable"),
         FLAGS("--inodes -k -L --dereference -l --count-links -m -P --no-dereference -S --separate-dirs --si -s "
               "--summarize"),
         FLAGS("-x --one-file-system"), MAYBE("--time"),
         VALUES("-B --block-size -d --max-depth -t --threshold --time-style --exclude"),
         FILES("-X --exclude-from --files0-from"), GNU_HELP),
     .rest = TREE, .without_operands = TREE, .harmless_options = true},
    {"df", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-a --all -h --human-readable -H --si -i --inodes -k -l --local --no-sync -P --portability --total -T"),
         FLAGS("--print-type -v -m"), MAYBE("--output"), VALUES("-B --block-size -t --type -x --exclude-type"),
         CHANGES("--sync"), GNU_HELP),
     .rest = NONE, .harmless_options = true},
    {"readlink", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-f --canonicalize -e --canonicalize-existing -m --canonicalize-missing -n --no-newline"),
                        FLAGS("-q --quiet -s --silent -v --verbose -z --zero"), GNU_HELP),
     .rest = NONE, .harmless_options = true},
    {"realpath", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-e --canonicalize-existing -m --canonicalize-missing -L --logical -P --physical -q"),
                        FLAGS("--quiet -s --strip --no-symlinks -z --zero"), VALUES("--relative-to --relative-base"),
                        GNU_HELP),
     .rest = NONE, .harmless_options = true},
    {"basename", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a --multiple -z --zero"), VALUES("-s --suffix"), GNU_HELP), .rest = NONE,
     .harmless_options = true},
    {"dirname", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-z --zero"), GNU_HELP), .rest = NONE,
     .harmless_options = true},
    {"pathchk", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-p -P --portability"), GNU_HELP),
     .rest = NONE, .harmless_options = true},
    {"namei", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-l --long -m --modes -n --nosymlinks -o --owners -v --vertical -x --mountpoints -Z"),
                        FLAGS("--context"), HELPS("-h -V"), GNU_HELP),
     .rest = READ, .harmless_options = true},
    {"getfacl", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a --access -d --default -c --omit-header -e --all-effective -E --no-effective -s"),
                        FLAGS("--skip-base -R --recursive -L --logical -P --physical -t --tabular -p --absolute-names"),
                        FLAGS("-n --numeric"), HELPS("-v -h"), GNU_HELP),
     .rest = TREE, .harmless_options = true},
    {"getfattr", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-d --dump -h --no-dereference --absolute-names --only-values -R --recursive -L --logical"),
                 FLAGS("-P --physical"), VALUES("-n --name -e --encoding -m --match"), GNU_HELP),
     .rest = TREE, .harmless_options = true},
    {"lsattr", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-R -V -a -d -l -p -v")), .rest = TREE,
     .without_operands = READ, .harmless_options = true},
    {"cp", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = copy_options, .harmless_options = true, .rest = NONE,
     .check = check_transfer},
    {"mv", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = move_options, .harmless_options = true, .rest = NONE,
     .check = check_transfer},
    {"ln", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-b -d -F --directory -f --force -i --interactive -L --logical -n --no-dereference -P --physical -r"),
         FLAGS("--relative -s --symbolic -T --no-target-directory -v --verbose"), MAYBE("--backup"),
         VALUES("-S --suffix"), OUTPUTS("-t --target-directory"), GNU_HELP),
     .harmless_options = true, .rest = NONE, .check = check_ln},
    {"install", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-b -c -C --compare -d --directory -D -p --preserve-timestamps -s --strip -T --no-target-directory -v"),
         FLAGS("--verbose -Z"), MAYBE("--backup --context --preserve-context"),
         VALUES("-g --group -m --mode -o --owner -S --suffix"), OUTPUTS("-t --target-directory"),
         RUNS_WITH("--strip-program"), GNU_HELP),
     .rest = NONE, .check = check_install},
    {"rm", SHELL_SYNTAX_GNU, SHELL_WRITES, "rm removes files",
     OPTIONS(FLAGS("-f --force -i -I --one-file-system --no-preserve-root -r -R --recursive -d --dir -v --verbose"),
             MAYBE("--interactive --preserve-root"), GNU_HELP),
     .rest = WRITE_TREE, .harmless_options = true},
    {"rmdir", SHELL_SYNTAX_GNU, SHELL_WRITES, "rmdir removes directories",
     .options = OPTIONS(FLAGS("--ignore-fail-on-non-empty -p --parents -v --verbose"), GNU_HELP), .rest = WRITE,
     .harmless_options = true},
    {"unlink", SHELL_SYNTAX_GNU, SHELL_WRITES, "unlink removes a file", .options = OPTIONS(GNU_HELP), .rest = WRITE,
     .harmless_options = true},
    {"link", SHELL_SYNTAX_GNU, SHELL_WRITES, "link makes a file", .options = OPTIONS(GNU_HELP), .first = {READ},
     .first_count = 1, .rest = WRITE, .harmless_options = true},
    {"mkdir", SHELL_SYNTAX_GNU, SHELL_WRITES, "mkdir makes directories",
     .options = OPTIONS(FLAGS("-p --parents -v --verbose -Z"), MAYBE("--context"), VALUES("-m --mode"), GNU_HELP),
     .rest = WRITE, .harmless_options = true},
    {"mkfifo", SHELL_SYNTAX_GNU, SHELL_WRITES, "mkfifo makes files",
     .options = OPTIONS(FLAGS("-Z"), MAYBE("--context"), VALUES("-m --mode"), GNU_HELP), .rest = WRITE,
     .harmless_options = true},
    {"mknod", SHELL_SYNTAX_GNU, SHELL_WRITES, "mknod makes a file",
     .options = OPTIONS(FLAGS("-Z"), MAYBE("--context"), VALUES("-m --mode"), GNU_HELP), .first = {WRITE},
     .first_count = 1, .rest = NONE, .harmless_options = true},
    {"touch", SHELL_SYNTAX_GNU, SHELL_WRITES, "touch changes files",
     OPTIONS(FLAGS("-a -c --no-create -f -h --no-dereference -m"), VALUES("-d --date -t --time"),
             FILES("-r --reference"), GNU_HELP),
     .rest = WRITE, .harmless_options = true},
    {"chmod", SHELL_SYNTAX_EXACT, SHELL_WRITES, "chmod changes the rights of files", mode_options,
     .more_options = OPTIONS(FLAGS("-r -w -x -X -s -t -u -g -o -a")), .first = {NONE}, .first_count = 1,
     .rest = WRITE_TREE, .first_given_by = "--reference -r -w -x -X -s -t -u -g -o -a", .harmless_options = true},
    {"chown chgrp", SHELL_SYNTAX_GNU, SHELL_WRITES, "changes who owns files", mode_options, .first = {NONE},
     .first_count = 1, .rest = WRITE_TREE, .first_given_by = "--reference", .harmless_options = true},
    {"truncate", SHELL_SYNTAX_GNU, SHELL_WRITES, "truncate changes files",
     .options = OPTIONS(FLAGS("-c --no-create -o --io-blocks"), VALUES("-s --size"), FILES("-r --reference"), GNU_HELP),
     .rest = WRITE, .harmless_options = true},
    {"fallocate", SHELL_SYNTAX_GNU, SHELL_WRITES, "fallocate changes files",
     .options = OPTIONS(FLAGS("-c -d -i -n -p -v -x -z"), VALUES("-l --length -o --offset"), HELPS("-h -V"), GNU_HELP),
     .rest = WRITE, .harmless_options = true},
    {"shred", SHELL_SYNTAX_GNU, SHELL_WRITES, "shred destroys files",
     .options = OPTIONS(FLAGS("-f --force -u -v --verbose -x --exact -z --zero"), MAYBE("--remove"),
                        VALUES("-n --iterations -s --size"), FILES("--random-source"), GNU_HELP),
     .rest = WRITE, .harmless_options = true},
    {"mktemp", SHELL_SYNTAX_GNU, SHELL_READ_ONLY, NULL,
     OPTIONS(FLAGS("-d --directory -q --quiet -t"), FLAGS("-u --dry-run"), VALUES("--suffix -p"), MAYBE("--tmpdir"),
             GNU_HELP),
     .rest = NONE, .check = check_mktemp},
    {"tee", .judge = judge_tee},
    {"dd", .judge = judge_dd},
    {"split", SHELL_SYNTAX_GNU, SHELL_WRITES, "split writes files",
     OPTIONS(
         FLAGS("-d -e --elide-empty-files -u --unbuffered -x --verbose"), MAYBE("--numeric-suffixes --hex-suffixes"),
         VALUES(
             "-a --suffix-length --additional-suffix -b --bytes -C --line-bytes -l --lines -n --number -t --separator"),
         RUNS_WITH("--filter"), GNU_HELP),
     .first = {READ}, .first_count = 1, .rest = NONE, .numeric_options = true},
    {"csplit", SHELL_SYNTAX_GNU, SHELL_WRITES, "csplit writes files",
     OPTIONS(FLAGS("-k --keep-files -q --quiet --silent -s -z --elide-empty-files --suppress-matched"),
             VALUES("-b --suffix-format -f --prefix -n --digits"), GNU_HELP),
     .first = {READ}, .first_count = 1, .rest = NONE, .harmless_options = true},
    {"sync", SHELL_SYNTAX_GNU, SHELL_WRITES, "sync writes what is cached",
     .options = OPTIONS(FLAGS("-d --data -f --file-system"), GNU_HELP), .rest = NONE, .harmless_options = true},
    {"patch", .judge = judge_patch},
    {"dos2unix unix2dos mac2unix", SHELL_SYNTAX_POSIX, SHELL_WRITES, "changes the ends of lines in files",
     .options = OPTIONS(FLAGS("-b --keep-bom -r --remove-bom -f --force -k --keepdate -l --newline -q --quiet -s"),
                        FLAGS("--safe -F --follow-symlink -S --skip-symlink -m --add-bom -o --oldfile"),
                        VALUES("-c --convmode"), HELPS("-h -V -L --license"), GNU_HELP),
     .rest = WRITE},
    {"rename prename file-rename", SHELL_SYNTAX_GNU, SHELL_EXECUTES, "rename runs its operand as perl code",
     .options = OPTIONS(HELPS("--help -h -V --version")), .rest = NONE, .harmless_options = true},
    {0},
};
