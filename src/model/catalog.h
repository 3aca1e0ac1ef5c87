/*
 * catalog.h: what is known of models by their names: prices, windows, limits. One table (catalog.c); a name that is not
 * in it gets careful guesses and no price.
 */
#ifndef MODEL_CATALOG_H
#define MODEL_CATALOG_H

#include <helve/str.h>

struct catalog_entry {
    const char *name;                              /* of the family: "claude-sonnet-4-5" */
    double input, output, cache_read, cache_write; /* US dollars per million tokens; input < 0: not known */
    int64_t window;                                /* tokens */
    int64_t max_output;                            /* tokens */
    unsigned traits;
    int64_t long_prompt; /* prompts longer than so many tokens cost … (0: there is no such limit) */
    double long_factor;  /* … so many times as much, answers too */
};

enum catalog_trait {
    CATALOG_REASONS = 1 << 0,  /* takes an effort, gives reasoning items (OpenAI) */
    CATALOG_ADAPTIVE = 1 << 1, /* decides by itself how long to think (Anthropic) */
};

/* The entry of the family that a name belongs to: the name itself, with a date, "-latest" or a tag after it, or with
 * "vendor/" before it (then without a price: others sell it at their own). */
struct catalog_entry catalog_find(struct hv_str name);

#endif
