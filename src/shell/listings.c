/* listings.c: see listings.h. */
#include "shell/listings.h"
#include <string.h>

enum { OPERANDS_MAX = 32 };

/* The words of one program, and what its options and operands are. */
struct view {
    const struct shell_word *words;
    size_t count;
    bool letters[128]; /* that were given */
    size_t operands[OPERANDS_MAX];
    size_t operand_count;
};

/* The options that leave a listing what it is; all others make it unknown. */
struct grammar {
    const char *letters; /* without a value, may be joined */
    const char *values;  /* letters with one */
    const char *longs, *long_values;
};

static struct hv_str word_at(const struct view *view, size_t index)
{
    return index < view->count ? view->words[index].value : (struct hv_str){0};
}

static bool is_option(struct hv_str word)
{
    return word.len > 1 && *word.ptr == '-';
}

static bool has_byte(const char *bytes, char byte)
{
    return byte > 0 && strchr(bytes, byte);
}

/* The value behind an option: one that others might take for an option itself is not accepted. */
static bool take_value(struct view *view, size_t *at)
{
    ++*at;
    return *at < view->count && !is_option(word_at(view, *at));
}

static bool read_letters(struct view *view, const struct grammar *grammar, size_t *at)
{
    struct hv_str word = word_at(view, *at);
    for (size_t i = 1; i < word.len; i++) {
        char byte = word.ptr[i];
        bool value = has_byte(grammar->values, byte);
        if (!value && !has_byte(grammar->letters, byte))
            return false;
        view->letters[(unsigned char)byte] = true;
        if (value)
            return i + 1 < word.len ? view->words[*at].known : take_value(view, at);
    }
    return view->words[*at].known;
}

static bool read_long(struct view *view, const struct grammar *grammar, size_t *at)
{
    struct hv_str word = word_at(view, *at);
    size_t equals = hv_str_find_byte(word, '=', 0);
    struct hv_str name = hv_str_slice(word, 0, equals);
    if (!view->words[*at].known)
        return false;
    if (equals == SIZE_MAX && shell_names_have(grammar->longs, name))
        return true;
    return shell_names_have(grammar->long_values, name) && (equals != SIZE_MAX || take_value(view, at));
}

/* The words from `from` on; false: one is not understood. */
static bool read_words(struct view *view, size_t from, const struct grammar *grammar)
{
    bool ended = false;
    for (size_t at = from; at < view->count; at++) {
        struct hv_str word = word_at(view, at);
        if (!ended && hv_str_is(word, "--")) {
            ended = true;
        } else if (!ended && is_option(word)) {
            if (word.ptr[1] == '-' ? !read_long(view, grammar, &at) : !read_letters(view, grammar, &at))
                return false;
        } else if (view->operand_count < OPERANDS_MAX) {
            view->operands[view->operand_count++] = at;
        } else {
            return false;
        }
    }
    return true;
}

static bool has_long(const struct view *view, const char *names)
{
    for (size_t i = 1; i < view->count && !hv_str_is(word_at(view, i), "--"); i++)
        if (shell_names_have(names, hv_str_slice(word_at(view, i), 0, hv_str_find_byte(word_at(view, i), '=', 0))))
            return true;
    return false;
}

static bool climbs(struct hv_str word)
{
    return hv_str_find(word, HV_STR(".."), 0) != SIZE_MAX;
}

/* The operands but the first `skip` ones stay below the working directory. */
static bool operands_stay(const struct view *view, size_t skip)
{
    for (size_t i = skip; i < view->operand_count; i++) {
        const struct shell_word *word = &view->words[view->operands[i]];
        if (climbs(word->text) || climbs(word->value) || (word->value.len && strchr("/:~", *word->value.ptr)))
            return false;
    }
    return true;
}

bool shell_is_newline(struct hv_str word)
{
    return hv_str_is(word, "\n") || hv_str_is(word, "\\n");
}

bool shell_listing_word_is_certain(const struct shell_reading *reading, const struct shell_word *word)
{
    enum { FINE = SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED };
    if (word->known)
        return true;
    if (word->flags & SHELL_WORD_GLOB && !(word->flags & ~(unsigned)FINE))
        return !shell_may_be_option(word) || shell_glob_is_plain(reading, word);
    return !shell_may_be_option(word) && !shell_may_be_many(word);
}

/* A word that becomes exactly one name below the working directory, and no option: the variable of a loop. */
static bool shell_listing_word_is_below(const struct shell_word *word)
{
    return !word->known && word->flags & SHELL_WORD_NO_OPTION && !(word->flags & SHELL_WORD_MANY) &&
           !climbs(word->value) && !(word->value.len && has_byte("/~", *word->value.ptr));
}

/* ---- find ------------------------------------------------------------------------------------------------------- */

/* -printf of names alone. %h: the directory of each, which for an absolute start may be above it. */
static bool prints_names(const struct view *view, size_t at, bool relative)
{
    struct hv_str format = word_at(view, at);
    return view->words[at].known &&
           (shell_names_have("%p\\n", format) || (relative && shell_names_have("%h\\n", format)));
}

/* find START… TEST…: everything begins with one of START. One is taken, or several relative ones for ".". */
static bool find_lists(struct shell_reading *reading, const struct view *view, struct shell_listing *out)
{
    static const char harmful[] =
        "-L -H -follow -fprintf -fprint -fprint0 -fls -ls -exec -execdir -ok -okdir -files0-from";
    size_t at = 1, starts = 0;
    bool relative = true, parents = false;
    for (; at < view->count; at++) {
        struct hv_str word = word_at(view, at);
        if (is_option(word) || shell_names_have("( ) !", word))
            break;
        bool named = shell_listing_word_is_below(&view->words[at]);
        if (!named && (!view->words[at].known || climbs(word) || !word.len || (starts && *word.ptr == '/')))
            return false;
        relative &= named || *word.ptr != '/';
        out->directory = starts || named ? HV_STR("") : word;
        starts += 1 + named; /* such a name counts as several: what comes is only known to lie below */
    }
    for (; at < view->count; at++) {
        bool format = hv_str_is(word_at(view, at), "-printf");
        if (shell_names_have(harmful, word_at(view, at)) ||
            (format && (at + 1 == view->count || !prints_names(view, at + 1, relative))))
            return false;
        out->nul |= hv_str_is(word_at(view, at), "-print0");
        parents |= format && hv_str_starts(word_at(view, at + 1), HV_STR("%h"));
    }
    out->dotted = (!starts || (starts == 1 && hv_str_is(out->directory, "."))) && !parents;
    if (starts == 1 && !hv_str_is(out->directory, ".") && !parents)
        out->directory = hv_arena_format(reading->arena, "%.*s/", HV_STR_ARG(out->directory));
    else
        out->directory = HV_STR("");
    out->certain = true;
    return true;
}

/* ---- git -------------------------------------------------------------------------------------------------------- */

/* A short name begins with what the pattern begins with. git gives no branch or tag a name that begins with "-", but
 * takes such from another repository. */
static bool begins_plainly(struct hv_str pattern)
{
    return pattern.len && !has_byte("-*?[\\", *pattern.ptr);
}

/* Names of refs and of objects: none begins with "-" or "/", holds "..", a blank or a pattern. */
static bool git_names_refs(const struct view *view, struct shell_listing *out)
{
    static const char formats[] = "%(refname) %(refname:short) %(objectname) %(objectname:short) %H %h format:%h "
                                  "format:%H tformat:%h tformat:%H";
    struct hv_str name = word_at(view, 1);
    bool formatted = shell_names_have("rev-list tag for-each-ref", name), is_short = hv_str_is(name, "tag");
    size_t patterns = 0, plain = 0;
    if (!shell_names_have("for-each-ref branch rev-list tag log", name))
        return false;
    for (size_t i = 2; i < view->count; i++) {
        struct hv_str word = word_at(view, i);
        size_t equals = hv_str_find_byte(word, '=', 0);
        struct hv_str option = hv_str_slice(word, 0, equals);
        int64_t number;
        bool counted = is_option(word) && hv_str_to_int64(hv_str_slice(word, 1, word.len), &number);
        if (!view->words[i].known)
            return false;
        patterns += !is_option(word);
        plain += !is_option(word) && begins_plainly(word) && shell_names_have("tag branch", name);
        if (!is_option(word) || counted ||
            shell_names_have("-a -r --all --no-merges --merges --reverse -l --list --", word))
            continue;
        bool valued = (hv_str_is(word, "-n") && !hv_str_is(name, "tag")) ||
                      (shell_names_have("-S -G", word) && hv_str_is(name, "log"));
        if (valued && i + 1 < view->count && view->words[i + 1].known) {
            i++;
            continue;
        }
        bool format = shell_names_have("--format --pretty", option);
        formatted |= format;
        if (format)
            is_short = hv_str_is(hv_str_slice(word, equals + 1, word.len), "%(refname:short)");
        if (equals == SIZE_MAX ||
            !(format ? shell_names_have(formats, hv_str_slice(word, equals + 1, word.len))
                     : shell_names_have(
                           "--sort --count --max-count --since --until --after --before --author --grep --merged"
                           " --no-merged --contains --points-at",
                           option)))
            return false;
    }
    out->refs = is_short && !(patterns && patterns == plain);
    return formatted;
}

/* %h, a blank, and then what has no newline in it: the title, names, dates whose form is fixed. (That of %ad and %cd is
 * the repository's to choose.) */
static bool is_title_format(struct hv_str format)
{
    static const char *const fixed[] = {"%s",  "%an", "%ae", "%ar", "%ai", "%as", "%at",
                                        "%cn", "%ce", "%cr", "%ci", "%cs", "%ct"};
    struct hv_str kind = hv_str_slice(format, 0, hv_str_find_byte(format, ':', 0));
    if (hv_str_is(format, "oneline"))
        return true;
    if (shell_names_have("format tformat", kind))
        format = hv_str_slice(format, kind.len + 1, format.len);
    if (!hv_str_starts(format, HV_STR("%h ")) && !hv_str_starts(format, HV_STR("%H ")))
        return false;
    for (size_t at = 3; at < format.len; at++) {
        bool known = format.ptr[at] != '%' && format.ptr[at] != '\n';
        for (size_t i = 0; !known && i < sizeof fixed / sizeof *fixed; i++)
            known = hv_str_starts(hv_str_slice(format, at, format.len), hv_str_from(fixed[i]));
        if (!known)
            return false;
    }
    return true;
}

/* git log --oneline: a hash, a blank, and the title. (Not what --graph, -p or --stat add.) */
static bool git_lists_titles(const struct view *view)
{
    static const struct grammar grammar = {
        "0123456789i", "nSG",
        "--oneline --no-decorate --no-merges --merges --first-parent --reverse --all "
        "--no-color",
        "--since --until --after --before --author --grep --max-count --format --pretty"};
    struct view words = *view;
    bool titled = has_long(view, "--oneline");
    for (size_t i = 0; i < view->count; i++) {
        struct hv_str word = word_at(view, i);
        bool formats = hv_str_starts(word, HV_STR("--format")) || hv_str_starts(word, HV_STR("--pretty"));
        if (!view->words[i].known ||
            (formats && (word.len < 9 || word.ptr[8] != '=' || !is_title_format(hv_str_slice(word, 9, word.len)))))
            return false;
        titled |= formats;
    }
    return hv_str_is(word_at(view, 1), "log") && titled && read_words(&words, 2, &grammar);
}

/* git stash list: "stash@{0}: …"; with a date instead of the number, when the settings say so. */
static bool git_lists_stashes(const struct view *view, struct shell_listing *out)
{
    bool plain = view->count == 3,
         formatted =
             view->count == 4 && shell_names_have("--format=%gd --pretty=%gd --pretty=format:%gd", word_at(view, 3));
    if (!hv_str_is(word_at(view, 1), "stash") || !hv_str_is(word_at(view, 2), "list") || (!plain && !formatted) ||
        (formatted && !view->words[3].known))
        return false;
    out->anchored = out->certain = out->past = true;
    return true;
}

/* HEAD, HEAD~2, HEAD^: a commit. A tag would be shown with its message, a blob with what is in it. */
static bool is_commit(struct hv_str word)
{
    for (size_t i = 4; i < word.len; i++)
        if (!has_byte("~^0123456789", word.ptr[i]))
            return false;
    return hv_str_starts(word, HV_STR("HEAD"));
}

/* git log --name-only --pretty=format: and the like: nothing but names, and empty lines. */
static bool names_only_of_commits(const struct view *view)
{
    static const struct grammar grammar = {
        "mr0123456789", "n",
        "--name-only --no-commit-id --no-merges --merges --first-parent --root --no-renames --reverse --all",
        "--format --pretty --since --until --after --before --author --grep --max-count --diff-filter"};
    struct view words = *view;
    bool tree = hv_str_is(word_at(view, 1), "diff-tree"), silent = tree && has_long(view, "--no-commit-id");
    for (size_t i = 2; i < view->count; i++) {
        struct hv_str word = word_at(view, i);
        if (hv_str_is(word_at(view, 1), "show") && !is_option(word) && !is_commit(word))
            return false;
        silent |= shell_names_have("--format= --pretty= --format=format: --pretty=format: --pretty=tformat:", word);
    }
    return silent && has_long(view, "--name-only") && shell_names_have("log show diff-tree", word_at(view, 1)) &&
           read_words(&words, 2, &grammar);
}

/* Two files outside the repository are compared as they are. */
static bool revisions_stay(const struct view *view)
{
    for (size_t i = 0; i < view->operand_count; i++) {
        const struct shell_word *word = &view->words[view->operands[i]];
        if (!word->known || (word->value.len && strchr("/~", *word->value.ptr)) || hv_str_is(word->value, "..") ||
            hv_str_find(word->value, HV_STR("../"), 0) != SIZE_MAX)
            return false;
    }
    return true;
}

/* What searches print: names, or lines that begin with them. The first operand is a pattern unless that is given. */
static bool search_lists(const struct view *words, bool names, bool given, struct shell_listing *out)
{
    out->places = !names && (words->letters['n'] || has_long(words, "--line-number"));
    return (names || (out->places && !out->nul)) && operands_stay(words, given ? 0 : 1);
}

static bool git_lists(const struct view *view, struct shell_listing *out)
{
    static const struct grammar files = {"zmocd", "", "--cached --others --modified --deleted --exclude-standard",
                                         "--exclude"};
    static const struct grammar search = {
        "lziEFwnPIG", "e", "--files-with-matches --name-only --ignore-case --word-regexp --line-number --untracked",
        ""};
    static const struct grammar differences = {"z", "", "--name-only --cached --staged --merge-base --no-renames",
                                               "--diff-filter"};
    struct hv_str name = word_at(view, 1);
    struct view words = *view;
    out->titled = git_lists_titles(view);
    if (out->titled || git_names_refs(view, out)) {
        out->certain = true;
        return true;
    }
    if (git_lists_stashes(view, out))
        return true;
    out->tracked = true;
    out->empty = out->gone = out->past = true;
    if (names_only_of_commits(view))
        return true;
    out->empty = out->past = false;
    out->gone = hv_str_is(name, "diff") || has_long(view, "--deleted");
    if (hv_str_is(name, "ls-files") ? !read_words(&words, 2, &files) || !operands_stay(&words, 0)
        : hv_str_is(name, "grep")   ? !read_words(&words, 2, &search)
        : hv_str_is(name, "diff")   ? !read_words(&words, 2, &differences) || !has_long(view, "--name-only")
                                    : true)
        return false;
    out->nul = words.letters['z'];
    out->gone |= hv_str_is(name, "ls-files") && words.letters['d'];
    if (hv_str_is(name, "diff")) {
        out->past = shell_git_differs_from_past(view->words, view->count);
        out->whole = true;
        return revisions_stay(&words);
    }
    if (!hv_str_is(name, "grep"))
        return true;
    bool names = words.letters['l'] || has_long(view, "--files-with-matches --name-only");
    return search_lists(&words, names, words.letters['e'], out);
}

/* ---- searches --------------------------------------------------------------------------------------------------- */

/* The first operand is a pattern, unless an option gives it. Without a number of the line, what stands before the first
 * ":" may be the line itself: of one file, grep does not say its name. */
static bool grep_lists(const struct view *view, struct shell_listing *out)
{
    static const struct grammar grammar = {
        "lLriEFPGwxvsnIHZay", "em",
        "--null --recursive --ignore-case --word-regexp --files-with-matches --files-without-match --extended-regexp "
        "--fixed-strings --perl-regexp --no-messages --line-number --with-filename --invert-match",
        "--include --exclude --exclude-dir --regexp --max-count"};
    struct view words = *view;
    if (!read_words(&words, 1, &grammar))
        return false;
    bool names =
        words.letters['l'] || words.letters['L'] || has_long(view, "--files-with-matches --files-without-match");
    bool given = words.letters['e'] || has_long(view, "--regexp");
    out->nul = words.letters['Z'] || has_long(view, "--null");
    out->taken = words.operand_count < (given ? 1U : 2U) && !words.letters['r'] && !has_long(view, "--recursive");
    return search_lists(&words, names, given, out);
}

/* rg has -r and -L for something else than grep. */
static bool rg_lists(const struct view *view, struct shell_listing *out)
{
    static const struct grammar grammar = {
        "l0iSFwxvsnu.PHa", "egtTmdj",
        "--null --files --hidden --no-ignore --ignore-case --smart-case --word-regexp --files-with-matches "
        "--files-without-match --fixed-strings --no-messages --line-number --no-heading --with-filename --pcre2",
        "--glob --iglob --type --type-not --max-depth --maxdepth --max-count --sort --sortr --regexp --max-filesize"};
    struct view words = *view;
    if (!read_words(&words, 1, &grammar))
        return false;
    bool files = has_long(view, "--files"), given = files || words.letters['e'] || has_long(view, "--regexp");
    bool names = files || words.letters['l'] || has_long(view, "--files-with-matches --files-without-match");
    out->nul = words.letters['0'] || has_long(view, "--null");
    return search_lists(&words, names, given, out);
}

static bool fd_lists(const struct view *view, struct shell_listing *out)
{
    static const struct grammar grammar = {
        "0HIusigF1", "etEdS",
        "--print0 --hidden --no-ignore --case-sensitive --ignore-case --glob --fixed-strings --unrestricted",
        "--extension --type --exclude --max-depth --max-results --changed-within --changed-before --size"};
    struct view words = *view;
    if (!read_words(&words, 1, &grammar) || !operands_stay(&words, 0))
        return false;
    out->nul = words.letters['0'] || has_long(view, "--print0");
    return true;
}

/* ls FILE… prints what it is given, ls DIRECTORY what is in it, without saying where. */
static bool ls_lists(const struct view *view, struct shell_listing *out)
{
    static const struct grammar grammar = {"1trSAUvXdh", "", "--reverse", "--sort --ignore"};
    struct view words = *view;
    if (!read_words(&words, 1, &grammar) || !operands_stay(&words, 0))
        return false;
    out->deep = out->empty = words.operand_count && !words.letters['d'];
    return true;
}

/* echo NAME…, printf '%s\n' NAME…: what stands there. */
static bool echo_lists(const struct view *view, struct shell_listing *out)
{
    bool formats = hv_str_is(word_at(view, 0), "printf");
    size_t at = formats ? 2 : 1;
    if (formats && !hv_str_is(word_at(view, 1), "%s\\n"))
        return false;
    for (size_t i = at; i < view->count; i++) {
        struct hv_str word = word_at(view, i);
        if (!view->words[i].known || !word.len || strchr("-/", *word.ptr) || climbs(word))
            return false;
        for (size_t j = 0; j < word.len; j++)
            if (strchr(" \t\n\\'\"*?[:|", word.ptr[j])) /* some programs fetch "http://x", or run "|x" */
                return false;
    }
    out->certain = true;
    return view->count > at;
}

/* xargs -d '\n' */
static bool cuts_lines(const struct view *view)
{
    for (size_t i = 1; i < view->count; i++)
        if (hv_str_starts(word_at(view, i), HV_STR("-d")))
            return shell_is_newline(word_at(view, i).len > 2 ? hv_str_slice(word_at(view, i), 2, SIZE_MAX)
                                                             : word_at(view, i + 1));
    return false;
}

/* xargs grep -l PATTERN: some of the names that it is given. */
static bool xargs_lists(struct shell_reading *reading, const struct view *view, struct shell_listing *out)
{
    static const struct grammar grammar = {"0rt", "nPLd", "--null --no-run-if-empty", "--max-args --max-procs"};
    size_t at = 1;
    while (at < view->count && is_option(word_at(view, at))) {
        struct hv_str word = word_at(view, at);
        at += word.len == 2 && has_byte(grammar.values, word.ptr[1]) ? 2 : 1;
    }
    struct view own = {.words = view->words, .count = at < view->count ? at : view->count};
    if (!read_words(&own, 1, &grammar) || own.operand_count || at >= view->count ||
        !hv_str_is(word_at(view, at), "grep") || !shell_lists_names(reading, view->words + at, view->count - at, out) ||
        out->places || !out->taken)
        return false;
    bool nul = own.letters['0'] || has_long(&own, "--null");
    out->cut = nul ? SHELL_CUT_NUL : own.letters['d'] ? SHELL_CUT_LINES : SHELL_CUT_WORDS;
    return !own.letters['d'] || (!nul && cuts_lines(&own));
}

bool shell_lists_names(struct shell_reading *reading, const struct shell_word *words, size_t count,
                       struct shell_listing *out)
{
    const struct view view = {.words = words, .count = count};
    struct hv_str name = word_at(&view, 0);
    *out = (struct shell_listing){.directory = HV_STR("")};
    if (hv_str_is(name, "find"))
        return find_lists(reading, &view, out);
    if (hv_str_is(name, "git"))
        return git_lists(&view, out);
    if (hv_str_is(name, "grep"))
        return grep_lists(&view, out);
    if (hv_str_is(name, "rg"))
        return rg_lists(&view, out);
    if (hv_str_is(name, "fd") || hv_str_is(name, "fdfind"))
        return fd_lists(&view, out);
    if (hv_str_is(name, "xargs"))
        return xargs_lists(reading, &view, out);
    if (hv_str_is(name, "echo") || hv_str_is(name, "printf"))
        return echo_lists(&view, out);
    return hv_str_is(name, "ls") && ls_lists(&view, out);
}

/* ---- filters ---------------------------------------------------------------------------------------------------- */

static bool all_known(const struct view *view)
{
    for (size_t i = 0; i < view->count; i++)
        if (!view->words[i].known)
            return false;
    return view->count != 0;
}

/* "12", "$", "/x/" without a slash or a backslash in it; *at moves behind it. */
static bool skip_address(struct hv_str text, size_t *at)
{
    size_t start = *at;
    if (start < text.len && text.ptr[start] == '/') {
        size_t end = hv_str_find_byte(text, '/', start + 1);
        if (end == SIZE_MAX || hv_str_find_byte(hv_str_slice(text, start, end), '\\', 0) != SIZE_MAX)
            return false;
        *at = end + 1;
        return true;
    }
    while (*at < text.len && text.ptr[*at] >= '0' && text.ptr[*at] <= '9')
        ++*at;
    if (*at == start && *at < text.len && text.ptr[*at] == '$')
        ++*at;
    return *at > start;
}

/* sed: "5q", "1,10p", "/x/d", "/x/!d": lines are printed or not, and none is changed. */
static bool sed_keeps_lines(struct hv_str script)
{
    size_t at = 0;
    if (!skip_address(script, &at))
        return false;
    if (at < script.len && script.ptr[at] == ',' && (++at, !skip_address(script, &at)))
        return false;
    at += at < script.len && script.ptr[at] == '!';
    return at + 1 == script.len && has_byte("pdq", script.ptr[at]);
}

static enum shell_filter sed_filter(const struct view *view)
{
    static const char undots[] =
        "s|^\\./|| s|^./|| s#^\\./## s#^./## s,^\\./,, s,^./,, s/^\\.\\/// s/^.\\/// s:^\\./:: "
        "s@^\\./@@ s|\\./||";
    size_t at = 1;
    if (shell_names_have("-n -E -r", word_at(view, at)))
        at++;
    if (hv_str_is(word_at(view, at), "-e"))
        at++;
    if (at + 1 != view->count)
        return SHELL_FILTER_NONE;
    if (shell_names_have(undots, word_at(view, at)) && at == 1)
        return SHELL_FILTER_UNDOTTED;
    return sed_keeps_lines(word_at(view, at)) ? SHELL_FILTER_WHOLE : SHELL_FILTER_NONE;
}

/* A pattern without an action prints the line as it is: NR<=5, NR>1&&NR<5, /x/, !/x/, !seen[$0]++. */
static bool awk_keeps_lines(struct hv_str program)
{
    size_t at = hv_str_starts(program, HV_STR("!"));
    if (at < program.len && program.ptr[at] == '/')
        return skip_address(program, &at) && at == program.len;
    if (at) {
        size_t bracket = hv_str_find_byte(program, '[', 0);
        return bracket != SIZE_MAX && shell_is_identifier(hv_str_slice(program, 1, bracket)) &&
               hv_str_is(hv_str_slice(program, bracket, program.len), "[$0]++");
    }
    for (; at < program.len; at++) {
        if (!has_byte("NR0123456789 <>=!&|%", program.ptr[at]))
            return false;
        /* a single "=" would assign, and a ">" behind the first comparison is one all the same */
        if (program.ptr[at] == '=' && (!at || !has_byte("<>=!", program.ptr[at - 1])) &&
            (at + 1 == program.len || program.ptr[at + 1] != '='))
            return false;
    }
    return hv_str_starts(program, HV_STR("NR"));
}

static enum shell_filter awk_filter(const struct view *view)
{
    if (view->count == 2 && (hv_str_is(word_at(view, 1), "{print $1}") || hv_str_is(word_at(view, 1), "{ print $1 }") ||
                             hv_str_is(word_at(view, 1), "{print$1}")))
        return SHELL_FILTER_WORD;
    bool colon = hv_str_is(word_at(view, 1), "-F:") && view->count == 3;
    colon |= hv_str_is(word_at(view, 1), "-F") && hv_str_is(word_at(view, 2), ":") && view->count == 4;
    if (colon)
        return shell_names_have("{print$1} {print\t$1}", word_at(view, view->count - 1)) ||
                       hv_str_is(word_at(view, view->count - 1), "{print $1}")
                   ? SHELL_FILTER_FIELD
                   : SHELL_FILTER_NONE;
    return view->count == 2 && awk_keeps_lines(word_at(view, 1)) ? SHELL_FILTER_WHOLE : SHELL_FILTER_NONE;
}

static enum shell_filter cut_filter(const struct view *view)
{
    static const struct grammar grammar = {"", "dfc", "", ""};
    struct view words = *view;
    if (!read_words(&words, 1, &grammar) || words.operand_count)
        return SHELL_FILTER_NONE;
    if (view->count == 2 && hv_str_is(word_at(view, 1), "-c3-"))
        return SHELL_FILTER_UNDOTTED;
    bool colon = false, first = false, blank = false;
    for (size_t i = 1; i < view->count; i++) {
        struct hv_str word = word_at(view, i);
        if (hv_str_starts(word, HV_STR("-c")))
            return SHELL_FILTER_NONE;
        bool alone = word.len == 2;
        struct hv_str value = alone ? word_at(view, i + 1) : hv_str_slice(word, 2, word.len);
        colon |= word.ptr[1] == 'd' && hv_str_is(value, ":");
        blank |= word.ptr[1] == 'd' && hv_str_is(value, " ");
        first |= word.ptr[1] == 'f' && hv_str_is(value, "1");
        i += alone;
    }
    if (!first || colon == blank)
        return SHELL_FILTER_NONE;
    return colon ? SHELL_FILTER_FIELD : SHELL_FILTER_WORD;
}

static enum shell_filter tr_filter(const struct view *view)
{
    struct hv_str from = word_at(view, 1), to = word_at(view, 2);
    if (view->count != 3)
        return SHELL_FILTER_NONE;
    if (hv_str_is(from, "\\n") && shell_names_have("\\0 \\000", to))
        return SHELL_FILTER_TO_NUL;
    return hv_str_is(to, "\\n") && shell_names_have("\\0 \\000", from) ? SHELL_FILTER_TO_LINES : SHELL_FILTER_NONE;
}

/* head, tail and shuf: how many lines. */
static bool counts_lines(const struct view *view)
{
    int64_t number;
    struct hv_str first = word_at(view, 1), second = word_at(view, 2);
    bool bare = hv_str_is(first, "-n") || hv_str_is(first, "--lines");
    if (view->count == 3)
        return bare && hv_str_to_int64(
                           hv_str_starts(second, HV_STR("+")) ? hv_str_slice(second, 1, second.len) : second, &number);
    if (view->count != 2 || bare || !is_option(first))
        return view->count == 1;
    size_t from = hv_str_starts(first, HV_STR("-n")) ? 2 : 1;
    from += from < first.len && first.ptr[from] == '+';
    return hv_str_to_int64(hv_str_slice(first, from, first.len), &number);
}

/* A search that prints whole lines of its input. */
static bool searches_lines(const struct view *view, bool ripgrep)
{
    static const struct grammar grep = {"vEFGPiwxzas", "em",
                                        "--invert-match --ignore-case --fixed-strings --extended-regexp --word-regexp "
                                        "--line-buffered --null-data --text",
                                        "--max-count --regexp"};
    static const struct grammar rg = {"vFPiwxSsaN", "em",
                                      "--invert-match --ignore-case --fixed-strings --smart-case --no-line-number",
                                      "--max-count --regexp"};
    struct view words = *view;
    bool given = has_long(view, "--regexp");
    return read_words(&words, 1, ripgrep ? &rg : &grep) && words.operand_count == (given || words.letters['e'] ? 0 : 1);
}

static bool sorts_lines(const struct view *view)
{
    static const struct grammar sort = {"urnVzfhgbdisM", "ktS", "--unique --reverse --version-sort --zero-terminated",
                                        "--key --field-separator"};
    static const struct grammar none = {"", "", "", ""};
    struct view words = *view;
    return read_words(&words, 1, hv_str_is(word_at(view, 0), "sort") ? &sort : &none) && !words.operand_count;
}

/* xargs [-n1] dirname: for every name, the directory it is in. */
static bool takes_parents(const struct view *view)
{
    size_t at = 1;
    while (shell_names_have("-n1 -r -0", word_at(view, at)))
        at++;
    if (hv_str_is(word_at(view, at), "-n"))
        at += 2;
    return at + 1 == view->count && hv_str_is(word_at(view, at), "dirname");
}

enum shell_filter shell_filter_of(const struct shell_word *words, size_t count)
{
    const struct view view = {.words = words, .count = count};
    struct hv_str name = word_at(&view, 0);
    bool whole = false;
    if (!all_known(&view))
        return SHELL_FILTER_NONE;
    if (hv_str_is(name, "sed"))
        return sed_filter(&view);
    if (shell_names_have("awk gawk mawk", name))
        return awk_filter(&view);
    if (hv_str_is(name, "cut"))
        return cut_filter(&view);
    if (hv_str_is(name, "tr"))
        return tr_filter(&view);
    if (hv_str_is(name, "xargs"))
        return takes_parents(&view) ? SHELL_FILTER_PARENT : SHELL_FILTER_NONE;
    if (shell_names_have("grep egrep fgrep rg", name))
        whole = searches_lines(&view, hv_str_is(name, "rg"));
    else if (shell_names_have("sort uniq tac cat", name))
        whole = sorts_lines(&view);
    else if (shell_names_have("head tail shuf", name))
        whole = counts_lines(&view);
    return whole ? SHELL_FILTER_WHOLE : SHELL_FILTER_NONE;
}
