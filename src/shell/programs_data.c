/*
 * programs_data.c: tables and structured text: csvkit 1.1, xsv 0.13, csvtk, Miller 6, GNU datamash 1.8, gron, dasel 2,
 * xmlstarlet 1.6, libxml and HTML tools, checksums, dates, numbers; and what other package managers say of themselves.
 */
#include "shell/programs.h"
#include "shell/rows.h"

#include <string.h>

#define NONE SHELL_EFFECT_NONE
#define READ SHELL_EFFECT_READ
#define HELP HELPS("-h --help -V --version")

/* A document may be named by an address. */
static void check_addresses(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++)
        if (hv_str_find(words[at].value, HV_STR("://"), 0) != SIZE_MAX ||
            (!words[at].known && !words[at].value.len && !(words[at].flags & SHELL_WORD_GLOB)))
            shell_worsenf(reading, SHELL_NETWORK, "%.*s may be an address", HV_STR_ARG(words[at].text));
}

/* ---- csvkit ---------------------------------------------------------------------------------------------- */

static const struct shell_option csvkit_options[] = {
    FLAGS("-t --tabs -b --no-doublequote -S --skipinitialspace -H --no-header-row -v --verbose -l --linenumbers --zero"
          " -I --no-inference --blanks --add-bom"),
    VALUES("-d --delimiter -q --quotechar -u --quoting -p --escapechar -z --maxfieldsize -e --encoding -K --skip-lines"
           " -L --locale --date-format --datetime-format --null-value -y --snifflimit"),
    HELPS("-h --help --version"),
    {0},
};
#define CSVKIT(names, ...)                                                                                             \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__), .more_options = csvkit_options,   \
                                                    .rest = READ                                                       \
    }

/* ---- csvtk ----------------------------------------------------------------------------------------------- */

static const struct shell_option csvtk_options[] = {
    FLAGS("-t --tabs -T --out-tabs -H --no-header-row -r --use-regexp -v --invert -i -u -n"),
    VALUES("-f --fields -d --delimiter -D --out-delimiter"),
    OUTPUTS("-o --out-file"),
    HELPS("-h --help"),
    {0},
};
#define CSVTK(names, ...)                                                                                              \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(__VA_ARGS__), .more_options = csvtk_options,    \
                                                    .rest = READ                                                       \
    }

/* ---- Miller ---------------------------------------------------------------------------------------------- */

/* Options before the first verb that say how records look. */
static bool is_format_of_miller(struct hv_str word, bool *takes)
{
    static const char flags[] =
        "--csv --csvlite --tsv --json --jsonl --xtab --nidx --dkvp --pprint --markdown --asv --usv -n -N -S -A -O -M -C"
        " --icsv --icsvlite --itsv --ijson --ijsonl --ixtab --inidx --idkvp --ipprint --imd --iusv --iasv"
        " --ocsv --ocsvlite --otsv --ojson --ojsonl --oxtab --onidx --odkvp --opprint --omd --ousv --oasv"
        " --implicit-csv-header --implicit-tsv-header --headerless-csv-output --headerless-csv-input"
        " --headerless-tsv-output --allow-ragged-csv-input --ragged --hi --ho --barred --barred-input --right "
        "--key-only"
        " --no-auto-flatten --no-auto-unflatten --quote-all --quote-original --lazy-quotes --infer-none --infer-octal"
        " --no-color --always-color --jvstack --no-jvstack --jlistwrap --jvquoteall --repifs --gzin --bz2in --zin"
        " --zstdin --c2t --c2d --c2n --c2j --c2l --c2p --c2b --c2x --c2m --t2c --t2d --t2n --t2j --t2l --t2p --t2b "
        "--t2x"
        " --t2m --j2c --j2t --j2d --j2n --j2l --j2p --j2b --j2x --j2m --l2c --l2t --l2j --l2p --l2x --l2m --x2c --x2t"
        " --x2j --x2p --x2m --p2c --p2t --p2j --p2x --p2m --n2c --n2t --n2j --n2p --n2x --n2m --d2c --d2t --d2j --d2p"
        " --d2x --d2m -p -T";
    static const char values[] = "--ifs --ofs --fs --ips --ops --ps --irs --ors --rs --ofmt --nr-progress-mod --tz"
                                 " --records-per-batch --from --flatsep --oflatsep";
    *takes = shell_names_have(values, word);
    return *takes || shell_names_have(flags, word);
}

/* The expression of put and filter can run programs and write files. */
static bool expression_is_plain(const struct shell_word *word)
{
    static const char *const words[] = {"system",   "exec", "tee",  "emit", "dump", "print", "os_",
                                        "hostname", "load", "func", "subr", "call", "unset", "ENV"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (hv_str_find(word->value, hv_str_from(words[i]), 0) != SIZE_MAX)
            return false;
    return word->known;
}

static bool harms_with_miller(struct hv_str word)
{
    static const char *const beginnings[] = {"--prepipe", "--load", "--mload", "--in-place", "--split"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (hv_str_starts(word, hv_str_from(beginnings[i])))
            return true;
    return shell_names_have("-I tee split case", word);
}

static bool is_verb_of_miller(const struct shell_word *word)
{
    static const char verbs[] =
        "altkv bar bootstrap bottom cat count count-distinct count-similar cut decimate fill-down fill-empty filter"
        " flatten format-values fraction gap grep group-by group-like gsub having-fields head histogram json-parse"
        " json-stringify join label latin1-to-utf8 least-frequent merge-fields most-frequent nest nothing put "
        "regularize"
        " rename reorder repeat reshape sample sec2gmt sec2gmtdate sec2str seqgen shuffle skip-trivial-records sort"
        " sort-within-records sort-within-records-values sparsify split-join splitax ssub stats1 stats2 step strptime"
        " sub summary tac tail template top unflatten uniq unspace unsparsify utf8-to-latin1";
    return word->known && shell_names_have(verbs, word->value);
}

/* What follows the first verb: files look like arguments of verbs, so all words that are no options count as read. */
static bool miller_reads(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool expects = false;
    for (size_t at = 0; at < count; at++) {
        const struct shell_word *word = &words[at];
        bool option = word->value.len && word->value.ptr[0] == '-';
        bool glob = !word->known && word->flags & SHELL_WORD_GLOB && word->value.len + word->tail.len > 1 &&
                    (!shell_may_be_option(word) || shell_glob_is_plain(reading, word));
        bool verb = !at || (words[at - 1].known && hv_str_is(words[at - 1].value, "then"));
        if ((!word->known && !glob) || (word->known && harms_with_miller(word->value)) ||
            (verb && !is_verb_of_miller(word)))
            return false;
        if (expects && option) {
            if (!shell_names_have("-q -S -x -F", word->value))
                return false;
        } else if (expects) {
            if (!expression_is_plain(word))
                return false;
            expects = false;
        } else if (word->known && shell_names_have("put filter", word->value)) {
            expects = true;
        } else if (!option) {
            shell_reads(reading, word, false);
        }
    }
    return !expects;
}

static void judge_miller(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    size_t at = 1;
    bool takes = false, known = true;
    if (count == 2 && words[1].known && shell_names_have("--version version --help help", words[1].value))
        return;
    bool helps = count > 1 && words[1].known && hv_str_is(words[1].value, "help");
    for (size_t i = 1; i < count; i++)
        helps &= words[i].known;
    if (helps)
        return;
    while (at < count && words[at].known && words[at].value.len && words[at].value.ptr[0] == '-' && known) {
        known = is_format_of_miller(words[at].value, &takes);
        if (takes && at + 1 < count && hv_str_is(words[at].value, "--from"))
            shell_reads(reading, &words[at + 1], false);
        known &= !takes || (at + 1 < count && words[at + 1].known);
        at += takes ? 2 : 1;
    }
    reading->act.reads_input = true;
    if (!known || at >= count || !miller_reads(reading, words + at, count - at))
        shell_worsen(reading, SHELL_UNKNOWN, "mlr may run programs or write files");
    /* It may name any option, so -I, which changes the files. */
    shell_needs_none(reading, ".mlrrc");
}

/* ---- trees of data --------------------------------------------------------------------------------------- */

/* The first operand is a selector, or select; put and delete change files. */
static void check_dasel(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    reading->act.reads_input = true;
    const struct shell_word *first = arguments->operand_count ? arguments->operands[0] : NULL;
    if (first && (!first->known || shell_names_have("put delete update completion man", first->value) ||
                  arguments->operand_count > 2))
        shell_worsen(reading, SHELL_WRITES, "dasel put and delete change files");
    if (reading->act.class == SHELL_WRITES)
        reading->act.writes_listed = false;
}

/* jc reads its input; with a word that is no option it runs a command. */
static void judge_jc(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++)
        if (!words[at].known || !hv_str_starts(words[at].value, HV_STR("-")))
            shell_worsen(reading, SHELL_EXECUTES, "jc runs the command that it is given");
    reading->act.reads_input = true;
}

/* key=@FILE and key=:FILE read the file. */
static void check_jo(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++) {
        size_t mark = 0;
        while (mark < words[at].value.len && !memchr("@:%", words[at].value.ptr[mark], 3))
            mark++;
        if (!words[at].known || mark < words[at].value.len)
            reading->act.reads_listed = false;
        if (words[at].known && mark + 1 < words[at].value.len) {
            struct shell_word file = shell_word_known(hv_str_slice(words[at].value, mark + 1, words[at].value.len));
            shell_reads(reading, &file, false);
        }
    }
}

/* rar's letters: l and v list, t tests, p prints. */
static void judge_rar(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    bool looks = count > 2 && words[1].known && shell_names_have("l lb lt lta v vb vt t", words[1].value);
    for (size_t at = 2; at < count; at++) {
        looks &= !shell_may_be_option(&words[at]) && !hv_str_starts(words[at].value, HV_STR("@"));
        shell_reads(reading, &words[at], false);
    }
    if (looks)
        return;
    shell_changes(reading, "it makes or changes files");
}

static const struct shell_option xsv_options[] = {
    FLAGS("-n --no-headers -j --just-names -i --ignore-case -v --invert-match --everything --mode --median --nulls"
          " --cardinality -N --numeric -R --reverse --human-readable --flexible --crlf --ascii --quote-always"
          " -a --asc --left --right --full --cross --no-case"),
    VALUES("-d --delimiter -s --select -l --limit -j --jobs --start --end --len -e --index -c --condense --separator"
           " -w --width -p --pad -t --out-delimiter --quote --escape --seed"),
    OUTPUTS("-o --output"),
    HELPS("-h --help --version"),
    {0},
};
#define TABLES(names)                                                                                                  \
    {                                                                                                                  \
        names, SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = xsv_options, .rest = READ, .reads_input = true          \
    }

/* A port that is named by an address or a file, or none where a file of ports lies, is code that runs. */
static void check_port(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++)
        if (!words[at].known || hv_str_find_byte(words[at].value, ':', 0) != SIZE_MAX)
            shell_worsen(reading, SHELL_EXECUTES, "port runs the code of the port that a file holds");
}

/* What begins with "--" names a setting, "--" alone one that does not exist: options go on behind it. */
static void judge_tidy(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_option options[] = {
        FLAGS("-e -errors -q -quiet -i -indent -xml -asxml -asxhtml -ashtml -utf8 -omit -clean -bare"),
        VALUES("-w -wrap"),
        OUTPUTS("-o -output -f -file"),
        CHANGES("-m -modify"),
        HELPS("-v -version -h -help -show-config -help-config"),
        {0}};
    static const struct shell_program row = {"tidy", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = options,
                                             .rest = READ};
    shell_judge_row(reading, &row, words, count);
    for (size_t i = 1; i < count; i++)
        if (words[i].known && hv_str_is(words[i].value, "--"))
            shell_worsen(reading, SHELL_UNKNOWN, "tidy takes options behind --, too");
}

const struct shell_program shell_programs_data[] = {
    CSVKIT("csvcut", FLAGS("-n --names -x --delete-empty-rows"), VALUES("-c --columns -C --not-columns")),
    CSVKIT("csvgrep", FLAGS("-n --names -i --invert-match -a --any-match"),
           VALUES("-c --columns -m --match -r --regex"), FILES("-f --file")),
    CSVKIT("csvlook", VALUES("--max-rows --max-columns --max-column-width --max-precision"),
           FLAGS("--no-number-ellipsis")),
    CSVKIT("csvstat",
           FLAGS("--csv --json --count -n --names --type --nulls --non-nulls --unique --min --max --sum --mean --median"
                 " --stdev --len --max-precision --freq -G --no-grouping-separator"),
           VALUES("-c --columns -i --indent --freq-count --decimal-format")),
    CSVKIT("csvsort", FLAGS("-n --names -r --reverse -i --ignore-case"), VALUES("-c --columns")),
    CSVKIT("csvjoin", FLAGS("--outer --left --right"), VALUES("-c --columns")),
    CSVKIT("csvstack", FLAGS("--filenames"), VALUES("-g --groups -n --group-name")),
    CSVKIT(
        "csvformat", FLAGS("--skip-header -T --out-tabs -A --out-asv --out-no-doublequote -E"),
        VALUES("-D --out-delimiter -Q --out-quotechar -U --out-quoting -P --out-escapechar -M --out-lineterminator")),
    CSVKIT("csvjson", FLAGS("--no-bbox --stream"), VALUES("-i --indent -k --key --lat --lon --type --geometry --crs")),
    CSVKIT("in2csv", FLAGS("-n --names"), VALUES("-f --format -k --key --sheet"), FILES("-s --schema"),
           CHANGES_WITH("--write-sheets")),
    {"csvclean", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-n --dry-run -z -v"), VALUES("-d --delimiter -e --encoding -q --quotechar"),
                        HELPS("-h --help --version")),
     .rest = SHELL_EFFECT_READ, .reads_input = true, .needs = "-n --dry-run"},
    {"csvsql sql2csv csvpy qsv visidata vd csvlens sc-im", .judge = shell_judge_tool},
    {"xsv", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("-h --help --version --list")),
     .subcommands = SUBCOMMANDS(TABLES("cat count fixlengths flatten fmt frequency headers input join sample search"
                                       " select slice sort stats table reverse"),
                                WRITERS("index split partition"))},
    {"csvtk", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("-h --help")),
     .subcommands =
         SUBCOMMANDS(CSVTK("headers nrow ncol dim summary head pretty cut grep sort uniq tail version sample",
                           VALUES("-p --pattern -k --keys -s -S")),
                     CSVTK("freq", FLAGS("-k --sort-by-key --sort-by-freq --reverse")),
                     CSVTK("corr", FLAGS("-p --pass")), WRITERS("split splitxlsx"))},
    {"mlr", .judge = judge_miller},
    {"datamash", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("-f --full --header-in --header-out -H --headers -i --ignore-case -s --sort -W --whitespace"),
                 FLAGS("-z --zero-terminated --narm -C --skip-comments --no-strict"),
                 VALUES("-g --group -t --field-separator -F --format -R --round -c --collapse-delimiter --filler"),
                 VALUES("--output-delimiter -S --seed"), HELPS("-h --help -V --version")),
     .rest = NONE, .reads_input = true},
    {"gron", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-u --ungron -c --colorize -m --monochrome -s --stream -j --json -v --values --no-sort"),
                        HELPS("-h --help --version")),
     .rest = SHELL_EFFECT_READ, .check_words = check_addresses},
    {"dasel", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(
         FLAGS("-c --compact -m --multiple --plain -n --null --length --merge-input-documents --colour --pretty"),
         VALUES("-r --read -w --write -p --parser -s --selector --indent --csv-comma --format"), FILES("-f --file"),
         OUTPUTS("-o --out"), HELPS("--help --version")),
     .rest = NONE, .check = check_dasel},
    {"xmlstarlet xml", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(HELPS("--version --help"), FLAGS("-q --quiet")),
     .subcommands = SUBCOMMANDS(
         {"sel select", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
          .options =
              OPTIONS(FLAGS("-t --template -n --nl -b --break -f --inp-name -T --text -R --root -I --indent -D"),
                      FLAGS("--xml-decl -B --noblanks -Q --quiet --no-doc-namespace --doc-namespace -C --comp --else"),
                      VALUES("-m --match -v --value-of -c --copy-of -o --output -i --if --elif -e --elem -a --attr"),
                      VALUES("-N -E --encode --var"), {"-s --sort", SHELL_EFFECT_NONE, SHELL_ARITY_TWO},
                      REACHES("--net"), HELPS("-h --help")),
          .rest = READ},
         LOOKS_AT("el elements", FLAGS("-a -v -u"), MAYBE("-d"), HELPS("-h --help")),
         LOOKS_AT("fo format",
                  FLAGS("-n --noindent -t --indent-tab -o --omit-decl -R --recover -D --dropdtd -C --nocdata"),
                  FLAGS("-N --nsclean -H --html -Q --quiet"), VALUES("-s --indent-spaces -e --encode"),
                  REACHES("--net"), HELPS("-h --help")),
         LOOKS_AT("val validate",
                  FLAGS("-w --well-formed -e --err -S --stop -b --list-bad -g --list-good -q --quiet -E"),
                  FILES("-d --dtd -s --xsd -r --relaxng"), REACHES("--net"), HELPS("-h --help")),
         LOOKS_AT("pyx esc escape unesc unescape depyx p2x", HELPS("--help"))),
     .check_words = check_addresses},
    {"jc", .judge = judge_jc},
    {"jo", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-a -B -D -e -n -p"), VALUES("-d"), FILES("-f -i"), HELPS("-h --help -v -V")),
     .rest = SHELL_EFFECT_NONE, .check_words = check_jo},
    SHOWS_WORDS("json_pp", FLAGS("-v -V"), VALUES("-json_opt")),
    LOOKS_ANYHOW("json_reformat json_verify", FLAGS("-m -u -e -s -q -c")),
    LOOKS_AT("jsonlint", FLAGS("-q --quiet -c --compact -s --sort-keys"), HELPS("-h --help -v --version -V")),
    SHOWS("jp", FILES("-f --filename -e --expr-file"), FLAGS("-c --compact -u --unquoted --ast"), HELPS("-h --help")),
    {"htmlq", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-t --text -p --pretty -w --ignore-whitespace -B --detect-base"),
                        VALUES("-a --attribute -b --base -r --remove-nodes"), FILES("-f --filename"),
                        OUTPUTS("-o --output"), HELP),
     .rest = NONE, .reads_input = true},
    {"pup", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-c --color -n --number -p --plain"), FILES("-f --file"),
                        VALUES("-i --indent -l --limit --charset"), HELPS("-h --help --version")),
     .rest = NONE, .reads_input = true},
    {"tidy", .judge = judge_tidy},
    {"parquet-tools parquet pqrs", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(HELPS("-h --help --version")),
     .subcommands = SUBCOMMANDS(LOOKS_AT("schema meta head cat rowcount size inspect show csv column-index",
                                         FLAGS("-j --json -d --detailed --format-json --show-header --columns-only"),
                                         VALUES("-n --head -c --columns -r --records --format"))),
     .check_words = check_addresses},
    {"ncdump", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-h -c -s -k -t -i -x"), VALUES("-v -l -n -p -b -f -g")), .rest = SHELL_EFFECT_READ,
     .check_words = check_addresses},
    LOOKS_ANYHOW("h5ls h5stat",
                 FLAGS("-r --recursive -v --verbose -d --data -a --address -f --full -g --group -l --label"),
                 FLAGS("-x --hexdump -s --string -S --simple --follow-symlinks -F --filemetadata -T"),
                 VALUES("-w --width"), HELPS("-h --help -V --version")),
    LOOKS_AT(
        "h5dump", FLAGS("-H --header -A --onlyattr -n --contents -p --properties -B --superblock -i -r --string"),
        FLAGS("-e --escape -C -E -R --region"),
        VALUES("-a --attribute -d --dataset -g --group -t --datatype -s --start -S --stride -c --count -k --block"),
        VALUES("-w --width -m --format -N --any_path"), HELPS("-h --help -V --version")),

    /* Checksums. */
    LOOKS_AT("xxhsum xxh32sum xxh64sum xxh128sum md5deep sha1deep sha256deep hashdeep ssdeep tlsh crc32 md5 "
             "rmd160 sha1 sha256 sha512",
             FLAGS("-c --check -q --quiet -H0 -H1 -H2 -H3 -r -s --tag --little-endian -l -b --bsd --sha256 --sha1 --md5"
                   " --crc32 --sha512 --all -a -n --status -w --warn"),
             HELPS("-h --help --version -V")),
    LOOKS_AT(
        "rhash",
        FLAGS("-c --check -k --check-embedded -r --recursive -a --all -b --bsd --sfv --simple --hex --base32 --base64"),
        FLAGS("-C --crc32 --crc32c -M --md5 -H --sha1 --sha224 --sha256 --sha384 --sha512 --sha3-256 --sha3-512"
              " --blake2b --blake2s --ripemd160 -W --whirlpool -T --tth -v --verbose --status --skip-ok"),
        FILES("--file-list"), OUTPUTS("-o --output -l --log"), HELPS("-h --help -V --version")),

    /* Dates, numbers, random words, pictures made of letters. */
    SHOWS(
        "dateadd datediff dateconv dateseq dateround datetest dateutils.dadd dateutils.ddiff dateutils.dconv "
        "dateutils.dseq dateutils.dround dateutils.dtest dateutils.strptime",
        FLAGS(
            "-q --quiet -e --backslash-escapes -S --sed-mode -n --next --lt --gt --eq --ne --le --ge --isvalid --cmp"),
        VALUES("-f --format -i --input-format --from-zone --zone -b --base --locale -s --skip"), HELP),
    SHOWS("pwgen apg", FLAGS("-0 -1 -A -B -C -c -n -s -v -y --symbols --secure --numerals --capitalize --no-numerals"),
          FLAGS("--no-capitalize --ambiguous --no-vowels"), VALUES("-r --remove-chars -a -M -m -x -N")),
    SHOWS("uuid", FLAGS("-1 -m"), VALUES("-v -n -F")),
    SHOWS("figlet toilet banner", FLAGS("-c -l -r -t -k -s -W -p -n -D -E"), VALUES("-f -w -m"), TREES("-d"),
          HELPS("-v --version -h --help")),
    SHOWS("cowsay cowthink", FLAGS("-b -d -g -n -p -s -t -w -y -l"), VALUES("-e -T -W"), HELPS("-h")),
    LOOKS_AT("lolcat", FLAGS("-a -f -i -t --force --invert --truecolor"), VALUES("-p -F -S -d -s"), HELP),
    SHOWS("fortune", FLAGS("-a -c -e -f -l -o -s -w -i -u"), VALUES("-n -m")),
    PLAIN("neofetch screenfetch fastfetch pfetch cpufetch"),
    {"jot", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(FLAGS("-c -n -r"), VALUES("-b -w -s -p")),
     .rest = NONE, .numeric_options = true},
    SHOWS("spark sparkline", HELPS("-h --help --version")),
    LOOKS_AT("ministat histo", FLAGS("-n -q -s -A --N --mean --sum --min --max --stddev --sum --complete --summary"),
             VALUES("-c -C -d -w")),
    {"sd", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-F -s --string-mode --fixed-strings"), VALUES("-f --flags -n --max-replacements"), HELP),
     .first = {NONE, NONE}, .first_count = 2, .rest = SHELL_EFFECT_WRITE, .reads_input = true},
    {"choose", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-c --character-wise -x --exclusive -n --non-greedy"),
                        VALUES("-f --field-separator -o --output-field-separator"), FILES("-i --input"), HELP),
     .rest = READ, .reads_input = true},
    {"hck", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options = OPTIONS(FLAGS("-L --delim-is-literal"), VALUES("-f --fields -d --delimiter -D --output-delimiter -F"),
                        VALUES("--header-field"), OUTPUTS("-o --output"), HELP),
     .rest = READ, .reads_input = true},
    SHOWS("envsubst", FLAGS("-v --variables"), HELPS("-h --help -V --version")),

    /* Archives and packages of others. */
    {"rar unrar unrar-free", .judge = judge_rar},
    LOOKS_AT("lsar", FLAGS("-l -long -L -verylong -j -json -t -test"), VALUES("-e -encoding"), HELPS("-v -version -h")),
    LOOKS_WITH("bsdtar", "-t --list", FLAGS("-t --list -v --verbose -z -j -J -a -n -q"), FILES("-f --file"),
               VALUES("--exclude --include"), HELPS("--help --version")),
    LOOKS_WITH("cabextract", "-l --list -t --test", FLAGS("-l --list -t --test -q -L"), HELPS("-h --help --version")),
    LOOKS_WITH("dpkg-deb", "-c --contents -I --info -f --field -W --show --fsys-tarfile --ctrl-tarfile",
               FLAGS("-c --contents -I --info -f --field -W --show --fsys-tarfile --ctrl-tarfile"),
               VALUES("--showformat"), HELPS("-? --help --version")),
    LOOKS_AT("rpm2cpio zipdetails", FLAGS("-n -v"), HELPS("-h --help --version")),
    COMMANDS("apt-file",
             SHOWS("search find list show", FLAGS("-x --regexp -l --package-only -F --fixed-string -i -v -I"),
                   VALUES("-a --architecture"))),
    COMMANDS("apt-config", SHOWS("dump shell", FLAGS("--empty"), VALUES("--format"))),
    SHOWS("debconf-show", FLAGS("--listowners --listdbs"), VALUES("--db")),
    COMMANDS("apk",
             SHOWS("info list policy version search stats dot audit",
                   FLAGS("-v --verbose -vv -e --installed -I -L --contents -R --depends -r --rdepends -a --all -d"
                         " --description -s --size -w --webpage -W --who-owns -q --quiet -O --orphaned -u"
                         " --upgradable --available --no-network"))),
    COMMANDS("opkg", PLAIN("list list-installed list-upgradable files search info status whatdepends")),
    SHOWS("xbps-query",
          FLAGS("-l --list-pkgs -L --list-repos -f --files -S --show -s --search -m --list-manual-pkgs -O"
                " -o --ownedby -x --deps -X --revdeps -H -v"),
          VALUES("-p --property"), HELPS("-h --help -V --version")),
    {"port", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = OPTIONS(HELPS("--version --help")),
     .subcommands =
         SUBCOMMANDS(PLAIN("installed list info contents provides version outdated echo deps dependents variants")),
     .check_words = check_port, .needs_none = "Portfile"},
    COMMANDS("equery", SHOWS("belongs check depends depgraph files hasuse list meta size uses which",
                             FLAGS("-e --exact-name -f --full-regex -i -t --tree -v --verbose -q --quiet"))),
    SHOWS("qlist qfile qdepends quse qsize", FLAGS("-I --installed -v --verbose -q --quiet -e --exact -a --all -S -U"),
          HELPS("-h --help -V --version")),
    {"update-alternatives", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY,
     .options =
         OPTIONS(FLAGS("--get-selections -v --verbose"), VALUES("--display --list --query"), HELPS("--help --version")),
     .needs = "--get-selections --display --list --query"},
    {0},
};
