/*
 * counts.c: substitutions that print numbers and nothing else, so that arithmetic over them runs nothing: $(wc -l < f),
 * $(date +%s), $(nproc), $(grep -c x f || echo 0). A command that fails prints nothing: empty is possible, too.
 */
#include "shell/resolve.h"

enum { OPERATIONS_MAX = 32 };

/* One argument as it is written: no pattern, no braces, no "~". "[" alone is test's other name. */
static bool is_literal(const struct raw_word *word)
{
    if (word->count != 1 || word->parts[0].kind != PART_TEXT)
        return false;
    if (hv_str_is(word->text, "["))
        return true;
    for (size_t i = 0; !word->parts[0].quoted && i < word->text.len; i++)
        if (strchr("*?[{~", word->text.ptr[i]))
            return false;
    return true;
}

struct hv_str literal_word(const struct node *node, size_t at)
{
    return at < node->word_count && is_literal(&node->words[at]) ? node->words[at].parts[0].text : (struct hv_str){0};
}

static bool is_one_of(struct hv_str word, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (hv_str_is(word, names[i]))
            return true;
    return false;
}
#define ONE_OF(word, ...)                                                                                              \
    is_one_of(word, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static bool is_option(struct hv_str word)
{
    return word.len && word.ptr[0] == '-';
}

/* The one part that is not the empty text between quotes; NULL: several. */
static const struct part *only_part(const struct raw_word *word)
{
    const struct part *only = NULL;
    for (uint32_t i = 0; i < word->count; i++) {
        if (word->parts[i].kind == PART_TEXT && !word->parts[i].text.len)
            continue;
        if (only)
            return NULL;
        only = &word->parts[i];
    }
    return only;
}

/* One quoted part: exactly one argument, whatever it is. */
static bool is_single(const struct raw_word *word)
{
    const struct part *part = only_part(word);
    return is_literal(word) || (part && part->quoted && !part->list);
}

/* date [-u] [-d WHEN] +FORMAT of digits. */
static bool date_counts(const struct node *node)
{
    bool format = false;
    for (size_t at = 1; at < node->word_count; at++) {
        struct hv_str word = literal_word(node, at);
        if (ONE_OF(word, "-d", "--date", "-r")) {
            if (++at >= node->word_count || !is_single(&node->words[at]))
                return false;
        } else if (ONE_OF(word, "+%s", "+%s%N", "+%N", "+%Y", "+%m", "+%d", "+%H", "+%M", "+%S", "+%j", "+%u", "+%y",
                          "+%V", "+%e", "+%Y%m%d", "+%s%3N", "+%-d", "+%-m", "+%-H")) {
            format = true;
        } else if (!ONE_OF(word, "-u", "--utc")) {
            return false;
        }
    }
    return format;
}

/* Commands by which a variable may be set otherwise than by an assignment. */
static bool may_set_variables(const struct node *node)
{
    return node->kind == SHELL_COMMAND_SIMPLE && node->word_count &&
           (!is_literal(&node->words[0]) ||
            ONE_OF(literal_word(node, 0), "read", "mapfile", "readarray", "getopts", "printf", "eval", "source", ".",
                   "let", "declare", "typeset", "local", "export", "readonly", "unset", "trap", "builtin", "command",
                   "wait"));
}

/* The words of a loop begin with a letter, a digit, "." or "/": none of what they become is an option. */
static bool begins_plainly(const struct node *loop)
{
    for (uint32_t i = 0; i < loop->word_count; i++) {
        struct hv_str text = loop->words[i].text;
        char byte = text.len ? text.ptr[0] : 0;
        if (!(byte >= 'a' && byte <= 'z') && !(byte >= 'A' && byte <= 'Z') && !(byte >= '0' && byte <= '9') &&
            byte != '.' && byte != '/')
            return false;
    }
    return loop->word_count != 0;
}

/* "$f" where f is the variable of a loop around the node, set by nothing else, and never an option. */
static bool is_loop_file(const struct resolver *resolver, const struct node *node, const struct raw_word *word)
{
    const struct part *part = only_part(word);
    uint32_t loop = READ_NO_PARENT;
    if (!part || part->kind != PART_VARIABLE || part->form != FORM_PLAIN || !part->quoted || part->list ||
        part->element)
        return false;
    for (size_t i = 0; i < resolver->reader->nodes.count; i++) {
        const struct node *other = &resolver->reader->nodes.items[i];
        if (other->kind == SHELL_COMMAND_FOR && hv_str_eq(other->variable, part->text)) {
            if (loop != READ_NO_PARENT || !begins_plainly(other))
                return false;
            loop = (uint32_t)i;
        }
        for (uint32_t j = 0; j < other->assignment_count; j++)
            if (hv_str_eq(other->assignments[j].name, part->text))
                return false;
        if (may_set_variables(other))
            return false;
    }
    for (uint32_t at = node->parent; loop != READ_NO_PARENT && at != READ_NO_PARENT;
         at = resolver->reader->nodes.items[at].parent)
        if (at == loop)
            return true;
    return false;
}

/* grep -c [-ivEFwx] PATTERN [FILE]: with more files, names come before the numbers. */
static bool grep_counts(const struct resolver *resolver, const struct node *node)
{
    bool counts = false;
    size_t at = 1, operands = 0;
    for (; at < node->word_count && is_option(literal_word(node, at)); at++) {
        struct hv_str word = literal_word(node, at);
        for (size_t i = 1; i < word.len; i++) {
            counts |= word.ptr[i] == 'c';
            if (!strchr("civEFwxhsaP", word.ptr[i]))
                return false;
        }
    }
    for (; at < node->word_count; at++, operands++)
        if (operands ? (!literal_word(node, at).len || is_option(literal_word(node, at))) &&
                           !is_loop_file(resolver, node, &node->words[at])
                     : !is_literal(&node->words[at]))
            return false;
    return counts && operands && operands <= 2;
}

static bool stat_counts(const struct resolver *resolver, const struct node *node)
{
    struct hv_str format = literal_word(node, 1);
    size_t at = 2;
    if (ONE_OF(format, "-c", "--format"))
        format = literal_word(node, at++);
    else if (!hv_str_starts(format, HV_STR("-c")) && !hv_str_starts(format, HV_STR("--format=")))
        return false;
    size_t percent = hv_str_find_byte(format, '%', 0);
    struct hv_str letter = percent == SIZE_MAX ? format : hv_str_slice(format, percent, format.len);
    bool plain = ONE_OF(letter, "%s", "%Y", "%X", "%Z", "%W", "%a", "%h", "%u", "%g", "%i", "%b", "%B") &&
                 (!percent || percent == 2 || percent == 9);
    return plain && at + 1 == node->word_count &&
           ((literal_word(node, at).len && !is_option(literal_word(node, at))) ||
            is_loop_file(resolver, node, &node->words[at]));
}

static bool all_are_options(const struct node *node, const char *const *names, size_t count)
{
    for (size_t at = 1; at < node->word_count; at++)
        if (!is_one_of(literal_word(node, at), names, count))
            return false;
    return true;
}
#define ALL_ARE(node, ...)                                                                                             \
    all_are_options(node, (const char *const[]){__VA_ARGS__},                                                          \
                    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* git log -1 --format=%ct: seconds, and nothing else. */
static bool git_dates(const struct node *node)
{
    size_t formats = 0, ones = 0;
    for (size_t at = 2; at < node->word_count; at++) {
        struct hv_str word = literal_word(node, at);
        bool format = ONE_OF(word, "--format=%ct", "--format=%at", "--pretty=%ct", "--pretty=%at",
                             "--pretty=format:%ct", "--pretty=format:%at");
        formats += format;
        ones += hv_str_is(word, "-1");
        if (!word.len || (is_option(word) && !format && !ONE_OF(word, "-1", "--")))
            return false;
    }
    return hv_str_is(literal_word(node, 1), "log") && formats == 1 && ones == 1;
}

static bool git_counts(const struct node *node)
{
    if (git_dates(node))
        return true;
    bool counts = hv_str_is(literal_word(node, 1), "rev-list") && node->word_count > 3;
    bool asked = false;
    for (size_t at = 2; counts && at < node->word_count; at++) {
        struct hv_str word = literal_word(node, at);
        asked |= hv_str_is(word, "--count");
        counts = word.len && (!is_option(word) || ONE_OF(word, "--count", "--all", "--merges", "--no-merges"));
    }
    return counts && asked;
}

static bool is_number_text(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] < '0' || text.ptr[i] > '9')
            return false;
    return text.len != 0;
}

bool command_counts(const struct resolver *resolver, const struct node *node)
{
    struct hv_str name = literal_word(node, 0);
    if (hv_str_is(name, "date"))
        return date_counts(node);
    if (hv_str_is(name, "grep"))
        return grep_counts(resolver, node);
    if (hv_str_is(name, "stat"))
        return stat_counts(resolver, node);
    if (hv_str_is(name, "git"))
        return git_counts(node);
    if (hv_str_is(name, "wc"))
        return node->word_count > 1 && ALL_ARE(node, "-l", "-c", "-w", "-m", "-L", "--lines", "--bytes", "--words");
    if (hv_str_is(name, "nproc"))
        return ALL_ARE(node, "--all");
    if (hv_str_is(name, "id"))
        return node->word_count == 2 && ALL_ARE(node, "-u", "-g");
    if (hv_str_is(name, "tput"))
        return node->word_count == 2 && ALL_ARE(node, "cols", "lines", "colors");
    if (hv_str_is(name, "getconf"))
        return node->word_count == 2 &&
               ALL_ARE(node, "_NPROCESSORS_ONLN", "_NPROCESSORS_CONF", "PAGESIZE", "PAGE_SIZE", "CLK_TCK", "LONG_BIT");
    if (hv_str_is(name, "echo"))
        return node->word_count == 2 && is_number_text(literal_word(node, 1));
    return ONE_OF(name, "true", ":", "false") && node->word_count == 1;
}

/* Another command of the pipeline reads what this one prints. */
static bool is_read_on(const struct reader *reader, size_t from, const struct node *node)
{
    for (size_t at = from; at < reader->tape.count && reader->tape.items[at].kind != OP_END; at++) {
        if (reader->tape.items[at].kind != OP_COMMAND)
            continue;
        const struct node *other = &reader->nodes.items[reader->tape.items[at].to];
        if (node->pipeline && other->pipeline == node->pipeline && other->position > node->position)
            return true;
    }
    return false;
}

bool redirects_are_plain(const struct node *node)
{
    for (size_t i = 0; i < node->redirect_count; i++) {
        const struct raw_redirect *redirect = &node->redirects[i];
        bool reads = redirect->kind == SHELL_REDIRECT_READ && redirect->descriptor == 0;
        bool errors = redirect->kind == SHELL_REDIRECT_WRITE && redirect->descriptor == 2;
        if (!reads && !errors)
            return false;
    }
    return true;
}

static enum value_state node_counts(const struct resolver *resolver, size_t from, const struct node *node)
{
    if (node->kind != SHELL_COMMAND_SIMPLE || node->assignment_count || !node->word_count)
        return VALUE_UNKNOWN;
    if (is_read_on(resolver->reader, from, node))
        return VALUE_COUNT;
    if (!redirects_are_plain(node) || node->timed || functions_have(resolver, literal_word(node, 0)))
        return VALUE_UNKNOWN;
    return command_counts(resolver, node) ? VALUE_COUNT : pipeline_counts(resolver, node);
}

enum value_state substitution_counts(const struct resolver *resolver, const struct part *part)
{
    const struct reader *reader = resolver->reader;
    enum value_state all = VALUE_COUNT;
    if (part->kind != PART_COMMAND || resolver->bare || resolver->now.off)
        return VALUE_UNKNOWN;
    size_t at = part->tape;
    for (; at < reader->tape.count && at < part->tape + OPERATIONS_MAX; at++) {
        const struct op *op = &reader->tape.items[at];
        if (op->kind == OP_END)
            return at > part->tape ? all : VALUE_UNKNOWN;
        if (op->kind == OP_LOOP || op->kind == OP_FUNCTION || op->kind == OP_SUBSTITUTION)
            return VALUE_UNKNOWN;
        if (op->kind != OP_COMMAND)
            continue;
        enum value_state prints = node_counts(resolver, part->tape, &reader->nodes.items[op->to]);
        if (prints == VALUE_UNKNOWN)
            return VALUE_UNKNOWN;
        all = prints == VALUE_PLACE ? prints : all;
    }
    return VALUE_UNKNOWN;
}

enum value_state assignment_counts(const struct resolver *resolver, const struct raw_assignment *assignment)
{
    const struct raw_word *value = &assignment->value;
    if (value->count != 1 || assignment->array || assignment->appends || assignment->element)
        return VALUE_UNKNOWN;
    return value->parts[0].kind == PART_ARITHMETIC ? VALUE_COUNT : substitution_counts(resolver, &value->parts[0]);
}

bool counts_may_name(struct hv_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!(name.ptr[i] >= 'a' && name.ptr[i] <= 'z') &&
            !(i && (name.ptr[i] == '_' || strchr("0123456789", name.ptr[i]))))
            return false;
    return name.len != 0;
}

/* date +FORMAT, of numbers, names of months and days, and what may stand between them. */
static bool is_plain_format(struct hv_str format)
{
    if (!hv_str_starts(format, HV_STR("+%")))
        return false;
    for (size_t i = 1; i < format.len; i++) {
        bool conversion = format.ptr[i] == '%' && i + 1 < format.len && strchr("YmdHMSsjFyuVN", format.ptr[i + 1]);
        if (!conversion && !(format.ptr[i] && strchr("-_.:T", format.ptr[i])))
            return false;
        i += conversion;
    }
    return true;
}

static bool prints_plainly(const struct node *node)
{
    struct hv_str name = literal_word(node, 0), word = literal_word(node, 1);
    if (hv_str_is(name, "date"))
        return (node->word_count == 2 && is_plain_format(word)) ||
               (node->word_count == 3 && ONE_OF(word, "-u", "--utc") && is_plain_format(literal_word(node, 2))) ||
               (node->word_count == 4 && ONE_OF(word, "-d", "--date") && is_single(&node->words[2]) &&
                is_plain_format(literal_word(node, 3)));
    if (ONE_OF(name, "whoami", "hostname", "nproc", "arch", "logname"))
        return node->word_count == 1 || (hv_str_is(name, "hostname") && node->word_count == 2 && hv_str_is(word, "-s"));
    if (hv_str_is(name, "uname"))
        return node->word_count == 2 && ONE_OF(word, "-s", "-m", "-r", "-n");
    return hv_str_is(name, "id") && node->word_count == 2 && ONE_OF(word, "-un", "-u", "-gn", "-g");
}

bool substitution_is_plain(const struct resolver *resolver, const struct part *part)
{
    const struct reader *reader = resolver->reader;
    const struct node *node = NULL;
    if (part->kind != PART_COMMAND || resolver->bare || resolver->now.off)
        return false;
    for (size_t at = part->tape; at < reader->tape.count && reader->tape.items[at].kind != OP_END; at++) {
        const struct op *op = &reader->tape.items[at];
        if (op->kind != OP_NONE && (op->kind != OP_COMMAND || node))
            return false;
        node = op->kind == OP_COMMAND ? &reader->nodes.items[op->to] : node;
    }
    return node && node->kind == SHELL_COMMAND_SIMPLE && !node->assignment_count && node->word_count && !node->timed &&
           redirects_are_plain(node) && !functions_have(resolver, literal_word(node, 0)) && prints_plainly(node);
}
