/*
 * programs_text.c: what prints, counts, cuts, sorts, compares and converts text: coreutils 9.1, diffutils 3.8,
 * util-linux 2.38, bsdextrautils, bc 1.07, xxd, and readers of structured text.
 */
#include "shell/programs.h"
#include "shell/rows.h"
#include <string.h>

#define GNU_HELP HELPS("--help --version")

/* A program that reads its operands, none of whose options does anything else. */
#define READER(names, ...)                                                                                             \
    {                                                                                                                  \
        names, SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__, GNU_HELP),                           \
                                                  .rest = SHELL_EFFECT_READ, .harmless_options = true                  \
    }
/* The same for operands that are data. */
#define PRINTER(names, ...)                                                                                            \
    {                                                                                                                  \
        names, SHELL_SYNTAX_GNU, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__, GNU_HELP),                           \
                                                  .rest = SHELL_EFFECT_NONE, .harmless_options = true                  \
    }

/* xxd [options] [infile [outfile]]: long ones with one dash. */
static const struct shell_program xxd_row = {
    "xxd",
    SHELL_SYNTAX_WORDS,
    SHELL_READ_ONLY,
    .options = OPTIONS(FLAGS("-a -autoskip -b -bits -C -capitalize -d -e -E -EBCDIC -i -include -p -ps -postscript "
                             "-plain -u -r -revert"),
                       FLAGS("-uppercase -t"), VALUES("-c -cols -g -groupsize -l -len -n -name -o -s -seek -skip -R"),
                       HELPS("-h -help -v -version")),
    .first = {SHELL_EFFECT_READ, SHELL_EFFECT_WRITE},
    .first_count = 2};

/* -l16 is -l 16. */
static bool has_number_attached(const struct shell_word *word)
{
    struct hv_str value = word->value;
    if (!word->known || value.len < 3 || value.ptr[0] != '-' || !strchr("cglos", value.ptr[1]))
        return false;
    for (size_t i = 2; i < value.len; i++)
        if (!strchr("0123456789abcdefABCDEFx+-", value.ptr[i]))
            return false;
    return value.ptr[2] < 'A';
}

/* The first word that is no option ends them: in "xxd a -p" it is the file "-p" that is written. */
static void judge_xxd(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_word *spread = hv_arena_array(reading->arena, struct shell_word, 2 * count + 1);
    size_t length = 0;
    bool ended = false, value = true;
    for (size_t i = 0; i < count; i++) {
        struct hv_str word = words[i].value;
        bool operand = word.len ? word.ptr[0] != '-' || hv_str_is(word, "-") : words[i].known;
        if (operand && !value && !ended)
            spread[length++] = shell_word_known(HV_STR("--"));
        ended |= !value && (operand || hv_str_is(word, "--"));
        value = !value && words[i].known &&
                shell_names_have("-c -cols -g -groupsize -l -len -n -name -o -s -seek -skip -R", word);
        spread[length++] = words[i];
        if (!i || !has_number_attached(&words[i]))
            continue;
        spread[length - 1].value = hv_str_slice(words[i].value, 0, 2);
        spread[length++] = shell_word_known(hv_str_slice(words[i].value, 2, words[i].value.len));
    }
    shell_judge_row(reading, &xxd_row, spread, length);
}

/* more and less print like cat when they do not write to a terminal, and a tool call's output never is one. */
static bool has_control(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < ' ')
            return true;
    return false;
}

/* "+/text": looked for from the start. */
static bool is_plain_search(struct hv_str word)
{
    return word.len > 2 && word.ptr[1] == '/' && !has_control(word);
}

/* "+" and a command of the pager: only the number of a line, its end, or a pattern to look for. */
static bool is_plain_start(struct hv_str word)
{
    if (hv_str_is(word, "+G") || hv_str_is(word, "+g") || hv_str_is(word, "+F"))
        return true;
    for (size_t i = 1; i < word.len; i++)
        if (word.ptr[i] < '0' || word.ptr[i] > '9')
            return is_plain_search(word);
    return true;
}

static void check_pager(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    reading->act.reads_input |= !arguments->operand_count;
    for (size_t i = 0; i < arguments->given_count; i++) /* typed for the person: a new line ends the pattern */
        if (arguments->given[i].has_argument && has_control(arguments->given[i].argument.value))
            shell_worsen(reading, SHELL_EXECUTES, "the pager runs what stands behind the pattern");
    for (size_t i = 0; i < arguments->operand_count; i++) {
        const struct shell_word *word = arguments->operands[i];
        bool plus = word->value.len && word->value.ptr[0] == '+';
        if (plus && (!word->known || !is_plain_start(word->value)))
            shell_worsen(reading, SHELL_EXECUTES, "the pager runs the command behind +");
        else if (!plus && (word->known || !shell_may_be_option(word)))
            shell_reads(reading, word, false);
        else if (!plus)
            shell_worsen(reading, SHELL_UNKNOWN, "a word that is not known may be a command of the pager");
    }
}

/* dc runs what stands behind "!", in its arguments and in what it reads. */
static void check_dc(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    bool plain = arguments->given_count && !arguments->operand_count;
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct shell_word *code = &arguments->given[i].argument;
        plain &= code->known && hv_str_find_byte(code->value, '!', 0) == SIZE_MAX &&
                 hv_str_find_byte(code->value, '?', 0) == SIZE_MAX;
    }
    if (!plain) {
        reading->act.runs_input = true;
        shell_worsen(reading, SHELL_EXECUTES, "dc runs commands behind !");
    }
}

/* jq's own words: options anywhere; --slurpfile NAME FILE reads; behind --args all words but the filter are data. */
/* jq reads modules, but writes nothing and runs nothing. */
static const struct shell_program jq_row = {
    "jq", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
    .options = OPTIONS(
        FLAGS("-c --compact-output -n --null-input -e --exit-status -s --slurp -r --raw-output -j --join-output"),
        FLAGS(
            "-a --ascii-output -S --sort-keys -C --color-output -M --monochrome-output --tab -R --raw-input --stream"),
        FLAGS("--stream-errors --seq --unbuffered --args --jsonargs --raw-output0 --debug-dump-disasm --debug-trace"),
        FLAGS("--binary -b"), VALUES("--indent"), TREES("-L --library-path"), FILES("-f --from-file"),
        {"--arg --argjson", SHELL_EFFECT_NONE, SHELL_ARITY_TWO},
        {"--slurpfile --rawfile --argfile", SHELL_EFFECT_UNKNOWN, SHELL_ARITY_TWO}, HELPS("-h --help -V --version"))};

/* Modules are named at the beginning of a filter, so not by one that begins as a path does. */
static bool may_name_modules(const struct shell_word *filter)
{
    struct hv_str text = filter->known ? filter->value : filter->text;
    if (!filter->known && hv_str_starts(text, HV_STR("\"")))
        text = hv_str_slice(text, 1, text.len);
    return !hv_str_starts(text, HV_STR(".")) && (!filter->known || hv_str_find(text, HV_STR("import"), 0) != SIZE_MAX ||
                                                 hv_str_find(text, HV_STR("include"), 0) != SIZE_MAX);
}

static void judge_jq_operands(struct shell_reading *reading, const struct shell_arguments *arguments,
                              const struct shell_word *data)
{
    bool spread = arguments->operand_count && shell_may_be_many(arguments->operands[0]);
    size_t first = shell_given(arguments, "-f --from-file") || spread ? 0 : 1;
    reading->act.reads_input = arguments->operand_count <= first && !shell_given(arguments, "-n --null-input");
    if (arguments->hidden)
        reading->act.reads_listed = false;
    for (size_t i = first; i < arguments->operand_count && (!data || arguments->operands[i] < data); i++)
        shell_reads(reading, arguments->operands[i], false);
    const struct shell_word *filter = first && arguments->operand_count ? arguments->operands[0] : NULL;
    if (filter && may_name_modules(filter))
        reading->act.reads_listed = false;
}

static void judge_jq(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    struct shell_program row = jq_row;
    struct shell_word *plain = hv_arena_array(reading->arena, struct shell_word, count);
    const struct shell_word *data = NULL; /* behind --args */
    size_t kept = 0;
    row.harmless_options = true;
    for (size_t i = 0; i < count; i++) {
        bool file = words[i].known && shell_names_have("--slurpfile --rawfile --argfile", words[i].value);
        if (file && i + 2 < count) {
            shell_reads(reading, &words[i + 2], false);
            i += 2;
        } else {
            if (!data && words[i].known && shell_names_have("--args --jsonargs", words[i].value))
                data = &plain[kept];
            plain[kept++] = words[i];
        }
    }
    if (shell_arguments(reading, &row, plain, kept, &arguments) && !arguments.help)
        judge_jq_operands(reading, &arguments, data);
}

/* A document may be a URL. */
static bool may_be_url(const struct shell_word *word)
{
    return hv_str_find(word->value, HV_STR("://"), 0) != SIZE_MAX || (!word->known && !word->value.len);
}

static void check_xmllint(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    reading->act.reads_input = !arguments->operand_count;
    for (size_t i = 1; i < arguments->count; i++)
        if (may_be_url(&arguments->words[i]))
            shell_worsen(reading, SHELL_NETWORK, "xmllint fetches documents that are named by a URL");
    if (shell_given(arguments, "--schema --relaxng --schematron --dtdvalid") && !shell_given(arguments, "--nonet"))
        shell_worsen(reading, SHELL_NETWORK, "a schema may name others that xmllint fetches; with --nonet it does not");
    for (size_t i = 0; i < arguments->operand_count; i++)
        shell_reads(reading, arguments->operands[i], false);
}

/* Expressions may load other files; later versions may be allowed to run programs. */
static void check_yq(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (hv_str_find(words[i].value, HV_STR("load"), 0) != SIZE_MAX)
            reading->act.reads_listed = false;
        if (hv_str_find(words[i].value, HV_STR("system"), 0) != SIZE_MAX)
            shell_worsen(reading, SHELL_UNKNOWN, "the expression of yq may run programs");
    }
}

static const struct shell_program strings_row = READER(
    "strings", FLAGS("-a --all -d --data -f --print-file-name -o -w --include-all-whitespace"),
    VALUES("-n --bytes -t --radix -T --target -e --encoding -s --output-separator -U --unicode"), HELPS("-h -v -V"));

/* "@file" stands for the options that are in the file. */
static void judge_strings(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    shell_judge_row(reading, &strings_row, words, count);
    for (size_t i = 1; i < count; i++)
        if (words[i].value.len && words[i].value.ptr[0] == '@')
            shell_worsen(reading, SHELL_UNKNOWN, "the options in the file of strings are not known");
}

static void check_bat(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t at = 0; at < arguments->operand_count; at++)
        shell_reads(reading, arguments->operands[at], false);
    if (arguments->operand_count &&
        (!arguments->operands[0]->value.len || hv_str_is(arguments->operands[0]->value, "cache")))
        shell_worsen(reading, SHELL_WRITES, "bat cache changes what bat knows");
}

const struct shell_program shell_programs_text[] = {
    READER("cat", FLAGS("-A --show-all -b --number-nonblank -e -E --show-ends -n --number -s --squeeze-blank -t -T"),
           FLAGS("--show-tabs -u -v --show-nonprinting")),
    READER("tac", FLAGS("-b --before -r --regex"), VALUES("-s --separator")),
    {"head", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-q --quiet --silent -v --verbose -z --zero-terminated"), VALUES("-c --bytes -n --lines"),
                        GNU_HELP),
     .rest = SHELL_EFFECT_READ, .harmless_options = true, .numeric_options = true},
    {"tail", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-f -F --retry -q --quiet --silent -v --verbose -z --zero-terminated"), MAYBE("--follow"),
                        VALUES("-c --bytes -n --lines --max-unchanged-stats --pid -s --sleep-interval"), GNU_HELP),
     .rest = SHELL_EFFECT_READ, .harmless_options = true, .numeric_options = true},
    {"less zless bzless xzless", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-a -A -B -c -C -d -e -E -f -F -g -G -i -I -J -L -m -M -n -N -q -Q -r -R -s -S -u -U -w -W -X -~ -K"),
         FLAGS("--search-skip-screen --SEARCH-SKIP-SCREEN --auto-buffers --clear-screen --dumb --quit-at-eof"),
         FLAGS(
             "--QUIT-AT-EOF --force --quit-if-one-screen --hilite-search --HILITE-SEARCH --ignore-case --IGNORE-CASE"),
         FLAGS("--status-column --no-lessopen --long-prompt --LONG-PROMPT --line-numbers --LINE-NUMBERS --quiet "
               "--silent"),
         FLAGS("--raw-control-chars --RAW-CONTROL-CHARS --squeeze-blank-lines --chop-long-lines --underline-special"),
         FLAGS("--hilite-unread --HILITE-UNREAD --no-init --tilde --quit-on-intr --no-keypad --follow-name --mouse"),
         FLAGS("--incsearch --use-color --no-histdups --save-marks --file-size --wordwrap"),
         VALUES("-b --buffers -h --max-back-scroll -j --jump-target -p --pattern -x --tabs -y --max-forw-scroll -z "
                "--window"),
         VALUES("-D --color -P --prompt -# --shift --rscroll --wheel-lines --header"),
         OUTPUTS("-o --log-file -O --LOG-FILE"), HELPS("-? --help -V --version")),
     .rest = SHELL_EFFECT_NONE, .numeric_options = true, .check = check_pager},
    {"more zmore bzmore xzmore", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-d --silent -l --logical -e --exit-on-eof -f --no-pause -p --print-over -c --clean-print -s --squeeze"),
         FLAGS("-u --plain"), VALUES("-n --lines"), HELPS("-h --help -V --version")),
     .rest = SHELL_EFFECT_NONE, .numeric_options = true, .check = check_pager},
    READER("wc", FLAGS("-c --bytes -m --chars -l --lines -L --max-line-length -w --words --debug"), VALUES("--total"),
           FILES("--files0-from")),
    READER("nl", FLAGS("-p --no-renumber"),
           VALUES("-b --body-numbering -d --section-delimiter -f --footer-numbering -h --header-numbering -i"),
           VALUES("--line-increment -l --join-blank-lines -n --number-format -s --number-separator -v"),
           VALUES("--starting-line-number -w --number-width")),
    READER("od", FLAGS("-v --output-duplicates -a -b -c -d -f -i -l -o -s -x --traditional"),
           VALUES("-A --address-radix --endian -j --skip-bytes -N --read-bytes -S -t --format"),
           MAYBE("-w --width --strings")),
    READER("hexdump hd", FLAGS("-b --one-byte-octal -X --one-byte-hex -c --one-byte-char -C --canonical -d -o -x -v"),
           FLAGS("--two-bytes-decimal --two-bytes-octal --two-bytes-hex --no-squeezing"), MAYBE("-L --color"),
           VALUES("-e --format -n --length -s --skip"), FILES("-f --format-file"), HELPS("-h -V")),
    {"xxd", .judge = judge_xxd},
    {"strings", .judge = judge_strings},
    /* Mikefarah's, and the wrapper of jq: the options that both have and that only read. */
    {"yq tomlq", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-C --colors -M --no-colors -e --exit-status -N --no-doc -n --null-input -P --prettyPrint "
                       "-r --unwrapScalar"),
                 FLAGS("-j --tojson -v --verbose --slurp -y -Y -c -S"),
                 VALUES("-I --indent -o --output-format -p --input-format"), FLAGS("-0 --nul-output"),
                 {"-i --inplace", SHELL_EFFECT_WRITES}, HELPS("-h --help -V --version")),
     .first = {SHELL_EFFECT_NONE}, .first_count = 1, .rest = SHELL_EFFECT_READ, .check_words = check_yq},
    READER("base64 base32", FLAGS("-d -D --decode -i --ignore-garbage"), VALUES("-w --wrap")),
    READER("basenc", FLAGS("-d -D --decode -i --ignore-garbage --base64 --base64url --base32 --base32hex --base16"),
           FLAGS("--base2msbf --base2lsbf --z85"), VALUES("-w --wrap")),
    READER("shasum", FLAGS("-b --binary -c --check -t --text -U --UNIVERSAL -0 --01 --tag -q --quiet --ignore-missing"),
           FLAGS("--strict -s --status -w --warn"), VALUES("-a --algorithm"), HELPS("-h -v")),
    {"look", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a --alternative -d --alphanum -f --ignore-case"), VALUES("-t --terminate"),
                        HELPS("-h -V"), GNU_HELP),
     .first = {SHELL_EFFECT_NONE}, .first_count = 1, .rest = SHELL_EFFECT_READ, .harmless_options = true,
     .answers = true},
    {"units", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-v --verbose -t --terse -q --quiet -s --strict -1 --one-line -c --check"),
                        VALUES("-d --digits -o --output-format"), FILES("-f --file"), HELPS("-h -V"), GNU_HELP),
     .rest = SHELL_EFFECT_NONE},
    /* --pager names a program; `bat cache` writes. */
    {"bat batcat", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-p --plain -pp -n --number -A --show-all -f --force-colorization -d --diff -L --list-languages -u"
               " --unbuffered -s --squeeze-blank --list-themes --no-lessopen"),
         VALUES("-l --language -r --line-range -H --highlight-line --theme --style --color --decorations --wrap --tabs"
                " --file-name -m --map-syntax --paging --italic-text --terminal-width --diff-context"),
         HELPS("-h --help -V --version")),
     .rest = SHELL_EFFECT_NONE, .check = check_bat},
    READER("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum b3sum",
           FLAGS("-b --binary -c --check --tag -t --text -z --zero --ignore-missing --quiet --status --strict"),
           FLAGS("-w --warn --untagged --debug --raw --base64"), VALUES("-l --length -a --algorithm")),
    READER("sum", FLAGS("-r -s --sysv")),
    READER("cut", FLAGS("-n --complement -s --only-delimited -z --zero-terminated"),
           VALUES("-b --bytes -c --characters -d --delimiter -f --fields --output-delimiter")),
    {"sort", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-b --ignore-leading-blanks -d --dictionary-order -f --ignore-case -g --general-numeric-sort"),
         FLAGS("-i --ignore-nonprinting -M --month-sort -h --human-numeric-sort -n --numeric-sort -R --random-sort"),
         FLAGS("-r --reverse -V --version-sort -c -C -m --merge -s --stable -u --unique -z --zero-terminated --debug"),
         VALUES("-k --key -t --field-separator -S --buffer-size --batch-size --parallel --sort"), MAYBE("--check"),
         FILES("--random-source --files0-from"), OUTPUTS("-o --output"), CHANGES_WITH("-T --temporary-directory"),
         RUNS_WITH("--compress-program"), GNU_HELP),
     .rest = SHELL_EFFECT_READ},
    {"uniq", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-c --count -d --repeated -D -i --ignore-case -u --unique -z --zero-terminated"),
                        MAYBE("--all-repeated --group"), VALUES("-f --skip-fields -s --skip-chars -w --check-chars"),
                        GNU_HELP),
     .first = {SHELL_EFFECT_READ, SHELL_EFFECT_WRITE}, .first_count = 2, .reads_input = true},
    {"tr", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-c -C --complement -d --delete -s --squeeze-repeats -t --truncate-set1"), GNU_HELP),
     .rest = SHELL_EFFECT_NONE, .harmless_options = true, .reads_input = true},
    READER("paste", FLAGS("-s --serial -z --zero-terminated"), VALUES("-d --delimiters")),
    READER("join", FLAGS("-i --ignore-case --check-order --nocheck-order --header -z --zero-terminated"),
           VALUES("-a -e -1 -2 -j -o -t -v")),
    {"comm", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-1 -2 -3 --check-order --nocheck-order --total -z --zero-terminated"),
                        VALUES("--output-delimiter"), GNU_HELP),
     .rest = SHELL_EFFECT_READ, .harmless_options = true, .answers = true},
    {"fold", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-b --bytes -s --spaces"), VALUES("-w --width"), GNU_HELP), .rest = SHELL_EFFECT_READ,
     .harmless_options = true, .numeric_options = true},
    {"fmt", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-c --crown-margin -s --split-only -t --tagged-paragraph -u --uniform-spacing"),
                        VALUES("-p --prefix -w --width -g --goal"), GNU_HELP),
     .rest = SHELL_EFFECT_READ, .harmless_options = true, .numeric_options = true},
    {"pr", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-a --across -c --show-control-chars -d --double-space -F -f --form-feed -J --join-lines"),
                 FLAGS("-m --merge -r --no-file-warnings -t --omit-header -T --omit-pagination -v"),
                 FLAGS("--show-nonprinting"), MAYBE("-e --expand-tabs -i --output-tabs -n --number-lines -s"),
                 MAYBE("--separator -S --sep-string"),
                 VALUES("-D --date-format -h --header -l --length -N --first-line-number -o --indent -w --width"),
                 VALUES("-W --page-width --columns --pages"), GNU_HELP),
     .rest = SHELL_EFFECT_READ, .harmless_options = true, .numeric_options = true},
    {"expand unexpand", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-i --initial -a --all --first-only"), VALUES("-t --tabs"), GNU_HELP),
     .rest = SHELL_EFFECT_READ, .harmless_options = true, .numeric_options = true},
    READER("column", FLAGS("-t --table -d --table-noheadings -n -J --json -L --keep-empty-lines -x --fillrows -e"),
           FLAGS("--table-header-repeat -m --table-maxout"),
           VALUES("-c --output-width -s --separator -o --output-separator -N --table-columns -l --table-columns-limit"),
           VALUES("-E --table-noextreme -H --table-hide -O --table-order -R --table-right -T --table-truncate"),
           VALUES("-W --table-wrap -C --table-column --table-name -r --tree -i --tree-id -p --tree-parent"),
           HELPS("-h -V")),
    {"col colcrt colrm ul", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-b --no-backspaces -f --fine -h --tabs -p --pass -x --spaces -i --indicated"),
                        VALUES("-l --lines -t --terminal -T"), HELPS("-H --help -V --version")),
     .rest = SHELL_EFFECT_READ, .harmless_options = true},
    READER("rev", FLAGS("-0 --zero"), HELPS("-h -V")),
    READER("tsort", FLAGS("-w")),
    {"shuf", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-e --echo -r --repeat -z --zero-terminated"), VALUES("-i --input-range -n --head-count"),
                        FILES("--random-source"), OUTPUTS("-o --output"), GNU_HELP),
     .rest = SHELL_EFFECT_READ},
    {"seq", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-w --equal-width"), VALUES("-f --format -s --separator"), GNU_HELP),
     .rest = SHELL_EFFECT_NONE, .harmless_options = true, .numeric_options = true},
    PRINTER("factor", FLAGS("-h --exponents")),
    {"numfmt", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("--debug --grouping -z --zero-terminated"), MAYBE("--header"),
                        VALUES("-d --delimiter --field --format --from --from-unit --invalid --padding --round"),
                        VALUES("--suffix --to --to-unit"), GNU_HELP),
     .rest = SHELL_EFFECT_NONE, .harmless_options = true, .reads_input = true, .numeric_options = true},
    {"expr", SHELL_SYNTAX_NONE, SHELL_READ_ONLY, .rest = SHELL_EFFECT_NONE, .harmless_options = true, .answers = true},
    READER("bc", FLAGS("-i --interactive -l --mathlib -q --quiet -s --standard -w --warn"), HELPS("-h -v")),
    {"dc", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(VALUES("-e --expression"), RUNS_WITH("-f --file"), HELPS("-h --help -V --version")),
     .rest = SHELL_EFFECT_NONE, .check = check_dc},
    {"diff colordiff", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS(
             "--normal -q --brief -s --report-identical-files -c -u -e --ed -n --rcs -y --side-by-side --left-column"),
         FLAGS("--suppress-common-lines -p --show-c-function -t --expand-tabs -T --initial-tab --suppress-blank-empty"),
         FLAGS("-l --paginate -r --recursive --no-dereference -N --new-file -P --unidirectional-new-file"),
         FLAGS("--ignore-file-name-case --no-ignore-file-name-case -i --ignore-case -E --ignore-tab-expansion"),
         FLAGS("-Z --ignore-trailing-space -b --ignore-space-change -w --ignore-all-space -B --ignore-blank-lines"),
         FLAGS("-a --text --strip-trailing-cr -d --minimal --speed-large-files -H --binary"),
         MAYBE("--context --unified --color"),
         VALUES("-C -U -L --label -F --show-function-line -W --width --tabsize -x --exclude -S --starting-file -I"),
         VALUES("--ignore-matching-lines -D --ifdef --line-format --old-line-format --new-line-format"),
         VALUES("--unchanged-line-format --old-group-format --new-group-format --unchanged-group-format"),
         VALUES("--changed-group-format --horizon-lines --palette"), FILES("-X --exclude-from"),
         TREES("--from-file --to-file"), HELPS("-v"), GNU_HELP),
     .rest = SHELL_EFFECT_READ_TREE, .harmless_options = true, .numeric_options = true, .answers = true},
    {"cmp", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-b --print-bytes -l --verbose -s --quiet --silent"), VALUES("-i --ignore-initial -n"),
                        VALUES("--bytes"), HELPS("-v"), GNU_HELP),
     .rest = SHELL_EFFECT_READ, .harmless_options = true, .answers = true},
    {"diff3", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-A --show-all -e --ed -E --show-overlap -3 --easy-only -x --overlap-only -X -i -m --merge -a --text"),
         FLAGS("--strip-trailing-cr -T --initial-tab"), VALUES("-L --label"), RUNS_WITH("--diff-program"), HELPS("-v"),
         GNU_HELP),
     .rest = SHELL_EFFECT_READ, .answers = true},
    {"sdiff", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-i --ignore-case -E --ignore-tab-expansion -Z --ignore-trailing-space -b --ignore-space-change"),
         FLAGS("-W --ignore-all-space -B --ignore-blank-lines --strip-trailing-cr -a --text -l --left-column"),
         FLAGS("-s --suppress-common-lines -t --expand-tabs -d --minimal -H --speed-large-files"),
         VALUES("-I --ignore-matching-lines -w --width --tabsize"),
         RUNS_WITH("-o --output --diff-program"), /* with an output it runs an editor when it is told to */
         HELPS("-v"), GNU_HELP),
     .rest = SHELL_EFFECT_READ, .answers = true},
    {"jq gojq", .judge = judge_jq},
    {"iconv", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-c -l --list -s --silent --verbose"), VALUES("-f --from-code -t --to-code"),
                        OUTPUTS("-o --output"), HELPS("-? --help --usage -V --version")),
     .rest = SHELL_EFFECT_READ},
    /* Documents name others that are fetched; --nonet, or not loading them, keeps it at home. */
    {"xmllint", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("--debug --debugent --copy --recover --huge --noenc --nodict --novalid --htmlout --nowrap --timing "
               "--html"),
         FLAGS("--xmlout --nodefdtd --push --memory --nowarning --noblanks --nocdata --nsclean"),
         FLAGS("--testIO --noxincludenode --nofixup-base-uris --stream --walker --chkregister --sax1 --sax --oldxml10"),
         FLAGS("--noout --nonet --format --quiet --repeat --xpath0"),
         VALUES("--xpath --pattern --encode --pretty --maxmem --maxamplitude"),
         FILES("--schema --relaxng --schematron --dtdvalid"),
         REACHES("--noent --valid --postvalid --dtdattr --xinclude --loaddtd --insert --c14n --c14n11 --exc-c14n"),
         OUTPUTS("-o --output"), HELPS("--version")),
     .rest = SHELL_EFFECT_NONE, .check = check_xmllint},
    {0},
};
