/*
 * origins.c: names that go through a variable: files=$(git ls-files), mapfile -t files < <(find .), files=(a b).
 * The reader says which command bound the variable that a word holds; what that one gives it is judged here.
 */
#include "shell/classify.h"
#include <string.h>

enum { ORIGINS_MAX = 256, ELEMENTS_MAX = 64 };

/* ---- a list: (src/a.ts 'b c') -------------------------------------------------------------------------- */

/* The word at *at of the text between the parentheses: of plain bytes, patterns, or one pair of quotes around all. */
static bool take_element(struct hv_str text, size_t *at, struct shell_word *word)
{
    static const char plain[] = "_./-+@,:%*?";
    size_t from = *at, end = from, glob = SIZE_MAX, last = 0;
    char quote = text.ptr[from];
    if (quote == '\'' || quote == '"') {
        end = hv_str_find_byte(text, quote, from + 1);
        if (end == SIZE_MAX || (end + 1 < text.len && !strchr(" \t\n", text.ptr[end + 1])))
            return false;
        *word = shell_word_known(hv_str_slice(text, from + 1, end));
        *at = end + 1;
        return quote == '\'' || (hv_str_find_byte(word->value, '$', 0) == SIZE_MAX &&
                                 hv_str_find_byte(word->value, '`', 0) == SIZE_MAX &&
                                 hv_str_find_byte(word->value, '\\', 0) == SIZE_MAX);
    }
    for (; end < text.len && !strchr(" \t\n", text.ptr[end]); end++) {
        char byte = text.ptr[end];
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
        if (!byte || (!letter && !strchr(plain, byte)))
            return false;
        if (byte != '*' && byte != '?')
            continue;
        glob = glob == SIZE_MAX ? end : glob;
        last = end;
    }
    *word = shell_word_known(hv_str_slice(text, from, end));
    *at = end;
    if (glob != SIZE_MAX) {
        word->known = false;
        word->flags = SHELL_WORD_GLOB | SHELL_WORD_MANY;
        word->value = hv_str_slice(text, from, glob);
        word->tail = hv_str_slice(text, last + 1, end);
    }
    return true;
}

/* What an array that is bound to text, with its parentheses, holds. */
static bool names_of_list(struct shell_reading *reading, struct hv_str text, struct shell_word *word)
{
    struct shell_word elements[ELEMENTS_MAX];
    struct shell_command all = {.words = elements, .directory = reading->directory};
    if (text.len < 2 || text.ptr[0] != '(' || text.ptr[text.len - 1] != ')')
        return false;
    text = hv_str_slice(text, 1, text.len - 1);
    for (size_t at = 0; at < text.len;) {
        if (strchr(" \t\n", text.ptr[at])) {
            at++;
            continue;
        }
        if (all.word_count == ELEMENTS_MAX || !take_element(text, &at, &elements[all.word_count++]))
            return false;
    }
    return all.word_count && shell_sum_up_words(reading, &all, word);
}

/* ---- the top of the repository ----------------------------------------------------------------------------------- */

/* The one substitution in command is git rev-parse --show-toplevel: that command; NULL: it is more. */
static const struct shell_command *asks_for_top(const struct shell_reading *reading,
                                                const struct shell_command *command)
{
    const struct shell_script *script = reading->script;
    size_t index = (size_t)(command - script->commands);
    const struct shell_command *only = NULL;
    for (size_t i = index + 1; i < script->count; i++) {
        const struct shell_command *inner = &script->commands[i];
        if (inner->parent != index || !(inner->place & SHELL_IN_SUBSTITUTION))
            continue;
        if (only)
            return NULL;
        only = inner;
    }
    bool asks = only && only->kind == SHELL_COMMAND_SIMPLE && !only->calls_function && only->word_count == 3 &&
                !only->assignment_count && !only->pipeline && hv_str_is(only->words[0].value, "git") &&
                hv_str_is(only->words[1].value, "rev-parse") && hv_str_is(only->words[2].value, "--show-toplevel");
    return asks ? only : NULL;
}

/* Where git says nothing, what stands behind it begins at the root: that must not be where secrets are. */
static bool is_harmless_at_root(struct hv_str tail)
{
    static const char secret[] = "etc root home proc dev sys run var tmp mnt media srv boot Users Volumes private "
                                 "Library System";
    if (!tail.len)
        return true;
    size_t end = hv_str_find_byte(tail, '/', 1);
    return tail.ptr[0] == '/' && hv_str_find(tail, HV_STR(".."), 0) == SIZE_MAX &&
           hv_str_find(tail, HV_STR("//"), 0) == SIZE_MAX &&
           !shell_names_have(secret, hv_str_slice(tail, 1, end == SIZE_MAX ? tail.len : end));
}

/* An argument of several, or a pattern, when it is not quoted. */
static bool is_one_word(struct hv_str path)
{
    for (size_t i = 0; i < path.len; i++)
        if (strchr(" \t\n*?[\\", path.ptr[i]))
            return false;
    return true;
}

static bool take_top(struct shell_reading *reading, const struct shell_command *command, struct shell_word *word)
{
    const struct shell_world *world = reading->world;
    const struct shell_command *git = asks_for_top(reading, command);
    bool many = word->flags & SHELL_WORD_MANY;
    if (!git || word->value.len || !is_harmless_at_root(word->tail) || !world->repository_top || !git->directory.ptr)
        return false;
    struct hv_str top = world->repository_top(world->user, reading->arena, git->directory);
    if (!top.ptr || (many && (!is_one_word(top) || shell_sets_splitting(reading->script))))
        return false;
    struct hv_str text = word->text;
    *word = shell_word_known(hv_arena_join(reading->arena, top, word->tail));
    word->text = text;
    return true;
}

bool shell_top_from_substitution(struct shell_reading *reading, const struct shell_command *command,
                                 struct shell_word *word)
{
    return !word->known && (word->flags & ~(unsigned)(SHELL_WORD_QUOTED | SHELL_WORD_MANY)) == SHELL_WORD_COMMAND &&
           take_top(reading, command, word);
}

/* What `command -v` says nothing of but the name. */
static bool is_of_the_shell(struct hv_str name)
{
    static const char names[] =
        ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown "
        "echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile "
        "popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type "
        "typeset ulimit umask unalias unset wait if then elif else fi time for in until while do done case esac coproc "
        "select function";
    return shell_names_have(names, name);
}

/* The name in $(which NAME) or "$(command -v NAME)"; absent: the word is something else. by_which: the first. */
static struct hv_str sought_program(struct hv_str text, bool *by_which)
{
    static const struct hv_str heads[] = {HV_STR("$(which "), HV_STR("$(type -P "), HV_STR("$(command -v ")};
    bool quoted = text.len > 2 && text.ptr[0] == '"' && text.ptr[text.len - 1] == '"';
    size_t head = 0;
    if (quoted)
        text = hv_str_slice(text, 1, text.len - 1);
    while (head < 3 && !hv_str_starts(text, heads[head]))
        head++;
    if (head == 3 || !hv_str_ends(text, HV_STR(")")))
        return (struct hv_str){0};
    struct hv_str name = hv_str_slice(text, heads[head].len, text.len - 1);
    for (size_t i = 0; i < name.len; i++) {
        char byte = name.ptr[i];
        bool letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z', digit = byte >= '0' && byte <= '9';
        if (!letter && !digit && (!i || !strchr("._+-", byte)))
            return (struct hv_str){0};
    }
    *by_which = head == 0;
    return head == 2 && is_of_the_shell(name) ? (struct hv_str){0} : name;
}

/* Where the program is, in the place of the words that ask for it. */
static void take_path(struct shell_reading *reading, struct hv_str name, struct shell_word *word)
{
    const struct shell_world *world = reading->world;
    struct hv_str text = word->text;
    struct hv_str path =
        world->program_path ? world->program_path(world->user, reading->arena, name) : (struct hv_str){0};
    if (!path.len || !is_one_word(path))
        return;
    *word = shell_word_known(path);
    word->text = text;
}

bool shell_program_from_substitution(struct shell_reading *reading, struct shell_word *word)
{
    const struct shell_world *world = reading->world;
    bool by_which = false;
    struct hv_str name = word->known ? (struct hv_str){0} : sought_program(word->text, &by_which);
    if (!name.len || !world->is_system_program || shell_sets_splitting(reading->script))
        return false;
    reading->acts->looks_around = true;
    for (size_t i = 0; i < reading->script->count; i++)
        if (reading->script->commands[i].kind == SHELL_COMMAND_FUNCTION)
            return false; /* which may be one */
    if ((by_which && !world->is_system_program(world->user, HV_STR("which"))) ||
        !world->is_system_program(world->user, name))
        return false;
    word->flags |= SHELL_WORD_NO_OPTION;
    word->value = HV_STR("/");
    take_path(reading, name, word);
    return true;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

/* mapfile -t [-d ''] NAME < <(…) */
static bool names_of_mapfile(struct shell_reading *reading, const struct shell_command *source, struct shell_word *word)
{
    const struct shell_redirect *redirect = source->redirects;
    bool whole = false, nul = false;
    if (!shell_names_have("mapfile readarray", source->words[0].value) || source->assignment_count ||
        source->redirect_count != 1 || redirect->kind != SHELL_REDIRECT_READ || redirect->descriptor != 0 ||
        redirect->target.flags != SHELL_WORD_PROCESS)
        return false;
    for (size_t i = 1; i + 1 < source->word_count; i++) {
        struct hv_str option = source->words[i].value;
        bool ends = shell_names_have("-d -td", option);
        if (!source->words[i].known || (!ends && !hv_str_is(option, "-t")) ||
            (ends && (!source->words[i + 1].known || source->words[i + 1].value.len)))
            return false;
        whole |= hv_str_find_byte(option, 't', 0) != SIZE_MAX;
        nul |= ends;
        i += ends;
    }
    return whole && shell_names_from_output(reading, source, nul ? SHELL_CUT_NUL : SHELL_CUT_LINES, word);
}

/* $(…) or "$(…)", and nothing else. */
static bool is_whole(const struct shell_word *value)
{
    return !value->known && !value->value.len && !value->tail.len &&
           (value->flags & ~(unsigned)SHELL_WORD_QUOTED) == SHELL_WORD_COMMAND;
}

/* The names that source binds the variable to, as one word. */
static bool names_of(struct shell_reading *reading, const struct shell_command *source, bool list, bool split,
                     struct shell_word *word)
{
    const struct shell_assignment *assignment = source->assignments;
    if (source->kind != SHELL_COMMAND_SIMPLE ||
        (source->word_count ? source->assignment_count != 0 : source->assignment_count != 1))
        return false;
    if (source->word_count)
        return !split && names_of_mapfile(reading, source, word);
    if (assignment->array)
        return !split && hv_str_eq(source->directory, reading->directory) &&
               names_of_list(reading, assignment->value.text, word);
    return is_whole(&assignment->value) && !source->redirect_count && !list &&
           shell_names_from_output(reading, source, split ? SHELL_CUT_WORDS : SHELL_CUT_LINES, word);
}

/* The name is a part of a word: what it makes of it lies below the working directory, and so does what is linked. */
static bool place_names(struct shell_reading *reading, const struct shell_word *given, struct shell_word *names)
{
    const struct shell_world *world = reading->world;
    struct hv_str head = given->value;
    if (!head.len && !given->tail.len)
        return true;
    /* Without anything before it, it may be nothing, and what follows begins at the root. */
    bool climbs = hv_str_find(given->text, HV_STR(".."), 0) != SIZE_MAX;
    bool odd = head.len && (strchr("-/~", *head.ptr) || hv_str_find_byte(head, '=', 0) != SIZE_MAX);
    bool absolute = names->value.len && *names->value.ptr == '/';
    if (climbs || odd || absolute || given->flags & SHELL_WORD_MANY || !head.len || !world->tree_is_plain ||
        !reading->directory.ptr || !world->tree_is_plain(world->user, reading->directory, SHELL_TREE_LINKS))
        return false;
    size_t slash = hv_str_rfind_byte(head, '/');
    names->value = hv_str_slice(head, 0, slash == SIZE_MAX ? 0 : slash + 1);
    names->flags = (names->flags & ~(unsigned)SHELL_WORD_DIRECT) | SHELL_WORD_FOLLOWED;
    return true;
}

bool shell_names_from_origin(struct shell_reading *reading, struct shell_word *word)
{
    enum { FINE = SHELL_WORD_VARIABLE | SHELL_WORD_QUOTED | SHELL_WORD_MANY };
    if (word->known || !word->origin || word->origin > reading->script->count || word->flags & ~(unsigned)FINE ||
        ++reading->lookups->origins > ORIGINS_MAX || reading->elsewhere_count)
        return false;
    const struct shell_command *source = &reading->script->commands[word->origin - 1];
    bool list = hv_str_find(word->text, HV_STR("[@]"), 0) != SIZE_MAX;
    bool element = hv_str_find_byte(word->text, '[', 0) != SIZE_MAX;
    bool many = (word->flags & SHELL_WORD_MANY) != 0, split = many && !(list && word->flags & SHELL_WORD_QUOTED);
    bool scalar = !source->word_count && source->assignment_count && !source->assignments->array;
    if (split && shell_sets_splitting(reading->script))
        return false;
    if (scalar && !element && is_whole(&source->assignments->value) && take_top(reading, source, word))
        return true;
    struct shell_word names = *word;
    names.origin = 0;
    names.tail = HV_STR("");
    if (!names_of(reading, source, element, split, &names) || !place_names(reading, word, &names))
        return false;
    names.flags =
        SHELL_WORD_GLOB | SHELL_WORD_NO_OPTION | shell_where_names_stand(&names) | (many ? SHELL_WORD_MANY : 0);
    names.text = word->text;
    if (scalar || source->word_count || word->value.len || word->tail.len)
        names.tail = HV_STR("");
    *word = names;
    return true;
}
