/* trivial.c: see trivial.h. */
#include "shell/trivial.h"

/* ---- commands that change nothing ---------------------------------------------------------------------- */

enum arguments {
    NO_ARGUMENTS, /* with an argument they could change something (date, hostname), or nobody needs one */
    ANY_WORDS,    /* words are data */
    PATHS,        /* words that do not start with '-' are paths that are listed, they alone */
};

/* One row per program: what its arguments may be. Whoever adds a row has read the man page: no option may write, run a
 * program, or read what the rules guard. */
static const struct trivial_row {
    const char *name;
    enum arguments arguments;
} trivial_table[] = {
    {"sleep", ANY_WORDS},     {"true", ANY_WORDS},        {"false", ANY_WORDS}, {"echo", ANY_WORDS},
    {"pwd", NO_ARGUMENTS},    {"date", NO_ARGUMENTS},     {"uname", ANY_WORDS}, {"id", ANY_WORDS},
    {"whoami", NO_ARGUMENTS}, {"hostname", NO_ARGUMENTS}, {"nproc", ANY_WORDS}, {"ls", PATHS},
};

enum { WORDS_MAX = 64 };

static bool is_plain(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '.' || byte == '/' || byte == '-';
}

/* Cut command into plain words; 0 when it has none, too many, or anything that is not plain. */
static size_t plain_words(struct hv_str command, struct hv_str words[WORDS_MAX])
{
    size_t count = 0, at = 0;
    while (at < command.len) {
        if (command.ptr[at] == ' ' || command.ptr[at] == '\t') {
            at++;
            continue;
        }
        size_t start = at;
        while (at < command.len && is_plain(command.ptr[at]))
            at++;
        if (at == start || count == WORDS_MAX)
            return 0;
        words[count++] = hv_str_slice(command, start, at);
    }
    return count;
}

static const struct trivial_row *find_row(struct hv_str name)
{
    for (size_t i = 0; i < sizeof trivial_table / sizeof *trivial_table; i++)
        if (hv_str_is(name, trivial_table[i].name))
            return &trivial_table[i];
    return NULL;
}

/* Options of ls that list more than the paths named: what links lead to (-L, -H) or whole trees (-R), in which there
 * may be what the rules guard. Long ones may be cut short: "--rec". */
static bool lists_beyond(struct hv_str option)
{
    if (hv_str_starts(option, HV_STR("--")))
        return hv_str_starts(option, HV_STR("--rec")) || hv_str_starts(option, HV_STR("--de"));
    return hv_str_find_byte(option, 'R', 0) != SIZE_MAX || hv_str_find_byte(option, 'L', 0) != SIZE_MAX ||
           hv_str_find_byte(option, 'H', 0) != SIZE_MAX;
}

/* "link/..": the parent is the one of the place that the link leads to. */
static bool climbs_back(struct hv_str path)
{
    struct hv_str part;
    bool named = false;
    while (hv_str_split(&path, '/', &part)) {
        bool up = hv_str_is(part, "..");
        if (up && named)
            return true;
        named |= part.len && !up && !hv_str_is(part, ".");
    }
    return false;
}

static bool lists_only_named(const struct hv_str *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (words[i].ptr[0] == '-' ? lists_beyond(words[i]) : climbs_back(words[i]))
            return false;
    return true;
}

static struct shell_trivial read_paths(struct hv_arena *arena, const struct hv_str *words, size_t count)
{
    struct shell_trivial trivial = {hv_arena_array(arena, struct hv_str, count + 1), 0};
    for (size_t i = 0; i < count; i++)
        if (words[i].ptr[0] != '-')
            trivial.paths[trivial.path_count++] = hv_arena_str(arena, words[i]);
    if (!trivial.path_count)
        trivial.paths[trivial.path_count++] = HV_STR(".");
    return trivial;
}

bool shell_trivial(struct hv_arena *arena, struct hv_str command, struct shell_trivial *out)
{
    struct hv_str words[WORDS_MAX];
    /* Newlines at the end are nothing to bash; a carriage return would be part of the last word. */
    while (command.len && command.ptr[command.len - 1] == '\n')
        command.len--;
    size_t count = plain_words(command, words);
    const struct trivial_row *row = count ? find_row(words[0]) : NULL;
    if (!row || (row->arguments == NO_ARGUMENTS && count > 1))
        return false;
    if (row->arguments == PATHS && !lists_only_named(words + 1, count - 1))
        return false;
    if (out)
        *out = row->arguments == PATHS ? read_paths(arena, words + 1, count - 1) : (struct shell_trivial){0};
    return true;
}

/* ---- exit codes that are answers ----------------------------------------------------------------------- */

/* Programs that say "no", "none" or "different" with exit code 1; subcommand: the second word, or NULL. */
static const struct answer_row {
    const char *name, *subcommand;
} answer_table[] = {
    {"grep", NULL},    {"egrep", NULL},
    {"fgrep", NULL},   {"zgrep", NULL},
    {"rg", NULL},      {"ag", NULL},
    {"ack", NULL},     {"diff", NULL},
    {"cmp", NULL},     {"colordiff", NULL},
    {"test", NULL},    {"[", NULL},
    {"[[", NULL},      {"pgrep", NULL},
    {"pidof", NULL},   {"which", NULL},
    {"type", NULL},    {"expr", NULL},
    {"git", "grep"},   {"git", "diff"},
    {"command", "-v"}, {"systemctl", "is-active"},
};

/* Skip a quoted part that starts at `at`; the offset after it, or SIZE_MAX when it does not end. */
static size_t skip_quoted(struct hv_str text, size_t at)
{
    char quote = text.ptr[at++];
    while (at < text.len && text.ptr[at] != quote)
        at += quote == '"' && text.ptr[at] == '\\' ? 2 : 1;
    return at < text.len ? at + 1 : SIZE_MAX;
}

static bool is_separator(char byte)
{
    return byte == ';' || byte == '|' || byte == '&' || byte == '\n';
}

/* Where the last simple command starts, or SIZE_MAX when that is not clear. *and_list: it follows "&&". */
static size_t last_command(struct hv_str text, bool *and_list)
{
    size_t start = 0, at = 0;
    *and_list = false;
    while (at < text.len) {
        char byte = text.ptr[at];
        if (byte == '\'' || byte == '"') {
            at = skip_quoted(text, at);
            if (at == SIZE_MAX)
                return SIZE_MAX;
        } else if (byte == '\\') {
            at += 2;
        } else if (byte == '`' || byte == '(' || byte == ')' || byte == '{' || byte == '}' || byte == '<' ||
                   byte == '#') {
            return SIZE_MAX; /* substitutions, groups, here-documents, comments: for the full reader */
        } else if (is_separator(byte)) {
            bool redirection = byte == '&' && at > 0 && text.ptr[at - 1] == '>'; /* 2>&1 */
            bool both = byte == '&' && at + 1 < text.len && text.ptr[at + 1] == '&';
            at += both ? 2 : 1;
            if (!redirection) {
                *and_list = both || (*and_list && byte == '|');
                start = at;
            }
        } else {
            at++;
        }
    }
    return start;
}

static struct hv_str next_word(struct hv_str *rest)
{
    *rest = hv_str_trim(*rest);
    size_t end = 0;
    while (end < rest->len && rest->ptr[end] != ' ' && rest->ptr[end] != '\t')
        end++;
    struct hv_str word = hv_str_slice(*rest, 0, end);
    *rest = hv_str_slice(*rest, end, rest->len);
    return word;
}

static bool is_assignment(struct hv_str word)
{
    size_t equals = hv_str_find_byte(word, '=', 0);
    for (size_t i = 0; i < equals && equals != SIZE_MAX; i++)
        if (!is_plain(word.ptr[i]) || word.ptr[i] == '/' || word.ptr[i] == '-' || word.ptr[i] == '.')
            return false;
    return equals != SIZE_MAX && equals > 0;
}

bool shell_exit_is_answer(struct hv_str command, int code, bool *certain)
{
    bool and_list;
    struct hv_str text = hv_str_trim(command);
    size_t start = code == 1 ? last_command(text, &and_list) : SIZE_MAX;
    if (start == SIZE_MAX || start > text.len)
        return false;
    struct hv_str rest = hv_str_slice(text, start, text.len), name = next_word(&rest);
    while (name.len && is_assignment(name))
        name = next_word(&rest);
    size_t slash = hv_str_rfind_byte(name, '/');
    name = slash == SIZE_MAX ? name : hv_str_slice(name, slash + 1, name.len);
    struct hv_str second = next_word(&rest);
    for (size_t i = 0; i < sizeof answer_table / sizeof *answer_table; i++) {
        const struct answer_row *row = &answer_table[i];
        if (hv_str_is(name, row->name) && (!row->subcommand || hv_str_is(second, row->subcommand))) {
            *certain = !and_list;
            return true;
        }
    }
    return false;
}
