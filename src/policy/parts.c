/* parts.c: see parts.h. */
#include "policy/parts.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"
#include "policy/rule_words.h"
#include "shell/classify.h"

#include <string.h>

/* Steps of matching one rule, cells of one comparison of two open texts, forms of one run. */
enum { WORK_MAX = 1 << 22, CELLS_MAX = 1 << 20, FORMS_MAX = 16 };

/* ---- the texts of runs ------------------------------------------------------------------------------------------- */

struct run_texts {
    struct run_text *items;
    size_t count, capacity;
};

/* What is known of the word; a NUL where something may stand. */
static void add_open_word(struct hv_buf *text, const struct shell_word *word, bool *open)
{
    hv_buf_add_str(text, word->value);
    if (word->known)
        return;
    hv_buf_add_byte(text, '\0');
    hv_buf_add_str(text, word->tail);
    *open = true;
}

/* The words as they are written, without quotes; "$IFS" is a blank. */
static struct run_text written_form(const struct shell_run *run, struct hv_arena *arena)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, SIZE_MAX / 4);
    for (size_t i = 0; i < run->word_count; i++) {
        hv_buf_add_cstr(&text, i ? " " : "");
        hv_buf_add_str(&text, run->words[i].text);
    }
    return (struct run_text){command_bare_text(arena, hv_buf_str(&text)), false};
}

/* The program without its directory, and the words from `from` on. */
static struct run_text form_of(const struct shell_run *run, bool with_directory, size_t from, struct hv_arena *arena)
{
    CLEANUP_BUF struct hv_buf text = {0};
    bool open = false;
    hv_buf_init(&text, SIZE_MAX / 4);
    struct shell_word program = run->words[0];
    if (!with_directory && run->name.len)
        program.value = run->name;
    add_open_word(&text, &program, &open);
    for (size_t i = from; i < run->word_count; i++) {
        hv_buf_add_byte(&text, ' ');
        add_open_word(&text, &run->words[i], &open);
    }
    return (struct run_text){hv_arena_str(arena, hv_buf_str(&text)), open};
}

static bool is_option(const struct shell_word *word)
{
    return hv_str_starts(word->value, HV_STR("-"));
}

/* Options before a sub-command, with and without a value, may be left out: git -C . push is git push. */
static void add_forms(struct run_texts *texts, const struct shell_run *run, struct hv_arena *arena)
{
    struct run_text plain = form_of(run, true, 1, arena);
    *(struct run_text *)vec_push(texts) = plain;
    if (plain.open)
        *(struct run_text *)vec_push(texts) = written_form(run, arena);
    if (run->words[0].known && run->name.len < run->words[0].value.len)
        *(struct run_text *)vec_push(texts) = form_of(run, false, 1, arena);
    for (size_t at = 1; at < run->word_count && at < FORMS_MAX; at++) {
        if (is_option(&run->words[at]))
            continue;
        if (at > 1)
            *(struct run_text *)vec_push(texts) = form_of(run, false, at, arena);
        bool value =
            at > 1 && is_option(&run->words[at - 1]) && hv_str_find_byte(run->words[at - 1].value, '=', 0) == SIZE_MAX;
        if (!value)
            break;
    }
}

static void make_texts(struct parts *parts)
{
    struct run_texts texts = {0};
    for (size_t i = 0; i < parts->command->runs.count; i++)
        add_forms(&texts, &parts->command->runs.items[i], parts->arena);
    struct run_text *items = hv_arena_array(parts->arena, struct run_text, texts.count);
    if (texts.count)
        memcpy(items, texts.items, texts.count * sizeof *items);
    parts->texts = items;
    parts->text_count = texts.count;
    parts->made = true;
    vec_release(&texts);
}

/* ---- denying and asking ------------------------------------------------------------------------------------------ */

/* Some text that both take: "*" in pattern and NUL in text stand for anything. */
static bool may_both_be(struct hv_str pattern, struct hv_str text)
{
    if (pattern.len * text.len > CELLS_MAX)
        return true; /* too much to find out */
    CLEANUP_ARENA struct hv_arena scratch = {0};
    bool *row = hv_arena_array(&scratch, bool, text.len + 1), *above = hv_arena_array(&scratch, bool, text.len + 1);
    for (size_t i = 0; i <= pattern.len; i++) {
        bool star = i && pattern.ptr[i - 1] == '*';
        for (size_t j = 0; j <= text.len; j++) {
            bool any = j && text.ptr[j - 1] == '\0';
            row[j] = (!i && !j) || (star && above[j]) || (any && row[j - 1]) || (star && j && row[j - 1]) ||
                     (any && i && above[j]) ||
                     (i && j && above[j - 1] && (star || any || pattern.ptr[i - 1] == text.ptr[j - 1]));
        }
        bool *swap = row;
        row = above;
        above = swap;
    }
    return above[text.len];
}

static bool may_take(struct hv_str pattern, struct hv_str text)
{
    bool boundary = hv_str_ends(pattern, HV_STR(":*")) || hv_str_ends(pattern, HV_STR(" *"));
    struct hv_str head = boundary ? hv_str_trim(hv_str_slice(pattern, 0, pattern.len - 2)) : pattern;
    if (may_both_be(head, text))
        return true;
    CLEANUP_ARENA struct hv_arena scratch = {0};
    return boundary && may_both_be(hv_arena_join(&scratch, head, HV_STR(" *")), text);
}

/* The rule's words in another order or spelling; or among those of a program of which it is not known whether it runs
 * them. */
static enum match_strength words_hit_by(const struct parts *parts, struct hv_str bare, size_t *work)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    enum match_strength strength = MATCH_NONE;
    struct rule_words rule;
    rule_words_read(bare, &rule);
    for (size_t i = 0; rule.program.len && i < parts->command->runs.count && *work; i++) {
        const struct shell_run *run = &parts->command->runs.items[i];
        if (rule_words_take(&rule, run->name, run->words, run->word_count))
            return MATCH_FULL;
        *work -= *work < run->word_count ? *work : run->word_count;
        if (strength == MATCH_NONE && run->name.len && !run->spread && !(run->traits & SHELL_NAME_STARTER) &&
            rule_words_may_take(&rule, run->words, run->word_count, &scratch) && !shell_find_program(run->name))
            strength = MATCH_MENTION;
    }
    return strength;
}

enum match_strength parts_hit_by(struct parts *parts, const struct rule *rule)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    size_t work = WORK_MAX;
    struct hv_str bare = command_bare_text(&scratch, rule->specifier);
    enum match_strength strength = MATCH_NONE;
    if (!parts->command->runs.complete || rule_takes_text(rule->specifier, hv_str_trim(parts->command->text), &work))
        return MATCH_FULL;
    for (size_t i = 0; i < parts->command->runs.count && work; i++) {
        const struct shell_run *run = &parts->command->runs.items[i];
        if (run->words == run->command->words && rule_takes_text(rule->specifier, run->command->text, &work))
            return MATCH_FULL;
    }
    if (!parts->made)
        make_texts(parts);
    for (size_t i = 0; i < parts->text_count && work; i++) {
        const struct run_text *text = &parts->texts[i];
        if (rule_takes_text(bare, text->text, &work))
            return MATCH_FULL;
        if (text->open && strength == MATCH_NONE && may_take(bare, text->text))
            strength = MATCH_MENTION;
    }
    enum match_strength words = work ? words_hit_by(parts, bare, &work) : MATCH_NONE;
    strength = words > strength ? words : strength;
    return work ? strength : MATCH_FULL; /* too much to try them all: it counts as hit */
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* The rule speaks of something below a directory that is changed as a whole. */
static bool reaches_below(const struct rule *rule, const struct policy_path *path)
{
    for (size_t i = 0; i < rule->path_count; i++) {
        struct hv_str reach = rule->paths[i].reach;
        if (reach.len > path->resolved.len && (path_inside(reach, path->written) || path_inside(reach, path->resolved)))
            return true;
    }
    return false;
}

static bool is_listing(const struct shell_act *act)
{
    return act->word_count && shell_is_one_of(shell_base_name(act->words[0].value), "ls dir vdir");
}

bool parts_act_lists(const struct shell_act *act)
{
    if (!is_listing(act))
        return false;
    for (size_t i = 1; i < act->word_count; i++) {
        struct hv_str word = act->words[i].value;
        bool recursive = hv_str_starts(word, HV_STR("-")) &&
                         (hv_str_find_byte(word, 'R', 1) != SIZE_MAX || hv_str_starts(word, HV_STR("--r")));
        if (!act->words[i].known || recursive)
            return false;
    }
    return true;
}

bool parts_act_takes_trees(const struct shell_act *act, size_t index)
{
    return is_listing(act) ? !parts_act_lists(act) : act->reads[index].tree;
}

/* The same of one that is only read: where there is something. */
static bool shows_below(const struct rule *rule, const struct policy_part *part)
{
    for (size_t i = 0; i < rule->path_count; i++)
        for (size_t j = 0; j < part->guarded_count; j++)
            if (hv_str_eq(rule->paths[i].reach, part->guarded[j]))
                return true;
    return false;
}

/* A name that a pattern takes ends as the rule says: "x/.env" of "*" and "/.env", for a rule about .env anywhere. */
static bool takes_ending(const struct rule *rule, const struct shell_access *access)
{
    char text[4096];
    struct hv_str tail = access->word && !access->word->known ? access->word->tail : HV_STR("");
    size_t slash = hv_str_find_byte(tail, '/', 0);
    bool variable = access->word && hv_str_find_byte(access->word->text, '$', 0) != SIZE_MAX;
    /* A variable may hold "a/": all of the tail is a name then. */
    tail = hv_str_slice(tail, slash == SIZE_MAX && variable ? 0 : slash, tail.len);
    size_t size = access->path.len + tail.len + 1;
    if (!access->path.len || tail.len < 2 || size > sizeof text || hv_str_ends(tail, HV_STR("/")))
        return false;
    while (tail.len > 1 && tail.ptr[1] == '/')
        tail = hv_str_slice(tail, 1, tail.len);
    size_t head = hv_str_is(access->path, "/") ? 0 : access->path.len;
    memcpy(text, access->path.ptr, head);
    if (tail.ptr[0] != '/')
        text[head++] = '/';
    memcpy(text + head, tail.ptr, tail.len);
    const struct hv_str path = hv_str_of(text, head + tail.len);
    return rule_takes_path(rule, &(struct policy_path){.written = path, .resolved = path});
}

static enum match_strength touches(const struct rule *rule, const struct policy_part *part)
{
    bool reading = rule_guards_files(rule, false), writing = rule_guards_files(rule, true);
    enum match_strength strength = MATCH_NONE;
    for (size_t i = 0; reading && i < part->act->read_count; i++)
        if (part->reads[i].written.len &&
            (rule_takes_path(rule, &part->reads[i]) || takes_ending(rule, &part->act->reads[i])))
            return MATCH_FULL;
    if (reading && shows_below(rule, part))
        strength = MATCH_MENTION;
    for (size_t i = 0; (reading || writing) && i < part->act->write_count; i++) {
        if (!part->writes[i].written.len)
            continue;
        if (rule_takes_path(rule, &part->writes[i]) || takes_ending(rule, &part->act->writes[i]))
            return MATCH_FULL;
        if (part->act->writes[i].tree && reaches_below(rule, &part->writes[i]))
            strength = MATCH_MENTION;
    }
    return strength;
}

enum match_strength parts_touch(const struct match_call *call, const struct rule *rule)
{
    const struct policy_command *command = call->facts->command;
    enum match_strength strength = MATCH_NONE;
    for (size_t i = 0; i < command->part_count; i++) {
        enum match_strength one = command->parts[i].same ? MATCH_NONE : touches(rule, &command->parts[i]);
        strength = one > strength ? one : strength;
    }
    return strength;
}

/* ---- words that may be files ------------------------------------------------------------------------------------- */

struct word_walk {
    struct hv_arena scratch;
    struct hv_str directory, home;
    command_path_visitor *visit;
    void *user;
};

static bool visit_piece(struct word_walk *walk, struct hv_str piece)
{
    if (!piece.len || piece.len > 4096)
        return false;
    bool rooted = hv_str_starts(piece, HV_STR("/")),
         at_home = hv_str_is(piece, "~") || hv_str_starts(piece, HV_STR("~/"));
    struct hv_str untidy = piece;
    if (at_home)
        untidy = hv_arena_join(&walk->scratch, walk->home, hv_str_slice(piece, 1, piece.len));
    else if (!rooted)
        untidy = path_join(&walk->scratch, walk->directory, piece);
    return walk->visit(walk->user, path_expand(&walk->scratch, piece, walk->directory, walk->home), untidy);
}

/* The text and its pieces between any of separators. */
static bool visit_pieces(struct word_walk *walk, struct hv_str text, const char *separators)
{
    size_t start = 0;
    if (hv_str_starts(text, HV_STR("-"))) {
        /* "-I/usr" and "-fsub/file" */
        bool joined = !hv_str_starts(text, HV_STR("--")) && hv_str_find_byte(text, '/', 0) != SIZE_MAX;
        if (joined && visit_piece(walk, hv_str_slice(text, 2, text.len)))
            return true;
    } else if (visit_piece(walk, text)) {
        return true;
    }
    for (size_t at = 0; at <= text.len; at++) {
        if (at < text.len && !(text.ptr[at] && strchr(separators, text.ptr[at])))
            continue;
        struct hv_str piece = hv_str_slice(text, start, at);
        bool whole = piece.len == text.len || hv_str_starts(piece, HV_STR("-"));
        if (!whole && visit_piece(walk, piece))
            return true;
        start = at + 1;
    }
    return false;
}

static bool visit_word(struct word_walk *walk, const struct shell_word *word, bool is_code)
{
    static const char plain[] = "=:,@<>", code[] = "=:,@<> \t\n'\"`()[]{};|&";
    const char *separators = is_code ? code : plain;
    if (word->known)
        return visit_pieces(walk, word->value, separators);
    if (word->value.len > 1 && visit_pieces(walk, word->value, separators))
        return true;
    if (word->tail.len > 1 && visit_pieces(walk, word->tail, separators))
        return true;
    return visit_pieces(walk, word->text, separators);
}

/* Which files the part touches is in its lists. What runs code or reaches the network may touch others, too. */
static bool is_listed(const struct shell_act *act)
{
    bool writes = act->class == SHELL_WRITES && act->write_count > 0;
    return act->reads_listed && act->writes_listed && (act->class == SHELL_READ_ONLY || writes);
}

/* Words in which code may stand are cut at more places than others. */
static bool takes_code(const struct shell_act *act)
{
    return act->word_count && (shell_name_is_interpreter(shell_base_name(act->words[0].value)) ||
                               shell_is_one_of(act->words[0].value, "eval ssh watch"));
}

/* The words of an act that another starts (sudo, env) are the last ones of that, which were visited. */
static bool was_visited(const struct shell_act *act, const struct shell_act *before)
{
    return before && act->command == before->command && act->words > before->words &&
           act->words + act->word_count == before->words + before->word_count &&
           (takes_code(before) || !takes_code(act));
}

/* It says what the word before it says, which was visited. */
static bool is_repeated(const struct shell_word *word, const struct shell_word *before)
{
    return word->known == before->known && hv_str_eq(word->value, before->value) &&
           (word->known || (hv_str_eq(word->tail, before->tail) && hv_str_eq(word->text, before->text)));
}

static bool visit_part(const struct match_call *call, const struct policy_part *part, command_path_visitor *visit,
                       void *user)
{
    const struct shell_act *act = part->act;
    struct hv_str directory = act->command->directory.len ? act->command->directory : call->facts->directory;
    struct word_walk walk = {.home = call->policy->home.written, .visit = visit, .user = user};
    walk.directory = directory.len ? directory : call->policy->directory.written;
    bool is_code = takes_code(act), found = false;
    for (size_t i = 0; !found && i < act->word_count; i++) {
        if (i && is_repeated(&act->words[i], &act->words[i - 1]))
            continue;
        found = visit_word(&walk, &act->words[i], is_code);
        hv_arena_reset(&walk.scratch);
    }
    hv_arena_release(&walk.scratch);
    return found;
}

bool parts_each_word(const struct match_call *call, command_path_visitor *visit, void *user)
{
    const struct policy_command *command = call->facts->command;
    const struct shell_act *before = NULL;
    for (size_t i = 0; i < command->part_count; i++) {
        const struct policy_part *part = &command->parts[i];
        if (part->same || is_listed(part->act) || was_visited(part->act, before))
            continue;
        if (visit_part(call, part, visit, user))
            return true;
        before = part->act;
    }
    return false;
}
