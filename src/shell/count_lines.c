/*
 * count_lines.c: pipelines that print numbers and nothing else: grep -n x f | cut -d: -f1, wc -l f | awk '{print $1}',
 * awk '/x/ {print NR}'. Of a file that is not text grep says only that it matches, "grep: …" or "Binary file …
 * matches", and arithmetic takes the first words of that for names of variables. So such numbers are a state of their
 * own (VALUE_PLACE), and there are none where any script may have set these variables.
 */
#include "shell/resolve.h"

enum { FILTERS_MAX = 8 };

/* The lines that a command prints. */
enum lines {
    LINES_UNKNOWN,
    LINES_COUNT,    /* numbers */
    LINES_NUMBERED, /* grep -n: a number, ":" and more; or what it says of a binary file */
    LINES_PLACE,    /* numbers, or the beginning of that */
    LINES_NAMED,    /* wc: a number, a blank and a name, perhaps with blanks before it */
};

#define WORD_IS(node, at, ...)                                                                                         \
    (read_one_of(literal_word(node, at), (const char *const[]){__VA_ARGS__},                                           \
                 sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static bool is_number(struct hv_str text)
{
    return text.len && *text.ptr != '-' && variable_is_number(text);
}

/* A name that is no option, holds nothing that arithmetic, sed or the shell would read otherwise, and no ":". */
static bool is_plain_file(struct hv_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!name.ptr[i] || !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-", name.ptr[i]))
            return false;
    return name.len && *name.ptr != '-';
}

/* Nothing else is joined to the pipeline between the two: "|", and not "|&", which hands on errors, too. */
static bool is_piped(const struct node *node, const struct node *next)
{
    const char *end = node->text.ptr + node->text.len;
    size_t bars = 0;
    if (next->at < node->at + node->text.len || next->text.ptr < end ||
        (size_t)(next->text.ptr - end) != next->at - node->at - node->text.len)
        return false;
    for (const char *at = end; at < next->text.ptr; at++) {
        bars += *at == '|';
        if (!strchr("| \t\n", *at))
            return false;
    }
    return bars == 1;
}

/* The command whose output the node reads; NULL: not a plain one. */
static const struct node *piped_from(const struct resolver *resolver, const struct node *node)
{
    const struct node *nodes = resolver->reader->nodes.items;
    for (size_t i = (size_t)(node - nodes); node->pipeline && node->position && i-- > 0;) {
        if (nodes[i].pipeline != node->pipeline)
            continue;
        bool plain = nodes[i].position + 1 == node->position && nodes[i].parent == node->parent &&
                     nodes[i].kind == SHELL_COMMAND_SIMPLE && !nodes[i].assignment_count && nodes[i].word_count &&
                     !nodes[i].timed && redirects_are_plain(&nodes[i]) && is_piped(&nodes[i], node) &&
                     !functions_have(resolver, literal_word(&nodes[i], 0));
        return plain ? &nodes[i] : NULL;
    }
    return NULL;
}

/* ---- what prints lines ------------------------------------------------------------------------------------------- */

/* A pattern that cannot be taken for an option: written out, or in quotes with some text first. */
static bool is_pattern(const struct node *node, size_t at)
{
    const struct raw_word *word = at < node->word_count ? &node->words[at] : NULL;
    for (uint32_t i = 0; word && i < word->count; i++) {
        const struct part *part = &word->parts[i];
        if (part->kind == PART_TEXT && !part->text.len && part->quoted)
            continue;
        return part->kind == PART_TEXT && part->text.len && *part->text.ptr != '-' &&
               (literal_word(node, at).ptr || (word->quoted && *word->text.ptr == '"' && !part->list));
    }
    return false;
}

/* In quotes as a whole: "def $name", and not "def "$name. */
static bool is_whole(const struct node *node, size_t at)
{
    const struct raw_word *word = &node->words[at];
    for (uint32_t i = 0; i < word->count; i++)
        if (!word->parts[i].quoted || word->parts[i].list)
            return literal_word(node, at).ptr != NULL;
    return true;
}

/* grep -n [-iwxEFPshm1] PATTERN [FILE]; -o [-E] '[0-9]+' prints only numbers. */
static enum lines lines_of_grep(const struct node *node, bool reads)
{
    bool numbers = false, only = false, fixed = false;
    size_t at = 1;
    for (; at < node->word_count; at++) {
        struct hv_str word = literal_word(node, at);
        if (word.len < 2 || *word.ptr != '-')
            break;
        for (size_t i = 1; i < word.len; i++) {
            numbers |= word.ptr[i] == 'n';
            only |= word.ptr[i] == 'o';
            fixed |= word.ptr[i] == 'F';
            if (word.ptr[i] == 'm') {
                if (!is_number(i + 1 < word.len ? hv_str_slice(word, i + 1, word.len) : literal_word(node, ++at)))
                    return LINES_UNKNOWN;
                break;
            }
            if (!strchr("niwxEFPshGao", word.ptr[i]))
                return LINES_UNKNOWN;
        }
    }
    if (!is_pattern(node, at) || !is_whole(node, at))
        return LINES_UNKNOWN;
    bool digits = !fixed && WORD_IS(node, at, "[0-9]+", "[0-9]*", "[0-9]\\+", "[[:digit:]]+", "[0-9][0-9]*");
    bool stands =
        at + 1 == node->word_count ? reads : at + 2 == node->word_count && is_plain_file(literal_word(node, at + 1));
    if (!stands || (only && numbers))
        return LINES_UNKNOWN;
    return numbers ? LINES_NUMBERED : only && digits ? LINES_PLACE : LINES_UNKNOWN;
}

/* wc -l FILE… */
static bool wc_names(const struct node *node)
{
    bool counts = false;
    for (size_t at = 1; at < node->word_count; at++) {
        bool option = WORD_IS(node, at, "-l", "-c", "-w", "-m");
        counts |= option;
        if (!option && !is_plain_file(literal_word(node, at)))
            return false;
    }
    return counts;
}

/* awk '/x/ {print NR}', with "; exit" too: a condition without anything that awk could run. */
static bool awk_counts(const struct node *node)
{
    static const char *const endings[] = {"{print NR}",         "{print NR; exit}",  "{print NR;exit}", "{ print NR }",
                                          "{ print NR; exit }", "{print FNR; exit}", "{print FNR}",     "{print NF}"};
    struct hv_str program = literal_word(node, 1);
    struct hv_str ending = {0};
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !ending.len; i++)
        if (hv_str_ends(program, hv_str_from(endings[i])))
            ending = hv_str_from(endings[i]);
    if (!ending.len || node->word_count > 3 || (node->word_count == 3 && !is_plain_file(literal_word(node, 2))))
        return false;
    struct hv_str condition = hv_str_slice(program, 0, program.len - ending.len);
    while (condition.len && condition.ptr[condition.len - 1] == ' ')
        condition.len--;
    if (!condition.len || hv_str_is(condition, "END"))
        return true;
    for (size_t i = 1; i + 1 < condition.len; i++)
        if (strchr("/{}\n\\", condition.ptr[i]))
            return false;
    return condition.len > 2 && *condition.ptr == '/' && condition.ptr[condition.len - 1] == '/';
}

/* ---- what lines go through --------------------------------------------------------------------------------------- */

/* Hands on lines as they are: some of them, in any order. */
static bool passes_lines(const struct node *node)
{
    if (WORD_IS(node, 0, "head", "tail")) {
        struct hv_str word = literal_word(node, 1);
        bool joined = hv_str_starts(word, HV_STR("-n")) && is_number(hv_str_slice(word, 2, word.len));
        bool old = hv_str_starts(word, HV_STR("-")) && is_number(hv_str_slice(word, 1, word.len));
        return node->word_count == 1 || (node->word_count == 2 && (joined || old)) ||
               (node->word_count == 3 && hv_str_is(word, "-n") && is_number(literal_word(node, 2)));
    }
    if (WORD_IS(node, 0, "sort"))
        return node->word_count == 1 ||
               (node->word_count == 2 && WORD_IS(node, 1, "-n", "-rn", "-nr", "-u", "-nu", "-un"));
    if (WORD_IS(node, 0, "uniq", "tac"))
        return node->word_count == 1;
    return WORD_IS(node, 0, "sed") && node->word_count == 3 && WORD_IS(node, 1, "-n") &&
           WORD_IS(node, 2, "1p", "$p", "2p");
}

/* What stands before the first ":", with cut, awk or sed. */
static bool takes_before_colon(const struct node *node)
{
    bool field = false, colon = false;
    if (WORD_IS(node, 0, "sed"))
        return node->word_count == 2 && WORD_IS(node, 1, "s/:.*//", "s/:.*$//");
    if (WORD_IS(node, 0, "awk"))
        return (node->word_count == 3 && WORD_IS(node, 1, "-F:") && WORD_IS(node, 2, "{print $1}", "{ print $1 }")) ||
               (node->word_count == 4 && WORD_IS(node, 1, "-F") && WORD_IS(node, 2, ":") &&
                WORD_IS(node, 3, "{print $1}", "{ print $1 }"));
    for (size_t at = 1; at < node->word_count; at++) {
        bool valued = WORD_IS(node, at, "-d", "-f");
        bool is_field = WORD_IS(node, at, "-f1") || (WORD_IS(node, at, "-f") && WORD_IS(node, at + 1, "1"));
        bool is_colon = WORD_IS(node, at, "-d:") || (WORD_IS(node, at, "-d") && WORD_IS(node, at + 1, ":"));
        field |= is_field;
        colon |= is_colon;
        at += valued;
        if (!is_field && !is_colon)
            return false;
    }
    return WORD_IS(node, 0, "cut") && field && colon;
}

/* awk '{print $1}', cut -d' ' -f1: what stands before the first blank. */
static bool takes_first_word(const struct node *node)
{
    if (WORD_IS(node, 0, "awk"))
        return node->word_count == 2 && WORD_IS(node, 1, "{print $1}", "{ print $1 }");
    return WORD_IS(node, 0, "cut") &&
           ((node->word_count == 3 && WORD_IS(node, 1, "-d ") && WORD_IS(node, 2, "-f1")) ||
            (node->word_count == 4 && WORD_IS(node, 1, "-d") && WORD_IS(node, 2, " ") && WORD_IS(node, 3, "-f1")));
}

/* tr -d ' ' */
static bool drops_blanks(const struct node *node)
{
    return WORD_IS(node, 0, "tr") && node->word_count == 3 && WORD_IS(node, 1, "-d") &&
           WORD_IS(node, 2, " ", "[:space:]", "[:blank:]", "\\n", " \\n");
}

static enum lines through(const struct node *node, enum lines lines)
{
    if (passes_lines(node))
        return lines;
    if (lines == LINES_NUMBERED && takes_before_colon(node))
        return LINES_PLACE;
    if ((lines == LINES_NAMED || lines == LINES_COUNT) && takes_first_word(node))
        return LINES_COUNT;
    return lines == LINES_COUNT && drops_blanks(node) ? LINES_COUNT : LINES_UNKNOWN;
}

static enum lines lines_of(const struct resolver *resolver, const struct node *node, bool reads)
{
    if (command_counts(resolver, node) || (WORD_IS(node, 0, "awk") && awk_counts(node)))
        return LINES_COUNT;
    if (WORD_IS(node, 0, "grep"))
        return lines_of_grep(node, reads);
    if (WORD_IS(node, 0, "tr") && node->word_count == 3 && WORD_IS(node, 1, "-cd", "-dc") &&
        WORD_IS(node, 2, "0-9", "[:digit:]", "0-9\\n"))
        return LINES_COUNT;
    return WORD_IS(node, 0, "wc") && wc_names(node) ? LINES_NAMED : LINES_UNKNOWN;
}

/* ---- what grep's words may name ---------------------------------------------------------------------------------- */

/* A name that is no word of what grep says, in no language: those begin with "grep", or with a capital and go on with a
 * word for "file" or "binary". */
static bool is_free_name(struct hv_str name)
{
    static const char *const words[] = {"line",   "lines", "start", "end",  "num",     "count", "total", "pos",
                                        "ln",     "begin", "first", "last", "offset",  "name",  "dir",   "path",
                                        "func",   "fn",    "sha",   "hash", "commit",  "tag",   "out",   "rest",
                                        "result", "len",   "size",  "idx",  "pattern", "pat",   "text",  "content"};
    bool capitals = name.len > 1, odd = false;
    for (size_t i = 0; i < name.len; i++) {
        capitals &= name.ptr[i] >= 'A' && name.ptr[i] <= 'Z';
        odd |= name.ptr[i] == '_' || (name.ptr[i] >= '0' && name.ptr[i] <= '9');
    }
    return capitals || odd ||
           (name.len == 1 && ((*name.ptr >= 'a' && *name.ptr <= 'z') || strchr("NLPCX", *name.ptr))) ||
           READ_ONE_OF(name, words);
}

/* All variables that a command sets by its words, if it sets any, have such names. */
static bool sets_free_names(const struct node *node)
{
    static const char *const setters[] = {"read",  "mapfile", "readarray", "getopts",  "declare",
                                          "local", "typeset", "export",    "readonly", "unset"};
    static const char *const anything[] = {"eval", "source", ".", "let", "trap", "builtin", "wait"};
    struct hv_str name = literal_word(node, 0);
    if (!node->word_count)
        return true;
    if (!name.ptr || READ_ONE_OF(name, anything))
        return false;
    if (hv_str_is(name, "printf"))
        return literal_word(node, 1).ptr && !hv_str_starts(literal_word(node, 1), HV_STR("-"));
    if (hv_str_is(name, "command"))
        return WORD_IS(node, 1, "-v", "-V");
    for (size_t at = 1; READ_ONE_OF(name, setters) && at < node->word_count; at++) {
        struct hv_str word = literal_word(node, at);
        bool option = word.len && *word.ptr == '-';
        if (!word.ptr || (!option && !is_free_name(hv_str_slice(word, 0, hv_str_find_byte(word, '=', 0)))))
            return false;
    }
    return true;
}

static bool find_free_names(const struct reader *reader)
{
    for (size_t i = 0; i < reader->nodes.count; i++) {
        const struct node *node = &reader->nodes.items[i];
        if ((node->kind == SHELL_COMMAND_FOR && !is_free_name(node->variable)) ||
            (node->kind == SHELL_COMMAND_SIMPLE && !sets_free_names(node)))
            return false;
        for (uint32_t j = 0; j < node->assignment_count; j++)
            if (!is_free_name(node->assignments[j].name))
                return false;
    }
    return true;
}

/* Nobody has given a variable a value that grep's words would lead to. */
static bool names_are_free(const struct resolver *resolver)
{
    struct reader *reader = resolver->reader;
    if (reader->names == NAMES_UNSEEN)
        reader->names = find_free_names(reader) ? NAMES_FREE : NAMES_TAKEN;
    return reader->names == NAMES_FREE && resolver->start->outermost;
}

enum value_state pipeline_counts(const struct resolver *resolver, const struct node *node)
{
    const struct node *filters[FILTERS_MAX];
    size_t count = 0;
    const struct node *before = piped_from(resolver, node);
    enum lines lines = lines_of(resolver, node, node->redirect_count != 0 || node->position != 0);
    while (lines == LINES_UNKNOWN && before && count < FILTERS_MAX) {
        filters[count++] = node;
        node = before;
        before = piped_from(resolver, node);
        lines = lines_of(resolver, node, node->redirect_count != 0 || node->position != 0);
    }
    while (count && lines != LINES_UNKNOWN)
        lines = through(filters[--count], lines);
    if (lines == LINES_PLACE)
        return names_are_free(resolver) ? VALUE_PLACE : VALUE_UNKNOWN;
    return lines == LINES_COUNT ? VALUE_COUNT : VALUE_UNKNOWN;
}
