/*
 * loops.c: what a loop's variable may be. The reader knows a variable when it has one value; that of a loop has
 * several, and where all of them are harmless, a word like "$file" is, too.
 */
#include "shell/classify.h"
#include <string.h>

enum { COMMANDS_MAX = 128 }; /* of scripts that are looked at: the work grows with their square */

/* The variable in "$name", ${name} or $name/tail; absent: something else. */
static struct hv_str variable_of(struct hv_str text)
{
    size_t at = text.len && text.ptr[0] == '"' ? 1 : 0;
    if (at >= text.len || text.ptr[at++] != '$')
        return (struct hv_str){0};
    bool braces = at < text.len && text.ptr[at] == '{';
    size_t start = at += braces, end = start;
    while (end < text.len && shell_is_identifier(hv_str_slice(text, start, end + 1)))
        end++;
    if (end == start || (braces && (end == text.len || text.ptr[end] != '}')))
        return (struct hv_str){0};
    struct hv_str rest = hv_str_slice(text, end + braces, text.len);
    if (hv_str_find_byte(rest, '$', 0) != SIZE_MAX || hv_str_find_byte(rest, '`', 0) != SIZE_MAX)
        return (struct hv_str){0};
    return hv_str_slice(text, start, end);
}

bool shell_is_variable(struct hv_str text)
{
    bool quoted = text.len > 1 && text.ptr[0] == '"' && text.ptr[text.len - 1] == '"';
    text = quoted ? hv_str_slice(text, 1, text.len - 1) : text;
    bool braces = hv_str_starts(text, HV_STR("${")) && hv_str_ends(text, HV_STR("}"));
    return hv_str_starts(text, HV_STR("$")) && shell_is_identifier(hv_str_slice(text, 1 + braces, text.len - braces));
}

bool shell_is_direct_name(const struct shell_word *word)
{
    enum { NAMES = SHELL_WORD_GLOB | SHELL_WORD_DIRECT | SHELL_WORD_NO_OPTION };
    return !word->known && (word->flags & NAMES) == NAMES && !(word->flags & ~(unsigned)(NAMES | SHELL_WORD_MARKS));
}

static bool has_identifier(struct hv_str word, struct hv_str name)
{
    return hv_str_starts(word, name) && (word.len == name.len || strchr("=+[", word.ptr[name.len]));
}

/* The operator at `at` assigns to the name before it. */
static bool assigns_at(struct hv_str text, size_t at)
{
    while (at < text.len && strchr(" \t\n", text.ptr[at]))
        at++;
    struct hv_str rest = hv_str_slice(text, at, at + 3);
    if (hv_str_starts(rest, HV_STR("++")) || hv_str_starts(rest, HV_STR("--")) || hv_str_is(rest, "<<=") ||
        hv_str_is(rest, ">>="))
        return true;
    bool joined = rest.len > 1 && rest.ptr[0] && strchr("+-*/%&|^", rest.ptr[0]);
    return rest.len > joined && rest.ptr[joined] == '=' && !(rest.len > 1 && rest.ptr[joined + 1] == '=');
}

/* What stands before `at` is something behind which arithmetic may take a name: "((", "[", "," … */
static bool may_be_arithmetic(struct hv_str text, size_t at)
{
    while (at && strchr(" \t\n\"", text.ptr[at - 1]))
        at--;
    return at && text.ptr[at - 1] && strchr("([:,?&|^=<>+-*/%!~", text.ptr[at - 1]);
}

/* Arithmetic in the words of command, wherever it stands, may set the variable: $((x=1)), ${y:x=1}, a[x++]. */
static bool may_count(const struct shell_command *command, struct hv_str name)
{
    struct hv_str text = command->text;
    for (size_t at = 0; (at = hv_str_find(text, name, at)) != SIZE_MAX; at += name.len) {
        size_t end = at + name.len;
        bool whole = !(at && shell_is_identifier(hv_str_slice(text, at - 1, end))) &&
                     !(end < text.len && shell_is_identifier(hv_str_slice(text, at, end + 1)));
        bool before =
            at > 1 && (text.ptr[at - 1] == '+' || text.ptr[at - 1] == '-') && text.ptr[at - 2] == text.ptr[at - 1];
        bool arithmetic = command->kind == SHELL_COMMAND_CONDITION || may_be_arithmetic(text, at);
        if (whole && (before || (arithmetic && assigns_at(text, end))))
            return true;
    }
    return false;
}

/* name stands in ((…)), as a whole; or data is evaluated there, which may set any. */
static bool is_in_arithmetic(const struct shell_command *command, struct hv_str name)
{
    for (size_t i = 0; i < command->word_count; i++) {
        struct hv_str text = command->words[i].text;
        if (command->words[i].flags & SHELL_WORD_EVALUATES)
            return true;
        for (size_t at = 0; (at = hv_str_find(text, name, at)) != SIZE_MAX; at += name.len)
            if (!(at && shell_is_identifier(hv_str_slice(text, at - 1, at + name.len))) &&
                !shell_is_identifier(hv_str_slice(text, at, at + name.len + 1)))
                return true;
    }
    return false;
}

bool shell_may_set(const struct shell_command *command, struct hv_str name)
{
    if (command->kind != SHELL_COMMAND_GROUP && command->kind != SHELL_COMMAND_FUNCTION && may_count(command, name))
        return true;
    for (size_t i = 0; i < command->redirect_count; i++)
        if (hv_str_eq(command->redirects[i].variable, name))
            return true;
    for (size_t i = 0; i < command->assignment_count; i++)
        if (hv_str_eq(command->assignments[i].name, name))
            return true;
    if (command->kind == SHELL_COMMAND_ARITHMETIC)
        return is_in_arithmetic(command, name);
    if (command->kind != SHELL_COMMAND_SIMPLE || !command->word_count)
        return false;
    if (hv_str_is(command->words[0].value, "let") && hv_str_find(command->text, name, 0) != SIZE_MAX)
        return true;
    static const char setters[] = "read mapfile readarray printf let declare typeset local export readonly unset wait "
                                  "builtin command coproc";
    if (!command->words[0].known || shell_names_have("eval source . trap getopts", command->words[0].value))
        return true;
    if (!shell_names_have(setters, command->words[0].value))
        return false;
    for (size_t i = 1; i < command->word_count; i++)
        if (has_identifier(command->words[i].value, name))
            return true;
    return false;
}

/* The function around command, as index; SIZE_MAX: none. */
static size_t function_around(const struct shell_script *script, const struct shell_command *command)
{
    size_t at = command->parent;
    while (at < script->count && script->commands[at].kind != SHELL_COMMAND_FUNCTION)
        at = script->commands[at].parent;
    return at < script->count ? at : SIZE_MAX;
}

/* `local name` in the function around loop, before it: the loop sets what that made. */
static bool makes_local(const struct shell_script *script, const struct shell_command *other,
                        const struct shell_command *loop)
{
    size_t function = function_around(script, loop);
    if (other > loop || function == SIZE_MAX || function_around(script, other) != function || !other->word_count ||
        other->assignment_count || !other->words[0].known || !hv_str_is(other->words[0].value, "local") ||
        !(other->place & SHELL_IN_FUNCTION))
        return false;
    for (size_t i = 1; i < other->word_count; i++)
        if (!other->words[i].known || !shell_is_identifier(other->words[i].value)) /* -n, -i, name=value */
            return false;
    return true;
}

/* The one loop whose variable name is, when nothing else in the script sets it. */
static const struct shell_command *only_setter(const struct shell_script *script, struct hv_str name)
{
    const struct shell_command *loop = NULL;
    for (size_t i = 0; i < script->count; i++)
        if (script->commands[i].kind == SHELL_COMMAND_FOR && hv_str_eq(script->commands[i].variable, name)) {
            if (loop)
                return NULL;
            loop = &script->commands[i];
        }
    for (size_t i = 0; loop && i < script->count; i++) {
        const struct shell_command *other = &script->commands[i];
        if (other != loop && shell_may_set(other, name) && !makes_local(script, other, loop))
            return NULL;
    }
    return loop;
}

/* Some command of the script may be shopt, which knows dotglob. */
static bool may_set_options(const struct shell_script *script)
{
    for (size_t i = 0; i < script->count; i++)
        if (script->commands[i].kind == SHELL_COMMAND_SIMPLE && script->commands[i].word_count &&
            hv_str_find(script->commands[i].text, HV_STR("shopt"), 0) != SIZE_MAX)
            return true;
    return false;
}

/* What is known of name in the script: an index of lookups->loops. */
static size_t look_up_loop(const struct shell_reading *reading, struct hv_str name)
{
    struct shell_lookups *lookups = reading->lookups;
    enum { KEPT = sizeof lookups->loops / sizeof *lookups->loops };
    for (size_t i = 0; i < KEPT; i++)
        if (lookups->loops[i].script == reading->script && hv_str_eq(lookups->loops[i].name, name))
            return i;
    size_t at = lookups->loop_count++ % KEPT;
    lookups->loops[at].script = reading->script;
    lookups->loops[at].name = name;
    lookups->loops[at].loop = only_setter(reading->script, name);
    lookups->loops[at].options = lookups->loops[at].loop && may_set_options(reading->script);
    return at;
}

/* The one loop around command, in the same function if any, whose variable name is, when nothing else in the script
 * sets it. */
static const struct shell_command *loop_of(const struct shell_reading *reading, const struct shell_command *command,
                                           struct hv_str name)
{
    const struct shell_script *script = reading->script;
    const struct shell_command *loop = reading->lookups->loops[look_up_loop(reading, name)].loop;
    if (!loop || loop >= command)
        return NULL;
    for (size_t at = command->parent; at < script->count; at = script->commands[at].parent)
        if (&script->commands[at] == loop)
            return loop;
        else if (script->commands[at].kind == SHELL_COMMAND_FUNCTION)
            return NULL;
    return NULL;
}

static struct hv_str common_directory(struct hv_str a, struct hv_str b)
{
    size_t length = 0;
    for (size_t i = 0; i < a.len && i < b.len && a.ptr[i] == b.ptr[i]; i++)
        if (a.ptr[i] == '/')
            length = i + 1;
    return hv_str_slice(a, 0, length);
}

/* What all of some words may be. */
struct sum {
    struct hv_str directory; /* that they stand below */
    struct hv_str begins;    /* how all begin, with the directory */
    struct hv_str ends;      /* and how all end */
    unsigned stands;         /* SHELL_WORD_DIRECT, SHELL_WORD_FOLLOWED, or neither */
    bool blanks;             /* one may be cut when it is not quoted */
    bool open;               /* the same of one that a pattern takes: it depends on the tree */
    bool option;             /* one may begin with "-": it ends in a slash then */
    bool gone;               /* one is a name that need not be there */
};

/* How all of the words begin and end, with this one. */
static void sum_up_letters(struct sum *sum, bool first, const struct shell_word *word)
{
    struct hv_str begins = word->value, ends = word->known ? word->value : word->tail;
    size_t same = 0, last = 0;
    if (first) {
        sum->begins = begins;
        sum->ends = ends;
        return;
    }
    while (same < begins.len && same < sum->begins.len && begins.ptr[same] == sum->begins.ptr[same])
        same++;
    while (last < ends.len && last < sum->ends.len &&
           ends.ptr[ends.len - 1 - last] == sum->ends.ptr[sum->ends.len - 1 - last])
        last++;
    sum->begins = hv_str_slice(sum->begins, 0, same);
    sum->ends = hv_str_slice(sum->ends, sum->ends.len - last, sum->ends.len);
}

/* What is certain of the beginning: the directory, and letters of the names in it when all stand right there. */
static struct hv_str beginning_of(const struct sum *sum)
{
    bool longer = hv_str_starts(sum->begins, sum->directory) &&
                  hv_str_find_byte(sum->begins, '/', sum->directory.len) == SIZE_MAX;
    return longer ? sum->begins : sum->directory;
}

/* Where all of the words stand, with this one, which stands in `own`. */
static void sum_up_place(struct sum *sum, bool first, const struct shell_word *word, struct hv_str own)
{
    unsigned stands = word->known ? SHELL_WORD_DIRECT : shell_where_names_stand(word);
    struct hv_str common = first ? own : common_directory(sum->directory, own);
    bool moved = !first && (!hv_str_eq(common, own) || !hv_str_eq(common, sum->directory));
    sum->stands = first ? stands : sum->stands & stands;
    if (moved)
        sum->stands &= ~(unsigned)SHELL_WORD_DIRECT;
    sum->directory = common;
}

/* What the words of a loop may be is asked of each variable anew, and of all words for it: so many in one judgement. */
static bool may_go_through(struct shell_reading *reading, size_t count)
{
    enum { SUMMED_MAX = 32768 };
    reading->lookups->summed += count;
    return reading->lookups->summed <= SUMMED_MAX;
}

/* All of the words stand below one directory, and none begins with "-", but as the sum says. False: not certain. */
static bool sum_up(struct shell_reading *reading, const struct shell_command *loop, struct sum *sum)
{
    enum { NAMES = SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED | SHELL_WORD_MARKS };
    size_t count = loop->word_count;
    /* The command may run elsewhere than where the patterns became names. */
    struct hv_str standing = loop->directory;
    const struct shell_word *given = shell_given_words(reading, loop, &count, &standing),
                            *words = given ? given : loop->words;
    *sum = (struct sum){0};
    if (!may_go_through(reading, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        struct shell_word listed = words[i];
        bool bound = !given && shell_names_from_origin(reading, &listed);
        bool printed = bound || (!given && shell_names_from_substitution(reading, loop, i, &listed));
        const struct shell_word *word = &listed;
        bool glob = !word->known && word->flags & SHELL_WORD_GLOB && (printed || !(word->flags & ~(unsigned)NAMES));
        /* Of what git prints nothing climbs, whichever commits "a..b" asks for. */
        bool climbs = hv_str_find(word->text, HV_STR(".."), 0) != SIZE_MAX &&
                      !(printed && !bound && hv_str_starts(word->text, HV_STR("$(git ")));
        bool begins = shell_may_be_option(word) && !(word->flags & SHELL_WORD_GONE && glob) &&
                      !shell_glob_is_plain_in(reading, standing, word);
        sum->gone |= glob && word->flags & SHELL_WORD_GONE;
        sum->option |= begins;
        if ((!word->known && !glob) || (begins && !(glob && hv_str_ends(word->tail, HV_STR("/")))) || climbs ||
            (word->known && !word->value.len))
            return false;
        sum->blanks |= glob && bound && words[i].flags & SHELL_WORD_QUOTED;
        sum->open |= glob && !printed;
        for (size_t j = 0; j < word->value.len; j++)
            sum->blanks |= strchr(" \t\n*?[\\", word->value.ptr[j]) != NULL;
        size_t slash = hv_str_rfind_byte(word->value, '/');
        sum_up_letters(sum, !i, word);
        sum_up_place(sum, !i, word, hv_str_slice(word->value, 0, slash == SIZE_MAX ? 0 : slash + 1));
        /* From two absolute names only the root is common, from a mixture nothing. */
        if (i && (words[0].value.len && words[0].value.ptr[0] == '/') != (word->value.len && word->value.ptr[0] == '/'))
            return false;
    }
    return count != 0;
}

/* The directory before the last slash of value, as seen from where the patterns became names. */
static struct hv_str directory_of(struct shell_reading *reading, struct hv_str standing, struct hv_str value)
{
    size_t slash = hv_str_rfind_byte(value, '/');
    if (slash == SIZE_MAX)
        return standing;
    struct hv_str before = hv_str_slice(value, 0, slash + 1);
    return *before.ptr == '/' ? before
           : standing.ptr     ? hv_arena_format(reading->arena, "%.*s/%.*s", HV_STR_ARG(standing), HV_STR_ARG(before))
                              : (struct hv_str){0};
}

/* No name that a pattern of the loop takes is cut, or taken for a pattern, when it is not quoted. */
static bool names_are_words(struct shell_reading *reading, const struct shell_command *loop)
{
    const struct shell_world *world = reading->world;
    size_t count = loop->word_count;
    struct hv_str standing = loop->directory;
    const struct shell_word *given = shell_given_words(reading, loop, &count, &standing),
                            *words = given ? given : loop->words;
    for (size_t i = 0; i < count; i++) {
        if (words[i].known || !(words[i].flags & SHELL_WORD_GLOB))
            continue; /* what is printed was asked about */
        struct hv_str directory = directory_of(reading, standing, words[i].value);
        unsigned wanted = shell_where_names_stand(&words[i]) & SHELL_WORD_DIRECT ? SHELL_TREE_NAMES : SHELL_TREE_WORDS;
        if (!directory.ptr || !world->tree_is_plain || !world->tree_is_plain(world->user, directory, wanted))
            return false;
    }
    return true;
}

bool shell_sum_up_words(struct shell_reading *reading, const struct shell_command *values, struct shell_word *word)
{
    struct sum sum;
    if (!sum_up(reading, values, &sum) || sum.option || sum.gone)
        return false;
    word->flags = SHELL_WORD_GLOB | SHELL_WORD_NO_OPTION | sum.stands;
    word->value = beginning_of(&sum);
    word->tail = sum.ends;
    return true;
}

/* The one command that reads name, when nothing else in the script sets it. */
static const struct shell_command *reader_of(const struct shell_script *script, struct hv_str name)
{
    const struct shell_command *reader = NULL;
    for (size_t i = 0; i < script->count; i++) {
        const struct shell_command *other = &script->commands[i];
        bool reads =
            other->kind == SHELL_COMMAND_SIMPLE && other->word_count && hv_str_is(other->words[0].value, "read");
        if (other->kind == SHELL_COMMAND_FUNCTION ||
            (other->kind == SHELL_COMMAND_FOR && hv_str_eq(other->variable, name)))
            return NULL;
        if (!shell_may_set(other, name))
            continue;
        if (!reads || reader)
            return NULL;
        reader = other;
    }
    return reader;
}

/* A pattern in which nothing else is expanded, no component begins with ".", and which is no absolute name. */
static bool is_plain_pattern(const struct shell_word *word)
{
    enum { FINE = SHELL_WORD_GLOB | SHELL_WORD_MANY };
    struct hv_str text = word->text;
    if (word->known || !(word->flags & SHELL_WORD_GLOB) || word->flags & ~(unsigned)FINE ||
        hv_str_find(text, HV_STR("**"), 0) != SIZE_MAX)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!text.ptr[i] || strchr("{}$`\"'\\~", text.ptr[i]) ||
            ((!i || text.ptr[i - 1] == '/') && strchr("./", text.ptr[i])))
            return false;
    }
    return text.len != 0;
}

/* One of some plain words, or names that a pattern takes or a command prints, none of which climbs: below a directory,
 * whatever it is. */
static bool stays_below(struct shell_reading *reading, const struct shell_command *loop, size_t at)
{
    struct shell_word listed = loop->words[at];
    if (is_plain_pattern(&listed))
        return true;
    if (shell_names_from_substitution(reading, loop, at, &listed))
        return !listed.value.len || *listed.value.ptr != '/';
    return listed.known && listed.value.len && hv_str_find_byte(listed.value, '/', 0) == SIZE_MAX &&
           hv_str_find_byte(listed.value, '.', 0) != 0;
}

/* "deploy/$name.yml" where name is such a word: below deploy. */
static void resolve_middle(struct shell_reading *reading, const struct shell_command *command, struct shell_word *word)
{
    struct hv_str text = hv_str_slice(word->text, hv_str_find_byte(word->text, '$', 0), word->text.len);
    size_t end = hv_str_rfind_byte(text, '"');
    struct hv_str name = variable_of(end == SIZE_MAX ? text : hv_str_slice(text, 0, end));
    const struct shell_command *loop = name.ptr ? loop_of(reading, command, name) : NULL;
    if (!loop || !loop->word_count || word->value.ptr[0] == '-' || hv_str_find_byte(word->value, '=', 0) != SIZE_MAX ||
        word->flags & SHELL_WORD_MANY || !may_go_through(reading, loop->word_count))
        return;
    bool single = hv_str_find_byte(word->tail, '/', 0) == SIZE_MAX; /* one component */
    for (size_t i = 0; i < loop->word_count; i++) {
        if (!stays_below(reading, loop, i))
            return;
        const struct shell_word *listed = &loop->words[i];
        size_t slash = hv_str_find_byte(listed->text, '/', 0);
        single &= listed->known || (is_plain_pattern(listed) && slash + (slash != SIZE_MAX) >= listed->text.len);
    }
    word->flags = SHELL_WORD_GLOB | SHELL_WORD_NO_OPTION | (single ? SHELL_WORD_DIRECT : 0);
}

/* "./$name" where the name was read: what it would be alone, as people write it lest a name be taken for an option. */
static bool resolve_behind_dot(struct shell_reading *reading, const struct shell_command *command,
                               struct shell_word *word)
{
    bool quoted = hv_str_starts(word->text, HV_STR("\"./$"));
    if (word->tail.len || !hv_str_is(word->value, "./") || !(quoted || hv_str_starts(word->text, HV_STR("./$"))))
        return false;
    struct shell_word bare = *word;
    struct hv_str rest = hv_str_slice(word->text, quoted ? 3 : 2, word->text.len);
    bare.text = quoted ? hv_arena_format(reading->arena, "\"%.*s", HV_STR_ARG(rest)) : rest;
    bare.value = (struct hv_str){0};
    struct hv_str name = variable_of(bare.text);
    const struct shell_command *reader = name.ptr ? reader_of(reading->script, name) : NULL;
    if (!reader || !shell_names_from_read(reading, reader, command, name, &bare) ||
        hv_str_starts(bare.value, HV_STR("/")))
        return false;
    bare.text = word->text;
    bare.flags = (bare.flags & ~(unsigned)SHELL_WORD_MANY) | SHELL_WORD_NO_OPTION; /* the names have no blanks */
    *word = bare;
    return true;
}

/* ---- what is cut off --------------------------------------------------------------------------------------------- */

/* ${f%.c}, or ${f##…} with "*" and a slash, with what stands around it in one word. */
struct edit {
    struct hv_str name;
    struct hv_str cut; /* plain bytes that are taken off the end */
    bool base;         /* only what is behind the last slash is left */
};

static bool is_plain_text(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
        if (!byte || (!letter && !strchr("._-", byte)))
            return false;
    }
    return text.len != 0;
}

static bool read_edit(const struct shell_word *word, struct edit *edit)
{
    struct hv_str text = word->text;
    bool quoted = text.len > 1 && text.ptr[0] == '"' && text.ptr[text.len - 1] == '"';
    text = quoted ? hv_str_slice(text, 1, text.len - 1) : text;
    for (size_t i = 0; i < text.len; i++)
        if (!text.ptr[i] || strchr("\"'`\\~", text.ptr[i]))
            return false;
    struct hv_str rest = hv_str_slice(text, word->value.len, text.len);
    if (!hv_str_starts(text, word->value) || !hv_str_starts(rest, HV_STR("${")))
        return false;
    size_t end = 2, close = hv_str_find_byte(rest, '}', 0);
    while (end < rest.len && shell_is_identifier(hv_str_slice(rest, 2, end + 1)))
        end++;
    if (end == 2 || close == SIZE_MAX || !hv_str_eq(hv_str_slice(rest, close + 1, rest.len), word->tail) ||
        hv_str_find_byte(word->tail, '$', 0) != SIZE_MAX)
        return false;
    struct hv_str operation = hv_str_slice(rest, end, close);
    *edit = (struct edit){.name = hv_str_slice(rest, 2, end), .base = hv_str_is(operation, "##*/")};
    if (!edit->base && hv_str_starts(operation, HV_STR("%")))
        edit->cut = hv_str_slice(operation, hv_str_starts(operation, HV_STR("%%")) ? 2 : 1, operation.len);
    return edit->base || is_plain_text(edit->cut);
}

/* None of the words has a last component that is empty, or begins with "."; and none is printed. */
static bool ends_are_plain(const struct shell_reading *reading, const struct shell_command *loop)
{
    if (reading->lookups->loops[look_up_loop(reading, loop->variable)].options)
        return false; /* dotglob */
    for (size_t i = 0; i < loop->word_count; i++) {
        const struct shell_word *word = &loop->words[i];
        struct hv_str text = word->known ? word->value : word->text;
        size_t slash = hv_str_rfind_byte(text, '/');
        struct hv_str last = hv_str_slice(text, slash == SIZE_MAX ? 0 : slash + 1, text.len);
        if (!last.len || strchr(".-+@!(=", *last.ptr) || !(word->known || is_plain_pattern(word)))
            return false;
    }
    return loop->word_count != 0;
}

/* The last components of what the patterns of the loop take do not look like options. */
static bool bases_are_plain(struct shell_reading *reading, const struct shell_command *loop)
{
    const struct shell_world *world = reading->world;
    for (size_t i = 0; i < loop->word_count; i++) {
        const struct shell_word *word = &loop->words[i];
        struct hv_str directory =
            word->known ? (struct hv_str){0} : directory_of(reading, loop->directory, word->value);
        bool asks = shell_where_names_stand(word) & SHELL_WORD_DIRECT && directory.ptr && world->tree_is_plain;
        if (!word->known && !(asks && world->tree_is_plain(world->user, directory, SHELL_TREE_NO_OPTION)))
            return false;
    }
    return true;
}

/* What is before the expansion is the beginning of a path, and no option. */
static bool is_plain_head(struct hv_str head)
{
    return !head.len || (*head.ptr != '-' && hv_str_find_byte(head, '=', 0) == SIZE_MAX);
}

/* "${f%.c}.h" where f is a loop's variable: some name in the directory of the other; what is behind the last slash is
 * one in the directory before the expansion. */
static bool resolve_edit(struct shell_reading *reading, const struct shell_command *command, struct shell_word *word)
{
    struct edit edit;
    struct sum sum;
    struct hv_str head = word->value, tail = word->tail;
    if (word->choices || !read_edit(word, &edit))
        return false;
    const struct shell_command *loop = loop_of(reading, command, edit.name);
    bool absolute = false, plain_ends = loop && ends_are_plain(reading, loop);
    if (!loop || !is_plain_head(head) || !sum_up(reading, loop, &sum) || sum.option || sum.gone ||
        (word->flags & SHELL_WORD_MANY && (sum.blanks || (sum.open && !names_are_words(reading, loop)))))
        return false;
    absolute = sum.directory.len && *sum.directory.ptr == '/';
    /* What is left is neither "" nor ".." when something else is behind it, or the names are plain. */
    bool bare = true;
    for (size_t i = 0; i < tail.len && tail.ptr[i] != '/'; i++)
        bare &= tail.ptr[i] == '.';
    if ((bare || edit.base) && !plain_ends)
        return false;
    bool one = hv_str_find_byte(tail, '/', 0) == SIZE_MAX;
    unsigned stands = one ? sum.stands & SHELL_WORD_DIRECT : 0;
    if (edit.base) {
        if (!head.len && !bases_are_plain(reading, loop))
            return false;
        stands = one ? SHELL_WORD_DIRECT : 0;
    } else if (head.len) {
        if (absolute)
            return false;
        stands = sum.directory.len ? 0 : stands;
    } else if (!sum.directory.len && tail.len && strchr("-+@!(=", *tail.ptr)) {
        return false;
    }
    word->value = edit.base || head.len ? head : sum.directory;
    word->flags = SHELL_WORD_GLOB | SHELL_WORD_NO_OPTION | stands;
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* One word, when it is a loop's variable. */
static void resolve_word(struct shell_reading *reading, const struct shell_command *command, struct shell_word *word)
{
    const struct shell_script *script = reading->script;
    struct hv_str name;
    struct sum sum;
    if (word->known || !(word->flags & SHELL_WORD_VARIABLE) ||
        word->flags & ~(unsigned)(SHELL_WORD_VARIABLE | SHELL_WORD_QUOTED | SHELL_WORD_MANY) ||
        (word->flags & SHELL_WORD_MANY && shell_sets_splitting(script)))
        return;
    if (resolve_edit(reading, command, word))
        return;
    if (word->value.len) {
        if (!resolve_behind_dot(reading, command, word))
            resolve_middle(reading, command, word);
        return;
    }
    name = variable_of(word->text);
    const struct shell_command *loop = name.ptr ? loop_of(reading, command, name) : NULL;
    const struct shell_command *reader = name.ptr && !loop ? reader_of(script, name) : NULL;
    if (reader && shell_names_from_read(reading, reader, command, name, word)) {
        word->flags &= ~(unsigned)SHELL_WORD_MANY; /* the names have no blanks */
        return;
    }
    if (!loop || !sum_up(reading, loop, &sum) || (sum.option && sum.gone) ||
        (word->flags & SHELL_WORD_MANY && (sum.blanks || (sum.open && !names_are_words(reading, loop)))))
        return;
    /* Below the directory, as a glob is, but one argument. */
    word->flags = SHELL_WORD_GLOB | (word->tail.len ? sum.stands & SHELL_WORD_FOLLOWED : sum.stands) |
                  (sum.gone     ? SHELL_WORD_GONE
                   : sum.option ? 0
                                : SHELL_WORD_NO_OPTION);
    word->value = beginning_of(&sum);
    word->tail = sum.option ? HV_STR("/") : word->tail.len ? word->tail : sum.ends;
}

static bool is_same(const struct shell_word *a, const struct shell_word *b)
{
    return a->known == b->known && a->flags == b->flags && a->origin == b->origin && a->choices == b->choices &&
           hv_str_eq(a->text, b->text) && hv_str_eq(a->value, b->value) && hv_str_eq(a->tail, b->tail);
}

/* For whose words the word is resolved; a few steps away it is not kept what came of it. */
static bool is_near(const struct shell_reading *reading, const struct shell_command **outer)
{
    const struct shell_resolving *own = reading->resolving, *around = own ? own->outer : NULL;
    *outer = around ? around->command : NULL;
    return !around || !around->outer;
}

/* The same word, for the same command, was resolved just before: commands name one variable many times. */
static bool was_resolved(struct shell_reading *reading, const struct shell_command *command, struct shell_word *word)
{
    const struct shell_command *outer;
    const struct shell_lookups *lookups = reading->lookups;
    if (!is_near(reading, &outer) || lookups->resolved.reading != reading ||
        lookups->resolved.judged != reading->judged || lookups->resolved.command != command ||
        lookups->resolved.outer != outer || lookups->resolved.inner != (reading->resolving != NULL) ||
        !hv_str_eq(lookups->resolved.directory, reading->directory) || !is_same(&lookups->resolved.before, word))
        return false;
    *word = lookups->resolved.after;
    reading->acts->looks_around |= lookups->resolved.looks_around;
    return true;
}

static void resolve_once(struct shell_reading *reading, const struct shell_command *command, struct shell_word *word)
{
    if (was_resolved(reading, command, word))
        return;
    const struct shell_word before = *word;
    const struct shell_command *outer;
    bool looked_around = reading->acts->looks_around, near = is_near(reading, &outer);
    reading->acts->looks_around = false;
    resolve_word(reading, command, word);
    struct shell_lookups *lookups = reading->lookups;
    lookups->resolved.reading = near ? reading : NULL;
    lookups->resolved.judged = reading->judged;
    lookups->resolved.command = command;
    lookups->resolved.outer = outer;
    lookups->resolved.inner = reading->resolving != NULL;
    lookups->resolved.directory = reading->directory;
    lookups->resolved.before = before;
    lookups->resolved.after = *word;
    lookups->resolved.looks_around = reading->acts->looks_around;
    reading->acts->looks_around |= looked_around;
}

/* for i in $(ls $i) within another loop leads to itself, round in circles. */
static bool may_resolve(const struct shell_reading *reading, const struct shell_command *command)
{
    enum { DEEPEST = 4, WITHIN_MAX = 4096 };
    size_t depth = 0;
    bool round = false;
    for (const struct shell_resolving *at = reading->resolving; at; at = at->outer, depth++)
        round |= at->command == command;
    reading->acts->resolved_within += depth > 0; /* each of them may need as many again */
    return !round && depth < DEEPEST && reading->acts->resolved_within < WITHIN_MAX &&
           reading->script->count <= COMMANDS_MAX;
}

bool shell_resolve_loop_word(struct shell_reading *reading, const struct shell_command *command,
                             struct shell_word *word)
{
    bool open = !word->known && word->flags & SHELL_WORD_VARIABLE && command->place & SHELL_IN_LOOP;
    if (open && may_resolve(reading, command)) {
        const struct shell_resolving own = {command, reading->resolving};
        reading->resolving = &own;
        resolve_once(reading, command, word);
        reading->resolving = own.outer;
    }
    return open && !(word->flags & SHELL_WORD_VARIABLE);
}

size_t shell_loop_values(const struct shell_reading *reading, const struct shell_word *word, struct hv_str *values,
                         size_t max)
{
    const struct shell_script *script = reading->script;
    struct hv_str name = variable_of(word->text);
    const struct shell_command *loop =
        name.ptr && script->count <= COMMANDS_MAX ? loop_of(reading, reading->judged, name) : NULL;
    bool quoted = hv_str_starts(word->text, HV_STR("\"")),
         braces = hv_str_ends(word->text, hv_str_from(quoted ? "}\"" : "}"));
    size_t whole = name.len + 1 + 2 * quoted + 2 * braces;
    if (!loop || word->text.len != whole || loop->word_count > max || (!quoted && shell_sets_splitting(script)))
        return 0;
    for (size_t i = 0; i < loop->word_count; i++) {
        const struct shell_word *value = &loop->words[i];
        if (!value->known || !value->value.len || *value->value.ptr == '-')
            return 0;
        for (size_t j = 0; j < value->value.len; j++)
            if (strchr(" \t\n*?[\\", value->value.ptr[j]))
                return 0;
        values[i] = value->value;
    }
    return loop->word_count;
}

/* A variable that a loop may have bound, or the output of a command. */
static bool has_open_word(const struct shell_command *command)
{
    bool open = false;
    for (size_t i = 1; i < command->word_count; i++)
        open |= !command->words[i].known && command->words[i].flags & (SHELL_WORD_VARIABLE | SHELL_WORD_COMMAND);
    return open;
}

const struct shell_word *shell_resolve_loops(struct shell_reading *reading, const struct shell_command *command)
{
    if (command->kind != SHELL_COMMAND_SIMPLE || reading->script->count > COMMANDS_MAX || !has_open_word(command))
        return command->words;
    struct shell_word *words = hv_arena_array(reading->arena, struct shell_word, command->word_count);
    memcpy(words, command->words, command->word_count * sizeof *words);
    for (size_t i = 1; i < command->word_count; i++)
        if (!shell_names_from_substitution(reading, command, i, &words[i]) &&
            !shell_top_from_substitution(reading, command, &words[i]) &&
            !shell_program_from_substitution(reading, &words[i]) && !shell_names_from_origin(reading, &words[i]) &&
            !shell_resolve_parameter(reading, command, &words[i]) && command->place & SHELL_IN_LOOP)
            resolve_once(reading, command, &words[i]);
    return words;
}
