/*
 * listed.c: names that a command prints and another one takes: find … | xargs cat, cat $(git ls-files), for f in
 * $(find …), git ls-files | while read f. What is printed is not known, but where it lies is: programs that list names
 * print such as begin with where they look. Between the two, names may be cut at blanks, and may be links; the world is
 * asked whether there are such. See classify.h.
 */
#include "shell/classify.h"
#include <string.h>

enum { FILTERS_MAX = 8 };

static const struct shell_command *command_at(const struct shell_reading *reading, size_t index)
{
    return &reading->script->commands[index];
}

static size_t index_of(const struct shell_reading *reading, const struct shell_command *command)
{
    return (size_t)(command - reading->script->commands);
}

/* Words that become nothing but names in the directory they begin with. */
static bool is_certain(const struct shell_reading *reading, const struct shell_word *word)
{
    enum { FINE = SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED };
    if (word->known)
        return true;
    if (word->flags & SHELL_WORD_GLOB && !(word->flags & ~(unsigned)FINE))
        return !shell_may_be_option(word) || shell_glob_is_plain(reading, word);
    return !shell_may_be_option(word) && !shell_may_be_many(word);
}

/* A simple command of certain words, without redirections of its input or assignments. */
static bool is_plain(const struct shell_reading *reading, const struct shell_command *command)
{
    if (command->kind != SHELL_COMMAND_SIMPLE || !command->word_count || command->assignment_count ||
        command->calls_function || !command->words[0].known)
        return false;
    for (size_t i = 0; i < command->redirect_count; i++)
        if (command->redirects[i].kind != SHELL_REDIRECT_DUPLICATE && command->redirects[i].descriptor != 2)
            return false;
    for (size_t i = 1; i < command->word_count; i++)
        if (!is_certain(reading, &command->words[i]))
            return false;
    return true;
}

static struct hv_str word_at(const struct shell_command *command, size_t index)
{
    return index < command->word_count ? command->words[index].value : (struct hv_str){0};
}

static bool is_option(struct hv_str word)
{
    return word.len > 1 && *word.ptr == '-';
}

/* -rlZ: each letter is one of the flags. */
static bool letters_are(struct hv_str word, const char *flags)
{
    for (size_t i = 1; i < word.len; i++)
        if (!shell_names_have(flags, hv_str_of((const char[]){'-', word.ptr[i]}, 2)))
            return false;
    return word.len > 2 && word.ptr[1] != '-';
}

/* All words that look like options from `at` on are of `flags`, or of `values` with the word behind them. */
static bool options_are(const struct shell_command *command, size_t at, const char *flags, const char *values)
{
    for (; at < command->word_count; at++) {
        struct hv_str word = word_at(command, at);
        if (!is_option(word) || shell_names_have(flags, word) || letters_are(word, flags))
            continue;
        bool attached = hv_str_find_byte(word, '=', 0) != SIZE_MAX;
        if (!shell_names_have(values, hv_str_slice(word, 0, hv_str_find_byte(word, '=', 0))))
            return false;
        at += !attached;
        if (!attached && is_option(word_at(command, at))) /* a value that others might take for an option */
            return false;
    }
    return true;
}

/* It prints whole lines of what it reads, and reads nothing else. */
static bool is_filter(const struct shell_reading *reading, const struct shell_command *command)
{
    struct hv_str name = word_at(command, 0);
    size_t operands = 0;
    if (!is_plain(reading, command))
        return false;
    for (size_t i = 1; i < command->word_count; i++)
        if (!command->words[i].known)
            return false;
    for (size_t i = 1; i < command->word_count; i++)
        operands += !is_option(word_at(command, i));
    if (hv_str_is(name, "grep"))
        return operands == 1 && options_are(command, 1, "-v -E -F -i -vE -Ev -iv -vi -w -x -z -zv -vz", "");
    if (hv_str_is(name, "sort"))
        return !operands && options_are(command, 1, "-u -r -n -V -z -ru -zu", "");
    if (hv_str_is(name, "uniq") || hv_str_is(name, "tac"))
        return command->word_count == 1;
    if (!hv_str_is(name, "head") && !hv_str_is(name, "tail"))
        return false;
    int64_t number;
    struct hv_str first = word_at(command, 1), second = word_at(command, 2);
    bool counted = hv_str_is(first, "-n") && command->word_count == 3 && hv_str_to_int64(second, &number);
    return command->word_count == 1 || counted ||
           (command->word_count == 2 && is_option(first) &&
            hv_str_to_int64(hv_str_slice(first, 1, first.len), &number));
}

/* Who writes into command, through filters; NULL: not known. */
static const struct shell_command *writer_to(const struct shell_reading *reading, const struct shell_command *command)
{
    const struct shell_script *script = reading->script;
    for (int passed = 0; passed < FILTERS_MAX; passed++) {
        const struct shell_command *before = NULL;
        for (size_t i = 0; i < script->count && command->pipeline && command->position; i++)
            if (script->commands[i].pipeline == command->pipeline &&
                script->commands[i].position == command->position - 1)
                before = &script->commands[i];
        if (!before || !is_filter(reading, before))
            return before;
        command = before;
    }
    return NULL;
}

/* ---- who prints names, and where they begin ---------------------------------------------------------------- */

struct listing {
    struct hv_str directory; /* that all names begin with: "", "src/", "/ws/src/" */
    bool certain;            /* they really do: none can begin with "-" */
    bool nul;                /* ended by NUL */
};

static bool climbs(struct hv_str word)
{
    return hv_str_find(word, HV_STR(".."), 0) != SIZE_MAX;
}

/* find START… TEST…: everything begins with one of START. One is taken, or several relative ones for ".". */
static bool find_lists(struct shell_reading *reading, const struct shell_command *command, struct listing *out)
{
    static const char harmful[] =
        "-L -H -follow -printf -fprintf -fprint -fls -ls -exec -execdir -ok -okdir -files0-from";
    size_t at = 1, starts = 0;
    for (; at < command->word_count; at++) {
        struct hv_str word = word_at(command, at);
        if (is_option(word) || shell_names_have("( ) !", word))
            break;
        if (!command->words[at].known || climbs(word) || !word.len || (starts && *word.ptr == '/'))
            return false;
        out->directory = starts++ ? HV_STR("") : word;
    }
    for (; at < command->word_count; at++) {
        if (shell_names_have(harmful, word_at(command, at)))
            return false;
        out->nul |= hv_str_is(word_at(command, at), "-print0");
    }
    if (starts == 1 && !hv_str_is(out->directory, "."))
        out->directory = hv_arena_format(reading->arena, "%.*s/", HV_STR_ARG(out->directory));
    else
        out->directory = HV_STR("");
    out->certain = true;
    return true;
}

/* Operands that stay below the working directory. */
static bool operands_stay(const struct shell_command *command, size_t at)
{
    for (; at < command->word_count; at++) {
        struct hv_str word = word_at(command, at);
        if (!is_option(word) &&
            (climbs(command->words[at].text) || climbs(word) || (word.len && strchr("/:~", *word.ptr))))
            return false;
    }
    return true;
}

/* Names of refs and of objects: none begins with "-" or "/", holds "..", a blank or a pattern. */
static bool git_names_refs(const struct shell_command *command)
{
    static const char formats[] = "%(refname) %(refname:short) %(objectname) %(objectname:short) %H %h";
    struct hv_str name = word_at(command, 1);
    bool formatted = shell_names_have("rev-list tag for-each-ref", name);
    if (!shell_names_have("for-each-ref branch rev-list tag log", name))
        return false;
    for (size_t i = 2; i < command->word_count; i++) {
        struct hv_str word = word_at(command, i);
        size_t equals = hv_str_find_byte(word, '=', 0);
        struct hv_str option = hv_str_slice(word, 0, equals);
        int64_t number;
        bool counted = is_option(word) && hv_str_to_int64(hv_str_slice(word, 1, word.len), &number);
        if (!command->words[i].known)
            return false;
        if (!is_option(word) || counted ||
            shell_names_have("-a -r --all --no-merges --merges --reverse -l --list", word))
            continue;
        if (hv_str_is(word, "-n") && i + 1 < command->word_count) {
            i++;
            continue;
        }
        bool format = shell_names_have("--format --pretty", option);
        formatted |= format;
        if (equals == SIZE_MAX ||
            !(format ? shell_names_have(formats, hv_str_slice(word, equals + 1, word.len))
                     : shell_names_have("--sort --count --max-count --since --until --after --before --author --merged"
                                        " --no-merged --contains --points-at",
                                        option)))
            return false;
    }
    return formatted;
}

static bool git_lists(const struct shell_command *command, struct listing *out)
{
    struct hv_str name = word_at(command, 1);
    if (git_names_refs(command)) {
        out->certain = true;
        return true;
    }
    for (size_t i = 2; i < command->word_count; i++)
        out->nul |= shell_names_have("-z -zl -lz", word_at(command, i));
    if (hv_str_is(name, "ls-files"))
        return operands_stay(command, 2) &&
               options_are(command, 2, "-z -m -o -c -d --cached --others --modified --deleted --exclude-standard --",
                           "");
    if (hv_str_is(name, "grep"))
        return operands_stay(command, 3) &&
               options_are(command, 2, "-l -z -i -E -F -w -li -il -lE -lF -lw -lz -zl --", "-e") &&
               shell_names_have("-l -li -il -lE -lF -lw -lz -zl", word_at(command, 2));
    bool names_only = false;
    for (size_t i = 2; i < command->word_count; i++)
        names_only |= hv_str_is(word_at(command, i), "--name-only");
    return hv_str_is(name, "diff") && names_only &&
           options_are(command, 2, "--name-only -z --cached --staged --", "--diff-filter");
}

/* -l and the like, alone or among other letters (-rlZ), of the options before "--". */
static bool has_letter(const struct shell_command *command, const char *letters)
{
    for (size_t i = 1; i < command->word_count && !hv_str_is(word_at(command, i), "--"); i++) {
        struct hv_str word = word_at(command, i);
        for (size_t k = 1; is_option(word) && word.ptr[1] != '-' && k < word.len; k++)
            if (strchr(letters, word.ptr[k]))
                return true;
    }
    return false;
}

static bool has_word(const struct shell_command *command, const char *words)
{
    for (size_t i = 1; i < command->word_count && !hv_str_is(word_at(command, i), "--"); i++)
        if (shell_names_have(words, word_at(command, i)))
            return true;
    return false;
}

/* The first operand is a pattern. */
static bool grep_lists(const struct shell_command *command, struct listing *out)
{
    out->nul = has_letter(command, "Z") || has_word(command, "--null");
    return (has_letter(command, "lL") || has_word(command, "--files-with-matches --files-without-match")) &&
           operands_stay(command, 3) &&
           options_are(command, 1,
                       "-l -L -r -i -E -F -P -G -w -x -v -s -n -I -H -Z --null --recursive --ignore-case --word-regexp "
                       "--files-with-matches --files-without-match --",
                       "--include --exclude --exclude-dir -e");
}

/* rg has -r for something else: it prints lines, not names, then. */
static bool rg_lists(const struct shell_command *command, struct listing *out)
{
    bool files = has_word(command, "--files");
    out->nul = has_letter(command, "0") || has_word(command, "--null");
    return (files || has_letter(command, "l") || has_word(command, "--files-with-matches --files-without-match")) &&
           operands_stay(command, files ? 1 : 3) &&
           options_are(command, 1,
                       "-l -0 -i -S -F -w -x -v -s -n -u -. --null --files --hidden --no-ignore --ignore-case "
                       "--smart-case --word-regexp --files-with-matches --files-without-match --",
                       "-g --glob -t --type -T --type-not -e");
}

static bool fd_lists(const struct shell_command *command, struct listing *out)
{
    out->nul = has_letter(command, "0") || has_word(command, "--print0");
    return operands_stay(command, 1) &&
           options_are(command, 1,
                       "-0 -H -I -u -s -i -g -F --print0 --hidden --no-ignore --case-sensitive --ignore-case --glob "
                       "--fixed-strings --",
                       "-e --extension -t --type -E --exclude -d --max-depth");
}

/* echo NAME…, printf '%s\n' NAME…: what stands there. */
static bool echo_lists(const struct shell_command *command, struct listing *out)
{
    bool formats = hv_str_is(word_at(command, 0), "printf");
    size_t at = formats ? 2 : 1;
    if (formats && !hv_str_is(word_at(command, 1), "%s\\n"))
        return false;
    for (size_t i = at; i < command->word_count; i++) {
        struct hv_str word = word_at(command, i);
        if (!command->words[i].known || !word.len || strchr("-/", *word.ptr) || climbs(word))
            return false;
        for (size_t j = 0; j < word.len; j++)
            if (strchr(" \t\n\\'\"*?[", word.ptr[j]))
                return false;
    }
    out->certain = true;
    return command->word_count > at;
}

static bool lists_names(struct shell_reading *reading, const struct shell_command *command, struct listing *out)
{
    struct hv_str name = word_at(command, 0);
    *out = (struct listing){.directory = HV_STR("")};
    if (!is_plain(reading, command))
        return false;
    if (hv_str_is(name, "find"))
        return find_lists(reading, command, out);
    if (hv_str_is(name, "git"))
        return git_lists(command, out);
    if (hv_str_is(name, "grep"))
        return grep_lists(command, out);
    if (hv_str_is(name, "rg"))
        return rg_lists(command, out);
    if (hv_str_is(name, "fd") || hv_str_is(name, "fdfind"))
        return fd_lists(command, out);
    if (hv_str_is(name, "echo") || hv_str_is(name, "printf"))
        return echo_lists(command, out);
    return hv_str_is(name, "ls") && operands_stay(command, 1) &&
           options_are(command, 1, "-1 -t -r -S -A -d -1t -1A -1d -d1 -tr", "");
}

/* command prints names that all lie in a directory of which the world says that its names and links are plain: a word
 * for them. separated: they stay whole whatever they hold, when they end in NUL. */
static bool take_names(struct shell_reading *reading, const struct shell_command *command, bool separated,
                       struct shell_word *word)
{
    const struct shell_world *world = reading->world;
    struct listing listing;
    if (!command || !world->tree_is_plain || !reading->directory.ptr || reading->elsewhere_count ||
        !hv_str_eq(command->directory, reading->directory) || !lists_names(reading, command, &listing))
        return false;
    if (listing.nul != separated)
        return false;
    struct hv_str directory = listing.directory.len && *listing.directory.ptr == '/'
                                  ? listing.directory
                                  : hv_arena_format(reading->arena, "%.*s/%.*s", HV_STR_ARG(reading->directory),
                                                    HV_STR_ARG(listing.directory));
    unsigned wanted =
        SHELL_TREE_LINKS | (separated ? 0 : SHELL_TREE_WORDS) | (listing.certain ? 0 : SHELL_TREE_NO_OPTION);
    if (!world->tree_is_plain(world->user, directory, wanted))
        return false;
    word->flags = SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_NO_OPTION;
    word->value = listing.directory;
    word->tail = HV_STR("");
    return true;
}

bool shell_names_from_pipe(struct shell_reading *reading, bool separated, struct shell_word *word)
{
    const struct shell_command *command = reading->judged;
    for (size_t i = 0; i < command->redirect_count; i++)
        if (command->redirects[i].kind != SHELL_REDIRECT_DUPLICATE && command->redirects[i].descriptor != 1 &&
            command->redirects[i].descriptor != 2)
            return false;
    return !reading->in_text && take_names(reading, writer_to(reading, command), separated, word);
}

/* The command whose output a substitution in command, the only one, becomes; NULL: several, or not known. */
static const struct shell_command *substituted(const struct shell_reading *reading, const struct shell_command *command)
{
    const struct shell_script *script = reading->script;
    const struct shell_command *last = NULL;
    size_t index = index_of(reading, command);
    if (command->place & SHELL_IN_SUBSTITUTION)
        return NULL;
    for (size_t i = 0; i < script->count; i++) {
        const struct shell_command *inner = &script->commands[i];
        if (inner->parent != index || !(inner->place & SHELL_IN_SUBSTITUTION))
            continue;
        if (last && (!last->pipeline || last->pipeline != inner->pipeline))
            return NULL;
        if (!last || inner->position > last->position)
            last = inner;
    }
    return last && is_filter(reading, last) ? writer_to(reading, last) : last;
}

static bool is_whole_substitution(const struct shell_word *word)
{
    return !word->known && !word->value.len && !word->tail.len && word->flags == (SHELL_WORD_COMMAND | SHELL_WORD_MANY);
}

bool shell_names_from_substitution(struct shell_reading *reading, const struct shell_command *command, size_t at,
                                   struct shell_word *word)
{
    size_t count = 0;
    if (!is_whole_substitution(&command->words[at]) || command->assignment_count ||
        shell_sets_splitting(reading->script))
        return false;
    for (size_t i = 0; i < command->word_count; i++)
        count += (command->words[i].flags & (SHELL_WORD_COMMAND | SHELL_WORD_PROCESS)) != 0;
    for (size_t i = 0; i < command->redirect_count; i++)
        count += (command->redirects[i].target.flags & (SHELL_WORD_COMMAND | SHELL_WORD_PROCESS)) != 0;
    return count == 1 && take_names(reading, substituted(reading, command), false, word);
}

/* [IFS=] read [-r] NAME, as the condition of a loop: what the loop reads. separated: IFS= read -r -d '' NAME, up to a
 * NUL and without a change. */
static bool reads_name(const struct shell_command *command, struct hv_str name, bool *separated)
{
    size_t at = 1;
    bool raw = false;
    *separated = false;
    for (;; at++) {
        bool end = hv_str_is(word_at(command, at), "-d") && at + 1 < command->word_count &&
                   command->words[at + 1].known && !command->words[at + 1].value.len;
        if (!end && !hv_str_is(word_at(command, at), "-r"))
            break;
        *separated |= end;
        raw |= !end;
        at += end;
    }
    if (*separated && (!raw || !command->assignment_count))
        return false;
    for (size_t i = 0; i < command->assignment_count; i++)
        if (!hv_str_is(command->assignments[i].name, "IFS") || !command->assignments[i].value.known ||
            command->assignments[i].value.value.len)
            return false;
    return command->kind == SHELL_COMMAND_SIMPLE && hv_str_is(word_at(command, 0), "read") &&
           !command->redirect_count && command->word_count == at + 1 && hv_str_eq(word_at(command, at), name);
}

bool shell_names_from_read(struct shell_reading *reading, const struct shell_command *reader,
                           const struct shell_command *user, struct hv_str name, struct shell_word *word)
{
    size_t loop = reader->parent;
    bool separated;
    if (!reads_name(reader, name, &separated) || (separated && word->flags & SHELL_WORD_MANY) ||
        loop >= reading->script->count)
        return false;
    const struct shell_command *group = command_at(reading, loop);
    size_t at = user->parent;
    while (at < reading->script->count && at != loop)
        at = command_at(reading, at)->parent;
    if (at != loop || group->kind != SHELL_COMMAND_GROUP)
        return false;
    if (!group->redirect_count)
        return take_names(reading, writer_to(reading, group), separated, word);
    const struct shell_redirect *redirect = &group->redirects[0];
    bool process = group->redirect_count == 1 && redirect->kind == SHELL_REDIRECT_READ && redirect->descriptor == 0 &&
                   redirect->target.flags == SHELL_WORD_PROCESS;
    return process && take_names(reading, substituted(reading, group), separated, word);
}

bool shell_glob_is_plain(const struct shell_reading *reading, const struct shell_word *word)
{
    enum { FINE = SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED };
    const struct shell_world *world = reading->world;
    return !word->known && word->flags & SHELL_WORD_GLOB && !(word->flags & ~(unsigned)FINE) && !word->value.len &&
           reading->directory.ptr && !reading->elsewhere_count && world->tree_is_plain &&
           world->tree_is_plain(world->user, reading->directory, SHELL_TREE_NO_OPTION);
}
