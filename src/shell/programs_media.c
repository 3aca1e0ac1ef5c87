/*
 * programs_media.c: what tells about pictures, films, sound and documents: poppler's tools 22, exiftool 12, mediainfo
 * 22, ffprobe 5. ImageMagick's are left out: they choose a program of their own by what a file contains. A name with a
 * colon is an address or a device to several of these.
 */
#include "shell/programs.h"
#include "shell/rows.h"

/* ---- poppler --------------------------------------------------------------------------------------------- */

static const struct shell_option poppler_options[] = {
    VALUES("-f -l -opw -upw -enc -eol -r -x -y -W -H -fixed -colspacing"),
    FLAGS("-box -meta -custom -js -struct -struct-text -isodates -rawdates -dests -url -listenc -subst -loc -locC"
          " -layout -raw -nodiag -htmlmeta -tsv -nopgbrk -bbox -bbox-layout -cropbox -q"),
    HELPS("-v -h -help --help -?"),
    {0},
};
#define POPPLER_ROW(names)                                                                                             \
    {                                                                                                                  \
        names, SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = poppler_options, .rest = SHELL_EFFECT_READ              \
    }

/* pdftotext FILE writes FILE.txt; FILE - prints. */
static void judge_pdftotext(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_program row = POPPLER_ROW("pdftotext");
    struct shell_arguments arguments;
    if (!shell_arguments(reading, &row, words, count, &arguments) || arguments.help)
        return;
    if (arguments.operand_count)
        shell_reads(reading, arguments.operands[0], false);
    if (arguments.operand_count != 2 || arguments.scattered || !arguments.operands[1]->known ||
        !hv_str_is(arguments.operands[1]->value, "-"))
        shell_worsen(reading, SHELL_WRITES, "pdftotext writes the text to a file unless that is -");
    if (reading->act.class == SHELL_WRITES)
        reading->act.writes_listed = false;
}

/* pdfimages and pdfdetach take things out, unless they are to list them. */
static void judge_pdf_lists(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_option options[] = {
        FLAGS("-list -q"), VALUES("-f -l -opw -upw -enc"), HELPS("-v -h -help --help -?"), {0}};
    static const struct shell_program row = {"list", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = options};
    struct shell_arguments arguments;
    if (!shell_arguments(reading, &row, words, count, &arguments) || arguments.help)
        return;
    for (size_t at = 0; at < arguments.operand_count; at++)
        shell_reads(reading, arguments.operands[at], false);
    if (!shell_given(&arguments, "-list") || arguments.operand_count > 1)
        shell_changes(reading, "without -list it writes files");
}

/* ---- names that may be addresses ------------------------------------------------------------------------- */

/* All operands are files: known, and without what would make them an address, a device or a list. */
static void read_plain_files(struct shell_reading *reading, const struct shell_arguments *arguments)
{
    for (size_t at = 0; at < arguments->operand_count; at++) {
        const struct shell_word *word = arguments->operands[at];
        bool plain = hv_str_find_byte(word->value, ':', 0) == SIZE_MAX && hv_str_find_byte(word->value, '@', 0) != 0;
        bool glob = !word->known && word->flags & SHELL_WORD_GLOB &&
                    !(word->flags & ~(unsigned)(SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED));
        if (!plain || (!word->known && !(glob && word->value.len)))
            shell_worsenf(reading, SHELL_NETWORK, "%.*s may be an address", HV_STR_ARG(word->text));
        shell_reads(reading, word, true);
    }
}

static void judge_ffprobe(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_option options[] = {
        FLAGS("-hide_banner -show_format -show_streams -show_frames -show_packets -show_chapters -show_programs"
              " -show_error -show_data -show_private_data -pretty -unit -prefix -byte_binary_prefix -sexagesimal"
              " -bitexact -count_frames -count_packets -show_program_version -show_library_versions -show_versions"),
        VALUES("-v -loglevel -print_format -of -output_format -show_entries -select_streams -read_intervals"
               " -show_data_hash -analyzeduration -probesize"),
        HELPS("-version -formats -codecs -decoders -encoders -protocols -filters -pix_fmts -h -help --help -?"),
        {0}};
    static const struct shell_option input = {"-i", SHELL_EFFECT_NONE, SHELL_ARITY_ONE};
    static const struct shell_option inputs[] = {{"-i", SHELL_EFFECT_NONE, SHELL_ARITY_ONE}, {0}};
    static const struct shell_program row = {"ffprobe", SHELL_SYNTAX_WORDS, SHELL_READ_ONLY, .options = options,
                                             .more_options = inputs};
    struct shell_arguments arguments;
    if (!shell_arguments(reading, &row, words, count, &arguments) || arguments.help)
        return;
    const struct shell_given *given = shell_given(&arguments, input.names);
    if (given)
        arguments.operands[arguments.operand_count++] = &given->argument;
    read_plain_files(reading, &arguments);
}

static void judge_mediainfo(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    static const struct shell_option options[] = {
        FLAGS("-f --Full"), MAYBE("--Output --Inform --Language"), HELPS("--Help -h --Version --Info-Parameters"), {0}};
    static const struct shell_program row = {"mediainfo", SHELL_SYNTAX_EXACT, SHELL_READ_ONLY, .options = options};
    struct shell_arguments arguments;
    if (!shell_arguments(reading, &row, words, count, &arguments) || arguments.help)
        return;
    const struct shell_given *output = shell_given(&arguments, "--Output");
    if (output &&
        !(output->argument.known && shell_names_have("JSON XML HTML Text CSV OLDXML", output->argument.value)))
        shell_worsen(reading, SHELL_UNKNOWN, "the template of mediainfo may be a file");
    const struct shell_given *inform = shell_given(&arguments, "--Inform");
    if (inform && (!inform->argument.known || hv_str_find(inform->argument.value, HV_STR("://"), 0) != SIZE_MAX ||
                   hv_str_find_byte(inform->argument.value, ';', 0) == SIZE_MAX))
        shell_worsen(reading, SHELL_UNKNOWN, "the template of mediainfo may be a file");
    read_plain_files(reading, &arguments);
}

/* ---- exiftool -------------------------------------------------------------------------------------------- */

/* Its options are tags, too, and are taken in either case: only what is listed is certain to be no other option. */
static bool exiftool_shows(struct hv_str word, bool *takes)
{
    static const char flags[] = "-a -b -e -ee -f -g -G -g0 -g1 -g2 -g3 -g4 -G0 -G1 -G2 -G3 -G4 -h -H -j -json -l -L -m "
                                "-n -q -r -s -S -s2 -s3 -t -T -u -U -v -X -struct -fast -fast2 -ver -args -csv -php "
                                "-short -groupNames -veryShort";
    static const char tags[] = "-all -exif:all -EXIF:all -gps:all -GPS:all -xmp:all -XMP:all -iptc:all -IPTC:all -Make "
                               "-Model -DateTimeOriginal -CreateDate -ModifyDate -ImageSize -ImageWidth -ImageHeight "
                               "-Orientation -GPSLatitude -GPSLongitude -GPSPosition -GPSAltitude -FileName -FileType "
                               "-FileSize -MIMEType -Duration -Title -Author -Artist -Copyright -Software -Creator "
                               "-Comment -Description -Keywords -ISO -FNumber -ExposureTime -FocalLength -LensModel "
                               "-Rotation -ColorSpace -BitDepth -PageCount -Producer";
    *takes = shell_names_have("-c -d -x -ext", word);
    return *takes || shell_names_have(flags, word) || shell_names_have(tags, word);
}

static void judge_exiftool(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    for (size_t at = 1; at < count; at++) {
        bool takes = false, plain = words[at].value.len && words[at].known;
        bool option = plain && *words[at].value.ptr == '-';
        bool glob = !words[at].known && words[at].value.len && *words[at].value.ptr != '-' &&
                    words[at].flags & SHELL_WORD_GLOB && !shell_may_be_option(&words[at]);
        if ((!plain && !glob) || (option && !exiftool_shows(words[at].value, &takes)) ||
            (takes && (at + 1 >= count || !words[at + 1].known))) {
            shell_worsenf(reading, SHELL_UNKNOWN, "what exiftool does with %.*s is not known",
                          HV_STR_ARG(words[at].text));
            return;
        }
        if (takes)
            at++;
        else if (!option)
            shell_reads(reading, &words[at], true);
    }
}

/* By what a picture contains ImageMagick chooses the program that reads it. */
static void judge_pictures(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    if (count == 2 && words[1].known && shell_names_have("-version --version -help", words[1].value))
        return;
    if (count == 3 && words[1].known && words[2].known && hv_str_is(words[1].value, "-list") &&
        shell_names_have("format font color type delegate resource policy configure", words[2].value))
        return;
    reading->act.reads_listed = reading->act.writes_listed = false;
    shell_worsenf(reading, SHELL_EXECUTES, "%.*s starts the program that a picture asks for, and may write",
                  HV_STR_ARG(words[0].value));
}

const struct shell_program shell_programs_media[] = {
    POPPLER_ROW("pdfinfo pdffonts"),
    {"pdftotext", .judge = judge_pdftotext},
    {"pdfimages pdfdetach", .judge = judge_pdf_lists},
    {"ffprobe", .judge = judge_ffprobe},
    {"mediainfo", .judge = judge_mediainfo},
    {"exiftool", .judge = judge_exiftool},
    {"convert magick mogrify identify montage compare composite", .judge = judge_pictures},
    {"gs inkscape gimp pdftoppm pdftocairo"
     " tesseract soffice libreoffice wkhtmltopdf HandBrakeCLI",
     .judge = shell_judge_tool},
    {0},
};
