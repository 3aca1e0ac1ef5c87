/*
 * programs_awk.c: awk (mawk 1.3, gawk 5.2, the one true awk): options, and a careful look at the program: no system(),
 * no pipe, no output into a file, no getline from what is not known, no indirect call. What the look is not sure of is
 * unknown.
 */
#include "shell/programs.h"
#include "shell/rows.h"
#include <string.h>

struct awk {
    struct shell_reading *reading;
    struct hv_str text;
    size_t at;
    bool operand;       /* what was read last can stand before "/" as a dividend */
    bool unclear;       /* … or before one that begins a pattern: if (x) /y/ */
    bool printing;      /* in a print statement: ">" outside of parentheses is a redirection */
    size_t depth;       /* of parentheses */
    size_t print_depth; /* that the print statement stands in */
    enum shell_class class;
    const char *why;
    uint64_t heads; /* of the parentheses that are open, which hold the condition of an if, while or for */
    bool head;      /* the next one does */
};

static bool fails(struct awk *awk, enum shell_class class, const char *why)
{
    if (class < awk->class) {
        awk->class = class;
        awk->why = why;
    }
    return false;
}

static bool is_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || (byte >= '0' && byte <= '9');
}

static char peek(const struct awk *awk)
{
    return awk->at < awk->text.len ? awk->text.ptr[awk->at] : 0;
}

static void skip_blanks(struct awk *awk)
{
    while (peek(awk) == ' ' || peek(awk) == '\t')
        awk->at++;
}

/* A string's content without its quotes; false when it does not end on its line. */
static bool pass_string(struct awk *awk, struct hv_str *content)
{
    size_t start = ++awk->at;
    while (awk->at < awk->text.len && peek(awk) != '"') {
        if (peek(awk) == '\n')
            return false;
        awk->at += peek(awk) == '\\' ? 2 : 1;
    }
    if (awk->at >= awk->text.len)
        return false;
    *content = hv_str_slice(awk->text, start, awk->at++);
    awk->operand = true;
    return true;
}

/* Pass [ … ], of which the "[" is at hand: "]" is one of its signs where it stands first, and names of classes have
 * brackets of their own. Versions differ on all that, and on a slash within: then it is not understood. */
static bool pass_brackets(struct awk *awk)
{
    awk->at += awk->at + 1 < awk->text.len && awk->text.ptr[awk->at + 1] == '^' ? 2 : 1;
    for (bool first = true; awk->at < awk->text.len; awk->at++, first = false) {
        char byte = peek(awk), next = awk->at + 1 < awk->text.len ? awk->text.ptr[awk->at + 1] : 0;
        if (byte == '\n' || byte == '/')
            return false;
        if (byte == ']' && !first)
            return true;
        if (byte == '\\')
            awk->at++;
        if (byte != '[' || !next || !strchr(":.=", next))
            continue;
        const char end[] = {next, ']'};
        size_t close = hv_str_find(awk->text, hv_str_of(end, 2), awk->at + 2);
        struct hv_str name = hv_str_slice(awk->text, awk->at + 2, close);
        if (close == SIZE_MAX || hv_str_find_byte(name, '/', 0) != SIZE_MAX ||
            hv_str_find_byte(name, '\n', 0) != SIZE_MAX)
            return false;
        awk->at = close + 1;
    }
    return false;
}

/* A pattern between slashes. */
static bool pass_regex(struct awk *awk)
{
    for (awk->at++; awk->at < awk->text.len && peek(awk) != '/'; awk->at++) {
        if (peek(awk) == '\n' || (peek(awk) == '[' && !pass_brackets(awk)))
            return false;
        if (peek(awk) == '\\')
            awk->at++;
    }
    awk->operand = true;
    return awk->at++ < awk->text.len;
}

/* A file named by a string: "-" and the streams are not written. */
static bool redirect(struct awk *awk)
{
    struct hv_str name;
    while (peek(awk) == '>')
        awk->at++;
    skip_blanks(awk);
    if (peek(awk) != '"' || !pass_string(awk, &name) || hv_str_find_byte(name, '\\', 0) != SIZE_MAX ||
        hv_str_starts(name, HV_STR("/inet")))
        return fails(awk, SHELL_UNKNOWN, "awk writes to what is not known");
    /* "a" b would be joined: what follows must end the statement. */
    skip_blanks(awk);
    if (peek(awk) && !strchr(";}\n", peek(awk)))
        return fails(awk, SHELL_UNKNOWN, "awk writes to what is not known");
    struct shell_word *word = hv_arena_new(awk->reading->arena, struct shell_word);
    *word = shell_word_known(hv_str_is(name, "-") ? HV_STR("/dev/stdout") : name);
    if (!shell_names_have("/dev/stdout /dev/stderr /dev/null", word->value))
        shell_writes(awk->reading, word, false);
    return true;
}

/* sort, and cat: what print is piped into may be these, with options that write nothing. gawk hands on what the program
 * sets in ENVIRON, PATH too. */
static bool is_filter(const struct awk *awk, struct hv_str command)
{
    static const char letters[] = "bdfghinrsuVk0123456789,.";
    const struct shell_world *world = awk->reading->world;
    struct hv_str rest = command, word, name = hv_str_slice(command, 0, hv_str_find_byte(command, ' ', 0));
    bool fine = hv_str_is(name, "sort");
    while (hv_str_split(&rest, ' ', &word))
        for (size_t i = 0; word.ptr > command.ptr && i < word.len; i++)
            fine = fine && (i ? strchr(letters, word.ptr[i]) != NULL : word.ptr[i] == '-');
    fine = fine || hv_str_is(command, "cat") || hv_str_is(command, "cat 1>&2") || hv_str_is(command, "cat >&2");
    bool sets = hv_str_find(awk->text, HV_STR("ENVIRON"), 0) != SIZE_MAX ||
                hv_str_find(awk->text, HV_STR("SYMTAB"), 0) != SIZE_MAX;
    return fine && !sets && world->is_system_program && world->is_system_program(world->user, name);
}

/* print x | "sort -rn": the string is all that stands behind the bar. */
static bool pipe_into(struct awk *awk)
{
    struct hv_str command;
    skip_blanks(awk);
    bool filters = awk->printing && awk->depth == awk->print_depth && peek(awk) == '"' && pass_string(awk, &command) &&
                   is_filter(awk, command);
    skip_blanks(awk);
    return filters && (!peek(awk) || strchr(";}\n", peek(awk)))
               ? true
               : fails(awk, SHELL_EXECUTES, "the program of awk runs commands (|)");
}

/* A number as all versions read it: 12, 1e5, 0x1f. A name may stand right behind one, as in 2system("x"). */
static bool is_plain_number(struct hv_str text)
{
    bool hex = text.len > 2 && text.ptr[0] == '0' && (text.ptr[1] | 0x20) == 'x';
    size_t at = hex ? 2 : 0;
    while (at < text.len && ((text.ptr[at] >= '0' && text.ptr[at] <= '9') ||
                             (hex && (text.ptr[at] | 0x20) >= 'a' && (text.ptr[at] | 0x20) <= 'f')))
        at++;
    if (!hex && at && at < text.len && (text.ptr[at] | 0x20) == 'e')
        at++;
    while (at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9')
        at++;
    return at == text.len;
}

/* What getline may put its line into: nothing, a name, $ and a name or a number. */
static bool is_plain_target(struct hv_str target)
{
    size_t at = 0;
    while (at < target.len && target.ptr[at] == '$')
        at++;
    struct hv_str name = hv_str_slice(target, at, target.len);
    if (!name.len)
        return !at; /* $(expression) */
    if (name.ptr[0] >= '0' && name.ptr[0] <= '9')
        return is_plain_number(name);
    return hv_str_find_byte(name, '$', 0) == SIZE_MAX &&
           !shell_names_have("system getline print printf delete if while for do else return exit next in", name);
}

/* getline, getline x, getline < "file": the only forms that are understood. */
static bool pass_getline(struct awk *awk)
{
    struct hv_str name;
    skip_blanks(awk);
    size_t start = awk->at;
    while (is_name(peek(awk)) || peek(awk) == '$')
        awk->at++;
    bool plain = is_plain_target(hv_str_slice(awk->text, start, awk->at));
    skip_blanks(awk);
    awk->operand = awk->unclear = true;
    if (peek(awk) == '[' || !plain)
        return fails(awk, SHELL_UNKNOWN, "awk reads from what is not known");
    if (peek(awk) != '<')
        return true;
    awk->at++;
    skip_blanks(awk);
    if (peek(awk) != '"' || !pass_string(awk, &name) || hv_str_starts(name, HV_STR("/inet")) ||
        hv_str_find_byte(name, '\\', 0) != SIZE_MAX)
        return fails(awk, SHELL_UNKNOWN, "awk reads from what is not known");
    skip_blanks(awk);
    if (peek(awk) && !strchr(";})\n><=!&|", peek(awk)))
        return fails(awk, SHELL_UNKNOWN, "awk reads from what is not known");
    struct shell_word *word = hv_arena_new(awk->reading->arena, struct shell_word);
    *word = shell_word_known(name);
    shell_reads(awk->reading, word, false);
    return true;
}

/* The words that awk reads as files are compared with, and not set: == ARGV[1], ARGV[1] ==, in ARGV. */
static bool is_only_compared(const struct awk *awk, size_t start)
{
    static const char *const signs[] = {"==", "!="};
    struct hv_str before = hv_str_trim(hv_str_slice(awk->text, 0, start));
    size_t close = hv_str_find_byte(awk->text, ']', awk->at);
    struct hv_str behind = close == SIZE_MAX ? HV_STR("") : hv_str_trim(hv_str_slice(awk->text, close + 1, SIZE_MAX));
    struct hv_str subscript = hv_str_slice(awk->text, awk->at, close);
    if (hv_str_ends(before, HV_STR(" in")))
        return true;
    bool compared = false;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        compared |= hv_str_ends(before, hv_str_from(signs[i])) || hv_str_starts(behind, hv_str_from(signs[i]));
    for (size_t i = 1; i < subscript.len; i++)
        compared &= is_name(subscript.ptr[i]) || (subscript.ptr[i] == '-' && subscript.ptr[i - 1] != '-');
    bool set = hv_str_starts(behind, HV_STR("=")) && !hv_str_starts(behind, HV_STR("=="));
    return compared && !set && hv_str_starts(subscript, HV_STR("[")) && !hv_str_starts(behind, HV_STR("++")) &&
           !hv_str_starts(behind, HV_STR("--"));
}

static bool pass_name(struct awk *awk)
{
    size_t start = awk->at;
    while (is_name(peek(awk)))
        awk->at++;
    struct hv_str name = hv_str_slice(awk->text, start, awk->at);
    if (name.ptr[0] >= '0' && name.ptr[0] <= '9' && !is_plain_number(name))
        return fails(awk, SHELL_UNKNOWN, "the program of awk is not understood");
    if (hv_str_is(name, "system"))
        return fails(awk, SHELL_EXECUTES, "the program of awk runs commands (system)");
    awk->head = shell_names_have("if while for", name);
    awk->unclear = shell_names_have("length getline next nextfile fflush", name);
    if (hv_str_is(name, "getline"))
        return pass_getline(awk);
    if (shell_names_have("ARGV ARGC ENVIRON SYMTAB PROCINFO", name))
        awk->reading->act.reads_listed = false;
    if (hv_str_is(name, "ARGV") && !is_only_compared(awk, start))
        return fails(awk, SHELL_UNKNOWN, "awk may read from what its program puts into ARGV");
    if (hv_str_is(name, "SYMTAB") || hv_str_is(name, "extension"))
        return fails(awk, SHELL_UNKNOWN, "the program of awk is not understood");
    if (hv_str_is(name, "print") || hv_str_is(name, "printf")) {
        awk->printing = true;
        awk->print_depth = awk->depth;
    }
    awk->operand =
        !shell_names_have("print printf return in if while for else do case BEGIN END exit delete getline", name);
    return true;
}

/* One of the signs that need care. */
static bool pass_sign(struct awk *awk)
{
    char byte = peek(awk), next = awk->at + 1 < awk->text.len ? awk->text.ptr[awk->at + 1] : 0;
    awk->operand =
        byte == ')' || byte == ']' || byte == '.' || (awk->operand && next == byte && (byte == '+' || byte == '-'));
    awk->unclear = false;
    awk->at++;
    switch (byte) {
    case '(':
    case '[':
        awk->heads = awk->heads << 1 | awk->head;
        awk->head = false;
        return ++awk->depth < 64;
    case ')':
    case ']':
        if (!awk->depth)
            return fails(awk, SHELL_UNKNOWN, "the program of awk is not understood");
        awk->depth--;
        if (awk->heads & 1) /* what follows is a statement, and may begin with a pattern */
            awk->operand = false;
        awk->heads >>= 1;
        return true;
    case ';':
    case '{':
    case '}': awk->printing = awk->printing && awk->depth > awk->print_depth; return true;
    case '|':
        if (next != '|')
            return pipe_into(awk);
        awk->at++;
        return true;
    case '>':
        if (!awk->printing || awk->depth > awk->print_depth)
            return true;
        awk->at--;
        return redirect(awk);
    case '+':
    case '-':
        awk->at += awk->operand ? 1 : 0; /* x++ / 2 */
        return true;
    case '@':
    case '`':
    case '\'': return fails(awk, SHELL_UNKNOWN, "the program of awk is not understood");
    default: return true;
    }
}

/* Behind a word that may stand alone, "/" divides or begins a pattern, which ends on the same line.
 */
static bool may_be_regex(const struct awk *awk)
{
    size_t end = hv_str_find_byte(awk->text, '\n', awk->at);
    struct hv_str line = hv_str_slice(awk->text, awk->at + 1, end);
    return awk->unclear && hv_str_find_byte(line, '/', 0) != SIZE_MAX;
}

static bool pass_token(struct awk *awk)
{
    struct hv_str content;
    char byte = peek(awk);
    if (byte == ' ' || byte == '\t' || byte == '\r') {
        awk->at++;
        return true;
    }
    if (byte == '\\') { /* a line that goes on */
        awk->at += 2;
        return awk->at <= awk->text.len && awk->text.ptr[awk->at - 1] == '\n';
    }
    if (byte == '#') {
        size_t end = hv_str_find_byte(awk->text, '\n', awk->at);
        awk->at = end == SIZE_MAX ? awk->text.len : end;
        return true;
    }
    if (byte == '"')
        return pass_string(awk, &content);
    if (byte == '/' && !awk->operand)
        return pass_regex(awk);
    if (byte == '/' && may_be_regex(awk))
        return false;
    return is_name(byte) ? pass_name(awk) : pass_sign(awk);
}

static void judge_program(struct shell_reading *reading, struct hv_str text)
{
    struct awk awk = {.reading = reading, .text = text, .class = SHELL_READ_ONLY};
    bool fine = hv_str_find_byte(text, 0, 0) == SIZE_MAX;
    while (fine && awk.at < text.len)
        fine = pass_token(&awk);
    if (!fine && awk.class == SHELL_READ_ONLY)
        (void)fails(&awk, SHELL_UNKNOWN, "the program of awk is not understood");
    /* What is certain to run commands is said so, though the look ended there. */
    if (awk.class != SHELL_READ_ONLY)
        shell_worsen(reading, awk.class, awk.why);
}

/* ---- options -------------------------------------------------------------------------------------------- */

static const struct shell_program awk_row = {
    "awk", SHELL_SYNTAX_POSIX, SHELL_READ_ONLY,
    .options = OPTIONS(
        FLAGS("-b --characters-as-bytes -c --traditional -C --copyright -M --bignum -n --non-decimal-data -N"),
        FLAGS("--use-lc-numeric -O --optimize -P --posix -r --re-interval -s --no-optimize -S --sandbox -t --lint-old"),
        FLAGS("--csv -k"), MAYBE("-L --lint"), VALUES("-F --field-separator -v --assign"),
        RUNS_WITH("-f --file -E --exec -i --include -l --load"), {"-e --source", SHELL_EFFECT_UNKNOWN, SHELL_ARITY_ONE},
        {"-d --dump-variables -o --pretty-print -p --profile", SHELL_EFFECT_WRITES, SHELL_ARITY_OPTIONAL},
        {"-D --debug", SHELL_EFFECT_UNKNOWN, SHELL_ARITY_OPTIONAL}, HELPS("-h --help -V --version"))};

/* name=value among the files is an assignment. */
static bool is_assignment(const struct shell_word *word)
{
    size_t equals = hv_str_find_byte(word->value, '=', 0);
    return equals != SIZE_MAX && shell_is_identifier(hv_str_slice(word->value, 0, equals));
}

static void judge_operand(struct shell_reading *reading, const struct shell_word *word)
{
    if (hv_str_starts(word->value, HV_STR("/inet")))
        shell_worsen(reading, SHELL_NETWORK, "awk opens connections for names below /inet");
    if (!is_assignment(word))
        shell_reads(reading, word, false);
}

static void judge_awk(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    words = shell_fill_script(reading, words, count);
    if (!shell_arguments(reading, &awk_row, words, count, &arguments) || arguments.help)
        return;
    size_t first = 0;
    if (!shell_given(&arguments, "-f --file -E --exec -e --source")) {
        first = 1;
        const struct shell_word *program = arguments.operand_count ? arguments.operands[0] : NULL;
        if (program && program->known)
            judge_program(reading, program->value);
        else if (program)
            shell_worsen(reading, SHELL_EXECUTES, "the program of awk is not known, and may run commands");
    }
    reading->act.reads_input = arguments.operand_count <= first;
    for (size_t i = first; i < arguments.operand_count; i++)
        judge_operand(reading, arguments.operands[i]);
}

const struct shell_program shell_programs_awk[] = {
    {"awk gawk mawk nawk original-awk", .judge = judge_awk},
    {0},
};
