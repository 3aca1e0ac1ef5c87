/*
 * classify.c: how the words of a command are read by the row of its program: options with their arguments, operands,
 * sub-commands. See classify.h.
 *
 * What is not in the row is unknown: options, abbreviations of long ones, and options that are only partly known
 * ("-$x"). A word that is not known at all and may begin with "-" is accepted only by rows all of whose options are
 * harmless; a word that may become several makes the places of the others a guess, so that the worst meaning of any
 * operand counts.
 */
#include "base/path.h"
#include "shell/rows.h"
#include <string.h>

/* ---- what was found ------------------------------------------------------------------------------------- */

void shell_worsen(struct shell_reading *reading, enum shell_class class, const char *why)
{
    if (class >= reading->act.class)
        return;
    reading->act.class = class;
    reading->act.why = hv_str_from(why);
    if (class <= SHELL_EXECUTES)
        reading->act.reads_listed = reading->act.writes_listed = false;
}

static void worsen(struct shell_reading *reading, enum shell_class class, const char *format, va_list arguments)
{
    if (class >= reading->act.class)
        return;
    struct hv_str why = hv_arena_vformat(reading->arena, format, arguments);
    shell_worsen(reading, class, "");
    reading->act.why = why;
}

void shell_worsenf(struct shell_reading *reading, enum shell_class class, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    worsen(reading, class, format, arguments);
    va_end(arguments);
}

void shell_changes(struct shell_reading *reading, const char *format, ...)
{
    va_list arguments;
    reading->act.writes_listed = false;
    va_start(arguments, format);
    worsen(reading, SHELL_WRITES, format, arguments);
    va_end(arguments);
}

/* Streams, not files. */
static bool is_stream(struct hv_str path)
{
    if (!hv_str_starts(path, HV_STR("/dev/")))
        return false;
    if (shell_names_have("/dev/null /dev/stdin /dev/stdout /dev/stderr /dev/zero /dev/urandom /dev/random /dev/full",
                         path))
        return true;
    struct hv_str number = hv_str_slice(path, 8, path.len);
    for (size_t i = 0; i < number.len; i++)
        if (number.ptr[i] < '0' || number.ptr[i] > '9')
            return false;
    return number.len && hv_str_starts(path, HV_STR("/dev/fd/"));
}

static struct hv_str untidy_path(struct shell_reading *reading, struct hv_str directory, struct hv_str path)
{
    if (path.len && path.ptr[0] == '/')
        return path;
    return path_join(reading->arena, directory, path);
}

/* path, as seen from directory. */
static void name_path(struct shell_reading *reading, struct hv_str directory, struct hv_str path,
                      struct shell_access *access)
{
    if (!path.len || (path.ptr[0] != '/' && !directory.ptr))
        return;
    if (hv_str_is(path, ".")) {
        access->path = access->untidy = directory;
        return;
    }
    access->untidy = untidy_path(reading, directory, path);
    access->path = path_expand(reading->arena, access->untidy, HV_STR("/"), HV_STR("/"));
}

void shell_enter(struct shell_reading *reading, const struct shell_word *directory)
{
    bool absolute = directory->value.len && directory->value.ptr[0] == '/';
    bool relative = reading->directory.ptr && !reading->elsewhere_count;
    struct shell_access access = {0};
    if (directory->known && (absolute || relative))
        name_path(reading, reading->directory, directory->value, &access);
    /* Behind a link, ".." leads elsewhere than it looks. */
    bool climbs = hv_str_find(directory->value, HV_STR(".."), 0) != SIZE_MAX;
    reading->directory = climbs ? (struct hv_str){0} : access.path;
    reading->below = (struct hv_str){0};
    reading->elsewhere_count = 0;
}

static bool has_parent_part(struct hv_str text)
{
    return hv_str_find(text, HV_STR(".."), 0) != SIZE_MAX;
}

/* What a glob can name lies below the directory before it, when no ".." follows, and so does what a number ends.
 * Absent: not known. */
static struct hv_str directory_of_names(const struct shell_word *word)
{
    enum { FINE = SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED | SHELL_WORD_MARKS | SHELL_WORD_GONE };
    bool glob = word->flags & SHELL_WORD_GLOB && !(word->flags & ~(unsigned)FINE);
    bool part = hv_str_find_byte(word->value, ':', 0) != SIZE_MAX || hv_str_find_byte(word->value, '=', 0) != SIZE_MAX;
    bool filled = word->flags & (SHELL_WORD_FILLED | SHELL_WORD_PLAIN) && !(word->flags & SHELL_WORD_MANY) && !part;
    if ((!glob && !filled) || has_parent_part(word->text) || has_parent_part(word->value))
        return (struct hv_str){0};
    size_t slash = hv_str_rfind_byte(word->value, '/');
    return slash == SIZE_MAX ? HV_STR(".") : hv_str_slice(word->value, 0, slash ? slash : 1);
}

static enum shell_names names_of(const struct shell_word *word)
{
    bool filled =
        word->flags & (SHELL_WORD_FILLED | SHELL_WORD_PLAIN) && hv_str_find_byte(word->tail, '/', 0) == SIZE_MAX;
    if (word->flags & SHELL_WORD_FOLLOWED)
        return SHELL_NAMES_FOLLOWED;
    return word->flags & SHELL_WORD_DIRECT || filled ? SHELL_NAMES_DIRECT : SHELL_NAMES_ANYWHERE;
}

static void add_access(struct shell_reading *reading, struct shell_access access, bool write)
{
    struct shell_access **list = write ? &reading->act.writes : &reading->act.reads;
    size_t *count = write ? &reading->act.write_count : &reading->act.read_count;
    size_t *capacity = write ? &reading->write_capacity : &reading->read_capacity;
    if (*count == *capacity) {
        size_t grown = 4 * *capacity + !*capacity; /* most name one file */
        struct shell_access *bigger = hv_arena_alloc(reading->arena, grown * sizeof *bigger);
        if (*count)
            memcpy(bigger, *list, *count * sizeof *bigger);
        *list = bigger;
        *capacity = grown;
    }
    access.redirect = reading->in_redirect;
    (*list)[(*count)++] = access;
    if (!access.path.ptr)
        *(write ? &reading->act.writes_listed : &reading->act.reads_listed) = false;
}

static void access_path(struct shell_reading *reading, struct hv_str path, struct shell_access access, bool write)
{
    name_path(reading, reading->directory, path, &access);
    add_access(reading, access, write);
    for (size_t i = 0; i < reading->elsewhere_count && path.len && path.ptr[0] != '/'; i++) {
        name_path(reading, reading->elsewhere[i], path, &access);
        add_access(reading, access, write);
    }
}

/* Behind cd "$d" && the word x is what "$d/x" was before it: true, and *out is that. */
static bool stands_below(struct shell_reading *reading, const struct shell_word *word, struct shell_word *out)
{
    struct hv_str tail = reading->below_by.tail;
    if (reading->directory.ptr || !reading->below.ptr || !word->known || !word->value.len ||
        word->value.ptr[0] == '/' || has_parent_part(word->value) || shell_may_be_option(&reading->below_by))
        return false;
    while (tail.len && tail.ptr[tail.len - 1] == '/')
        tail.len--;
    *out = reading->below_by;
    out->tail = hv_arena_format(reading->arena, "%.*s/%.*s", HV_STR_ARG(tail), HV_STR_ARG(word->value));
    out->text = hv_arena_format(reading->arena, "%.*s/%.*s", HV_STR_ARG(out->text), HV_STR_ARG(word->value));
    out->flags &= ~(unsigned)SHELL_WORD_DIRECT;
    return true;
}

static void access_word(struct shell_reading *reading, const struct shell_word *word, bool tree, bool write)
{
    struct hv_str path = word->known ? word->value : directory_of_names(word);
    struct shell_word *kept = hv_arena_new(reading->arena, struct shell_word); /* callers make words of their own */
    *kept = *word;
    if (!write && stands_below(reading, word, kept)) {
        struct shell_access below = {.path = reading->below, .untidy = reading->below, .word = kept, .tree = true};
        add_access(reading, below, false);
        return;
    }
    struct shell_access access = {.word = kept, .tree = tree || (!word->known && path.ptr), .names = names_of(word)};
    access_path(reading, path, access, write);
}

/* Some programs fetch what is named by an address, and run what stands behind "|". */
static void expect_file(struct shell_reading *reading, const struct shell_word *word)
{
    if (hv_str_find(word->value, HV_STR("://"), 0) != SIZE_MAX)
        shell_worsenf(reading, SHELL_NETWORK, "%.*s may be an address", HV_STR_ARG(word->text));
    if (word->value.len > 1 && word->value.ptr[0] == '|')
        shell_worsenf(reading, SHELL_EXECUTES, "%.*s may be a command", HV_STR_ARG(word->text));
}

/* One of several names that are known: each of them. False: it is not, or too many were listed. */
static bool read_choices(struct shell_reading *reading, const struct shell_word *word, bool tree)
{
    enum { LISTED_MAX = 512 };
    const struct shell_choices *choices =
        !word->known && word->choices ? &reading->script->choices[word->choices - 1] : NULL;
    if (!choices || reading->lookups->listed + choices->count > LISTED_MAX)
        return false;
    reading->lookups->listed += choices->count;
    for (uint32_t i = 0; i < choices->count; i++) {
        struct shell_word one = shell_word_known(choices->values[i]);
        one.text = word->text;
        shell_reads(reading, &one, tree);
    }
    return true;
}

void shell_reads(struct shell_reading *reading, const struct shell_word *word, bool tree)
{
    if (read_choices(reading, word, tree))
        return;
    expect_file(reading, word);
    if (word->known && hv_str_is(word->value, "-"))
        reading->act.reads_input = true;
    else if (!(word->known && is_stream(word->value)) &&
             !(word->flags == SHELL_WORD_PROCESS && !word->known && !word->value.len))
        access_word(reading, word, tree, false);
}

void shell_writes(struct shell_reading *reading, const struct shell_word *word, bool tree)
{
    access_word(reading, word, tree, true);
    if (word->known)
        shell_worsenf(reading, SHELL_WRITES, "writes %.*s", HV_STR_ARG(word->value));
    else
        shell_worsen(reading, SHELL_WRITES, "writes a file");
}

void shell_reads_directory(struct shell_reading *reading, bool tree)
{
    if (!reading->directory.ptr && reading->below.ptr) {
        struct shell_word *word = hv_arena_new(reading->arena, struct shell_word);
        *word = reading->below_by;
        struct shell_access access = {.path = reading->below, .untidy = reading->below, .word = word, .tree = true};
        add_access(reading, access, false);
        return;
    }
    access_path(reading, HV_STR("."), (struct shell_access){.tree = tree}, false);
}

/* An effect of an option or operand called name on word. */
static void apply(struct shell_reading *reading, enum shell_effect effect, const struct shell_word *word,
                  struct hv_str name)
{
    switch (effect) {
    case SHELL_EFFECT_NONE:
    case SHELL_EFFECT_HELP: return;
    case SHELL_EFFECT_READ:
    case SHELL_EFFECT_READ_TREE:
        if (word)
            shell_reads(reading, word, effect == SHELL_EFFECT_READ_TREE);
        return;
    case SHELL_EFFECT_WRITE:
    case SHELL_EFFECT_WRITE_TREE:
        if (word) {
            shell_writes(reading, word, effect == SHELL_EFFECT_WRITE_TREE);
            return;
        }
        __attribute__((fallthrough));
    case SHELL_EFFECT_WRITES:
        shell_worsenf(reading, SHELL_WRITES, "%.*s makes it write", HV_STR_ARG(name));
        reading->act.writes_listed = false;
        return;
    case SHELL_EFFECT_EXECUTE:
        shell_worsenf(reading, SHELL_EXECUTES, "%.*s makes it run something", HV_STR_ARG(name));
        return;
    case SHELL_EFFECT_NETWORK:
        shell_worsenf(reading, SHELL_NETWORK, "%.*s makes it reach the network", HV_STR_ARG(name));
        return;
    case SHELL_EFFECT_UNKNOWN: break;
    }
    shell_worsenf(reading, SHELL_UNKNOWN, "%.*s is not known", HV_STR_ARG(name));
}

void shell_apply(struct shell_reading *reading, enum shell_effect effect, const struct shell_word *word,
                 struct hv_str program)
{
    apply(reading, effect, word, program);
}

/* ---- options -------------------------------------------------------------------------------------------- */

struct parse {
    struct shell_reading *reading;
    const struct shell_program *row;
    const struct shell_word *words;
    size_t count, at;
    struct shell_given *given;
    struct shell_arguments *out;
    bool harmful; /* an option was given that does something: --help later does not undo it */
};

static const struct shell_option *find_in(const struct shell_option *options, struct hv_str name)
{
    for (; options && options->names; options++)
        if (shell_names_have(options->names, name))
            return options;
    return NULL;
}

static const struct shell_option *find_option(const struct shell_program *row, struct hv_str name)
{
    const struct shell_option *found = find_in(row->options, name);
    return found ? found : find_in(row->more_options, name);
}

static bool not_understood(struct parse *parse, struct hv_str option)
{
    shell_worsenf(parse->reading, SHELL_UNKNOWN, "option %.*s is not known", HV_STR_ARG(option));
    return false;
}

/* A word that is not known stands where it may be an option, or more than one argument. */
static bool scatter(struct parse *parse, const struct shell_word *word)
{
    parse->out->scattered = true;
    enum {
        NAMES = SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED | SHELL_WORD_GONE | SHELL_WORD_DIRECT |
                SHELL_WORD_FOLLOWED
    };
    parse->out->hidden |= (word->flags & ~(unsigned)NAMES) != 0;
    if (parse->row->harmless_options)
        return true;
    shell_worsenf(parse->reading, SHELL_UNKNOWN, "%.*s is not known and may become an option", HV_STR_ARG(word->text));
    return false;
}

static void note(struct parse *parse, const struct shell_option *option, struct hv_str name,
                 const struct shell_word *argument)
{
    struct shell_given given = {option, name, .has_argument = argument != NULL};
    if (argument)
        given.argument = *argument;
    parse->given[parse->out->given_count++] = given;
    /* Programs with a way of their own look at options only before the first operand. */
    bool late = parse->row->syntax == SHELL_SYNTAX_WORDS && parse->out->operand_count;
    if (option->effect == SHELL_EFFECT_HELP && !parse->harmful && !parse->out->scattered && !late)
        parse->out->help = true;
    if (option->effect == SHELL_EFFECT_UNKNOWN || option->effect >= SHELL_EFFECT_WRITE)
        parse->harmful |= option->effect != SHELL_EFFECT_HELP;
    const struct shell_word *kept = argument ? &parse->given[parse->out->given_count - 1].argument : NULL;
    if (hv_str_is(name, "--files0-from"))
        parse->reading->act.reads_listed = false; /* the files that the file names */
    /* What an option sends to /dev/null is not written. */
    bool stream = kept && kept->known &&
                  (shell_is_output_name(kept->value) || shell_names_have("/dev/zero /dev/full", kept->value));
    if (!(stream && option->effect == SHELL_EFFECT_WRITE))
        apply(parse->reading, option->effect, kept, name);
}

/* What is taken for an argument may be an option that does harm: some programs look for these before they look at the
 * others, and a version may take no argument where another takes one. */
static void note_harm(struct parse *parse, const struct shell_word *argument)
{
    struct hv_str name = argument->value;
    size_t equals = hv_str_find_byte(name, '=', 0);
    if (!argument->known || name.len < 2 || name.ptr[0] != '-')
        return;
    if (parse->row->syntax == SHELL_SYNTAX_WORDS || name.ptr[1] == '-')
        name = hv_str_slice(name, 0, equals == SIZE_MAX ? name.len : equals);
    else
        name = hv_str_slice(name, 0, 2);
    const struct shell_option *option = find_option(parse->row, name);
    if (option && option->effect >= SHELL_EFFECT_WRITE && option->effect != SHELL_EFFECT_HELP)
        apply(parse->reading, option->effect, NULL, name);
}

/* The option takes the next `wanted` words. */
static bool take_words(struct parse *parse, const struct shell_option *option, struct hv_str name, size_t wanted)
{
    if (parse->count - parse->at < wanted)
        return not_understood(parse, name);
    for (size_t i = 0; i < wanted; i++)
        if (shell_may_be_many(&parse->words[parse->at + i]) && !scatter(parse, &parse->words[parse->at + i]))
            return false;
    /* "git branch --sort -committerdate", "git tag --sort -v:refname": a git that has no --sort ends there. */
    bool is_order = hv_str_is(name, "--sort") && shell_is_one_of(hv_str_from(parse->row->names), "branch tag");
    for (size_t i = 0; i < wanted && !is_order; i++)
        note_harm(parse, &parse->words[parse->at + i]);
    note(parse, option, name, &parse->words[parse->at]);
    parse->at += wanted;
    return true;
}

/* The argument is what word has from `from` on. */
static bool take_attached(struct parse *parse, const struct shell_option *option, struct hv_str name,
                          const struct shell_word *word, size_t from)
{
    struct shell_word argument = *word;
    argument.value = hv_str_slice(word->value, from, word->value.len);
    bool empty = !word->known && !argument.value.len && !(word->flags & SHELL_WORD_NUMBER);
    if ((shell_may_be_many(word) || (empty && name.len == 2)) && !scatter(parse, word))
        return false;
    note(parse, option, name, &argument);
    return true;
}

static bool read_long(struct parse *parse, const struct shell_word *word)
{
    size_t equals = hv_str_find_byte(word->value, '=', 0);
    if (equals == SIZE_MAX && !word->known)
        return scatter(parse, word);
    struct hv_str name = hv_str_slice(word->value, 0, equals == SIZE_MAX ? word->value.len : equals);
    const struct shell_option *option = find_option(parse->row, name);
    if (!option)
        return not_understood(parse, name);
    if (equals != SIZE_MAX)
        return option->arity == SHELL_ARITY_ONE || option->arity == SHELL_ARITY_OPTIONAL
                   ? take_attached(parse, option, name, word, equals + 1)
                   : not_understood(parse, word->value);
    if (option->arity == SHELL_ARITY_ONE || option->arity == SHELL_ARITY_TWO)
        return take_words(parse, option, name, option->arity == SHELL_ARITY_ONE ? 1 : 2);
    note(parse, option, name, NULL);
    return true;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* "-abc", "-n5", "-5". */
static bool read_letters(struct parse *parse, const struct shell_word *word)
{
    static const struct shell_option number = {"-5", SHELL_EFFECT_NONE, SHELL_ARITY_NONE};
    for (size_t i = 1; i < word->value.len; i++) {
        char letters[] = {'-', word->value.ptr[i], 0};
        struct hv_str name = hv_str_of(letters, 2);
        const struct shell_option *option = find_option(parse->row, name);
        if (!option && parse->row->numeric_options && is_digit(letters[1]))
            option = &number;
        /* tail -5c: behind a number, letters may mean something else. */
        if (option && option->arity != SHELL_ARITY_NONE && is_digit(word->value.ptr[1]) && i > 1)
            option = NULL;
        if (!option || !letters[1])
            return not_understood(parse, word->value);
        name = hv_arena_str(parse->reading->arena, name);
        bool last = i + 1 == word->value.len && word->known;
        if (option->arity == SHELL_ARITY_TWO)
            return last ? take_words(parse, option, name, 2) : not_understood(parse, word->value);
        if (option->arity == SHELL_ARITY_ONE && last)
            return take_words(parse, option, name, 1);
        if (option->arity != SHELL_ARITY_NONE && !last)
            return take_attached(parse, option, name, word, i + 1);
        note(parse, option, name, NULL);
    }
    if (word->known || (parse->row->numeric_options && word->flags & SHELL_WORD_NUMBER))
        return true;
    return scatter(parse, word);
}

/* One dash and a whole name: -name, -name=value. */
static bool read_word_option(struct parse *parse, const struct shell_word *word)
{
    struct shell_word single = *word;
    if (hv_str_starts(word->value, HV_STR("--")) && !find_option(parse->row, word->value))
        single.value = hv_str_slice(word->value, 1, word->value.len); /* go and java take both */
    return read_long(parse, &single);
}

static bool read_option(struct parse *parse, const struct shell_word *word)
{
    if (parse->row->syntax == SHELL_SYNTAX_WORDS)
        return read_word_option(parse, word);
    return hv_str_starts(word->value, HV_STR("--")) ? read_long(parse, word) : read_letters(parse, word);
}

/* A word that is not known stands where options are possible. True: it was dealt with, as *understood says. */
static bool read_unknown(struct parse *parse, const struct shell_word *word, bool *understood)
{
    *understood = true;
    bool option = shell_may_be_option(word) && !shell_glob_is_plain(parse->reading, word);
    if (option && word->flags & SHELL_WORD_NUMBER && parse->row->numeric_options && word->value.len < 2)
        return word->value.len == 1; /* -$((n)), or a number that is no option or -5 */
    if (option && word->value.len > 1 && word->value.ptr[0] == '-') {
        *understood = read_option(parse, word);
        return true;
    }
    if (option)
        *understood = scatter(parse, word);
    return false;
}

/* Options possible at this word: false ends them. */
static bool read_word(struct parse *parse, const struct shell_word *word, bool *ended, bool *understood)
{
    *understood = true;
    if (!word->known)
        return read_unknown(parse, word, understood);
    if (word->value.len < 2 || word->value.ptr[0] != '-')
        return false;
    if (hv_str_is(word->value, "--")) {
        *ended = true;
        return true;
    }
    *understood = read_option(parse, word);
    return true;
}

static void add_operand(struct parse *parse, size_t index)
{
    struct shell_arguments *out = parse->out;
    if (!out->operand_count)
        out->first = index;
    out->operands[out->operand_count++] = &parse->words[index];
    out->scattered |= shell_may_be_many(&parse->words[index]);
}

bool shell_arguments(struct shell_reading *reading, const struct shell_program *row, const struct shell_word *words,
                     size_t count, struct shell_arguments *out)
{
    size_t letters = 1;
    *out = (struct shell_arguments){row, words, count, .first = count};
    for (size_t i = 1; i < count; i++)
        letters += words[i].value.len < 2 || words[i].value.ptr[0] != '-' ? 1 : words[i].value.len;
    struct parse parse = {reading, row, words, count, 1, .out = out};
    parse.given = hv_arena_alloc(reading->arena, letters * sizeof *parse.given); /* each is written as a whole */
    out->given = parse.given;
    out->operands = (const struct shell_word **)hv_arena_array(reading->arena, struct shell_word *, count + 1);
    bool ended = row->syntax == SHELL_SYNTAX_NONE;
    bool stops = row->syntax == SHELL_SYNTAX_POSIX || row->subcommands;
    while (parse.at < count) {
        size_t index = parse.at++;
        bool understood = true;
        if (!ended && read_word(&parse, &words[index], &ended, &understood)) {
            if (!understood)
                return false;
            continue;
        }
        if (!ended && !understood)
            return false;
        ended |= stops;
        add_operand(&parse, index);
        /* What follows a sub-command is read by its own row. */
        if (row->subcommands)
            break;
    }
    /* Some print their version and go on: bzip2 --version FILE, luac -v FILE, sqlite3 -version -init FILE. */
    out->help &= !out->operand_count;
    return true;
}

const struct shell_given *shell_given(const struct shell_arguments *arguments, const char *names)
{
    for (size_t i = arguments->given_count; i-- > 0;)
        if (shell_names_have(names, arguments->given[i].name))
            return &arguments->given[i];
    return NULL;
}

/* ---- operands ------------------------------------------------------------------------------------------- */

/* How bad an effect is, for the worst of several. */
static int badness(enum shell_effect effect)
{
    static const int order[] = {[SHELL_EFFECT_UNKNOWN] = 9,    [SHELL_EFFECT_NONE] = 0,      [SHELL_EFFECT_HELP] = 0,
                                [SHELL_EFFECT_READ] = 1,       [SHELL_EFFECT_READ_TREE] = 2, [SHELL_EFFECT_WRITE] = 3,
                                [SHELL_EFFECT_WRITE_TREE] = 4, [SHELL_EFFECT_WRITES] = 5,    [SHELL_EFFECT_NETWORK] = 6,
                                [SHELL_EFFECT_EXECUTE] = 7};
    return order[effect];
}

static enum shell_effect worse(enum shell_effect a, enum shell_effect b)
{
    return badness(a) >= badness(b) ? a : b;
}

/* Places are only a guess: every operand may be any. */
static enum shell_effect worst_operand(const struct shell_program *row)
{
    enum shell_effect worst = row->rest;
    for (size_t i = 0; i < row->first_count; i++)
        worst = worse(worst, row->first[i]);
    return row->last ? worse(worst, row->last) : worst;
}

static enum shell_effect operand_effect(const struct shell_program *row, const struct shell_arguments *arguments,
                                        size_t index)
{
    if (arguments->scattered)
        return worst_operand(row);
    if (row->last && index + 1 == arguments->operand_count && index > 0)
        return row->last;
    if (index >= row->first_count)
        return row->rest;
    bool taken = row->first_given_by && shell_given(arguments, row->first_given_by);
    size_t place = index + (taken ? 1 : 0);
    return place < row->first_count ? row->first[place] : row->rest;
}

static bool options_open(const struct shell_option *options)
{
    for (; options && options->names; options++)
        if (options->effect != SHELL_EFFECT_NONE && options->effect != SHELL_EFFECT_HELP)
            return true;
    return false;
}

/* Is there a word that could name a file to it, as there is none to basename? */
static bool may_open(const struct shell_program *row)
{
    return worst_operand(row) != SHELL_EFFECT_NONE || options_open(row->options) || options_open(row->more_options);
}

static void judge_operands(struct shell_reading *reading, const struct shell_program *row,
                           const struct shell_arguments *arguments, struct hv_str program)
{
    bool file = false;
    for (size_t i = 0; i < arguments->operand_count; i++) {
        enum shell_effect effect = operand_effect(row, arguments, i);
        file |= effect == SHELL_EFFECT_READ || effect == SHELL_EFFECT_READ_TREE;
        if (effect == SHELL_EFFECT_UNKNOWN)
            shell_worsenf(reading, SHELL_UNKNOWN, "what %.*s does with %.*s is not known", HV_STR_ARG(program),
                          HV_STR_ARG(arguments->operands[i]->text));
        else
            apply(reading, effect, arguments->operands[i], program);
    }
    if (arguments->hidden && may_open(row)) {
        reading->act.reads_listed = false;
        reading->act.writes_listed &= row->class == SHELL_READ_ONLY;
    }
    if (file && !arguments->scattered)
        return;
    reading->act.reads_input |= row->reads_input || row->rest == SHELL_EFFECT_READ;
    if (!arguments->operand_count || row->first_count >= arguments->operand_count) {
        if (row->without_operands == SHELL_EFFECT_READ || row->without_operands == SHELL_EFFECT_READ_TREE)
            shell_reads_directory(reading, row->without_operands == SHELL_EFFECT_READ_TREE);
        else if (row->without_operands)
            apply(reading, row->without_operands, NULL, program);
    }
}

const struct shell_program *shell_find_row(const struct shell_program *rows, struct hv_str name)
{
    for (; rows && rows->names; rows++)
        if (shell_names_have(rows->names, name))
            return rows;
    return NULL;
}

/* docker swarm --help: what reads its options like this has that one, and does nothing else then. */
static bool only_helps(const struct shell_program *row, const struct shell_word *words, size_t count)
{
    return row->syntax == SHELL_SYNTAX_EXACT && row->class == SHELL_READ_ONLY && !row->judge && !row->check &&
           !row->check_words && !row->needs_none && count == 2 && words[1].known && hv_str_is(words[1].value, "--help");
}

static void judge_subcommand(struct shell_reading *reading, const struct shell_program *row,
                             const struct shell_arguments *arguments, const struct shell_word *words, size_t count)
{
    const struct shell_word *name = arguments->operands[0];
    const struct shell_program *found =
        name->known && !arguments->scattered ? shell_find_row(row->subcommands, name->value) : NULL;
    if (found && only_helps(found, words + arguments->first, count - arguments->first))
        return;
    if (found)
        shell_judge_row(reading, found, words + arguments->first, count - arguments->first);
    else
        shell_worsenf(reading, SHELL_UNKNOWN, "what %.*s %.*s does is not known", HV_STR_ARG(words[0].value),
                      HV_STR_ARG(name->text));
}

/* The row's own class. Of what it writes nothing is known but the operands that are written. */
static void judge_class(struct shell_reading *reading, const struct shell_program *row, struct hv_str program)
{
    static const char *const does[] = {"is not known", "runs code", "reaches the network", "changes something", ""};
    if (row->class == SHELL_WRITES && !reading->act.write_count)
        reading->act.writes_listed = false;
    if (row->why)
        shell_worsen(reading, row->class, row->why);
    else
        shell_worsenf(reading, row->class, "%.*s %s", HV_STR_ARG(program), does[row->class]);
}

/* A row that only reads with one of certain options. */
static void judge_needs(struct shell_reading *reading, const struct shell_program *row,
                        const struct shell_arguments *arguments, struct hv_str program)
{
    if (!row->needs || shell_given(arguments, row->needs))
        return;
    reading->act.writes_listed = false;
    shell_worsenf(reading, SHELL_WRITES, "%.*s without %s changes something", HV_STR_ARG(program), row->needs);
}

static void judge_arguments(struct shell_reading *reading, const struct shell_program *row,
                            const struct shell_word *words, size_t count)
{
    struct shell_arguments arguments;
    if (!shell_arguments(reading, row, words, count, &arguments))
        return;
    /* Not all print their version and stop there when a sub-command follows. */
    if (row->subcommands && arguments.operand_count) {
        judge_subcommand(reading, row, &arguments, words, count);
        return;
    }
    if (arguments.help)
        return;
    if (row->takes_commands && !arguments.operand_count) {
        reading->act.runs_input = true;
        shell_worsenf(reading, SHELL_EXECUTES, "%.*s takes commands from its input", HV_STR_ARG(words[0].value));
    }
    judge_needs(reading, row, &arguments, words[0].value);
    judge_operands(reading, row, &arguments, words[0].value);
    judge_class(reading, row, words[0].value);
    if (row->check)
        row->check(reading, &arguments);
}

void shell_judge_row(struct shell_reading *reading, const struct shell_program *row, const struct shell_word *words,
                     size_t count)
{
    reading->act.answers = row->answers;
    if (row->judge)
        row->judge(reading, words, count);
    else
        judge_arguments(reading, row, words, count);
    if (row->check_words)
        row->check_words(reading, words, count);
    if (row->needs_none)
        shell_needs_none(reading, row->needs_none);
}
