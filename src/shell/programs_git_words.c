/*
 * programs_git_words.c: words of git that become names of commits and refs: $(git merge-base a b)..HEAD,
 * "origin/$branch", HEAD~$i. A commit is hexadecimal, a number is digits, and the name of a ref holds no blank,
 * pattern, ":" or "..": behind something it can be no option, whatever it is. At the beginning it may be one, since git
 * takes a branch or tag of any name from another repository.
 */
#include "shell/listings.h"
#include "shell/programs_git.h"

#include <string.h>

/* Options of `git rev-list` and the like after which it still prints nothing but the names of commits. What rev-parse
 * does not know itself it prints as it is, for others: $(git rev-parse -nOless) is an option of git grep. */
static bool prints_names(struct hv_str option, bool parses)
{
    if (parses)
        return shell_names_have("--verify -q --quiet --short", option);
    static const char *const beginnings[] = {
        "-n",        "--max-count=", "--max-parents=", "--min-parents=", "--skip=",
        "--before=", "--after=",     "--since=",       "--until=",       "--author="};
    for (size_t at = 0; at < sizeof beginnings / sizeof *beginnings; at++)
        if (hv_str_starts(option, hv_str_from(beginnings[at])))
            return true;
    return shell_names_have("-1 -2 -3 -5 -10 -20 --all --reverse --no-merges --merges --first-parent --fork-point -a"
                            " --octopus --verify -q --quiet --short --",
                            option);
}

/* Words without anything that the shell expands. */
static bool is_plain(struct hv_str text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/~^@:=-' ";
    for (size_t at = 0; at < text.len; at++)
        if (!text.ptr[at] || !strchr(plain, text.ptr[at]))
            return false;
    return true;
}

/* --format=%h, which git log must be given once, and nothing else that prints. */
static bool is_hash_format(struct hv_str option)
{
    return shell_names_have("--format=%h --format=%H --pretty=%h --pretty=%H --pretty=format:%h --pretty=format:%H "
                            "--format=format:%h --format=format:%H",
                            option);
}

/* --before="2026-01-01": quotes behind the sign change nothing. */
static bool is_plain_option(struct hv_str text)
{
    struct hv_str value = hv_str_slice(text, hv_str_find_byte(text, '=', 0), text.len);
    bool quoted = value.len > 3 && value.ptr[1] == '"' && value.ptr[value.len - 1] == '"';
    return is_plain(text) ||
           (quoted && hv_str_starts(text, HV_STR("--")) && is_plain(hv_str_slice(text, 0, text.len - value.len + 1)) &&
            is_plain(hv_str_slice(value, 2, value.len - 1)));
}

/* git merge-base a b: prints the names of commits, which are hexadecimal. */
static bool prints_commits(struct hv_str command)
{
    static const char *const heads[] = {"git merge-base ", "git rev-list ", "git rev-parse ", "git log "};
    struct hv_str part;
    size_t head = 0, formats = 0;
    for (size_t at = 0; at < sizeof heads / sizeof *heads; at++)
        if (hv_str_starts(command, hv_str_from(heads[at])))
            head = strlen(heads[at]);
    bool parses = hv_str_starts(command, HV_STR("git rev-parse ")), logs = hv_str_starts(command, HV_STR("git log "));
    struct hv_str inside = hv_str_slice(command, head, command.len);
    while (hv_str_split(&inside, ' ', &part)) {
        bool format = logs && is_hash_format(part);
        formats += format;
        if (!format && (!is_plain_option(part) || hv_str_starts(part, HV_STR("'")) ||
                        (hv_str_starts(part, HV_STR("-")) && !prints_names(part, parses))))
            return false;
    }
    return head && (!logs || formats == 1);
}

/* What hands one of the lines on, as it is. */
static struct hv_str without_filter(struct hv_str command)
{
    static const char *const filters[] = {" | head -1",   " | tail -1",  " | head -n 1",
                                          " | tail -n 1", " | head -n1", " | tail -n1"};
    for (size_t at = 0; at < sizeof filters / sizeof *filters; at++)
        if (hv_str_ends(command, hv_str_from(filters[at])))
            return hv_str_slice(command, 0, command.len - strlen(filters[at]));
    return command;
}

/* $(git merge-base a b)..HEAD and the like, and $(… 2>/dev/null || …). *rest: what stands behind. */
static bool is_commit_name(struct hv_str text, struct hv_str *rest)
{
    size_t end = hv_str_find_byte(text, ')', 0), or ;
    if (!hv_str_starts(text, HV_STR("$(git ")) || end == SIZE_MAX)
        return false;
    *rest = hv_str_slice(text, end + 1, text.len);
    if (!is_plain(*rest) || hv_str_find_byte(*rest, '\'', 0) != SIZE_MAX)
        return false;
    for (size_t at = 2; at < end; at = or == end ? end : or +4) {
        or = hv_str_find(hv_str_slice(text, 0, end), HV_STR(" || "), at);
        or = or == SIZE_MAX ? end : or ;
        struct hv_str command = without_filter(hv_str_slice(text, at, or));
        if (hv_str_ends(command, HV_STR(" 2>/dev/null")))
            command.len -= strlen(" 2>/dev/null");
        if (!prints_commits(command))
            return false;
    }
    return true;
}

static struct hv_str without_quotes(struct hv_str text)
{
    bool quoted = hv_str_starts(text, HV_STR("\"")) && hv_str_ends(text, HV_STR("\"")) && text.len > 1;
    return quoted ? hv_str_slice(text, 1, text.len - 1) : text;
}

/* The variable in "$name", "$name"..HEAD or "${name}^"; absent: something else. *rest: what stands behind. */
static struct hv_str variable_in(struct hv_str text, struct hv_str *rest)
{
    bool quoted = hv_str_starts(text, HV_STR("\"")), braces;
    size_t from = quoted ? 2 : 1, end;
    braces = hv_str_starts(hv_str_slice(text, from, text.len), HV_STR("{"));
    from += braces;
    for (end = from; end < text.len && shell_is_identifier(hv_str_slice(text, from, end + 1));)
        end++;
    struct hv_str tail = hv_str_slice(text, end, text.len);
    if (!hv_str_starts(hv_str_slice(text, quoted, text.len), HV_STR("$")) || end == from ||
        (braces && !hv_str_starts(tail, HV_STR("}"))))
        return (struct hv_str){0};
    tail = hv_str_slice(tail, braces, tail.len);
    size_t quote = hv_str_find_byte(tail, '"', 0);
    if (quoted && quote == 0)
        tail = hv_str_slice(tail, 1, tail.len);
    else if (quoted && quote + 1 == tail.len)
        tail.len--;
    *rest = tail;
    return is_plain(tail) && hv_str_find_byte(tail, '\'', 0) == SIZE_MAX ? hv_str_slice(text, from, end)
                                                                         : (struct hv_str){0};
}

/* name=VALUE, and nothing else, in this shell. */
static bool sets_alone(const struct shell_command *command, struct hv_str name)
{
    enum {
        ELSEWHERE = SHELL_IN_SUBSHELL | SHELL_IN_PIPELINE | SHELL_IN_LOOP | SHELL_IN_FUNCTION | SHELL_IN_SUBSTITUTION |
                    SHELL_IN_BACKGROUND | SHELL_IN_COPROCESS
    };
    return command->assignment_count == 1 && !command->word_count && !command->redirect_count &&
           command->parent == SIZE_MAX && !(command->place & ELSEWHERE) &&
           hv_str_eq(command->assignments[0].name, name) && !command->assignments[0].appends &&
           !command->assignments[0].element && !command->assignments[0].array;
}

/* name=$(git rev-parse …) */
static bool sets_to_commit(const struct shell_command *command, struct hv_str name)
{
    struct hv_str rest;
    return sets_alone(command, name) && is_commit_name(without_quotes(command->assignments[0].value.text), &rest) &&
           !rest.len;
}

/* "$(git tag --sort=-creatordate | head -1)", at the beginning of text: one tag. Its length; 0: something else. */
static size_t tag_length(struct hv_str text)
{
    static const char *const sorts[] = {" | sort -V", " | sort -rV", " 2>/dev/null"};
    size_t end = hv_str_find_byte(text, ')', 0), head = strlen("$(git tag");
    if (!hv_str_starts(text, HV_STR("$(git tag")) || end == SIZE_MAX)
        return 0;
    struct hv_str inside = hv_str_slice(text, head, end), part, one = without_filter(inside);
    if (one.len == inside.len || one.ptr != inside.ptr)
        return 0;
    for (size_t at = 0; at < sizeof sorts / sizeof *sorts; at++)
        if (hv_str_ends(one, hv_str_from(sorts[at])))
            one.len -= strlen(sorts[at]);
    while (hv_str_split(&one, ' ', &part))
        if (part.len && !shell_names_have("-l --list 'v*' \"v*\" --merged", part) &&
            !(hv_str_starts(part, HV_STR("--sort=")) && is_plain(part)))
            return 0;
    return end + 1;
}

/* Whether a word is cut at blanks; CUT_PLAINLY: where no ref of the repository looks like an option. */
enum cutting { CUT_NOT, CUT_ANYHOW, CUT_PLAINLY };

/* "$(git branch --show-current)" and the like, at the beginning of text: its length; 0: something else. What git
 * describe prints is the name that stands in the tag's own object, which git checks for nothing: cut at blanks, it may
 * hold options, "main --output=x --". git tag prints several in a line where column.ui says so. */
static size_t ref_length(struct hv_str text, enum cutting cut)
{
    static const char *const refs[] = {"$(git branch --show-current", "$(git rev-parse --abbrev-ref HEAD",
                                       "$(git symbolic-ref --short HEAD", "$(git symbolic-ref -q --short HEAD",
                                       "$(git describe --tags --abbrev=0"};
    static const char *const ends[] = {")", " 2>/dev/null)", " 2> /dev/null)"};
    for (size_t at = 0; at < sizeof refs / sizeof *refs - (cut != CUT_NOT); at++)
        for (size_t end = 0; end < sizeof ends / sizeof *ends; end++) {
            struct hv_str head = hv_str_from(refs[at]), tail = hv_str_from(ends[end]);
            if (hv_str_starts(text, head) && hv_str_starts(hv_str_slice(text, head.len, text.len), tail))
                return head.len + tail.len;
        }
    return cut == CUT_ANYHOW ? 0 : tag_length(text);
}

static bool sets_to_any_ref(const struct shell_command *command, struct hv_str name, enum cutting cut)
{
    if (!sets_alone(command, name))
        return false;
    struct hv_str value = without_quotes(command->assignments[0].value.text);
    return value.len && ref_length(value, cut) == value.len;
}

/* name=$(git describe --tags --abbrev=0), or of a ref. */
static bool sets_to_tag(const struct shell_command *command, struct hv_str name)
{
    return sets_to_any_ref(command, name, CUT_NOT);
}

/* name=$(git branch --show-current) */
static bool sets_to_ref(const struct shell_command *command, struct hv_str name)
{
    return sets_to_any_ref(command, name, CUT_ANYHOW);
}

/* name=$(git tag | tail -1), too. */
static bool sets_to_plain_ref(const struct shell_command *command, struct hv_str name)
{
    return sets_to_any_ref(command, name, CUT_PLAINLY);
}

/* That is run before the command that is judged, and nothing else sets the name. The first is looked for first: most
 * names are set otherwise, and to see that nothing sets one takes long. Or the reader says that it bound the word's
 * variable: behind cd x && name=… && it did, if anything runs there at all. */
static bool holds(const struct shell_reading *reading, const struct shell_word *word, struct hv_str name,
                  bool (*sets)(const struct shell_command *command, struct hv_str name))
{
    const struct shell_script *script = reading->script;
    const struct shell_command *set = NULL;
    if (word->origin && word->origin <= script->count && sets(&script->commands[word->origin - 1], name))
        return true;
    for (const struct shell_command *command = script->commands; command < reading->judged && !set; command++)
        if (!(command->place & SHELL_IN_BRANCH) && sets(command, name))
            set = command;
    for (size_t at = 0; set && at < script->count; at++) {
        const struct shell_command *command = &script->commands[at];
        bool binds = command->kind == SHELL_COMMAND_FOR && hv_str_eq(command->variable, name);
        if (command != set && (binds || shell_may_set(command, name)))
            return false;
    }
    return set;
}

static bool becomes_commit(const struct shell_reading *reading, const struct shell_word *word, struct hv_str *rest)
{
    if (word->known || word->value.len)
        return false;
    if (is_commit_name(without_quotes(word->text), rest))
        return true;
    struct hv_str name = variable_in(word->text, rest);
    return name.len && word->flags & SHELL_WORD_VARIABLE &&
           !(word->flags & ~(unsigned)(SHELL_WORD_VARIABLE | SHELL_WORD_QUOTED | SHELL_WORD_MANY)) &&
           !shell_sets_splitting(reading->script) && holds(reading, word, name, sets_to_commit);
}

/* $name or ${name} at the beginning of text: its length; 0: something else. */
static size_t variable_length(struct hv_str text, struct hv_str *name)
{
    bool braces = hv_str_starts(text, HV_STR("${"));
    size_t from = 1 + braces, end = from;
    while (end < text.len && shell_is_identifier(hv_str_slice(text, from, end + 1)))
        end++;
    *name = hv_str_slice(text, from, end);
    if (!name->len || (braces && !hv_str_starts(hv_str_slice(text, end, text.len), HV_STR("}"))))
        return 0;
    return end + braces;
}

/* name is set to a ref, of the repository that the command runs in (not before a cd), where none looks like an option.
 */
static bool holds_ref_of_here(struct shell_reading *reading, const struct shell_word *word, struct hv_str name)
{
    const struct shell_script *script = reading->script;
    for (size_t at = 0; at < script->count; at++)
        if (sets_to_plain_ref(&script->commands[at], name) &&
            (!reading->directory.ptr || !hv_str_eq(script->commands[at].directory, reading->directory)))
            return false;
    return holds(reading, word, name, sets_to_plain_ref) && shell_refs_are_plain(reading);
}

/* How much of text, which begins with "$", becomes the name of a ref or of a commit; 0: that is not certain. */
static size_t name_length(struct shell_reading *reading, const struct shell_word *word, struct hv_str text)
{
    bool cut = word->flags & SHELL_WORD_MANY;
    struct hv_str name;
    size_t length = ref_length(text, cut ? CUT_ANYHOW : CUT_NOT), named = variable_length(text, &name);
    if (!length && cut && ref_length(text, CUT_PLAINLY) && shell_refs_are_plain(reading))
        length = ref_length(text, CUT_PLAINLY);
    if (length || !named)
        return length;
    return holds(reading, word, name, cut ? sets_to_ref : sets_to_tag) || holds(reading, word, name, sets_to_commit) ||
                   (cut && holds_ref_of_here(reading, word, name))
               ? named
               : 0;
}

/* A range, or the branch of another repository: no name of a file that a rule may be about. */
static bool is_revision(struct hv_str text)
{
    static const char *const heads[] = {"origin/", "upstream/", "refs/", "remotes/"};
    size_t colon = hv_str_find_byte(text, ':', 0), last = hv_str_rfind_byte(text, '$');
    bool begins = hv_str_find(text, HV_STR(".."), 0) != SIZE_MAX;
    text = hv_str_slice(text, hv_str_starts(text, HV_STR("\"")), text.len);
    for (size_t at = 0; at < sizeof heads / sizeof *heads; at++)
        begins |= hv_str_starts(text, hv_str_from(heads[at]));
    return begins && (colon == SIZE_MAX || last == SIZE_MAX || colon > last) &&
           hv_str_find(text, HV_STR("../"), 0) == SIZE_MAX && hv_str_find(text, HV_STR("/.."), 0) == SIZE_MAX;
}

/* "$commit..": at the beginning only a commit is no option; and a ref where none of the repository's looks like one. */
static bool begins_plainly(struct shell_reading *reading, const struct shell_word *word)
{
    struct hv_str name, text = word->text;
    text = hv_str_slice(text, hv_str_starts(text, HV_STR("\"")), text.len);
    bool variable = hv_str_starts(text, HV_STR("$")) && variable_length(text, &name);
    if (variable)
        return holds(reading, word, name, sets_to_commit) || holds_ref_of_here(reading, word, name);
    return ref_length(text, CUT_PLAINLY) && shell_refs_are_plain(reading);
}

/* "origin/$branch..HEAD": refs and commits behind something that is no option. *out: with HEAD in their place. */
static bool becomes_ref(struct shell_reading *reading, const struct shell_word *word, struct hv_str *out)
{
    enum { FINE = SHELL_WORD_VARIABLE | SHELL_WORD_COMMAND | SHELL_WORD_QUOTED | SHELL_WORD_MANY };
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/~^@:=-";
    struct hv_str text = word->text;
    struct hv_str made = HV_STR("");
    if (word->known || word->flags & ~(unsigned)FINE ||
        (word->value.len ? strchr("-~", *word->value.ptr) != NULL : !begins_plainly(reading, word)) ||
        !is_revision(text) || shell_sets_splitting(reading->script))
        return false;
    for (size_t at = 0, length; at < text.len; at += length) {
        struct hv_str rest = hv_str_slice(text, at, text.len);
        length = *rest.ptr == '$' ? name_length(reading, word, rest) : 1;
        if (!length || !*rest.ptr || (*rest.ptr != '$' && *rest.ptr != '"' && !strchr(plain, *rest.ptr)))
            return false;
        struct hv_str part = *rest.ptr == '$' ? HV_STR("HEAD") : hv_str_slice(rest, 0, *rest.ptr != '"');
        made = hv_arena_join(reading->arena, made, part);
    }
    *out = made;
    return true;
}

/* HEAD~$i, stash@{$i}: a number where no file has one. */
static bool becomes_numbered(struct shell_reading *reading, const struct shell_word *word, struct hv_str *out)
{
    if (word->known || !(word->flags & SHELL_WORD_FILLED) || word->flags & SHELL_WORD_MANY || !word->value.len ||
        *word->value.ptr == '-' || !strchr("~^{", word->value.ptr[word->value.len - 1]))
        return false;
    *out = hv_arena_format(reading->arena, "%.*s1%.*s", HV_STR_ARG(word->value), HV_STR_ARG(word->tail));
    return true;
}

/* "$(git merge-base a b)"..HEAD, as if the quotes stood around all of it. */
static struct shell_word quoted_as_a_whole(struct shell_reading *reading, const struct shell_word *word)
{
    struct shell_word whole = *word;
    size_t end = hv_str_find(word->text, HV_STR(")\""), 0);
    if (!hv_str_starts(word->text, HV_STR("\"$(")) || end == SIZE_MAX || end + 2 == word->text.len ||
        hv_str_find_byte(word->text, '"', end + 2) != SIZE_MAX)
        return whole;
    whole.text = hv_arena_format(reading->arena, "%.*s%.*s\"", HV_STR_ARG(hv_str_slice(word->text, 0, end + 1)),
                                 HV_STR_ARG(hv_str_slice(word->text, end + 2, word->text.len)));
    return whole;
}

/* What word becomes, with a commit in the place of those that it names. False: not certain. */
static bool name_commit(struct shell_reading *reading, const struct shell_word *word, struct hv_str *out)
{
    struct hv_str rest;
    struct shell_word whole = quoted_as_a_whole(reading, word);
    if (!becomes_commit(reading, &whole, &rest))
        return becomes_ref(reading, word, out) || becomes_numbered(reading, word, out);
    *out = hv_arena_format(reading->arena, "HEAD%.*s", HV_STR_ARG(rest));
    return true;
}

const struct shell_word *shell_git_put_in_commits(struct shell_reading *reading, const struct shell_word *words,
                                                  size_t count)
{
    struct shell_word *changed = NULL;
    struct hv_str named;
    for (size_t at = 1; at < count; at++)
        if (words[at].known && hv_str_is(words[at].value, "--no-index"))
            return words;
    for (size_t at = 1; at < count; at++) {
        if (!name_commit(reading, &words[at], &named))
            continue;
        if (!changed) {
            changed = hv_arena_array(reading->arena, struct shell_word, count);
            memcpy(changed, words, count * sizeof *words);
        }
        changed[at] = shell_word_known(named);
    }
    return changed ? changed : words;
}
