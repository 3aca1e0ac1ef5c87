/*
 * rule_words.h: a deny or ask rule for words, as what it names: a program, sub-commands in their order, and options as
 * a set. "rm -rf:*" takes rm -fr, rm -r -f and rm x --force --recursive. Pure.
 */
#ifndef POLICY_RULE_WORDS_H
#define POLICY_RULE_WORDS_H

#include "shell/script.h"

enum { RULE_WORDS_MAX = 24 };

/* Views of the specifier. Zeroed: it takes nothing. */
struct rule_words {
    struct hv_str program;
    struct hv_str operands[RULE_WORDS_MAX];
    struct hv_str options[RULE_WORDS_MAX]; /* as they are written: "-rf", "--color=always" */
    size_t operand_count, option_count;
    bool open; /* further words may follow */
};

/* Of a specifier without quotes. One that names no program for certain, or has more words, takes nothing. */
void rule_words_read(struct hv_str specifier, struct rule_words *out);

/* The program words[0], by its bare name, with these words is one of which the rule speaks. Words that are not known
 * are no option. */
bool rule_words_take(const struct rule_words *rule, struct hv_str name, const struct shell_word *words, size_t count);

/* What of the words of a program that may or may not run them would be taken, if it did: a word and what follows it, or
 * code in a word. scratch is used meanwhile. */
bool rule_words_may_take(const struct rule_words *rule, const struct shell_word *words, size_t count,
                         struct hv_arena *scratch);

#endif
