/*
 * find_pattern.h: what a regular expression says about all its matches, read off its text without matching anything:
 * sequences of bytes of which each match contains one. The reader knows the common part of PCRE2's syntax and is
 * conservative: what it does not know only weakens the answer. It is given patterns that PCRE2 has compiled. Pure.
 */
#ifndef TEXT_FIND_PATTERN_H
#define TEXT_FIND_PATTERN_H

#include <helve/str.h>

enum { FIND_SEQUENCE_MAX = 32, FIND_SEQUENCES_MAX = 16, FIND_CLASSES_MAX = 64 };

/* A set of byte values. */
struct find_class {
    uint64_t bits[4];
};

static inline bool find_class_has(const struct find_class *class, unsigned byte)
{
    return class->bits[byte >> 6] >> (byte & 63) & 1;
}

/* Adjacent bytes, each of a class (a number in find_facts.classes). */
struct find_sequence {
    unsigned char len, at[FIND_SEQUENCE_MAX];
};

struct find_sequences {
    unsigned count;
    struct find_sequence items[FIND_SEQUENCES_MAX];
};

struct find_facts {
    struct find_class classes[FIND_CLASSES_MAX];
    double shares[FIND_CLASSES_MAX]; /* log2 of the share of each class among the bytes of source code, ≤ 0 */
    unsigned class_count;
    struct find_sequences best; /* each match contains one of them; count 0: nothing is known */
    double cost;                /* log2 of how often one of them is expected per byte of source code */
    bool line_bound;            /* may see beyond its match, or keeps what it took: only true of a line alone */
    bool ends_at_newline;       /* may ask for the end of a line */
};

/* Fill *facts. ignore_case says how the pattern begins; "(?i)" within it is understood. */
void find_pattern_read(struct hv_str pattern, bool ignore_case, struct find_facts *facts);

/* The same for a text to be found as it is. */
void find_pattern_read_fixed(struct hv_str text, bool ignore_case, struct find_facts *facts);

/* Append to out the text that the pattern stands for, if it is one text and nothing else; else false. */
bool find_pattern_is_text(struct hv_str pattern, struct hv_buf *out);

/* Where the bracket expression ends that begins at `at`; SIZE_MAX when its text is out of the common. */
size_t find_pattern_bracket_end(struct hv_str pattern, size_t at);

/* Ask PCRE2 which ASCII characters the class takes whose text is given; they are added. False: it is no class. */
bool find_pattern_ask_class(struct hv_str text, bool ignore_case, struct find_class *class) HV_MUST_CHECK;

/* Does the pattern ask for a line end outside of a class: "\n" or the byte itself? */
bool find_pattern_has_newline(struct hv_str pattern);

#endif
