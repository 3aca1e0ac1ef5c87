/*
 * programs_perl.c: perl (5.8 to 5.40): its switches and operands, and code that is given by -e or -E, which perl.h
 * reads. What -n, -p and <> read is opened in the old way, by which "cmd |" runs a command and ">file" writes: so
 * operands must begin and end as plain names do. All other uses of perl run code. perlrun(1).
 */
#include "shell/perl.h"
#include "shell/programs.h"
#include "shell/rows.h"
#include <string.h>

struct switches {
    struct shell_reading *reading;
    const struct shell_word *words;
    size_t count, at; /* of the word that is read; in the end, of the first operand */
    bool ended;       /* by "--" */
    bool has_code, loops, says;
    struct hv_buf code;
    struct hv_str splits; /* of -F */
    struct hv_str modules[8];
    size_t module_count;
};

/* ---- switches --------------------------------------------------------------------------------------------- */

static bool all_of(struct hv_str text, const char *bytes)
{
    for (size_t i = 0; i < text.len; i++)
        if (!strchr(bytes, text.ptr[i]))
            return false;
    return true;
}

/* Digits of -0 and -l, at most so many. */
static size_t count_digits(struct hv_str text, size_t most)
{
    size_t count = 0;
    while (count < most && count < text.len && text.ptr[count] >= '0' && text.ptr[count] <= '7')
        count++;
    return count;
}

/* -e: the rest of the word, or the next one. */
static bool take_code(struct switches *switches, struct hv_str rest)
{
    switches->has_code = true;
    if (!rest.len) {
        if (++switches->at >= switches->count || !switches->words[switches->at].known)
            return false;
        rest = switches->words[switches->at].value;
    }
    hv_buf_add_str(&switches->code, rest);
    hv_buf_add_byte(&switches->code, '\n');
    return !switches->code.failed;
}

static bool take_module(struct switches *switches, struct hv_str rest)
{
    if (switches->module_count == sizeof switches->modules / sizeof *switches->modules)
        return false;
    switches->modules[switches->module_count++] = rest;
    return rest.len;
}

/* The letter at *at of word, and what belongs to it. False: a switch that is not known to be harmless. */
static bool take_letter(struct switches *switches, struct hv_str word, size_t *at)
{
    char letter = word.ptr[(*at)++];
    struct hv_str rest = hv_str_slice(word, *at, word.len);
    switch (letter) {
    case 'n':
    case 'p':
    case 'a': switches->loops = true; return true;
    case 'w':
    case 'W':
    case 'X':
    case 'c':
    case 'g': return true;
    case 'l': *at += count_digits(rest, 4); return true;
    case '0': *at += count_digits(rest, 3); return true;
    case 'E': switches->says = true; __attribute__((fallthrough));
    case 'e': *at = word.len; return take_code(switches, rest);
    case 'F':
        switches->loops = true;
        switches->splits = rest;
        *at = word.len;
        return rest.len && hv_str_find_byte(rest, ' ', 0) == SIZE_MAX; /* behind a blank, switches go on */
    case 'C': *at = word.len; return all_of(rest, "SIOEioADL") || all_of(rest, "0123456789");
    case 'M': *at = word.len; return take_module(switches, rest);
    default: return false;
    }
}

static bool take_switches(struct switches *switches)
{
    for (switches->at = 1; switches->at < switches->count; switches->at++) {
        const struct shell_word *word = &switches->words[switches->at];
        if (!word->known || word->value.len < 2 || word->value.ptr[0] != '-')
            return true;
        if (hv_str_is(word->value, "--")) {
            switches->ended = true;
            switches->at++;
            return true;
        }
        struct hv_str value = word->value;
        for (size_t at = 1; at < value.len;)
            if (!take_letter(switches, value, &at))
                return false;
    }
    return true;
}

/* ---- code ------------------------------------------------------------------------------------------------- */

/* -F/x/ and -F"x" are put into the program as they stand, all else is the pattern itself. */
static bool splits_plainly(struct hv_str pattern)
{
    for (size_t i = 0; i < pattern.len; i++)
        if ((unsigned char)pattern.ptr[i] <= ' ' || pattern.ptr[i] == 127)
            return false;
    if (!pattern.len || !strchr("/'\"", pattern.ptr[0]))
        return hv_str_find(pattern, HV_STR("?{"), 0) == SIZE_MAX && hv_str_find(pattern, HV_STR("*{"), 0) == SIZE_MAX;
    struct hv_str inner = hv_str_slice(pattern, 1, pattern.len - 1);
    return pattern.len > 2 && pattern.ptr[pattern.len - 1] == pattern.ptr[0] &&
           all_of(pattern, "/'\",;:|\t _.=+*\\stdw[]()-0123456789") &&
           hv_str_find_byte(inner, pattern.ptr[0], 0) == SIZE_MAX && inner.ptr[inner.len - 1] != '\\';
}

static bool use_module(struct perl *perl, struct hv_str module)
{
    size_t equals = hv_str_find_byte(module, '=', 0);
    if (equals == SIZE_MAX)
        return perl_use(perl, module, (struct hv_str){0}, ',');
    return perl_use(perl, hv_str_slice(module, 0, equals), hv_str_slice(module, equals + 1, module.len), ',');
}

static bool read_code(struct switches *switches, struct perl *perl)
{
    struct hv_arena *arena = switches->reading->arena;
    bool fine = true;
    perl_init(perl, arena, hv_arena_str(arena, hv_buf_str(&switches->code)));
    perl->loops = switches->loops;
    perl->says = switches->says;
    for (size_t i = 0; fine && i < switches->module_count; i++)
        fine = use_module(perl, switches->modules[i]);
    return fine && splits_plainly(switches->splits) && perl_is_harmless(perl);
}

/* ---- operands --------------------------------------------------------------------------------------------- */

static bool begins_plainly(struct hv_str name)
{
    unsigned char first = name.len ? (unsigned char)name.ptr[0] : 0;
    return first > ' ' && !strchr("|<>+-&", first) && (first < 127 || first >= 0xC0);
}

static bool ends_plainly(struct hv_str name)
{
    unsigned char last = name.len ? (unsigned char)name.ptr[name.len - 1] : 0;
    return last > ' ' && last != '|' && last != 127 && last != 0x85 && last != 0xA0;
}

/* Whatever names it becomes, perl only reads them. */
static bool is_plain_file(const struct shell_reading *reading, const struct shell_word *word)
{
    enum { GLOB = SHELL_WORD_GLOB | SHELL_WORD_MANY | SHELL_WORD_QUOTED };
    if (word->known)
        return hv_str_is(word->value, "-") || (begins_plainly(word->value) && ends_plainly(word->value));
    bool one = !shell_may_be_many(word), glob = word->flags & SHELL_WORD_GLOB && !(word->flags & ~(unsigned)GLOB);
    if (!one && !glob)
        return false;
    /* A loop's variable has "/" for its tail when only some of its values end so. */
    return (begins_plainly(word->value) || shell_glob_is_plain(reading, word)) && ends_plainly(word->tail) &&
           !hv_str_ends(word->tail, HV_STR("/"));
}

/* A word that is not known may not be a switch either. */
static bool is_operand(const struct shell_reading *reading, const struct shell_word *word, bool ended)
{
    return ended || hv_str_is(word->value, "-") || !shell_may_be_option(word) || shell_glob_is_plain(reading, word);
}

static bool judge_operands(struct switches *switches, const struct perl *perl)
{
    struct shell_reading *reading = switches->reading;
    bool reads = switches->loops || perl->reads_operands;
    reading->act.reads_input |= perl->reads_input || (reads && switches->at >= switches->count);
    if (perl->looks_at_files)
        reading->act.reads_listed = false;
    for (size_t i = switches->at; i < switches->count; i++) {
        const struct shell_word *word = &switches->words[i];
        if (!is_operand(reading, word, switches->ended) || (reads && !is_plain_file(reading, word)))
            return false;
        switches->ended |= word->known; /* behind an operand, all are */
        if (reads)
            shell_reads(reading, word, false);
    }
    return true;
}

/* ---- the program ------------------------------------------------------------------------------------------ */

static void judge_code(struct switches *switches)
{
    struct shell_reading *reading = switches->reading;
    struct perl perl;
    if (!read_code(switches, &perl)) {
        if (perl.refused.len)
            shell_worsenf(reading, SHELL_EXECUTES, "perl runs code (%.*s)", HV_STR_ARG(perl.refused));
    } else if (judge_operands(switches, &perl)) {
        return;
    } else {
        shell_worsen(reading, SHELL_EXECUTES, "perl runs or writes what some names of files say (\"x |\", \">x\")");
    }
    shell_worsen(reading, SHELL_EXECUTES, "perl runs code");
}

/* -V:version */
static bool asks_for_setting(const struct shell_word *words, size_t count)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return count == 2 && words[1].known && hv_str_starts(words[1].value, HV_STR("-V:")) && words[1].value.len > 3 &&
           all_of(hv_str_slice(words[1].value, 3, words[1].value.len), letters);
}

static void judge_perl(struct shell_reading *reading, const struct shell_word *words, size_t count)
{
    struct switches switches = {.reading = reading, .words = words, .count = count};
    if (asks_for_setting(words, count))
        return;
    hv_buf_init(&switches.code, PERL_TEXT_MAX);
    if (take_switches(&switches) && switches.has_code)
        judge_code(&switches);
    else
        shell_judge_about(reading, words, count);
    hv_buf_release(&switches.code);
}

const struct shell_program shell_programs_perl[] = {
    {"perl", .judge = judge_perl},
    {0},
};
