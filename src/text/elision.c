/*
 * elision.c: see elision.h. A line is taken apart into its marker (of a comment, or brackets), dots at both ends, and
 * words; the words are looked up in one table, and the rules of elides() speak of what was seen.
 */
#include "text/elision.h"

#include "text/lines.h"

#include <string.h>

enum { WORDS_MAX = 14, WORD_MAX = 16, LINE_MAX_BYTES = 200, FILLED_LINE = 30, NO_MARKER = -1 };

/* What a word is. */
enum {
    FILL = 1,        /* says nothing by itself */
    PROGRAM = 2,     /* "code": what is left out, whatever the file is about */
    PIECE = 4,       /* a part of code */
    THING = 8,       /* what a program may well speak of itself */
    REST = 16,       /* what remains of something */
    REMAINING = 32,  /* the same, as an attribute */
    EXISTING = 64,   /* what was there before */
    OTHER = 128,     /* likewise, in weaker words */
    UNCHANGED = 256, /* how it is */
    OMITTED = 512,   /* likewise */
    SAME = 1024,     /* likewise, with STAYS */
    STAYS = 2048,    /* "remains" */
    PLACE = 4096,    /* "here" */
    KEEP = 8192,     /* what is to be done with it */
    ELSE = 16384,    /* "everything else" */
    BREVITY = 32768, /* why */
    MORE = 65536,    /* "more", "etc" */
    DOTS_BEFORE = 1 << 17,
    DOTS_BEHIND = 1 << 18,
    UNKNOWN = 1 << 19, /* a word that is not of the table */
    BEFORE = 1 << 20,  /* "as before" */
    NOT = 1 << 21,     /* "no changes" */
    CHANGE = 1 << 22,
    FILE_WORD = 1 << 23,
    CUT = 1 << 24, /* omitted, in words that a program may well speak of its data */
};

static const struct {
    unsigned is;
    const char *words; /* between blanks */
} vocabulary[] = {
    {FILL,
     " of the your my our this that these those all and with for from as are be to it its a an in any exactly still "
     "every each please so on also will should must just above "},
    {PROGRAM, " code implementation implementations logic codebase "},
    {PIECE,
     " function functions method methods component components import imports body markup jsx html css class classes "
     "handler handlers helper helpers route routes style styles definition definitions script boilerplate "},
    {THING,
     " content contents section sections test tests props properties fields rules document page text part parts "
     "config configuration settings cases case items entries options lines types variables constants statements "
     "elements setup module template stuff things documentation data list table dependencies exports structure "},
    {FILE_WORD, " file "},
    {REST, " rest remainder "},
    {REMAINING, " remaining "},
    {EXISTING, " existing original "},
    {OTHER, " other others previous previously earlier "},
    {UNCHANGED, " unchanged untouched unmodified unaltered "},
    {OMITTED, " omitted elided snip snipped "},
    {CUT, " truncated abbreviated skipped shortened hidden "},
    {SAME, " same identical "},
    {STAYS, " remains remain stays stay is continues continue "},
    {PLACE, " here goes go below follows "},
    {BEFORE, " before "},
    {KEEP, " keep leave retain preserve insert paste copy include add "},
    {ELSE, " else everything nothing "},
    {BREVITY, " brevity clarity "},
    {MORE, " more additional etc "},
    {NOT, " no not "},
    {CHANGE, " change changes changed needed shown modified "},
};

/* The same in other languages: enough for a line that is a comment. */
static const char *const foreign[] = {
    "\xe5\x85\xb6\xe4\xbd\x99\xe4\xbb\xa3\xe7\xa0\x81", /* the rest of the code, in Chinese */
    "\xe5\x85\xb6\xe4\xbb\x96\xe4\xbb\xa3\xe7\xa0\x81\xe4\xbf\x9d\xe6\x8c\x81\xe4\xb8\x8d\xe5\x8f\x98",
    "\xe5\x89\xa9\xe4\xbd\x99\xe4\xbb\xa3\xe7\xa0\x81",
    "\xe4\xbb\xa3\xe7\xa0\x81\xe4\xbf\x9d\xe6\x8c\x81\xe4\xb8\x8d\xe5\x8f\x98", /* code stays unchanged */
    "\xe6\xae\x8b\xe3\x82\x8a\xe3\x81\xae\xe3\x82\xb3\xe3\x83\xbc\xe3\x83\x89", /* the rest of the code, in Japanese */
    "rest des codes",
    "rest unver\xc3\xa4ndert",
    "reste du code",
    ("resto del c\xc3\xb3"
     "digo"),
    "resto del codigo",
};

/* ---- words ------------------------------------------------------------------------------------------------------- */

/* What a line is made of. */
struct reading {
    unsigned seen; /* bits of all its words */
    size_t words;
};

static unsigned look_up(const char *word, size_t len)
{
    char wanted[WORD_MAX + 3];
    wanted[0] = ' ';
    memcpy(wanted + 1, word, len);
    wanted[len + 1] = ' ';
    wanted[len + 2] = '\0';
    for (size_t i = 0; i < sizeof vocabulary / sizeof *vocabulary; i++)
        if (strstr(vocabulary[i].words, wanted))
            return vocabulary[i].is;
    return UNKNOWN;
}

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte;
}

static bool is_letter(char byte)
{
    return lower(byte) >= 'a' && lower(byte) <= 'z';
}

static void take_word(struct hv_str text, size_t *at, struct reading *reading)
{
    char word[WORD_MAX];
    size_t len = 0;
    for (; *at < text.len && is_letter(text.ptr[*at]); ++*at, len++)
        if (len < WORD_MAX)
            word[len] = lower(text.ptr[*at]);
    reading->words++;
    reading->seen |= len > WORD_MAX ? UNKNOWN : look_up(word, len);
}

/* Take dots ("...", "…", with blanks and commas around) off one end. */
static bool take_dots(struct hv_str *text, bool front)
{
    bool found = false;
    for (;;) {
        *text = hv_str_trim(*text);
        size_t dots = 0;
        while (dots < text->len && text->ptr[front ? dots : text->len - 1 - dots] == '.')
            dots++;
        bool sign = front ? hv_str_starts(*text, HV_STR("\u2026")) : hv_str_ends(*text, HV_STR("\u2026"));
        size_t len = sign ? 3 : dots >= 3 ? dots : 0;
        if (!len)
            return found;
        found = true;
        *text = front ? hv_str_slice(*text, len, text->len) : hv_str_slice(*text, 0, text->len - len);
    }
}

static struct reading read_words(struct hv_str text)
{
    struct reading reading = {0};
    reading.seen |= take_dots(&text, true) ? DOTS_BEFORE : 0;
    reading.seen |= take_dots(&text, false) ? DOTS_BEHIND : 0;
    for (size_t at = 0; at < text.len;) {
        char byte = text.ptr[at];
        if (is_letter(byte))
            take_word(text, &at, &reading);
        else if (hv_str_starts(hv_str_slice(text, at, text.len), HV_STR("...")))
            at += 3;
        else if (memchr(" \t,.:;!()[]<>-'\"", byte, 16))
            at++;
        else {
            reading.seen |= UNKNOWN;
            at++;
        }
    }
    if (reading.words > WORDS_MAX)
        reading.seen |= UNKNOWN;
    return reading;
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

static bool has_words(struct hv_str text, const char *part)
{
    size_t len = strlen(part);
    for (size_t at = 0; at + len <= text.len; at++)
        if (hv_str_eq_nocase(hv_str_slice(text, at, at + len), hv_str_of(part, len)))
            return true;
    return false;
}

/* That it is as it was: "unchanged", "stays the same", "as is", "no changes here". */
static bool tells_state(unsigned seen, struct hv_str text)
{
    if (seen & (UNCHANGED | OMITTED | CUT | BREVITY))
        return true;
    if ((seen & SAME) && (seen & (STAYS | BEFORE)))
        return true;
    if ((seen & NOT) && (seen & CHANGE))
        return true;
    return has_words(text, "as is") || has_words(text, "as-is") || has_words(text, "as before");
}

static bool elides_with_dots(unsigned seen)
{
    const unsigned left = REST | REMAINING | EXISTING | OTHER | UNCHANGED | OMITTED | CUT | SAME | ELSE | KEEP;
    if (seen & DOTS_BEFORE)
        return (seen & (left | PROGRAM | PIECE | THING | FILE_WORD | MORE)) != 0;
    return (seen & DOTS_BEHIND) && (seen & (left & ~(unsigned)(KEEP | ELSE)));
}

/* The words of a comment. */
static bool comment_elides(const struct reading *reading, struct hv_str text)
{
    unsigned seen = reading->seen;
    const unsigned noun = PROGRAM | PIECE | THING | FILE_WORD;
    if (seen & UNKNOWN)
        return (seen & BREVITY) && (seen & (OMITTED | CUT)) && has_words(text, "for ");
    if (hv_str_ends(text, HV_STR(":")) && !(seen & DOTS_BEFORE)) /* it comes now */
        return false;
    bool state = tells_state(seen, text);
    if (elides_with_dots(seen))
        return true;
    if (seen & REST)
        return state || (seen & (PROGRAM | FILE_WORD | PIECE | STAYS | KEEP | PLACE | SAME));
    if ((seen & REMAINING) && (seen & (PROGRAM | noun)))
        return state || (seen & (PROGRAM | STAYS | PLACE | SAME));
    if ((seen & EXISTING) && (seen & noun))
        return state || (seen & PROGRAM) || (seen & (STAYS | PLACE)) || ((seen & KEEP) && (seen & PIECE));
    if ((seen & OTHER) && (seen & noun))
        return state || ((seen & PROGRAM) && (seen & (STAYS | PLACE | KEEP)));
    if (!state)
        return false;
    if ((seen & ELSE) || (seen & (PROGRAM | PIECE)))
        return true;
    /* Alone: "unchanged", "omitted for brevity", "same as before"; not "file unchanged", which a program may say. */
    return !(seen & (noun | NOT)) && (seen & (UNCHANGED | OMITTED | BREVITY | SAME));
}

/* A line that is no comment, between dots or brackets. */
static bool plain_elides(const struct reading *reading, struct hv_str text, bool strict)
{
    unsigned seen = reading->seen;
    if ((seen & UNKNOWN) || reading->words < 2)
        return false;
    bool state = tells_state(seen, text);
    unsigned noun = seen & (PROGRAM | PIECE | THING | FILE_WORD);
    if (seen & (REST | REMAINING | EXISTING))
        return strict ? state || (noun && (seen & REST)) : state || noun;
    return state && (noun || (seen & ELSE)) && !strict;
}

/* ---- markers ----------------------------------------------------------------------------------------------------- */

/* How a comment begins and, for those that have one, ends. weak: what stands behind it is often prose or a list. */
static const struct {
    const char *begin, *end;
    bool weak, prose;
} markers[] = {
    {"<!--", "-->", false, true},  {"{/*", "*/}", false, true}, {"/*", "*/", false, true},
    {"(*", "*)", false, false},    {"{-", "-}", false, false},  {"--[[", "]]", false, false},
    {"<%--", "--%>", false, true}, {"{#", "#}", false, false},  {"///", "", false, false},
    {"//", "", false, true},       {"##", "", false, false},    {"#", "", false, false},
    {"--", "", false, false},      {";;", "", false, false},    {";", "", false, false},
    {"%%", "", false, false},      {"%", "", false, false},     {"* ", "", true, false},
};

static struct hv_str without(struct hv_str text, const char *begin, const char *end)
{
    text = hv_str_slice(text, strlen(begin), text.len);
    if (*end && hv_str_ends(text, hv_str_from(end)))
        text = hv_str_slice(text, 0, text.len - strlen(end));
    return hv_str_trim(text);
}

/* Which marker a line begins with, or NO_MARKER. */
static int marker_of(struct hv_str line, unsigned flags)
{
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++)
        if (hv_str_starts(line, hv_str_from(markers[i].begin)) && (!(flags & ELISION_PROSE) || markers[i].prose))
            return (int)i;
    return NO_MARKER;
}

/* The text of a comment that is the whole line; weak markers are told. */
static bool take_comment(struct hv_str line, unsigned flags, struct hv_str *text, bool *weak)
{
    int marker = marker_of(line, flags);
    if (marker == NO_MARKER)
        return false;
    *text = without(line, markers[marker].begin, markers[marker].end);
    *weak = markers[marker].weak;
    return true;
}

/* The line without the brackets or dashes around it; dots count too. */
static bool take_brackets(struct hv_str line, struct hv_str *text)
{
    static const char *const pairs[] = {"[]", "()", "<>", "{}", "--", "=="};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (line.len < 3 || line.ptr[0] != pairs[i][0] || line.ptr[line.len - 1] != pairs[i][1])
            continue;
        size_t begin = 0, end = line.len;
        while (begin < end && line.ptr[begin] == pairs[i][0])
            begin++;
        while (end > begin && line.ptr[end - 1] == pairs[i][1])
            end--;
        *text = hv_str_trim(hv_str_slice(line, begin, end));
        return true;
    }
    *text = line;
    return false;
}

static bool text_of_comment_elides(struct hv_str text, bool weak, unsigned flags)
{
    struct hv_str inner;
    if (take_brackets(text, &inner))
        text = inner;
    struct reading reading = read_words(text);
    if (!reading.words && !(reading.seen & UNKNOWN)) /* many dots are a line that is drawn */
        return (reading.seen & (DOTS_BEFORE | DOTS_BEHIND)) && !weak && !(flags & ELISION_PROSE) &&
               !hv_str_starts(text, HV_STR("....."));
    if (comment_elides(&reading, text) && !(weak && !(reading.seen & (REST | EXISTING | UNCHANGED))))
        return !(flags & ELISION_PROSE) || plain_elides(&reading, text, true);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (has_words(text, foreign[i]))
            return true;
    return false;
}

/* A function whose body is only said to be there: "f() { ... }", "f() { // unchanged }". */
static bool body_elides(struct hv_str line, unsigned flags)
{
    size_t open = hv_str_find_byte(line, '{', 0);
    struct hv_str comment;
    bool weak;
    if (!hv_str_ends(line, HV_STR("}")) || open == SIZE_MAX || (flags & ELISION_PROSE))
        return false;
    struct hv_str before = hv_str_trim(hv_str_slice(line, 0, open));
    struct hv_str inside = hv_str_trim(hv_str_slice(line, open + 1, line.len - 1));
    if (hv_str_is(inside, "...") || hv_str_is(inside, "\u2026"))
        return hv_str_ends(before, HV_STR(")")) || hv_str_ends(before, HV_STR("=>"));
    return before.len && take_comment(inside, flags, &comment, &weak) && text_of_comment_elides(comment, weak, flags);
}

static bool line_elides(struct hv_str line, unsigned flags)
{
    struct hv_str text;
    bool weak;
    if (take_comment(line, flags, &text, &weak))
        return text_of_comment_elides(text, weak, flags);
    if (body_elides(line, flags))
        return true;
    bool wrapped = take_brackets(line, &text), is_prose = flags & ELISION_PROSE;
    for (size_t i = 0; i < text.len; i++)
        if (memchr(",;(){}=\"'`", text.ptr[i], 10))
            return false;
    struct hv_str inner = text;
    bool before = take_dots(&inner, true), behind = take_dots(&inner, false);
    if (!wrapped && !(is_prose ? before && behind : before || behind))
        return false;
    struct reading reading = read_words(text);
    return plain_elides(&reading, text, is_prose);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* line stands in text, alone on a line but for blanks. */
static bool stands_in(struct hv_str text, struct hv_str line)
{
    for (size_t at = 0; (at = hv_str_find(text, line, at)) != SIZE_MAX; at++) {
        struct hv_str whole = hv_str_slice(text, lines_begin(text, at), lines_finish(text, at));
        if (hv_str_eq(hv_str_trim(whole), line))
            return true;
    }
    return false;
}

/* The text of a line that is a comment with this marker; empty when it is none. */
static struct hv_str text_with_marker(struct hv_str line, int marker)
{
    line = hv_str_trim(line);
    return marker_of(line, 0) == marker ? without(line, markers[marker].begin, markers[marker].end) : HV_STR("");
}

/* Dots are a line of a longer comment, a list or a sample, where such lines stand on both sides, or on one and the dots
 * are indented in it. */
static bool dots_in_comment(struct hv_str before, struct hv_str line, struct hv_str after, int marker)
{
    bool deep = hv_str_starts(hv_str_slice(line, strlen(markers[marker].begin), line.len), HV_STR("  "));
    size_t sides = (text_with_marker(before, marker).len > 0) + (text_with_marker(after, marker).len > 0);
    return sides == 2 || (sides && deep);
}

/* What a line says belongs to the comment that it stands in: the end of a sentence that the line before it began, or
 * dots in a sample. rest: the text behind the line. */
static bool goes_on(struct hv_str before, struct hv_str line, struct hv_str rest)
{
    int marker = marker_of(line, 0);
    if (marker == NO_MARKER)
        return false;
    struct hv_str text = text_with_marker(line, marker), begun = text_with_marker(before, marker);
    struct reading reading = read_words(text);
    if (!reading.words && !(reading.seen & UNKNOWN))
        return dots_in_comment(before, line, hv_str_slice(rest, 0, lines_finish(rest, 0)), marker);
    if ((reading.seen & (REST | REMAINING | EXISTING)) && (reading.seen & (PROGRAM | FILE_WORD)))
        return false; /* too much would be lost if it were one */
    return begun.len >= FILLED_LINE && !memchr(".!?:;", begun.ptr[begun.len - 1], 5) &&
           !(reading.seen & (DOTS_BEFORE | DOTS_BEHIND));
}

bool elision_find(struct hv_str new_text, struct hv_str old_text, unsigned flags, struct elision *out)
{
    struct hv_str line, before = HV_STR("");
    for (size_t number = 1; lines_next(&new_text, &line); number++) {
        struct hv_str last = before;
        before = line = hv_str_trim(line);
        if (line.len < 4 || line.len > LINE_MAX_BYTES || !line_elides(line, flags) || goes_on(last, line, new_text) ||
            stands_in(old_text, line))
            continue;
        *out = (struct elision){number, line};
        return true;
    }
    return false;
}

bool elision_is_prose(struct hv_str path)
{
    static const char *const endings[] = {".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt", ".tex", ".org"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t len = strlen(endings[i]);
        if (path.len > len &&
            hv_str_eq_nocase(hv_str_slice(path, path.len - len, path.len), hv_str_of(endings[i], len)))
            return true;
    }
    return false;
}
