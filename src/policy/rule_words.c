/* rule_words.c: see rule_words.h. */
#include "policy/rule_words.h"

#include "policy/rule.h"
#include "shell/classify.h"

#include <string.h>

enum { WORD_WORK_MAX = 1 << 16, CODE_WORDS_MAX = 64 };

static bool is_option(struct hv_str word)
{
    return word.len > 1 && word.ptr[0] == '-';
}

static bool is_long(struct hv_str word)
{
    return word.len > 2 && hv_str_starts(word, HV_STR("--"));
}

void rule_words_read(struct hv_str specifier, struct rule_words *out)
{
    struct hv_str word;
    *out = (struct rule_words){0};
    if (hv_str_ends(specifier, HV_STR(":*")) || hv_str_ends(specifier, HV_STR(" *"))) {
        specifier = hv_str_slice(specifier, 0, specifier.len - 2);
        out->open = true;
    }
    while (hv_str_split(&specifier, ' ', &word)) {
        bool full = out->operand_count == RULE_WORDS_MAX || out->option_count == RULE_WORDS_MAX;
        if (full || (!out->program.len && hv_str_find_byte(word, '*', 0) != SIZE_MAX)) {
            *out = (struct rule_words){0};
            return;
        }
        if (!word.len || hv_str_is(word, "*"))
            continue;
        if (!out->program.len)
            out->program = word;
        else if (is_option(word))
            out->options[out->option_count++] = word;
        else
            out->operands[out->operand_count++] = word;
    }
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

/* What is known of a program's options. */
struct spellings {
    const char *told, *values;       /* lists as in rows, letters that take a value; or NULL */
    const struct shell_program *row; /* or NULL */
    bool abbreviates, whole;         /* go and terraform take -name and --name for the same */
};

/* What judges of their own know, and rows do not tell. */
static const struct {
    const char *programs, *subcommand, *names, *values;
} judged[] = {
    {"git", "push", "-f --force --force-with-lease -d --delete -n --dry-run -q --quiet", "o"},
    {"git", "commit", "-n --no-verify -a --all -m --message -q --quiet -s --signoff --amend", "mFCct"},
    {"git", "clean", "-f --force -n --dry-run -q --quiet -e --exclude", "e"},
    {"git", "branch tag", "-d --delete -f --force -m --move -c --copy -r --remotes -a --all", "u"},
    {"git", "checkout switch", "-f --force -m --merge -c --create --discard-changes", "bBcC"},
    {"git", "reset", "-q --quiet -p --patch --hard --soft --mixed --merge --keep", NULL},
    {"git", "rebase", "-i --interactive -x --exec --force-rebase", "xXsC"},
    {"git", "add rm mv worktree", "-f --force -A --all -u --update -n --dry-run", NULL},
    {"cp mv ln install", NULL, "-f --force -R -r --recursive -a --archive -s --symbolic -n --no-clobber", "tSmog"},
    {"chmod chown chgrp", NULL, "-R --recursive -f --silent", NULL},
    {"npm pnpm yarn", NULL, "-g --global -f --force -D --save-dev", NULL},
    {"kubectl helm docker podman", NULL, "-n --namespace -f --force -A --all-namespaces -a --all", "n"},
};

static struct spellings spellings_of(struct hv_str name, const struct shell_word *words, size_t count)
{
    struct spellings out = {.row = shell_find_program(name)};
    for (size_t i = 0; i < sizeof judged / sizeof *judged && !out.told; i++) {
        bool told = shell_is_one_of(name, judged[i].programs), any = !judged[i].subcommand;
        for (size_t j = 1; told && !any && j < count; j++)
            any = words[j].known && shell_is_one_of(words[j].value, judged[i].subcommand);
        if (told && any)
            out.told = judged[i].names, out.values = judged[i].values;
    }
    for (size_t i = 1; i < count && out.row && out.row->subcommands; i++) {
        const struct shell_program *row = words[i].known ? shell_find_row(out.row->subcommands, words[i].value) : NULL;
        out.row = row ? row : out.row;
    }
    out.whole = shell_is_one_of(name, "terraform tofu packer") || (out.row && out.row->syntax == SHELL_SYNTAX_WORDS);
    out.abbreviates = hv_str_is(name, "git") || (out.row && out.row->syntax <= SHELL_SYNTAX_POSIX);
    return out;
}

/* The list at index of those that are known; NULL at the end. */
static const char *names_at(const struct spellings *known, size_t index)
{
    if (known->told && !index--)
        return known->told;
    const struct shell_option *lists[] = {known->row ? known->row->options : NULL,
                                          known->row ? known->row->more_options : NULL};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct shell_option *option = lists[i]; option && option->names; option++)
            if (!index--)
                return option->names;
    return NULL;
}

static bool takes_value(const struct spellings *known, char letter)
{
    char name[] = {'-', letter, 0};
    if (known->values && letter && strchr(known->values, letter))
        return true;
    for (const struct shell_option *option = known->row ? known->row->options : NULL; option && option->names; option++)
        if (shell_names_have(option->names, hv_str_from(name)))
            return option->arity != SHELL_ARITY_NONE;
    return false;
}

static struct hv_str bare_name(struct hv_str option)
{
    return hv_str_slice(option, is_long(option) ? 2 : 1, option.len);
}

static struct hv_str name_of(struct hv_str option)
{
    return hv_str_slice(option, 0, hv_str_find_byte(option, '=', 0));
}

/* The given option is this long one: in full, or so much of it that it is no other that is known. */
static bool is_long_one(const struct spellings *known, struct hv_str given, struct hv_str name)
{
    const char *names;
    given = name_of(given);
    if (hv_str_eq(given, name) || (known->whole && hv_str_eq(bare_name(given), bare_name(name))))
        return true;
    if (!known->abbreviates || !is_long(given) || !hv_str_starts(name, given))
        return false;
    for (size_t i = 0; (names = names_at(known, i)); i++)
        if (shell_names_have(names, given))
            return false;
    return true;
}

static bool has_letter(const struct spellings *known, struct hv_str given, char letter)
{
    for (size_t i = 1; letter && !is_long(given) && i < given.len; i++) {
        if (given.ptr[i] == letter)
            return true;
        if (takes_value(known, given.ptr[i]))
            break;
    }
    return false;
}

static bool is_spelled(const struct spellings *known, struct hv_str given, const char letters[2], struct hv_str name)
{
    return is_long_one(known, given, name) || has_letter(known, given, letters[0]) ||
           has_letter(known, given, letters[1]);
}

/* Some list has both as spellings of one option: "-r -R --recursive". */
static bool are_one(const struct spellings *known, struct hv_str wanted, struct hv_str given)
{
    const char *names;
    for (size_t i = 0; (names = names_at(known, i)); i++) {
        struct hv_str rest = hv_str_from(names), word;
        char letters[2] = {0};
        while (hv_str_split(&rest, ' ', &word)) {
            if (is_long(word) && letters[0] && is_spelled(known, wanted, letters, word) &&
                is_spelled(known, given, letters, word))
                return true;
            char letter = is_long(word) || word.len < 2 ? '\0' : word.ptr[1];
            letters[1] = letter && (letter ^ letters[0]) == ('a' ^ 'A') ? letters[0] : '\0';
            letters[0] = letter;
        }
    }
    return false;
}

/* An option of the rule, or one letter of it, stands among the words. */
static bool is_given(const struct spellings *known, struct hv_str wanted, const struct shell_word *words, size_t count)
{
    size_t work = WORD_WORK_MAX, equals = hv_str_find_byte(wanted, '=', 0);
    struct hv_str value = hv_str_slice(wanted, equals == SIZE_MAX ? wanted.len : equals + 1, wanted.len);
    for (size_t i = 1; i < count && !hv_str_is(words[i].value, "--"); i++) {
        struct hv_str given = words[i].value;
        if (!words[i].known || !is_option(given))
            continue;
        if (hv_str_eq(given, wanted) ||
            (hv_str_find_byte(wanted, '*', 0) != SIZE_MAX && rule_takes_text(wanted, given, &work)))
            return true;
        bool same = is_long(wanted) || known->whole ? is_long_one(known, given, name_of(wanted))
                                                    : has_letter(known, given, wanted.ptr[1]);
        if (!same && !are_one(known, name_of(wanted), given))
            continue;
        size_t at = hv_str_find_byte(given, '=', 0);
        struct hv_str own = at != SIZE_MAX  ? hv_str_slice(given, at + 1, given.len)
                            : i + 1 < count ? words[i + 1].value
                                            : (struct hv_str){0};
        if (!value.len || hv_str_eq(own, value))
            return true;
    }
    return false;
}

static bool options_are_given(const struct rule_words *rule, const struct spellings *known,
                              const struct shell_word *words, size_t count)
{
    for (size_t i = 0; i < rule->option_count; i++) {
        struct hv_str option = rule->options[i];
        if (is_long(option) || known->whole || hv_str_find_byte(option, '*', 0) != SIZE_MAX) {
            if (!is_given(known, option, words, count))
                return false;
            continue;
        }
        for (size_t at = 1; at < option.len; at++) {
            char letter[] = {'-', option.ptr[at], 0};
            if (!is_given(known, hv_str_of(letter, 2), words, count))
                return false;
        }
    }
    return true;
}

/* ---- all of a run ------------------------------------------------------------------------------------------------ */

/* The operands of the rule begin those of the words; what follows an option may be its value. */
static bool operands_stand(const struct rule_words *rule, const struct shell_word *words, size_t count)
{
    uint32_t places = 1, end = 1u << rule->operand_count; /* how many may have been met, a bit for each */
    for (size_t i = 1; i < count && !(places & end); i++) {
        uint32_t next = 0;
        size_t work = WORD_WORK_MAX;
        struct hv_str before = words[i - 1].value;
        if (is_option(words[i].value))
            continue;
        for (size_t j = 0; j < rule->operand_count; j++)
            if (places & 1u << j && words[i].known && rule_takes_text(rule->operands[j], words[i].value, &work))
                next |= 2u << j;
        bool value = i > 1 && is_option(before) && hv_str_find_byte(before, '=', 0) == SIZE_MAX;
        places = next | (value ? places : 0);
    }
    return places & end;
}

/* A rule that ends with its last word speaks of no more than it says. */
static bool says_no_more(const struct rule_words *rule, const struct shell_word *words, size_t count)
{
    size_t operands = 0, letters = 0, wanted = 0;
    for (size_t i = 1; i < count; i++) {
        bool option = is_option(words[i].value);
        operands += !option;
        letters += !option ? 0 : is_long(words[i].value) ? 1 : words[i].value.len - 1;
    }
    for (size_t i = 0; i < rule->option_count; i++)
        wanted += is_long(rule->options[i]) ? 1 : rule->options[i].len - 1;
    return operands == rule->operand_count && letters == wanted;
}

bool rule_words_take(const struct rule_words *rule, struct hv_str name, const struct shell_word *words, size_t count)
{
    if (!rule->program.len || !hv_str_eq(rule->program, name) || !operands_stand(rule, words, count) ||
        !(rule->open || says_no_more(rule, words, count)))
        return false;
    if (!rule->option_count)
        return true;
    struct spellings known = spellings_of(name, words, count);
    return options_are_given(rule, &known, words, count);
}

/* The words of each command in code, as far as blanks and separators tell. */
static bool code_may_be_taken(const struct rule_words *rule, struct hv_str code, struct hv_arena *scratch)
{
    struct shell_word *words = hv_arena_array(scratch, struct shell_word, CODE_WORDS_MAX);
    for (size_t at = 0; at < code.len; at++) {
        size_t count = 0, from = at;
        while (at < code.len && !strchr(";&|\n(){}`", code.ptr[at]))
            at++;
        struct hv_str rest = hv_str_slice(code, from, at), word;
        while (count < CODE_WORDS_MAX && hv_str_split(&rest, ' ', &word))
            if (word.len)
                words[count++] = (struct shell_word){.text = word, .value = word, .known = true};
        if (count && rule_words_take(rule, shell_base_name(words[0].value), words, count))
            return true;
    }
    return false;
}

bool rule_words_may_take(const struct rule_words *rule, const struct shell_word *words, size_t count,
                         struct hv_arena *scratch)
{
    for (size_t i = 1; i < count; i++) {
        struct hv_str value = words[i].value;
        if (!words[i].known || hv_str_find(value, rule->program, 0) == SIZE_MAX)
            continue;
        bool file = value.ptr[0] != '/' && hv_str_find_byte(value, '/', 0) != SIZE_MAX;
        if ((!file && rule_words_take(rule, shell_base_name(value), words + i, count - i)) ||
            (hv_str_find_byte(value, ' ', 0) != SIZE_MAX && code_may_be_taken(rule, value, scratch)))
            return true;
    }
    return false;
}
