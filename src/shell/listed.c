/*
 * listed.c: names that a command prints and another one takes: find … | xargs cat, cat $(git ls-files), for f in
 * $(find …), git ls-files | while read f. What is printed is not known, but where it lies is: programs that list names
 * print such as begin with where they look (listings.c). Between the two, names may be cut at blanks, and may be links;
 * the world is asked whether there are such. See classify.h.
 */
#include "shell/listings.h"
#include <string.h>

enum { FILTERS_MAX = 8, LISTINGS_MAX = 4 };

static const struct shell_command *command_at(const struct shell_reading *reading, size_t index)
{
    return &reading->script->commands[index];
}

static size_t index_of(const struct shell_reading *reading, const struct shell_command *command)
{
    return (size_t)(command - reading->script->commands);
}

/* One of some names that are written out, all of them below the working directory. */
static bool is_name_below(const struct shell_reading *reading, const struct shell_word *word)
{
    const struct shell_choices *choices = word->choices ? &reading->script->choices[word->choices - 1] : NULL;
    bool below = choices != NULL;
    for (uint32_t i = 0; below && i < choices->count; i++) {
        struct hv_str value = choices->values[i];
        below = value.len && !strchr("-+/~", *value.ptr) && hv_str_find(value, HV_STR(".."), 0) == SIZE_MAX;
    }
    return below;
}

/* The words of command, where a loop binds some to names below the working directory: what is known of these. */
static const struct shell_word *words_of(struct shell_reading *reading, const struct shell_command *command)
{
    struct shell_word *words = NULL;
    for (size_t i = 1; i < command->word_count; i++) {
        struct shell_word word = command->words[i];
        if (word.known || !(word.flags & SHELL_WORD_VARIABLE))
            continue;
        if (is_name_below(reading, &word))
            word = (struct shell_word){.text = word.text, .flags = SHELL_WORD_GLOB | SHELL_WORD_NO_OPTION};
        else if (!shell_resolve_loop_word(reading, command, &word))
            continue;
        if (!words) {
            words = hv_arena_array(reading->arena, struct shell_word, command->word_count);
            memcpy(words, command->words, command->word_count * sizeof *words);
        }
        words[i] = word;
    }
    return words ? words : command->words;
}

/* A simple command of certain words, without redirections of its input or assignments. */
static bool is_plain(struct shell_reading *reading, const struct shell_command *command)
{
    if (command->kind != SHELL_COMMAND_SIMPLE || !command->word_count || command->assignment_count ||
        command->calls_function || !command->words[0].known)
        return false;
    for (size_t i = 0; i < command->redirect_count; i++)
        if (command->redirects[i].kind != SHELL_REDIRECT_DUPLICATE && command->redirects[i].descriptor != 2)
            return false;
    const struct shell_word *words = words_of(reading, command);
    for (size_t i = 1; i < command->word_count; i++)
        if (!shell_listing_word_is_certain(reading, &words[i]))
            return false;
    return true;
}

static struct hv_str word_at(const struct shell_command *command, size_t index)
{
    return index < command->word_count ? command->words[index].value : (struct hv_str){0};
}

/* ---- from whom the names come ------------------------------------------------------------------------------------ */

/* Who prints, and the filters behind it, the last one first. */
struct chain {
    const struct shell_command *writer; /* NULL: not known */
    enum shell_filter filters[FILTERS_MAX];
    size_t filter_count;
};

static const struct shell_command *before(const struct shell_reading *reading, const struct shell_command *command)
{
    const struct shell_command *commands = reading->script->commands;
    if (!command->pipeline || !command->position)
        return NULL;
    for (size_t i = index_of(reading, command); i-- > 0;)
        if (commands[i].pipeline == command->pipeline && commands[i].position == command->position - 1)
            return &commands[i];
    return NULL;
}

/* What command, the last of a pipeline, prints: through the filters to the one before them. */
static struct chain chain_to(struct shell_reading *reading, const struct shell_command *command)
{
    struct chain chain = {.writer = command};
    while (chain.writer && is_plain(reading, chain.writer)) {
        enum shell_filter filter = shell_filter_of(chain.writer->words, chain.writer->word_count);
        const struct shell_command *writer = before(reading, chain.writer);
        if (!filter || !writer)
            return chain;
        if (chain.filter_count == FILTERS_MAX)
            break;
        chain.filters[chain.filter_count++] = filter;
        chain.writer = writer;
    }
    return (struct chain){0};
}

static struct chain chain_into(struct shell_reading *reading, const struct shell_command *command)
{
    const struct shell_command *writer = before(reading, command);
    return writer ? chain_to(reading, writer) : (struct chain){0};
}

/* ---- what is taken ----------------------------------------------------------------------------------------------- */

/* How names are taken apart. */
struct taking {
    bool nul;        /* at NUL; else at newlines */
    bool trimmed;    /* blanks around them are lost */
    bool escaped;    /* a backslash in them means something */
    bool first;      /* what stands before the first blank is taken */
    unsigned wanted; /* enum shell_tree: what the names must be for that */
};

/* The names behind the filters. False: not known. */
static bool apply_filters(const struct chain *chain, struct shell_listing *listing, unsigned *wanted)
{
    bool relative = !listing->directory.len || *listing->directory.ptr != '/';
    for (size_t i = chain->filter_count; i-- > 0;)
        switch (chain->filters[i]) {
        case SHELL_FILTER_WHOLE: break;
        case SHELL_FILTER_UNDOTTED:
            if (!listing->dotted || listing->places)
                return false;
            listing->dotted = listing->certain = false;
            break;
        case SHELL_FILTER_FIELD:
            if (!relative || listing->nul || listing->titled)
                return false;
            if (listing->anchored)
                break;
            listing->directory = HV_STR("");
            listing->dotted = listing->places = false;
            listing->empty |= !listing->certain;
            break;
        case SHELL_FILTER_PARENT:
            if (!relative || listing->places || listing->nul || listing->titled || listing->anchored)
                return false;
            *wanted |= SHELL_TREE_WORDS;
            listing->directory = HV_STR("");
            listing->dotted = false;
            break;
        case SHELL_FILTER_TO_NUL:
        case SHELL_FILTER_TO_LINES:
            if (listing->nul == (chain->filters[i] == SHELL_FILTER_TO_NUL))
                return false;
            listing->nul = !listing->nul;
            *wanted |= SHELL_TREE_LINES;
            break;
        case SHELL_FILTER_WORD:
            if (!listing->titled)
                return false;
            listing->titled = false;
            break;
        case SHELL_FILTER_NONE:
        default: return false;
        }
    return !listing->places;
}

/* command, with what it reads from a pipe taken apart: the names that it is given. */
static bool is_given_names(struct shell_reading *reading, const struct shell_command *command, enum shell_cut cut,
                           unsigned depth, struct shell_listing *listing);

/* The same of the names in the whole repository: links matter only where they are read. */
static bool top_is_plain(struct shell_reading *reading, unsigned wanted)
{
    const struct shell_world *world = reading->world;
    if (!wanted || !world->repository_top)
        return !wanted;
    struct hv_str top = world->repository_top(world->user, reading->arena, reading->directory);
    return top.ptr && (hv_str_eq(top, reading->directory) || world->tree_is_plain(world->user, top, wanted));
}

/* As far as all of them stand where they use to. In the middle of a bisection or rebase git branch says more. */
bool shell_refs_are_plain(struct shell_reading *reading)
{
    static const char others[] = ". .git/commondir .git/reftable .git/packed-refs:/- .git/HEAD:/- .git/rebase-merge "
                                 ".git/rebase-apply .git/BISECT_LOG";
    const struct shell_world *world = reading->world;
    if (!world->repository_top || !world->holds_none || !world->tree_is_plain || !reading->directory.ptr ||
        reading->elsewhere_count)
        return false;
    struct hv_str top = world->repository_top(world->user, reading->arena, reading->directory);
    return top.ptr && world->holds_none(world->user, top, others) &&
           world->tree_is_plain(world->user, hv_arena_join(reading->arena, top, HV_STR("/.git/refs")),
                                SHELL_TREE_NO_DASH | SHELL_TREE_LINKS);
}

/* What chain prints, taken apart. */
static bool take_listing(struct shell_reading *reading, const struct chain *chain, struct taking taking, unsigned depth,
                         struct shell_listing *listing)
{
    const struct shell_world *world = reading->world;
    const struct shell_command *command = chain->writer;
    unsigned wanted = taking.wanted | SHELL_TREE_LINKS;
    if (!command || !world->tree_is_plain || !reading->directory.ptr || reading->elsewhere_count ||
        !hv_str_eq(command->directory, reading->directory) || !is_plain(reading, command) ||
        !shell_lists_names(reading, words_of(reading, command), command->word_count, listing))
        return false;
    if (listing->refs && !shell_refs_are_plain(reading))
        return false;
    if (listing->taken && !is_given_names(reading, command, listing->cut, depth, listing))
        return false;
    if (!apply_filters(chain, listing, &wanted) || listing->nul != taking.nul || listing->titled != taking.first)
        return false;
    if (taking.escaped && !listing->anchored)
        wanted |= SHELL_TREE_WORDS;
    /* What is only in git's index or history is not seen in the tree. */
    if (taking.trimmed)
        wanted |= listing->tracked ? SHELL_TREE_WORDS : SHELL_TREE_LINES;
    /* "x /etc/shadow" may have been the name of a file in the history. */
    if (listing->past && wanted & SHELL_TREE_WORDS)
        return false;
    wanted |= listing->certain ? 0 : SHELL_TREE_NO_OPTION;
    wanted |= listing->deep ? SHELL_TREE_NO_DASH : 0;
    wanted |= listing->tracked && wanted != SHELL_TREE_LINKS ? SHELL_TREE_TRACKED : 0;
    struct hv_str directory = listing->directory.len && *listing->directory.ptr == '/'
                                  ? listing->directory
                                  : hv_arena_format(reading->arena, "%.*s/%.*s", HV_STR_ARG(reading->directory),
                                                    HV_STR_ARG(listing->directory));
    return (!listing->whole || top_is_plain(reading, wanted & ~(unsigned)SHELL_TREE_LINKS)) &&
           world->tree_is_plain(world->user, directory, wanted);
}

static struct taking taking_of(enum shell_cut cut)
{
    switch (cut) {
    case SHELL_CUT_LINES: return (struct taking){.wanted = SHELL_TREE_LINES};
    case SHELL_CUT_NUL: return (struct taking){.nul = true};
    case SHELL_CUT_WORDS:
    default: return (struct taking){.wanted = SHELL_TREE_WORDS};
    }
}

static bool is_given_names(struct shell_reading *reading, const struct shell_command *command, enum shell_cut cut,
                           unsigned depth, struct shell_listing *listing)
{
    struct shell_listing given;
    struct chain chain = chain_into(reading, command);
    bool nul = listing->nul;
    if (depth == LISTINGS_MAX || !take_listing(reading, &chain, taking_of(cut), depth + 1, &given))
        return false;
    *listing = given;
    listing->certain = true; /* else it would not have been taken */
    listing->nul = nul;
    return true;
}

static bool take_names(struct shell_reading *reading, const struct chain *chain, struct taking taking,
                       struct shell_word *word)
{
    struct shell_listing listing;
    if (!take_listing(reading, chain, taking, 0, &listing) || (listing.empty && word->tail.len))
        return false;
    bool gone = listing.gone && !listing.certain;
    word->flags =
        SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_FOLLOWED | (gone ? SHELL_WORD_GONE : SHELL_WORD_NO_OPTION);
    word->value = listing.directory;
    word->tail = HV_STR("");
    return true;
}

bool shell_names_from_pipe(struct shell_reading *reading, enum shell_cut cut, struct shell_word *word)
{
    const struct shell_command *command = reading->judged;
    reading->acts->looks_around = true;
    for (size_t i = 0; i < command->redirect_count; i++)
        if (command->redirects[i].kind != SHELL_REDIRECT_DUPLICATE && command->redirects[i].descriptor != 1 &&
            command->redirects[i].descriptor != 2)
            return false;
    if (reading->in_text)
        return false;
    struct chain chain = chain_into(reading, command);
    return take_names(reading, &chain, taking_of(cut), word);
}

bool shell_names_from_command(struct shell_reading *reading, const struct shell_word *words, size_t count,
                              struct shell_word *word)
{
    const struct shell_world *world = reading->world;
    struct shell_listing listing;
    for (size_t i = 0; i < count; i++)
        if (!shell_listing_word_is_certain(reading, &words[i]))
            return false;
    if (!world->tree_is_plain || !reading->directory.ptr || reading->elsewhere_count ||
        !shell_lists_names(reading, words, count, &listing) || listing.taken || listing.places || listing.titled ||
        !world->tree_is_plain(world->user, reading->directory, SHELL_TREE_LINKS | SHELL_TREE_NO_OPTION))
        return false;
    word->flags = SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_FOLLOWED | SHELL_WORD_NO_OPTION;
    word->value = listing.directory;
    return true;
}

/* The commands whose output a substitution in command, the only one, becomes; without a writer: several, or not known.
 */
static struct chain substituted(struct shell_reading *reading, const struct shell_command *command)
{
    const struct shell_script *script = reading->script;
    const struct shell_command *last = NULL;
    size_t index = index_of(reading, command);
    if (command->place & SHELL_IN_SUBSTITUTION)
        return (struct chain){0};
    for (size_t i = 0; i < script->count; i++) {
        const struct shell_command *inner = &script->commands[i];
        if (inner->parent != index || !(inner->place & SHELL_IN_SUBSTITUTION))
            continue;
        if (last && (!last->pipeline || last->pipeline != inner->pipeline))
            return (struct chain){0};
        if (!last || inner->position > last->position)
            last = inner;
    }
    return last ? chain_to(reading, last) : (struct chain){0};
}

static bool is_whole_substitution(const struct shell_word *word)
{
    return !word->known && !word->value.len && !word->tail.len && word->flags == (SHELL_WORD_COMMAND | SHELL_WORD_MANY);
}

/* "$(…)" and nothing else. */
static bool is_quoted_substitution(const struct shell_word *word)
{
    return !word->known && !word->value.len && !word->tail.len &&
           word->flags == (SHELL_WORD_COMMAND | SHELL_WORD_QUOTED) && hv_str_starts(word->text, HV_STR("\"$(")) &&
           hv_str_ends(word->text, HV_STR(")\""));
}

bool shell_names_from_substitution(struct shell_reading *reading, const struct shell_command *command, size_t at,
                                   struct shell_word *word)
{
    size_t count = 0;
    bool quoted = is_quoted_substitution(&command->words[at]);
    if ((!quoted && !is_whole_substitution(&command->words[at])) || command->assignment_count ||
        (!quoted && shell_sets_splitting(reading->script)))
        return false;
    for (size_t i = 0; i < command->word_count; i++)
        count += (command->words[i].flags & (SHELL_WORD_COMMAND | SHELL_WORD_PROCESS)) != 0;
    for (size_t i = 0; i < command->redirect_count; i++)
        count += (command->redirects[i].target.flags & (SHELL_WORD_COMMAND | SHELL_WORD_PROCESS)) != 0;
    struct chain chain = count == 1 ? substituted(reading, command) : (struct chain){0};
    if (!take_names(reading, &chain, taking_of(quoted ? SHELL_CUT_LINES : SHELL_CUT_WORDS), word))
        return false;
    if (quoted) /* one argument, be it several names with newlines between */
        word->flags &= ~(unsigned)SHELL_WORD_MANY;
    return true;
}

bool shell_names_from_output(struct shell_reading *reading, const struct shell_command *command, enum shell_cut cut,
                             struct shell_word *word)
{
    struct chain chain = substituted(reading, command);
    return take_names(reading, &chain, taking_of(cut), word);
}

/* ---- loops over what is read ------------------------------------------------------------------------------------- */

/* -r, -d '', -rd '': *at moves to the last word of the option. */
static bool is_read_option(const struct shell_command *command, size_t *at, struct taking *taking)
{
    struct hv_str word = word_at(command, *at);
    bool ends = shell_names_have("-d -rd", word);
    if (!ends)
        return hv_str_is(word, "-r");
    const struct shell_word *byte = &command->words[*at + 1];
    taking->nul = byte->known && !byte->value.len;
    ++*at;
    return taking->nul;
}

/* [IFS=] read [-r] [-d ''] NAME, as the condition of a loop: how the loop takes what it reads. */
static bool reads_name(const struct shell_command *command, struct hv_str name, struct taking *taking)
{
    bool raw = false, cleared = false;
    size_t at = 1;
    *taking = (struct taking){0};
    for (size_t i = 0; i < command->assignment_count; i++) {
        if (!hv_str_is(command->assignments[i].name, "IFS") || !command->assignments[i].value.known ||
            command->assignments[i].value.value.len)
            return false;
        cleared = true;
    }
    for (; at + 1 < command->word_count; at++) {
        bool is_raw = shell_names_have("-r -rd", word_at(command, at));
        if (!is_read_option(command, &at, taking))
            break;
        raw |= is_raw;
    }
    taking->trimmed = !cleared;
    if (taking->nul && (!raw || !cleared))
        return false;
    taking->escaped = !raw;
    taking->wanted = taking->nul || !raw ? 0 : SHELL_TREE_LINES;
    taking->first = at + 1 < command->word_count;
    for (size_t i = at + 1; i < command->word_count; i++)
        if (!command->words[i].known || !shell_is_identifier(command->words[i].value) ||
            hv_str_eq(command->words[i].value, name))
            return false;
    return command->kind == SHELL_COMMAND_SIMPLE && hv_str_is(word_at(command, 0), "read") &&
           !command->redirect_count && command->word_count > at && hv_str_eq(word_at(command, at), name) &&
           !(taking->first && cleared);
}

bool shell_names_from_read(struct shell_reading *reading, const struct shell_command *reader,
                           const struct shell_command *user, struct hv_str name, struct shell_word *word)
{
    size_t loop = reader->parent;
    struct taking taking;
    if (loop >= reading->script->count || !reads_name(reader, name, &taking) ||
        (taking.nul && word->flags & SHELL_WORD_MANY) || (taking.first && shell_sets_splitting(reading->script)))
        return false;
    const struct shell_command *group = command_at(reading, loop);
    size_t at = user->parent;
    while (at < reading->script->count && at != loop)
        at = command_at(reading, at)->parent;
    if (at != loop || group->kind != SHELL_COMMAND_GROUP)
        return false;
    if (word->flags & SHELL_WORD_MANY) /* not quoted: cut at blanks */
        taking.wanted |= SHELL_TREE_WORDS;
    struct chain chain = chain_into(reading, group);
    if (group->redirect_count) {
        const struct shell_redirect *redirect = &group->redirects[0];
        bool process = group->redirect_count == 1 && redirect->kind == SHELL_REDIRECT_READ &&
                       redirect->descriptor == 0 && redirect->target.flags == SHELL_WORD_PROCESS;
        chain = process ? substituted(reading, group) : (struct chain){0};
    }
    return take_names(reading, &chain, taking, word);
}

bool shell_glob_is_plain_in(const struct shell_reading *reading, struct hv_str directory, const struct shell_word *word)
{
    enum { FINE = SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED };
    const struct shell_world *world = reading->world;
    /* "$d/x" became a name elsewhere. */
    return !word->known && word->flags & SHELL_WORD_GLOB && !(word->flags & ~(unsigned)FINE) && !word->value.len &&
           hv_str_find_byte(word->text, '$', 0) == SIZE_MAX && directory.ptr && world->tree_is_plain &&
           world->tree_is_plain(world->user, directory, SHELL_TREE_NO_OPTION);
}

bool shell_glob_is_plain(const struct shell_reading *reading, const struct shell_word *word)
{
    return shell_glob_is_plain_in(reading, reading->standing, word);
}
