/* sought.c: see sought.h. */
#include "policy/sought.h"

#include "base/path.h"
#include "fs/git_probe.h"
#include "policy/judged.h"
#include "shell/runs.h"
#include "text/glob.h"

#include <string.h>

enum { PATTERNS_MAX = 32 };

/* What a name must be like: all of `filters`, and one of `patterns`, if there are any. */
struct filter {
    struct hv_str patterns[PATTERNS_MAX], filters[PATTERNS_MAX];
    size_t pattern_count, filter_count;
    bool hidden; /* names that begin with "." are printed, too */
    bool nocase;
    bool whole; /* patterns are for the whole path, as git's are */
};

/* The first and the last of some parts; NULL: there are none. */
struct span {
    const struct policy_part *first, *last;
};

/* Parts that open what others print, so that it need not be gone through them for each of those. */
struct openers {
    struct span all, *by_command;
    uint32_t *furthest; /* by pipeline: one more than the last position that has one; 0: none has */
};

struct seeking {
    struct leading *leading;
    struct hv_arena *arena;
    const struct path_classes *classes;
    const struct policy_command *command;
    struct hv_str home, found;
    struct openers any, no_searches; /* all parts that open what others print; those that search it left out */
    size_t pipelines;                /* the greatest number of one, and one */
    const uint32_t *last_of;         /* by pipeline: its last command, as index */
};

/* ---- who opens what others print --------------------------------------------------------------------------------- */

static struct hv_str name_of(const struct shell_act *act)
{
    return act->word_count ? shell_base_name(act->words[0].value) : (struct hv_str){0};
}

static const struct shell_command *parent_of(const struct seeking *seeking, const struct shell_command *command)
{
    const struct shell_script *script = &seeking->command->judgement.script;
    return command->parent < script->count ? &script->commands[command->parent] : NULL;
}

/* The command whose word, assignment or redirection what `command` prints becomes; NULL: none. */
static const struct shell_command *taken_by(const struct seeking *seeking, const struct shell_command *command)
{
    while (command && command->place & SHELL_IN_SUBSTITUTION) {
        const struct shell_command *parent = parent_of(seeking, command);
        if (!parent || !(parent->place & SHELL_IN_SUBSTITUTION) || parent->kind == SHELL_COMMAND_SIMPLE)
            return parent;
        command = parent;
    }
    return NULL;
}

/* What becomes a word of it goes into a variable, or is printed once more. */
static bool hands_on(const struct shell_command *command)
{
    if (command->kind != SHELL_COMMAND_SIMPLE)
        return true;
    return !command->word_count ||
           shell_is_one_of(command->words[0].value, "mapfile readarray read echo printf set export local declare "
                                                    "typeset readonly");
}

static size_t index_of(const struct seeking *seeking, const struct shell_command *command)
{
    return (size_t)(command - seeking->command->judgement.script.commands);
}

static void find_pipelines(struct seeking *seeking)
{
    const struct shell_script *script = &seeking->command->judgement.script;
    uint32_t most = 0;
    for (size_t i = 0; i < script->count; i++)
        most = script->commands[i].pipeline > most ? script->commands[i].pipeline : most;
    seeking->pipelines = (size_t)most + 1;
    uint32_t *last_of = hv_arena_array(seeking->arena, uint32_t, seeking->pipelines);
    for (size_t i = 0; i < script->count; i++)
        last_of[script->commands[i].pipeline] = (uint32_t)i;
    seeking->last_of = last_of;
}

static void add_to_span(struct span *span, const struct policy_part *part)
{
    span->first = span->first ? span->first : part;
    span->last = part;
}

static void add_opener(const struct seeking *seeking, struct openers *openers, const struct policy_part *part)
{
    const struct shell_command *command = part->act->command;
    if (!openers->by_command) {
        openers->by_command = hv_arena_array(seeking->arena, struct span, seeking->command->judgement.script.count);
        openers->furthest = hv_arena_array(seeking->arena, uint32_t, seeking->pipelines);
    }
    add_to_span(&openers->all, part);
    add_to_span(&openers->by_command[index_of(seeking, command)], part);
    for (; command; command = parent_of(seeking, command))
        if (command->pipeline && openers->furthest[command->pipeline] <= command->position)
            openers->furthest[command->pipeline] = command->position + 1;
}

static bool find_openers(struct seeking *seeking)
{
    const struct policy_command *command = seeking->command;
    for (size_t i = 0; i < command->part_count; i++) {
        const struct policy_part *part = &command->parts[i];
        if (!act_opens_listed(part->act))
            continue;
        if (!seeking->last_of)
            find_pipelines(seeking);
        add_opener(seeking, &seeking->any, part);
        if (!shell_is_one_of(name_of(part->act), "grep egrep fgrep zgrep rg ag ack"))
            add_opener(seeking, &seeking->no_searches, part);
    }
    return seeking->any.all.first != NULL;
}

/* In one pipeline, the command has a part in writing what an opener behind it reads. */
static bool flows(const struct seeking *seeking, const struct openers *openers, const struct shell_command *command)
{
    for (; command; command = parent_of(seeking, command))
        if (command->pipeline && openers->furthest[command->pipeline] > command->position + 1)
            return true;
    return false;
}

/* What the part prints comes to where another part may open it. */
static bool is_opened(const struct seeking *seeking, const struct policy_part *lister, bool by_searches)
{
    const struct openers *openers = by_searches ? &seeking->any : &seeking->no_searches;
    const struct shell_command *from = lister->act->command, *taker = taken_by(seeking, from);
    if (!openers->all.first)
        return false;
    const struct span *own = &openers->by_command[index_of(seeking, from)];
    if (own->first && (own->first != lister || own->last != lister))
        return true;
    if (taker && (openers->by_command[index_of(seeking, taker)].first || flows(seeking, openers, taker)))
        return true;
    bool elsewhere = openers->all.first->act->command != from || openers->all.last->act->command != from;
    return (elsewhere && taker && hands_on(taker)) || flows(seeking, openers, from);
}

/* ---- which names ------------------------------------------------------------------------------------------------- */

static struct hv_str last_of(struct hv_str path)
{
    size_t slash = hv_str_rfind_byte(path, '/');
    return slash == SIZE_MAX ? path : hv_str_slice(path, slash + 1, path.len);
}

static void add_pattern(struct filter *filter, struct hv_str pattern)
{
    if (filter->pattern_count < PATTERNS_MAX)
        filter->patterns[filter->pattern_count++] = pattern;
    else
        filter->patterns[0] = HV_STR("*"); /* too many: any */
}

static bool takes_name(void *user, struct hv_str path)
{
    const struct filter *filter = user;
    struct hv_str name = last_of(path);
    unsigned flags = filter->nocase ? GLOB_ICASE : 0;
    bool taken = !filter->pattern_count;
    if (!filter->hidden && hv_str_starts(name, HV_STR(".")))
        return false;
    for (size_t i = 0; i < filter->filter_count; i++)
        if (!glob_match(filter->filters[i], name, GLOB_ICASE))
            return false;
    for (size_t i = 0; !taken && i < filter->pattern_count; i++) {
        struct hv_str pattern = filter->patterns[i];
        taken =
            glob_match(pattern, filter->whole ? path : name, flags) || (filter->whole && path_inside(path, pattern));
    }
    return taken;
}

/* A regular expression of letters alone, perhaps with an anchor, as a pattern; absent: it is more than that. */
static struct hv_str pattern_of(struct hv_arena *arena, struct hv_str expression)
{
    char *out = hv_arena_alloc(arena, expression.len + 2);
    size_t length = 0, at = hv_str_starts(expression, HV_STR("^"));
    if (!at)
        out[length++] = '*';
    for (; at < expression.len; at++) {
        char byte = expression.ptr[at];
        bool escaped = byte == '\\' && at + 1 < expression.len && expression.ptr[at + 1] == '.';
        if (byte == '$' && at + 1 == expression.len)
            return hv_str_of(out, length);
        if (!escaped && !strchr("._-", byte) && !(byte >= '0' && byte <= '9') &&
            !((byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'))
            return (struct hv_str){0};
        out[length++] = escaped ? '.' : byte == '.' ? '?' : byte;
        at += escaped;
    }
    out[length++] = '*';
    return hv_str_of(out, length);
}

/* ls | grep '\.c$': what the filters behind a lister leave, as far as that is certain. */
static void add_filters(const struct seeking *seeking, const struct policy_part *lister, struct filter *filter)
{
    const struct policy_command *command = seeking->command;
    const struct shell_command *from = lister->act->command;
    const struct policy_part *end = command->parts + command->part_count;
    for (const struct policy_part *part = lister; from->pipeline && part < end; part++) {
        const struct shell_act *act = part->act;
        const struct shell_command *own = act->command;
        if (index_of(seeking, own) > seeking->last_of[from->pipeline])
            break;
        bool plain = own->pipeline == from->pipeline && own->position > from->position && own->parent == from->parent &&
                     act->word_count && hv_str_is(name_of(act), "grep");
        size_t at = plain && act->word_count == 3 && shell_is_one_of(act->words[1].value, "-i -E") ? 2 : 1;
        if (!plain || act->word_count != at + 1 || !act->words[at].known)
            continue;
        struct hv_str pattern = pattern_of(seeking->arena, act->words[at].value);
        if (pattern.len && filter->filter_count < PATTERNS_MAX)
            filter->filters[filter->filter_count++] = pattern;
    }
}

/* ---- where they stand -------------------------------------------------------------------------------------------- */

/* One search more, if there have not been too many. */
static bool may_search(struct leading *leading)
{
    leading->too_many |= leading->searches >= LEADING_MAX;
    leading->searches += !leading->too_many;
    return !leading->too_many;
}

static void look_in(struct seeking *seeking, struct hv_str directory, struct fs_names names, struct filter *filter)
{
    struct leading *leading = seeking->leading;
    if (seeking->found.len || !may_search(leading))
        return;
    names.takes = takes_name;
    names.user = filter;
    seeking->found = names_find_credential(leading, seeking->arena, seeking->classes, directory, &names);
    leading->too_many = !seeking->found.len && leading->trees->exhausted;
}

static struct hv_str place_of(const struct seeking *seeking, const struct shell_act *act, struct hv_str path)
{
    struct hv_str from = act->command->directory;
    return path_expand(seeking->arena, path.len ? path : HV_STR("."), from.len ? from : HV_STR("/"), seeking->home);
}

/* "i*", "sub/k*.pem": its names, in the directory before the last slash that is certain. */
static void look_for_pattern(struct seeking *seeking, const struct shell_act *act, const struct shell_word *word,
                             struct filter *filter)
{
    size_t slash = hv_str_rfind_byte(word->value, '/'), last = hv_str_rfind_byte(word->tail, '/');
    struct hv_str before = hv_str_slice(word->value, 0, slash == SIZE_MAX ? 0 : slash + 1);
    struct fs_names names = {
        .prefix = hv_str_slice(word->value, before.len, word->value.len),
        .suffix = hv_str_slice(word->tail, last == SIZE_MAX ? 0 : last + 1, word->tail.len),
        .depth = hv_str_find_byte(hv_str_slice(word->text, before.len, word->text.len), '/', 0) == SIZE_MAX,
    };
    bool written = false; /* not what a variable holds, or another command handed on */
    for (size_t i = 0; i < word->text.len && word->text.ptr[i] != '$'; i++)
        written |= strchr("*?[", word->text.ptr[i]) != NULL;
    if (word->flags & SHELL_WORD_GLOB && written)
        look_in(seeking, place_of(seeking, act, before), names, filter);
}

static bool has_letter(const struct shell_act *act, const char *letters, const char *longer)
{
    for (size_t i = 1; i < act->word_count; i++) {
        struct hv_str word = act->words[i].value;
        bool is_long = hv_str_starts(word, HV_STR("--"));
        for (size_t at = 1; !is_long && word.len && word.ptr[0] == '-' && at < word.len; at++)
            if (strchr(letters, word.ptr[at]))
                return true;
        if (is_long && shell_is_one_of(word, longer))
            return true;
    }
    return false;
}

/* ls: what stands in directories, and what patterns take. */
static void look_at_ls(struct seeking *seeking, const struct shell_act *act, struct filter *filter)
{
    bool itself = has_letter(act, "d", "--directory"), operands = false;
    const struct fs_names all = {.depth = has_letter(act, "R", "--recursive") ? 0 : 1};
    filter->hidden = has_letter(act, "aAf", "--all --almost-all");
    for (size_t i = 1; i < act->word_count; i++) {
        const struct shell_word *word = &act->words[i];
        if (word->known && hv_str_starts(word->value, HV_STR("-")))
            continue;
        operands = true;
        if (!word->known) {
            struct filter own = *filter;
            own.hidden |= hv_str_starts(word->value, HV_STR("."));
            look_for_pattern(seeking, act, word, &own);
        } else if (!itself) {
            look_in(seeking, place_of(seeking, act, word->value), all, filter);
        }
    }
    if (!operands && !itself)
        look_in(seeking, place_of(seeking, act, (struct hv_str){0}), all, filter);
}

/* ".*\\.pem" of find -regex: the letters that it ends with, as a pattern. */
static struct hv_str end_of_expression(struct hv_arena *arena, struct hv_str expression)
{
    size_t at = expression.len;
    while (at && !strchr("/*+?()[]{}|^$\\", expression.ptr[at - 1]))
        at--;
    return hv_arena_join(arena, HV_STR("*"), hv_str_slice(expression, at, expression.len));
}

/* find DIRECTORY… -name PATTERN: with patterns that say something. */
static void look_at_find(struct seeking *seeking, const struct shell_act *act, struct filter *filter)
{
    size_t roots = 1;
    while (roots < act->word_count && shell_is_one_of(act->words[roots].value, "-H -L -P"))
        roots++;
    size_t first = roots;
    while (roots < act->word_count && !hv_str_starts(act->words[roots].value, HV_STR("-")) &&
           !shell_is_one_of(act->words[roots].value, "! ("))
        roots++;
    for (size_t i = roots; i + 1 < act->word_count; i++) {
        struct hv_str test = act->words[i].value, pattern = act->words[i + 1].value;
        bool negated = shell_is_one_of(act->words[i - 1].value, "! -not");
        if (!shell_is_one_of(test, "-name -iname -path -ipath -wholename -iwholename -regex -iregex") || negated)
            continue;
        if (hv_str_ends(test, HV_STR("regex")))
            pattern = end_of_expression(seeking->arena, pattern);
        pattern = last_of(pattern);
        filter->nocase |= test.len > 1 && test.ptr[1] == 'i';
        if (!act->words[i + 1].known)
            pattern = HV_STR("*");
        bool any = true;
        for (size_t at = 0; at < pattern.len; at++)
            any &= pattern.ptr[at] == '*';
        if (!any)
            add_pattern(filter, pattern);
    }
    filter->hidden = true;
    for (size_t i = first; filter->pattern_count && i < (roots > first ? roots : first + 1); i++) {
        struct hv_str root = roots > first ? act->words[i].value : (struct hv_str){0};
        if (roots == first || act->words[i].known)
            look_in(seeking, place_of(seeking, act, root), (struct fs_names){0}, filter);
    }
}

/* fd WORD: names that hold it; with -e their ends. */
static void look_at_fd(struct seeking *seeking, const struct shell_act *act, struct filter *filter)
{
    filter->hidden = has_letter(act, "Hu", "--hidden --unrestricted");
    filter->nocase = true;
    static const char values[] = "-t --type -E --exclude -d --max-depth --min-depth --exact-depth -S --size -o --owner "
                                 "-c --color -j --threads --changed-within --changed-before --ignore-file";
    size_t operands = 0; /* behind the first one come directories */
    for (size_t i = 1; i < act->word_count; i++) {
        struct hv_str word = act->words[i].value, before = act->words[i - 1].value;
        if (shell_is_one_of(word, "-x -X --exec --exec-batch"))
            break;
        if (shell_is_one_of(before, "-e --extension"))
            add_pattern(filter, hv_arena_format(seeking->arena, "*.%.*s", HV_STR_ARG(word)));
        else if (shell_is_one_of(before, "-g --glob"))
            add_pattern(filter, word);
        else if (!hv_str_starts(word, HV_STR("-")) && !shell_is_one_of(before, values) && operands++ == 0) {
            struct hv_str pattern = pattern_of(seeking->arena, word);
            if (act->words[i].known && pattern.len && !hv_str_is(word, "."))
                add_pattern(filter, pattern);
        }
    }
    if (filter->pattern_count)
        look_in(seeking, place_of(seeking, act, (struct hv_str){0}), (struct fs_names){0}, filter);
}

struct index_search {
    struct seeking *seeking;
    const struct filter *filter;
    struct hv_str directory;
    bool by_name; /* only names, of files or of hidden directories, tell */
};

static bool is_indexed_credential(void *user, struct hv_str path)
{
    const struct index_search *search = user;
    const struct seeking *seeking = search->seeking;
    bool hidden = hv_str_starts(path, HV_STR(".")) || hv_str_find(path, HV_STR("/."), 0) != SIZE_MAX;
    if (search->by_name && !hidden && !path_name_is_suspect(seeking->classes, last_of(path)))
        return false; /* as nearly all */
    struct hv_str whole = path_expand(seeking->arena, path, search->directory, (struct hv_str){0});
    const struct policy_path one = {.written = whole, .resolved = whole};
    return takes_name((void *)search->filter, path) &&
           path_classify(seeking->classes, &one, false).class == POLICY_PATH_CREDENTIAL;
}

/* git ls-files [PATHSPEC…]: what the index names. */
static void look_at_index(struct seeking *seeking, const struct shell_act *act, struct filter *filter)
{
    struct hv_str directory = act->command->directory;
    filter->hidden = filter->whole = true;
    for (size_t i = 2; i < act->word_count; i++)
        if (!act->words[i].known)
            add_pattern(filter, HV_STR("*"));
        else if (!hv_str_starts(act->words[i].value, HV_STR("-")))
            add_pattern(filter, act->words[i].value);
    for (size_t i = 0; i < filter->pattern_count; i++)
        while (hv_str_ends(filter->patterns[i], HV_STR("/")))
            filter->patterns[i].len--;
    const struct policy_path place = {.written = directory, .resolved = directory};
    struct index_search search = {seeking, filter, directory, path_classes_by_name(seeking->classes, &place, false)};
    if (!directory.len || !may_search(seeking->leading)) /* each reads the index */
        return;
    struct hv_str found = git_probe_find_name(seeking->arena, directory, is_indexed_credential, &search);
    seeking->found = found.len ? path_join(seeking->arena, directory, found) : found;
}

static void look_at_lister(struct seeking *seeking, const struct policy_part *part)
{
    const struct shell_act *act = part->act;
    struct hv_str name = name_of(act);
    bool finds = hv_str_is(name, "find"), seeks = shell_is_one_of(name, "fd fdfind");
    bool lists = shell_is_one_of(name, "ls dir vdir"), echoes = shell_is_one_of(name, "echo printf");
    bool tracked = hv_str_is(name, "git") && act->word_count > 1 && hv_str_is(act->words[1].value, "ls-files");
    struct filter filter = {0};
    if (!(finds || seeks || lists || echoes || tracked) || !is_opened(seeking, part, !tracked))
        return;
    add_filters(seeking, part, &filter);
    if (finds)
        look_at_find(seeking, act, &filter);
    else if (seeks)
        look_at_fd(seeking, act, &filter);
    else if (lists)
        look_at_ls(seeking, act, &filter);
    else if (tracked)
        look_at_index(seeking, act, &filter);
    for (size_t i = 1; echoes && i < act->word_count; i++)
        if (!act->words[i].known)
            look_for_pattern(seeking, act, &act->words[i], &filter);
}

struct hv_str sought_credential(struct leading *leading, struct hv_arena *arena, const struct path_classes *classes,
                                const struct policy_command *command, struct hv_str home)
{
    struct seeking seeking = {.leading = leading, .arena = arena, .classes = classes, .command = command, .home = home};
    bool opened = find_openers(&seeking);
    for (size_t i = 0; opened && !seeking.found.len && i < command->part_count; i++)
        if (!command->parts[i].same)
            look_at_lister(&seeking, &command->parts[i]);
    return seeking.found;
}
