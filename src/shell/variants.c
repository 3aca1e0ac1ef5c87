/* variants.c: commands with words that are one of several known values, gone through one by one. See classify.h. */
#include "shell/classify.h"
#include <string.h>

enum { VARIANTS_MAX = 32, ALL_VARIANTS_MAX = 128 }; /* of a command, and of a judgement */

static const struct shell_choices *choices_of(const struct shell_reading *reading, const struct shell_word *word)
{
    return word->choices ? &reading->script->choices[word->choices - 1] : NULL;
}

static size_t digit_of(const struct shell_variants *variants, uint32_t base)
{
    size_t digit = 0;
    while (digit < variants->count && variants->base[digit] != base)
        digit++;
    return digit;
}

/* `for c in gcc clang; do $c --version; done`: of programs, nothing else is gone through. */
static bool asks_version(const struct shell_word *words, size_t count)
{
    return count == 2 && words[1].known && shell_names_have("--version -version version -V -v --help", words[1].value);
}

bool shell_variants_begin(struct shell_reading *reading, const struct shell_word *words, size_t count,
                          struct shell_variants *variants)
{
    size_t product = 1;
    *variants = (struct shell_variants){0};
    for (size_t i = 0; i < count; i++) {
        const struct shell_choices *choices = choices_of(reading, &words[i]);
        size_t digit = choices ? digit_of(variants, choices->base) : 0;
        if (!choices || digit < variants->count)
            continue;
        product *= choices->count;
        if ((!i && !asks_version(words, count)) || digit == SHELL_VARIANT_BASES || product > VARIANTS_MAX)
            return false;
        variants->base[digit] = choices->base;
        variants->values[digit] = choices->count;
        variants->count++;
    }
    if (!variants->count || reading->lookups->variants + product > ALL_VARIANTS_MAX)
        return false;
    reading->lookups->variants += product;
    return true;
}

const struct shell_word *shell_variant(struct shell_reading *reading, const struct shell_word *words, size_t count,
                                       const struct shell_variants *variants)
{
    struct shell_word *made = hv_arena_array(reading->arena, struct shell_word, count);
    memcpy(made, words, count * sizeof *made);
    for (size_t i = 0; i < count; i++) {
        const struct shell_choices *choices = choices_of(reading, &words[i]);
        if (!choices)
            continue;
        made[i] = shell_word_known(choices->values[variants->at[digit_of(variants, choices->base)]]);
        made[i].text = words[i].text;
    }
    return made;
}

bool shell_variants_next(struct shell_variants *variants)
{
    for (size_t digit = 0; digit < variants->count; digit++) {
        if (++variants->at[digit] < variants->values[digit])
            return true;
        variants->at[digit] = 0;
    }
    return false;
}
