/*
 * programs_sed.c: sed (GNU 4.9): its options, and its own language, read as far as it must be to know that no command
 * writes (w, W, s///w), runs something (e, s///e), and which files are read (r, R). What is not read with certainty is
 * unknown.
 */
#include "shell/programs.h"
#include "shell/rows.h"
#include <string.h>

struct sed {
    struct shell_reading *reading;
    struct hv_str text;
    size_t at;
    bool runs; /* a command that runs something was found: nothing else matters */
};

/* The byte at the place, or NUL at the end; a script has no NUL of its own (it comes from an argument). */
static char peek(const struct sed *sed)
{
    return sed->at < sed->text.len ? sed->text.ptr[sed->at] : 0;
}

static void skip_blanks(struct sed *sed)
{
    while (peek(sed) == ' ' || peek(sed) == '\t')
        sed->at++;
}

static void skip_digits(struct sed *sed)
{
    while (peek(sed) >= '0' && peek(sed) <= '9')
        sed->at++;
}

/* ---- what stands between delimiters ---------------------------------------------------------------------- */

enum brackets { BRACKETS_PLAIN, BRACKETS_POSIX, BRACKETS_ESCAPED };

/* The end of a bracket expression whose "[" stands at `at`; where it does not end, the end of the text. */
static size_t end_of_brackets(struct hv_str text, size_t at, enum brackets how)
{
    at++;
    if (at < text.len && text.ptr[at] == '^')
        at++;
    if (at < text.len && text.ptr[at] == ']')
        at++;
    while (at < text.len && text.ptr[at] != ']') {
        bool class = text.ptr[at] == '[' && at + 1 < text.len && strchr(":.=", text.ptr[at + 1]);
        if (class) {
            char end[] = {text.ptr[at + 1], ']'};
            size_t close = hv_str_find(text, hv_str_of(end, 2), at + 2);
            at = close == SIZE_MAX ? text.len : close + 2;
        } else {
            at += how == BRACKETS_ESCAPED && text.ptr[at] == '\\' ? 2 : 1;
        }
    }
    return at < text.len ? at + 1 : text.len;
}

/* The place of the delimiter that ends what starts at `at`, or SIZE_MAX. */
static size_t find_delimiter(struct hv_str text, size_t at, char delimiter, enum brackets how)
{
    while (at < text.len && text.ptr[at] != delimiter) {
        if (text.ptr[at] == '\\')
            at += 2;
        else if (text.ptr[at] == '[' && how != BRACKETS_PLAIN)
            at = end_of_brackets(text, at, how);
        else
            at++;
    }
    return at < text.len ? at : SIZE_MAX;
}

/* What stands in the brackets around `place`, before it. */
static struct hv_str inside_brackets(const struct sed *sed, size_t place)
{
    size_t open = sed->at;
    for (size_t at = open; at < place;) {
        bool opens = sed->text.ptr[at] == '[';
        open = opens ? at : open;
        at = opens ? end_of_brackets(sed->text, at, BRACKETS_POSIX) : at + 1 + (sed->text.ptr[at] == '\\');
    }
    return hv_str_slice(sed->text, open + 1, place);
}

/* s/[^/]*$//: for versions to which the delimiter at `plain`, the last of the brackets, is the end of the pattern, that
 * is "[^", which is an error, found before anything runs. Only a file that the flags name would be made before. */
static bool is_error(const struct sed *sed, size_t plain, char delimiter, bool replaces)
{
    struct hv_str inside = inside_brackets(sed, plain);
    size_t at = find_delimiter(sed->text, plain + 1, delimiter, BRACKETS_PLAIN);
    bool last = plain + 1 < sed->text.len && sed->text.ptr[plain + 1] == ']' && delimiter != ']';
    /* … and not those that some read as closed. */
    bool odd = hv_str_starts(inside, HV_STR("]")) || hv_str_starts(inside, HV_STR("^]")) ||
               hv_str_find(inside, HV_STR("[."), 0) != SIZE_MAX || hv_str_find(inside, HV_STR("[="), 0) != SIZE_MAX;
    while (replaces && at < sed->text.len && ++at < sed->text.len &&
           strchr("gpiImMe0123456789 \t\r\v\f", sed->text.ptr[at]))
        ;
    return last && !odd && (!replaces || at >= sed->text.len || sed->text.ptr[at] != 'w');
}

/* Pass a regular expression up to its delimiter. Brackets that hold the delimiter are read in more than one way by
 * different versions: only what all ways agree on is accepted, or what is an error in the others. */
static bool pass_pattern(struct sed *sed, char delimiter, bool replaces)
{
    size_t plain = find_delimiter(sed->text, sed->at, delimiter, BRACKETS_PLAIN);
    size_t posix = find_delimiter(sed->text, sed->at, delimiter, BRACKETS_POSIX);
    size_t escaped = find_delimiter(sed->text, sed->at, delimiter, BRACKETS_ESCAPED);
    if (plain == SIZE_MAX || posix == SIZE_MAX || posix != escaped ||
        (plain != posix && !is_error(sed, plain, delimiter, replaces)) ||
        hv_str_find_byte(hv_str_slice(sed->text, sed->at, posix), '\n', 0) != SIZE_MAX)
        return false;
    sed->at = posix + 1;
    return true;
}

/* The replacement of s and the halves of y: only backslashes count; a newline needs one. */
static bool pass_replacement(struct sed *sed, char delimiter)
{
    for (; sed->at < sed->text.len && peek(sed) != delimiter; sed->at++) {
        if (peek(sed) == '\n')
            return false;
        if (peek(sed) == '\\')
            sed->at++;
    }
    return sed->at++ < sed->text.len;
}

static bool is_delimiter(char byte)
{
    return byte && byte != '\n' && byte != '\\' && !((unsigned char)byte & 0x80);
}

/* ---- addresses ------------------------------------------------------------------------------------------ */

static bool pass_regex_address(struct sed *sed)
{
    char delimiter = peek(sed);
    sed->at++;
    if (delimiter == '\\') {
        delimiter = peek(sed);
        sed->at++;
    }
    if (!is_delimiter(delimiter) || !pass_pattern(sed, delimiter, false))
        return false;
    while (peek(sed) == 'I' || peek(sed) == 'M')
        sed->at++;
    return true;
}

/* One address, if there is one. */
static bool pass_address(struct sed *sed, bool second)
{
    char byte = peek(sed);
    if (byte == '/' || byte == '\\')
        return pass_regex_address(sed);
    if (byte == '$') {
        sed->at++;
    } else if (second && (byte == '+' || byte == '~')) {
        sed->at++;
        skip_digits(sed);
    } else if (byte >= '0' && byte <= '9') {
        skip_digits(sed);
        if (peek(sed) == '~') {
            sed->at++;
            skip_digits(sed);
        }
    } else {
        return !second;
    }
    return true;
}

static bool pass_addresses(struct sed *sed)
{
    if (!pass_address(sed, false))
        return false;
    skip_blanks(sed);
    if (peek(sed) == ',') {
        sed->at++;
        skip_blanks(sed);
        if (!pass_address(sed, true))
            return false;
        skip_blanks(sed);
    }
    if (peek(sed) == '!') {
        sed->at++;
        skip_blanks(sed);
    }
    return true;
}

/* ---- commands ------------------------------------------------------------------------------------------- */

/* The rest of the line: a file's name. */
static struct hv_str rest_of_line(struct sed *sed)
{
    skip_blanks(sed);
    size_t end = hv_str_find_byte(sed->text, '\n', sed->at);
    struct hv_str line = hv_str_slice(sed->text, sed->at, end);
    sed->at = end == SIZE_MAX ? sed->text.len : end;
    return line;
}

static void touch_file(struct sed *sed, bool writes)
{
    struct shell_word *word = hv_arena_new(sed->reading->arena, struct shell_word);
    *word = shell_word_known(rest_of_line(sed));
    if (writes && !shell_names_have("/dev/stdout /dev/stderr", word->value))
        shell_writes(sed->reading, word, false);
    else if (!writes)
        shell_reads(sed->reading, word, false);
}

static bool executes(struct sed *sed)
{
    sed->runs = true;
    shell_worsen(sed->reading, SHELL_EXECUTES, "the script of sed runs commands (e)");
    return false;
}

/* s and its flags. */
static bool pass_substitution(struct sed *sed)
{
    char delimiter = peek(sed);
    sed->at++;
    if (!is_delimiter(delimiter) || !pass_pattern(sed, delimiter, true) || !pass_replacement(sed, delimiter))
        return false;
    while (peek(sed) && strchr("gpiImM0123456789", peek(sed)))
        sed->at++;
    if (peek(sed) == 'e')
        return executes(sed);
    if (peek(sed) == 'w') {
        sed->at++;
        touch_file(sed, true);
    }
    return true;
}

static bool pass_translation(struct sed *sed)
{
    char delimiter = peek(sed);
    sed->at++;
    return is_delimiter(delimiter) && pass_replacement(sed, delimiter) && pass_replacement(sed, delimiter);
}

/* a, i, c: text up to the first newline without a backslash before it. */
static bool pass_text(struct sed *sed)
{
    for (; sed->at < sed->text.len && peek(sed) != '\n'; sed->at++) {
        if (peek(sed) != '\\')
            continue;
        sed->at++;
        /* Two backslashes before a newline: versions differ on what ends there. */
        if (peek(sed) == '\\' && sed->at + 1 < sed->text.len && sed->text.ptr[sed->at + 1] == '\n')
            return false;
    }
    return true;
}

static bool pass_label(struct sed *sed)
{
    skip_blanks(sed);
    while (peek(sed) == '_' || peek(sed) == '.' || peek(sed) == '-' || (peek(sed) >= '0' && peek(sed) <= '9') ||
           (peek(sed) >= 'a' && peek(sed) <= 'z') || (peek(sed) >= 'A' && peek(sed) <= 'Z'))
        sed->at++;
    return true;
}

/* The command's letter is passed already. */
static bool pass_command(struct sed *sed, char letter)
{
    switch (letter) {
    case '{':
    case '}':
    case '=':
    case 'd':
    case 'D':
    case 'F':
    case 'g':
    case 'G':
    case 'h':
    case 'H':
    case 'n':
    case 'N':
    case 'p':
    case 'P':
    case 'x':
    case 'z': return true;
    case 'l':
    case 'L':
    case 'q':
    case 'Q':
        skip_blanks(sed);
        skip_digits(sed);
        return true;
    case ':':
    case 'b':
    case 't':
    case 'T':
    case 'v': return pass_label(sed);
    case 'a':
    case 'i':
    case 'c': return pass_text(sed);
    case 's': return pass_substitution(sed);
    case 'y': return pass_translation(sed);
    case 'r':
    case 'R': touch_file(sed, false); return true;
    case 'w':
    case 'W': touch_file(sed, true); return true;
    case 'e': return executes(sed);
    default: return false;
    }
}

/* After a command: blanks, then ";", "}", a comment, the end of the line. */
static bool pass_end(struct sed *sed, char letter)
{
    skip_blanks(sed);
    if (letter == '{')
        return true;
    return !peek(sed) || strchr(";}#\n", peek(sed));
}

static bool pass_script(struct sed *sed)
{
    for (;;) {
        while (peek(sed) == ';' || peek(sed) == '\n' || peek(sed) == ' ' || peek(sed) == '\t')
            sed->at++;
        if (sed->at >= sed->text.len)
            return true;
        if (peek(sed) == '#') {
            (void)rest_of_line(sed);
            continue;
        }
        if (!pass_addresses(sed))
            return false;
        char letter = peek(sed);
        sed->at++;
        if (!letter || !pass_command(sed, letter) || !pass_end(sed, letter))
            return false;
    }
}

/* ---- the program ---------------------------------------------------------------------------------------- */

static const struct shell_program sed_row = {
    "sed", SHELL_SYNTAX_GNU, SHELL_READ_ONLY,
    .options = OPTIONS(
        FLAGS(
            "-n --quiet --silent --debug -E -r --regexp-extended --follow-symlinks --posix -b --binary -s --separate"),
        FLAGS("--sandbox -u --unbuffered -z --null-data"), VALUES("-e --expression -l --line-length"),
        {"-f --file", SHELL_EFFECT_NONE, SHELL_ARITY_ONE}, {"-i --in-place", SHELL_EFFECT_NONE, SHELL_ARITY_OPTIONAL},
        HELPS("--help --version"))};

static bool is_script(const struct shell_given *given)
{
    return shell_names_have("-e --expression", given->name);
}

/* The scripts of all -e, each a line. False: one is not known, or stands in a file. */
static bool join_scripts(struct shell_reading *reading, const struct shell_arguments *arguments, struct hv_str *text)
{
    size_t size = 0, length = 0;
    *text = (struct hv_str){0};
    for (size_t i = 0; i < arguments->given_count; i++) {
        const struct shell_given *given = &arguments->given[i];
        if (shell_names_have("-f --file", given->name) || (is_script(given) && !given->argument.known))
            return false;
        size += is_script(given) ? given->argument.value.len + 1 : 0;
    }
    if (!size)
        return true;
    char *lines = hv_arena_alloc(reading->arena, size);
    for (size_t i = 0; i < arguments->given_count; i++) {
        struct hv_str script = arguments->given[i].argument.value;
        if (!is_script(&arguments->given[i]))
            continue;
        if (script.len)
            memcpy(lines + length, script.ptr, script.len);
        length += script.len;
        lines[length++] = '\n';
    }
    *text = hv_str_of(lines, length - 1);
    return true;
}

static void judge_script(struct shell_reading *reading, const struct shell_arguments *arguments, size_t *first)
{
    struct hv_str text;
    bool known = join_scripts(reading, arguments, &text);
    *first = 0;
    if (known && !text.ptr && !shell_given(arguments, "-f --file")) {
        *first = 1;
        known = arguments->operand_count && arguments->operands[0]->known;
        text = known ? arguments->operands[0]->value : text;
    }
    if (!known && shell_given(arguments, "--sandbox"))
        return;
    struct sed sed = {reading, text, .at = 0};
    if (!known)
        shell_worsen(reading, arguments->operand_count || arguments->given_count ? SHELL_EXECUTES : SHELL_READ_ONLY,
                     "the script of sed is not known, and may run commands");
    else if (hv_str_find_byte(text, 0, 0) != SIZE_MAX || (!pass_script(&sed) && !sed.runs))
        shell_worsen(reading, SHELL_UNKNOWN, "the script of sed is not understood");
}

/* -i writes the files, and with a suffix copies of them. */
static void judge_in_place(struct shell_reading *reading, const struct shell_given *given,
                           const struct shell_word *word)
{
    shell_writes(reading, word, false);
    if (!given->has_argument || (given->argument.known && !given->argument.value.len))
        return;
    struct hv_str suffix = given->argument.value;
    bool plain = given->argument.known && word->known && hv_str_find_byte(suffix, '/', 0) == SIZE_MAX &&
                 hv_str_find_byte(suffix, '*', 0) == SIZE_MAX;
    struct shell_word *copy = hv_arena_new(reading->arena, struct shell_word);
    *copy = plain ? shell_word_known(hv_arena_join(reading->arena, word->value, suffix)) : shell_word_unknown(false);
    shell_writes(reading, copy, false);
}

static void judge_sed(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    size_t first;
    words = shell_fill_addresses(reading, shell_fill_script(reading, words, count), count);
    if (!shell_arguments(reading, &sed_row, words, count, &arguments) || arguments.help)
        return;
    judge_script(reading, &arguments, &first);
    const struct shell_given *in_place = shell_given(&arguments, "-i --in-place");
    reading->act.reads_input = arguments.operand_count <= first;
    for (size_t i = first; i < arguments.operand_count; i++) {
        shell_reads(reading, arguments.operands[i], false);
        if (in_place)
            judge_in_place(reading, in_place, arguments.operands[i]);
    }
    if (in_place && reading->act.class == SHELL_WRITES)
        reading->act.why = HV_STR("sed -i writes its files");
}

const struct shell_program shell_programs_sed[] = {
    {"sed", .judge = judge_sed},
    {0},
};
