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
    CATALOG_REASONS = 1 << 0,      /* takes an effort, gives reasoning items (OpenAI) */
    CATALOG_ADAPTIVE = 1 << 1,     /* decides by itself how long to think (Anthropic) */
    CATALOG_STRICT_ROLES = 1 << 2, /* refuses a user's message right after a tool's, wherever it is served (Mistral) */
};

/* The entry of the family that a name belongs to: the name itself, with a date, "-latest" or a tag after it, or with
 * "vendor/" before it (then without a price: others sell it at their own). */
struct catalog_entry catalog_find(struct hv_str name);

/* US dollars per thousand searches of the web by this provider's service; 0: none are sold. */
double catalog_search_price(struct hv_str provider);

/* The whole name of a short one ("sonnet"); any other name as it is. */
struct hv_str catalog_full_name(struct hv_str name);

/* What is taken where no model is named, on the services of their makers. */
#define CATALOG_DEFAULT_ANTHROPIC "claude-sonnet-5-5"
#define CATALOG_DEFAULT_OPENAI "gpt-5.5"

enum catalog_maker { CATALOG_MAKER_UNKNOWN = 0, CATALOG_ANTHROPIC, CATALOG_OPENAI };

/* Whose model a name without a provider is, by how it begins. */
enum catalog_maker catalog_maker(struct hv_str name);

/* The traits that a name, or a server's address, has by a word within it. */
unsigned catalog_traits_within(struct hv_str text);

#endif
