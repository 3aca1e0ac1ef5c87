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

bool shell_may_set(const struct shell_command *command, struct hv_str name)
{
    if (command->kind != SHELL_COMMAND_GROUP && command->kind != SHELL_COMMAND_FUNCTION && may_count(command, name))
        return true;
    for (size_t i = 0; i < command->assignment_count; i++)
        if (hv_str_eq(command->assignments[i].name, name))
            return true;
    if (command->kind == SHELL_COMMAND_ARITHMETIC)
        return true;
    if (command->kind != SHELL_COMMAND_SIMPLE || !command->word_count)
        return false;
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

/* The one loop around command whose variable name is, when nothing else in the script sets it. */
static const struct shell_command *loop_of(const struct shell_script *script, const struct shell_command *command,
                                           struct hv_str name)
{
    const struct shell_command *loop = NULL;
    for (size_t i = 0; i < script->count; i++) {
        const struct shell_command *other = &script->commands[i];
        if (other->kind == SHELL_COMMAND_FUNCTION)
            return NULL;
        if (other->kind == SHELL_COMMAND_FOR && hv_str_eq(other->variable, name)) {
            if (loop)
                return NULL;
            loop = other;
        } else if (shell_may_set(other, name)) {
            return NULL;
        }
    }
    if (!loop || loop >= command)
        return NULL;
    for (size_t at = command->parent; at < script->count; at = script->commands[at].parent)
        if (&script->commands[at] == loop)
            return loop;
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
    unsigned stands;         /* SHELL_WORD_DIRECT, SHELL_WORD_FOLLOWED, or neither */
    bool blanks;             /* one may be cut when it is not quoted */
    bool option;             /* one may begin with "-": it ends in a slash then */
    bool gone;               /* one is a name that need not be there */
};

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

/* All of the words stand below one directory, and none begins with "-", but as the sum says. False: not certain. */
static bool sum_up(struct shell_reading *reading, const struct shell_command *loop, struct sum *sum)
{
    enum { NAMES = SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED | SHELL_WORD_DIRECT | SHELL_WORD_FOLLOWED };
    size_t count = loop->word_count;
    const struct shell_word *given = shell_given_words(reading, loop, &count), *words = given ? given : loop->words;
    /* The command may run elsewhere than where the patterns became names. */
    struct hv_str standing = given ? reading->given_standing : loop->directory;
    *sum = (struct sum){0};
    for (size_t i = 0; i < count; i++) {
        struct shell_word listed = words[i];
        bool bound = !given && shell_names_from_origin(reading, &listed);
        bool printed = bound || (!given && shell_names_from_substitution(reading, loop, i, &listed));
        const struct shell_word *word = &listed;
        unsigned plain = given ? NAMES | SHELL_WORD_NO_OPTION : NAMES;
        bool glob = !word->known && word->flags & SHELL_WORD_GLOB && (printed || !(word->flags & ~plain));
        bool begins = shell_may_be_option(word) && !(word->flags & SHELL_WORD_GONE && glob) &&
                      !shell_glob_is_plain_in(reading, standing, word);
        sum->gone |= glob && word->flags & SHELL_WORD_GONE;
        sum->option |= begins;
        if ((!word->known && !glob) || (begins && !(glob && hv_str_ends(word->tail, HV_STR("/")))) ||
            hv_str_find(word->text, HV_STR(".."), 0) != SIZE_MAX || (word->known && !word->value.len))
            return false;
        sum->blanks |= glob && (!printed || (bound && words[i].flags & SHELL_WORD_QUOTED));
        for (size_t j = 0; j < word->value.len; j++)
            sum->blanks |= strchr(" \t\n*?[\\", word->value.ptr[j]) != NULL;
        size_t slash = hv_str_rfind_byte(word->value, '/');
        sum_up_place(sum, !i, word, hv_str_slice(word->value, 0, slash == SIZE_MAX ? 0 : slash + 1));
        /* From two absolute names only the root is common, from a mixture nothing. */
        if (i && (words[0].value.len && words[0].value.ptr[0] == '/') != (word->value.len && word->value.ptr[0] == '/'))
            return false;
    }
    return count != 0;
}

bool shell_sum_up_words(struct shell_reading *reading, const struct shell_command *values, struct shell_word *word)
{
    struct sum sum;
    if (!sum_up(reading, values, &sum) || sum.option || sum.gone)
        return false;
    word->flags = SHELL_WORD_GLOB | SHELL_WORD_NO_OPTION | sum.stands;
    word->value = sum.directory;
    word->tail = (struct hv_str){0};
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

/* One of some plain words, or names that a command prints, none of which climbs: below a directory, whatever it is. */
static bool stays_below(struct shell_reading *reading, const struct shell_command *loop, size_t at)
{
    struct shell_word listed = loop->words[at];
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
    const struct shell_command *loop = name.ptr ? loop_of(reading->script, command, name) : NULL;
    if (!loop || !loop->word_count || word->value.ptr[0] == '-' || hv_str_find_byte(word->value, '=', 0) != SIZE_MAX ||
        word->flags & SHELL_WORD_MANY)
        return;
    bool single = hv_str_find_byte(word->tail, '/', 0) == SIZE_MAX; /* one component */
    for (size_t i = 0; i < loop->word_count; i++) {
        if (!stays_below(reading, loop, i))
            return;
        single &= loop->words[i].known;
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
    if (word->value.len) {
        if (!resolve_behind_dot(reading, command, word))
            resolve_middle(reading, command, word);
        return;
    }
    name = variable_of(word->text);
    const struct shell_command *loop = name.ptr ? loop_of(script, command, name) : NULL;
    const struct shell_command *reader = name.ptr && !loop ? reader_of(script, name) : NULL;
    if (reader && shell_names_from_read(reading, reader, command, name, word)) {
        word->flags &= ~(unsigned)SHELL_WORD_MANY; /* the names have no blanks */
        return;
    }
    if (!loop || !sum_up(reading, loop, &sum) || (sum.option && sum.gone) ||
        (sum.blanks && word->flags & SHELL_WORD_MANY))
        return;
    /* Below the directory, as a glob is, but one argument. */
    word->flags = SHELL_WORD_GLOB | (word->tail.len ? sum.stands & SHELL_WORD_FOLLOWED : sum.stands) |
                  (sum.gone     ? SHELL_WORD_GONE
                   : sum.option ? 0
                                : SHELL_WORD_NO_OPTION);
    word->value = sum.directory;
    word->tail = sum.option ? HV_STR("/") : word->tail;
}

bool shell_resolve_loop_word(struct shell_reading *reading, const struct shell_command *command,
                             struct shell_word *word)
{
    bool open = !word->known && word->flags & SHELL_WORD_VARIABLE && command->place & SHELL_IN_LOOP;
    if (open && reading->script->count <= COMMANDS_MAX)
        resolve_word(reading, command, word);
    return open && !(word->flags & SHELL_WORD_VARIABLE);
}

size_t shell_loop_values(const struct shell_reading *reading, const struct shell_word *word, struct hv_str *values,
                         size_t max)
{
    const struct shell_script *script = reading->script;
    struct hv_str name = variable_of(word->text);
    const struct shell_command *loop =
        name.ptr && script->count <= COMMANDS_MAX ? loop_of(script, reading->judged, name) : NULL;
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
            !shell_top_from_substitution(reading, command, &words[i]) && !shell_names_from_origin(reading, &words[i]) &&
            !shell_resolve_parameter(reading, command, &words[i]) && command->place & SHELL_IN_LOOP)
            resolve_word(reading, command, &words[i]);
    return words;
}
