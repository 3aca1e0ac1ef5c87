/*
 * allowance.c: what a part of a command still needs to be allowed; see parts.h. A rule covers a part's own words and
 * the files that these name, inside the workspace; what redirections write is covered by rules about files alone.
 */
#include "policy/parts.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "policy/given_code.h"
#include "shell/classify.h"

#include <string.h>

enum { WORK_MAX = 1 << 22 };

/* ---- a part's words against a rule ------------------------------------------------------------------------------- */

static bool is_plain_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           (byte && strchr("_-./:=,+@%^~#!*?[]{}\"$&|;<>()\\'", byte)) || (byte & 0x80);
}

static bool is_plain(struct hv_str value)
{
    bool plain = value.len > 0;
    for (size_t i = 0; plain && i < value.len; i++)
        plain = is_plain_byte(value.ptr[i]);
    return plain;
}

struct hv_str part_rule_text(const struct shell_word *words, size_t count, struct hv_arena *arena)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, SIZE_MAX / 4);
    for (size_t i = 0; i < count; i++) {
        const struct shell_word *word = &words[i];
        if (i)
            hv_buf_add_byte(&text, ' ');
        if (!word->known)
            hv_buf_add_byte(&text, '\0');
        else if (is_plain(word->value))
            hv_buf_add_str(&text, word->value);
        else
            hv_buf_addf(&text, "'%.*s'", HV_STR_ARG(word->value));
    }
    return hv_arena_str(arena, hv_buf_str(&text));
}

/* The specifier with its quoted words as part_rule_text has them: "a b" as 'a b', "a" as a. */
static struct hv_str plain_quotes(struct hv_str specifier, struct hv_arena *arena)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, SIZE_MAX / 4);
    for (size_t i = 0; i < specifier.len; i++) {
        char quote = specifier.ptr[i];
        bool begins = (quote == '"' || quote == '\'') && (!i || specifier.ptr[i - 1] == ' ');
        size_t end = begins ? hv_str_find_byte(specifier, quote, i + 1) : SIZE_MAX;
        struct hv_str inner = hv_str_slice(specifier, i + 1, end), rest = hv_str_slice(specifier, end, specifier.len);
        bool ends =
            end != SIZE_MAX && (rest.len == 1 || rest.ptr[1] == ' ' || hv_str_is(rest, quote == '"' ? "\":*" : "':*"));
        for (size_t at = 0; ends && quote == '"' && at < inner.len; at++)
            ends = !strchr("$`\\!'", inner.ptr[at]); /* what means something in such quotes */
        if (!ends) {
            hv_buf_add_byte(&text, quote);
            continue;
        }
        hv_buf_addf(&text, is_plain(inner) ? "%.*s" : "'%.*s'", HV_STR_ARG(inner));
        i = end;
    }
    return hv_arena_str(arena, hv_buf_str(&text));
}

/* Programs that run others, and are never allowed by a pattern: with them it would allow everything. */
static const char never_by_pattern[] = "watch setsid ionice flock";
/* Programs that are looked through. */
static const char looked_through[] = "timeout time nice nohup stdbuf command builtin noglob xargs env";

static bool is_exact(const struct rule *rule)
{
    return hv_str_find_byte(rule->specifier, '*', 0) == SIZE_MAX;
}

/* find that runs programs or removes files. */
static bool is_find_that_acts(const struct shell_word *words, size_t count)
{
    if (!count || !shell_is_one_of(shell_base_name(words[0].value), "find fd fdfind"))
        return false;
    for (size_t i = 1; i < count; i++)
        if (shell_is_one_of(words[i].value, "-exec -execdir -ok -okdir -delete -fprint -fprintf -fls -fprint0 -x -X "
                                            "--exec --exec-batch") ||
            (!words[i].known && !words[i].value.len))
            return true;
    return false;
}

/* A "*" in the first word leaves open which program runs: then none that runs other things. */
static bool leaves_program_open(struct hv_str pattern)
{
    struct hv_str first = hv_str_slice(pattern, 0, hv_str_find_byte(pattern, ' ', 0));
    if (hv_str_ends(first, HV_STR(":*")) && first.len == pattern.len)
        first = hv_str_slice(first, 0, first.len - 2);
    return hv_str_find_byte(first, '*', 0) != SIZE_MAX;
}

/* scripts/x for ./scripts/x; "./x" stays: "x" is another program. */
static struct hv_str drop_dot(struct hv_str text)
{
    size_t end = hv_str_find_byte(text, ' ', 0);
    bool deeper = hv_str_find_byte(hv_str_slice(text, 2, end), '/', 0) != SIZE_MAX;
    return deeper && hv_str_starts(text, HV_STR("./")) ? hv_str_slice(text, 2, text.len) : text;
}

static bool words_allowed_by(const struct rule *rule, const struct shell_word *words, size_t count,
                             struct hv_arena *arena)
{
    size_t work = WORK_MAX;
    /* 'X=1' make: a program whose name is what a rule says of a variable. */
    if (!count || (words[0].known && hv_str_find_byte(words[0].value, '=', 0) != SIZE_MAX))
        return false;
    struct hv_str text = drop_dot(part_rule_text(words, count, arena));
    struct hv_str specifier = drop_dot(plain_quotes(rule->specifier, arena));
    if (is_exact(rule))
        return hv_str_eq(specifier, text) && !memchr(text.ptr, '\0', text.len);
    struct hv_str name = words[0].known ? shell_base_name(words[0].value) : (struct hv_str){0};
    if (!name.len || shell_is_one_of(name, never_by_pattern) || is_find_that_acts(words, count) ||
        given_program(words, count, specifier))
        return false;
    if (hv_str_find(specifier, HV_STR("/*"), 0) != SIZE_MAX && hv_str_find(text, HV_STR("../"), 0) != SIZE_MAX)
        return false; /* the star speaks of what is below */
    if (leaves_program_open(specifier) && (shell_name_is_interpreter(name) || shell_runs_others(name)))
        return false;
    return rule_takes_text(specifier, text, &work);
}

/* The words that stand before those of the part are programs that may be looked through. */
static bool may_look_through(const struct match_call *call, const struct shell_act *act)
{
    const struct shell_runs *runs = &call->facts->command->runs;
    const struct shell_run *run = NULL;
    for (size_t i = 0; i < runs->count && !run; i++)
        if (runs->items[i].words == act->words && runs->items[i].word_count == act->word_count)
            run = &runs->items[i];
    if (!run)
        return true; /* of a script in an argument, whose own words are a part, too */
    while (run->by != SHELL_RUN_TOP) {
        const struct shell_run *by = &runs->items[run->by];
        bool bare = run->words == by->words + 1;
        if (!shell_is_one_of(by->name, looked_through) || (hv_str_is(by->name, "xargs") && !bare))
            return false;
        run = by;
    }
    return true;
}

/* ---- assignments in front ---------------------------------------------------------------------------------------- */

/* Variables that change what a program says, not what it does. */
static bool is_safe_variable(struct hv_str name)
{
    static const char names[] =
        "CI NODE_ENV RUST_BACKTRACE RUST_LOG RUST_MIN_STACK LANG LANGUAGE LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES "
        "LC_NUMERIC LC_TIME TZ NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE TERM COLORTERM COLUMNS LINES GOOS GOARCH "
        "GOARM CGO_ENABLED GO111MODULE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 "
        "PYTHONHASHSEED PYTHONWARNINGS CARGO_TERM_COLOR CARGO_INCREMENTAL DEBIAN_FRONTEND GIT_TERMINAL_PROMPT "
        "GIT_OPTIONAL_LOCKS VERBOSE V DEBUG CLANG_FORCE_COLOR_DIAGNOSTICS HOMEBREW_NO_AUTO_UPDATE "
        "TF_IN_AUTOMATION DOTNET_CLI_TELEMETRY_OPTOUT NEXT_TELEMETRY_DISABLED";
    return shell_is_one_of(name, names);
}

bool part_assigns_safely(const struct shell_command *command)
{
    for (size_t i = 0; i < command->assignment_count; i++) {
        const struct shell_assignment *assignment = &command->assignments[i];
        bool cat = assignment->value.known && shell_is_one_of(assignment->name, "PAGER GIT_PAGER") &&
                   (!assignment->value.value.len || hv_str_is(assignment->value.value, "cat"));
        if (assignment->element || assignment->array || !(cat || is_safe_variable(assignment->name)))
            return false;
    }
    return true;
}

/*
 * "CI=1 SEED=* npm test:*": the rule says itself which variables are set in front, every one, in their order. rest:
 * what it says of the words. A value stands there as it is, or with "*", which takes no blanks but where it is all.
 */
static bool takes_value(struct hv_str pattern, struct hv_str value)
{
    size_t work = WORK_MAX;
    bool blank = hv_str_find_byte(value, ' ', 0) != SIZE_MAX || memchr(value.ptr ? value.ptr : "", '\n', value.len);
    return hv_str_is(pattern, "*") || hv_str_eq(pattern, value) ||
           (!blank && hv_str_find_byte(pattern, '*', 0) != SIZE_MAX && !hv_str_ends(pattern, HV_STR(":*")) &&
            rule_takes_text(pattern, value, &work));
}

/* FOO="a b" make: what stands between quotes is the value itself, where nothing in it means anything to a shell. Cuts
 * it from rest; false: there are no such quotes. */
static bool takes_quoted(struct hv_str *rest, struct hv_str value, bool *taken)
{
    bool quoted = hv_str_starts(*rest, HV_STR("\"")) || hv_str_starts(*rest, HV_STR("'"));
    size_t end = quoted ? hv_str_find_byte(*rest, rest->ptr[0], 1) : SIZE_MAX;
    if (end == SIZE_MAX || (end + 1 < rest->len && rest->ptr[end + 1] != ' '))
        return false;
    struct hv_str inner = hv_str_slice(*rest, 1, end);
    for (size_t i = 0; i < inner.len && *rest->ptr == '"'; i++)
        if (strchr("$`\\", inner.ptr[i]))
            return false;
    *taken = hv_str_eq(inner, value);
    *rest = hv_str_slice(*rest, end + 2, rest->len);
    return true;
}

static bool names_assignments(struct hv_str specifier, const struct shell_command *command, struct hv_str *rest)
{
    *rest = specifier;
    for (size_t i = 0; i < command->assignment_count; i++) {
        const struct shell_assignment *assignment = &command->assignments[i];
        struct hv_str token, value = assignment->value.value;
        bool taken;
        if (!assignment->value.known || assignment->appends || assignment->element || assignment->array ||
            !hv_str_starts(*rest, assignment->name))
            return false;
        *rest = hv_str_slice(*rest, assignment->name.len, rest->len);
        if (!hv_str_starts(*rest, HV_STR("=")))
            return false;
        *rest = hv_str_slice(*rest, 1, rest->len);
        if (!takes_quoted(rest, value, &taken))
            taken = hv_str_split(rest, ' ', &token) && takes_value(token, value);
        if (!taken)
            return false;
    }
    return command->assignment_count > 0 && rest->len > 0;
}

/* env A=b make: the words between env and the program. */
static bool env_words_are_safe(const struct shell_act *act)
{
    const struct shell_command *command = act->command;
    for (size_t i = 0; i < command->word_count && &command->words[i] != act->words; i++) {
        struct hv_str word = command->words[i].value;
        size_t equals = hv_str_find_byte(word, '=', 0);
        bool assigns = equals != SIZE_MAX && !hv_str_starts(word, HV_STR("-"));
        if (assigns && !is_safe_variable(hv_str_slice(word, 0, equals)))
            return false;
    }
    return true;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static bool in_workspace(const struct match_call *call, const struct policy_path *path, bool writing)
{
    enum policy_path_class class = policy_classify_path(call->policy, path, writing);
    return path->resolved.len && !path->leads_out &&
           (class == POLICY_PATH_WORKSPACE || (!writing && class == POLICY_PATH_OWN));
}

static const struct rule *file_rule(const struct match_call *call, const struct policy_path *path, bool writing,
                                    const struct rule *extra, size_t extra_count)
{
    const struct policy *policy = call->policy;
    for (size_t i = 0; i < policy->rule_count + extra_count; i++) {
        const struct rule *rule = i < policy->rule_count ? &policy->rules[i] : &extra[i - policy->rule_count];
        if (path->written.len && path->resolved.len && rule_opens_files(rule, writing) &&
            (!rule->has_specifier || (!path->leads_out && rule_takes_path(rule, path))))
            return rule;
    }
    return NULL;
}

/* The files that a glob takes lie in the directory before it. */
static bool globs_in_workspace(const struct match_call *call, const struct shell_act *act,
                               const struct shell_word *word)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct hv_str directory = act->command->directory;
    if (!word || !(word->flags & SHELL_WORD_GLOB) || !directory.len ||
        word->flags & (SHELL_WORD_VARIABLE | SHELL_WORD_COMMAND | SHELL_WORD_PROCESS | SHELL_WORD_HOME) ||
        hv_str_find(word->text, HV_STR(".."), 0) != SIZE_MAX)
        return false;
    size_t slash = hv_str_rfind_byte(word->value, '/');
    struct hv_str head = slash == SIZE_MAX ? HV_STR(".") : hv_str_slice(word->value, 0, slash + 1);
    struct policy_path path = {.written = path_expand(&scratch, head, directory, call->policy->home.written)};
    path.resolved = path.written;
    return in_workspace(call, &path, false) || path_is_open_place(&path, true);
}

/* lists: the act is such that only shows what stands in a directory (parts_act_lists). */
static bool read_is_free(const struct match_call *call, const struct policy_part *part, size_t index, bool lists)
{
    const struct shell_access *access = &part->act->reads[index];
    const struct policy_path *path = &part->reads[index];
    if (!access->path.len)
        return globs_in_workspace(call, part->act, access->word);
    return in_workspace(call, path, false) || (!path->too_many && path_is_open_place(path, access->tree && !lists)) ||
           (!path->leads_out && path_is_temporary(call->policy, path));
}

/* All that the part writes is what its redirections write: the program itself only reads. */
static bool only_redirects_write(const struct shell_act *act)
{
    if (act->class != SHELL_WRITES || !act->writes_listed || !act->write_count)
        return false;
    for (size_t i = 0; i < act->write_count; i++)
        if (!act->writes[i].redirect)
            return false;
    return true;
}

/* ---- all of a part ----------------------------------------------------------------------------------------------- */

/* A part being looked at. */
struct look {
    const struct match_call *call;
    const struct policy_part *part;
    const struct rule *extra;
    size_t extra_count;
    const struct rule *rule; /* the first that took part */
    const struct policy_path *path;
};

static void took_part(struct look *look, const struct rule *rule)
{
    look->rule = look->rule ? look->rule : rule;
}

static const struct rule *rule_at(const struct look *look, size_t index)
{
    const struct policy *policy = look->call->policy;
    if (index < policy->rule_count)
        return &policy->rules[index];
    index -= policy->rule_count;
    return index < look->extra_count ? &look->extra[index] : NULL;
}

/* "--eval=…", "SHELL=x", "X=$(shell …)": code in words, which no makefile says. */
static bool is_make_code(struct hv_str word)
{
    return hv_str_starts(word, HV_STR("--ev")) || hv_str_starts(word, HV_STR("-E")) ||
           hv_str_starts(word, HV_STR("SHELL")) || hv_str_find(word, HV_STR("$("), 0) != SIZE_MAX ||
           hv_str_find(word, HV_STR("${"), 0) != SIZE_MAX;
}

/* "make -C ../other", "-f/elsewhere/x": what runs is not the workspace's, nor said by the rule. */
static bool builds_elsewhere(const struct look *look, const struct rule *rule, struct hv_arena *scratch)
{
    const struct shell_act *act = look->part->act;
    struct hv_str name = act->word_count ? shell_base_name(act->words[0].value) : (struct hv_str){0};
    for (size_t i = 1; i < act->word_count && shell_is_one_of(name, "make gmake ninja"); i++) {
        struct hv_str value = act->words[i].value;
        size_t equals = hv_str_find_byte(value, '=', 0);
        if (is_make_code(value) && hv_str_find(rule->specifier, value, 0) == SIZE_MAX)
            return true;
        if (hv_str_starts(value, HV_STR("-")))
            value = hv_str_slice(value, hv_str_starts(value, HV_STR("--")) ? equals + 1 : 2, value.len);
        else if (!hv_str_starts(act->words[i - 1].value, HV_STR("-")))
            continue;
        if ((!hv_str_starts(value, HV_STR("/")) && hv_str_find(value, HV_STR(".."), 0) == SIZE_MAX) ||
            hv_str_find(rule->specifier, value, 0) != SIZE_MAX)
            continue;
        struct policy_path path = {
            .written = path_expand(scratch, value, act->command->directory, look->call->policy->home.written)};
        path.resolved = path.written;
        if (!in_workspace(look->call, &path, false))
            return true;
    }
    return false;
}

/* An option whose value is the directory that the program goes to: npm --prefix, yarn --cwd. */
static bool names_directory(const struct shell_option *option, struct hv_str name)
{
    while (option && option->names &&
           (option->effect != SHELL_EFFECT_READ_TREE || option->arity != SHELL_ARITY_ONE ||
            !shell_is_one_of(name, option->names)))
        option++;
    return option && option->names;
}

/* "npm --prefix web test" is `cd web && npm test`: so a rule takes it where web lies in the workspace. */
static bool takes_words_there(const struct look *look, const struct rule *rule, struct hv_arena *scratch)
{
    const struct shell_act *act = look->part->act;
    const struct shell_word *words = act->words;
    if (act->word_count < 3 || !words[0].known || !words[1].known || !act->command->directory.len)
        return false;
    const struct shell_program *row = shell_find_program(words[0].value);
    size_t equals = hv_str_find_byte(words[1].value, '=', 0), skipped = equals == SIZE_MAX ? 2 : 1;
    struct hv_str name = hv_str_slice(words[1].value, 0, equals);
    if (!row || !row->subcommands || !words[skipped].known || act->word_count < skipped + 2 ||
        !(names_directory(row->options, name) || names_directory(row->more_options, name)))
        return false;
    struct hv_str place = skipped == 2 ? words[2].value : hv_str_slice(words[1].value, equals + 1, words[1].value.len);
    struct policy_path path = {
        .written = path_expand(scratch, place, act->command->directory, look->call->policy->home.written)};
    path.resolved = path.written;
    struct shell_word *rest = hv_arena_array(scratch, struct shell_word, act->word_count - skipped);
    rest[0] = words[0];
    memcpy(rest + 1, words + 1 + skipped, (act->word_count - skipped - 1) * sizeof *rest);
    return place.len && in_workspace(look->call, &path, false) && may_look_through(look->call, act) &&
           words_allowed_by(rule, rest, act->word_count - skipped, scratch);
}

static bool takes_words(const struct look *look, const struct rule *rule, struct hv_arena *scratch)
{
    const struct shell_act *act = look->part->act;
    const struct shell_command *command = act->command;
    if (builds_elsewhere(look, rule, scratch))
        return false;
    return words_allowed_by(rule, command->words, command->word_count, scratch) ||
           (words_allowed_by(rule, act->words, act->word_count, scratch) && may_look_through(look->call, act)) ||
           takes_words_there(look, rule, scratch);
}

/* How a rule takes a part. */
struct taking {
    bool exact;   /* its text word for word, redirections and all */
    bool assigns; /* the variables in front, too */
};

/* The first rule that takes the part, with what is set in front of it if there is one. */
static const struct rule *find_rule(const struct look *look, struct taking *taking)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct shell_command *command = look->part->act->command;
    struct hv_str text = command_trim(command->text);
    bool safe = part_assigns_safely(command);
    const struct rule *rule, *of_words_only = NULL;
    for (size_t i = 0; (rule = rule_at(look, i)); i++) {
        if (rule->verdict != HV_ALLOW || !rule->has_specifier || !rule_names_tool(rule, look->call->facts->tool))
            continue;
        struct rule of_words = *rule;
        taking->exact = is_exact(rule) && hv_str_eq(rule->specifier, text);
        taking->assigns = names_assignments(rule->specifier, command, &of_words.specifier);
        if (!taking->exact && !takes_words(look, taking->assigns ? &of_words : rule, &scratch))
            continue;
        if (taking->exact || taking->assigns || safe)
            return rule;
        of_words_only = of_words_only ? of_words_only : rule;
    }
    *taking = (struct taking){0};
    return of_words_only;
}

/* Whether words[at] may say a mode: that of chmod begins with a digit or an operator, others have an option for it. */
static bool may_be_mode(const struct shell_word *words, size_t at, bool is_chmod)
{
    struct hv_str word = words[at].value, before = words[at - 1].value;
    return hv_str_starts(word, HV_STR("-")) || hv_str_is(before, "--mode") ||
           (hv_str_starts(before, HV_STR("-")) && hv_str_ends(before, HV_STR("m"))) ||
           (is_chmod && word.len && strchr("01234567+=", word.ptr[0]));
}

/* 4755, -m2755, --mode=1777: more than rights. 777, -m666, o+w, u=rw,a=rwx: everybody may write then. digits: it may be
 * a mode that is written so. */
static bool is_wide_mode(struct hv_str word, bool digits)
{
    struct hv_str clause;
    size_t at = word.len;
    while (digits && at && word.ptr[at - 1] >= '0' && word.ptr[at - 1] <= '7')
        at--;
    if ((word.len - at >= 3 && (word.ptr[word.len - 1] - '0') & 2) ||
        (word.len - at >= 4 && word.ptr[word.len - 4] != '0'))
        return true;
    while (hv_str_split(&word, ',', &clause)) {
        size_t sign = hv_str_find_byte(clause, hv_str_find_byte(clause, '=', 0) == SIZE_MAX ? '+' : '=', 0);
        struct hv_str who = hv_str_slice(clause, 0, sign);
        if (sign != SIZE_MAX && hv_str_find_byte(clause, 'w', sign) != SIZE_MAX &&
            (hv_str_find_byte(who, 'o', 0) != SIZE_MAX || hv_str_find_byte(who, 'a', 0) != SIZE_MAX))
            return true;
    }
    return false;
}

/* More than an edit: a link whose target is said from the link's own place, and so may be another; a device; a file
 * that runs with the rights of its owner, or that others may change. */
static bool is_no_edit(const struct shell_act *act)
{
    struct hv_str name = act->word_count ? shell_base_name(shell_word_text(&act->words[0])) : (struct hv_str){0};
    bool links = shell_is_one_of(name, "ln link"), modes = shell_is_one_of(name, "chmod install mkdir");
    for (size_t i = 1; (links || modes) && i < act->word_count; i++) {
        struct hv_str word = act->words[i].value;
        bool wide = is_wide_mode(word, may_be_mode(act->words, i, shell_is_one_of(name, "chmod")));
        bool symbols = hv_str_find_byte(word, 's', hv_str_find_byte(word, '+', 0)) != SIZE_MAX ||
                       hv_str_find_byte(word, 's', hv_str_find_byte(word, '=', 0)) != SIZE_MAX;
        if (!act->words[i].known || (links && hv_str_find(word, HV_STR(".."), 0) != SIZE_MAX) ||
            (modes && (wide || symbols)))
            return true;
    }
    return shell_is_one_of(name, "mknod");
}

/* It does nothing but change files that are known. */
static bool only_edits(const struct shell_act *act)
{
    return act->class == SHELL_WRITES && act->writes_listed && act->reads_listed && act->write_count &&
           !is_no_edit(act);
}

static enum part_need need_for_reads(struct look *look)
{
    const struct shell_act *act = look->part->act;
    if (!act->reads_listed)
        return PART_NEEDS_RULE;
    bool lists = parts_act_lists(act);
    for (size_t i = 0; i < act->read_count; i++) {
        const struct policy_path *path = &look->part->reads[i];
        if (read_is_free(look->call, look->part, i, lists))
            continue;
        const struct rule *rule = file_rule(look->call, path, false, look->extra, look->extra_count);
        if (!rule) {
            look->path = path;
            return path->written.len && path->resolved.len && !path->leads_out ? PART_NEEDS_READ : PART_NEEDS_RULE;
        }
        took_part(look, rule);
    }
    return PART_NEEDS_NOTHING;
}

/* by_rule: a rule for the words covers what they write inside the workspace. */
static enum part_need need_for_writes(struct look *look, bool by_rule)
{
    const struct shell_act *act = look->part->act;
    for (size_t i = 0; i < act->write_count; i++) {
        const struct policy_path *path = &look->part->writes[i];
        if (path_is_free_device(path->written) || (path->of_session && !path->leads_out))
            continue;
        if (!path->written.len || !path->resolved.len)
            return PART_NEEDS_ASKING;
        if (by_rule && !act->writes[i].redirect &&
            (in_workspace(look->call, path, true) || (!path->leads_out && path_is_temporary(look->call->policy, path))))
            continue;
        if (look->call->policy->mode == POLICY_ACCEPT_EDITS && in_workspace(look->call, path, true))
            continue;
        const struct rule *rule = file_rule(look->call, path, true, look->extra, look->extra_count);
        if (!rule) {
            look->path = path;
            return path->leads_out ? PART_NEEDS_ASKING : PART_NEEDS_EDIT;
        }
        took_part(look, rule);
    }
    return PART_NEEDS_NOTHING;
}

/* The whole command stays where it starts; so does a file that a rule lets run in the shell, as far as that rule goes.
 */
static bool stays_in_place(const struct look *look)
{
    const struct policy_command *command = look->call->facts->command;
    for (size_t i = 0; i < command->part_count; i++) {
        const struct shell_act *act = command->parts[i].act;
        struct look other = {look->call, &command->parts[i], look->extra, look->extra_count, NULL, NULL};
        struct taking taking;
        struct hv_str name = act->word_count ? shell_word_text(&act->words[0]) : (struct hv_str){0};
        if (shell_is_one_of(name, "cd pushd popd eval") ||
            (shell_is_one_of(name, "source .") && !find_rule(&other, &taking)))
            return false;
    }
    return true;
}

/* A rule for words speaks of what they do in the workspace. */
static bool runs_in_workspace(const struct look *look)
{
    const struct policy_facts *facts = look->call->facts;
    struct policy_path path = {.written = look->part->act->command->directory};
    if (!path.written.len && stays_in_place(look))
        path.written = facts->directory.len ? facts->directory : look->call->policy->directory.written;
    path.resolved = path.written;
    return path.written.len && (in_workspace(look->call, &path, false) || hv_str_eq(path.written, facts->directory));
}

/* Beside the reading part runs what may start the repository's programs anyway, and needs leave for that itself: code,
 * or git in the same directory. */
static bool others_run_repository(const struct look *look)
{
    const struct shell_judgement *judgement = &look->call->facts->command->judgement;
    const struct shell_act *reader = look->part->act;
    bool is_here = reader->git && reader->word_count > 1 && !hv_str_starts(reader->words[1].value, HV_STR("-"));
    for (size_t i = 0; is_here && i < judgement->count; i++) {
        const struct shell_act *act = &judgement->acts[i];
        if ((act->class == SHELL_EXECUTES || shell_act_is_git_change(act)) &&
            hv_str_eq(act->command->directory, reader->command->directory))
            return true;
    }
    return false;
}

/* What git and go read is harmless only while their environment keeps the repository's programs from running. */
static bool git_is_tame(const struct look *look)
{
    return !shell_needs_overrides(look->part->act) || shell_git_is_tame(&look->call->facts->command->judgement) ||
           others_run_repository(look);
}

static bool only_reads(const struct shell_act *act)
{
    return act->class == SHELL_READ_ONLY || only_redirects_write(act);
}

/* A shell whose code is known, and which does nothing besides: what the code needs is asked of each part of that. */
static bool runs_known_code(const struct shell_act *act)
{
    return act->script != SHELL_UNKNOWN && act->script == act->class && act->class != SHELL_READ_ONLY &&
           part_assigns_safely(act->command) && act->command->word_count && act->words == act->command->words;
}

/* What a part needs beside the rule that takes its words. */
static enum part_need need_under_rule(struct look *look, const struct rule *rule, const struct taking *taking)
{
    const struct shell_act *act = look->part->act;
    if (!env_words_are_safe(act) || !runs_in_workspace(look))
        return PART_NEEDS_ASKING;
    took_part(look, rule);
    if (!taking->assigns && !part_assigns_safely(act->command))
        return PART_NEEDS_RULE; /* that names them */
    look->path = NULL;
    /* What a pattern says of a program that reads is not where it may read. */
    enum part_need need = only_reads(act) && !is_exact(rule) ? need_for_reads(look) : PART_NEEDS_NOTHING;
    if (need != PART_NEEDS_NOTHING && look->path)
        return need == PART_NEEDS_READ ? need : PART_NEEDS_ASKING;
    return need_for_writes(look, true);
}

/* What a part needs that its kind alone does not allow; need: by its kind, NOTHING where only what its redirections
 * write is in question. */
static enum part_need need_by_words(struct look *look, enum part_need need)
{
    struct taking taking = {0};
    look->rule = NULL;
    const struct rule *rule = find_rule(look, &taking);
    if (taking.exact && runs_in_workspace(look)) {
        took_part(look, rule);
        return PART_NEEDS_NOTHING;
    }
    if (need == PART_NEEDS_NOTHING)
        return need_for_writes(look, false);
    if (rule)
        return need_under_rule(look, rule, &taking);
    return look->part->act->word_count ? need : PART_NEEDS_ASKING;
}

/* By its kind first: what only reads, or only edits, needs leave for its files and no more. */
static enum part_need need_of(struct look *look)
{
    const struct shell_act *act = look->part->act;
    bool tame = git_is_tame(look), edits = tame && only_edits(act), reads = tame && only_reads(act);
    enum part_need read = reads || edits ? need_for_reads(look) : PART_NEEDS_RULE;
    enum part_need write = read == PART_NEEDS_NOTHING ? need_for_writes(look, false) : read;
    if (write == PART_NEEDS_NOTHING)
        return PART_NEEDS_NOTHING;
    if (runs_known_code(act))
        return need_for_writes(look, true);
    if (reads || !edits)
        return need_by_words(look, read);
    return need_by_words(look, write == PART_NEEDS_ASKING ? PART_NEEDS_RULE : write);
}

bool part_is_untamed(const struct match_call *call, const struct policy_part *part)
{
    const struct look look = {.call = call, .part = part};
    return part->act->class == SHELL_READ_ONLY && !git_is_tame(&look);
}

enum part_need part_needs(const struct match_call *call, const struct policy_part *part, const struct rule *extra,
                          size_t extra_count, const struct rule **rule, const struct policy_path **path)
{
    struct look look = {.call = call, .part = part, .extra = extra, .extra_count = extra_count};
    enum part_need need = need_of(&look);
    *rule = look.rule;
    *path = look.path;
    return need;
}

struct hv_str part_objection(const struct match_call *call, const struct policy_part *part, struct hv_arena *arena,
                             bool *of_words)
{
    struct look look = {.call = call, .part = part};
    enum part_need need = need_of(&look);
    bool reads = part->act->class == SHELL_READ_ONLY;
    *of_words = need != PART_NEEDS_NOTHING && !look.path && !reads;
    if (need == PART_NEEDS_NOTHING)
        return (struct hv_str){0};
    if (look.path && look.path->too_many)
        return hv_arena_format(arena, "names too many places to look at: not all below %.*s were",
                               HV_STR_ARG(look.path->written));
    if (look.path && look.path->leads_out)
        return hv_arena_format(arena, "may go through a link below %.*s that leads elsewhere",
                               HV_STR_ARG(look.path->written));
    if (look.path)
        return hv_arena_format(arena, "%s %.*s, which no rule allows", need == PART_NEEDS_READ ? "reads" : "writes",
                               HV_STR_ARG(look.path->written));
    if (part_is_untamed(call, part))
        return HV_STR(
            "may run programs that the repository names, since other parts keep the settings against them off");
    struct taking taking;
    if (need == PART_NEEDS_ASKING && !runs_in_workspace(&look) && find_rule(&look, &taking))
        return HV_STR(
            "a rule allows it in the workspace only, and it may run elsewhere: `cd DIR && …` runs it only there");
    return reads ? HV_STR("reads files, and which ones is not known") : part->act->why;
}

/* ---- all parts --------------------------------------------------------------------------------------------------- */

static const struct rule *whole_command_rule(const struct match_call *call, const struct rule *extra,
                                             size_t extra_count)
{
    struct look look = {.call = call, .extra = extra, .extra_count = extra_count};
    struct hv_str text = command_trim(call->facts->subject);
    const struct rule *rule;
    for (size_t i = 0; (rule = rule_at(&look, i)); i++)
        if (rule->verdict == HV_ALLOW && rule->has_specifier && is_exact(rule) &&
            rule_names_tool(rule, call->facts->tool) && hv_str_eq(rule->specifier, text))
            return rule;
    return NULL;
}

static bool every_part_allowed(const struct match_call *call, const struct rule *extra, size_t extra_count,
                               const struct rule **rule)
{
    const struct policy_command *command = call->facts->command;
    const struct rule *first = NULL;
    for (size_t i = 0; i < command->part_count; i++) {
        const struct rule *one;
        const struct policy_path *path;
        if (command->parts[i].same)
            continue;
        if (part_needs(call, &command->parts[i], extra, extra_count, &one, &path) != PART_NEEDS_NOTHING)
            return false;
        first = first ? first : one;
    }
    *rule = first;
    return true;
}

bool parts_allowed(const struct match_call *call, const struct rule *extra, size_t extra_count,
                   const struct rule **rule)
{
    const struct policy_command *command = call->facts->command;
    *rule = NULL;
    if (!command || !command->accepted || command->too_long)
        return false;
    return every_part_allowed(call, extra, extra_count, rule) ||
           (*rule = whole_command_rule(call, extra, extra_count)) != NULL;
}
