/* catalog.c: see catalog.h. Prices as the providers published them for their own services, for the standard tier. */
#include "model/catalog.h"

#include "model/fault.h"

enum { UNKNOWN_WINDOW = 128000, CLAUDE_WINDOW = 200000, UNKNOWN_OUTPUT = 8192, CLAUDE_OUTPUT = 32000 };

#define R CATALOG_REASONS
#define A CATALOG_ADAPTIVE

/* name, input, output, cache read, cache write, window, longest output, traits, long prompts from, by this factor */
static const struct catalog_entry entries[] = {
    {"claude-fable-5-2", 8, 40, 0.8, 10, 1000000, 128000, A},
    {"claude-fable-5-1", 10, 50, 1, 12.5, 1000000, 128000, A},
    {"claude-fable-5", 10, 50, 1, 12.5, 1000000, 128000, A},
    {"claude-opus-5-5", 4, 20, 0.4, 5, 1000000, 128000, A},
    {"claude-opus-5", 5, 25, 0.5, 6.25, 1000000, 128000, A},
    {"claude-sonnet-5-5", 2, 10, 0.1, 2.5, 1000000, 128000, A},
    {"claude-sonnet-5", 2, 10, 0.2, 2.5, 1000000, 128000, A},
    {"claude-haiku-5-5", 0.1, 0.5, 0.01, 0.125, 1000000, 128000, A, 100000, 5},
    {"claude-opus-4-8", 5, 25, 0.5, 6.25, 1000000, 128000, A},
    {"claude-opus-4-7", 5, 25, 0.5, 6.25, 1000000, 128000, A},
    {"claude-opus-4-6", 5, 25, 0.5, 6.25, 1000000, 128000, A},
    {"claude-opus-4-5", 5, 25, 0.5, 6.25, 200000, 64000, 0},
    {"claude-opus-4-1", 15, 75, 1.5, 18.75, 200000, 32000, 0},
    {"claude-opus-4-0", 15, 75, 1.5, 18.75, 200000, 32000, 0},
    {"claude-opus-4", 15, 75, 1.5, 18.75, 200000, 32000, 0},
    {"claude-sonnet-4-6", 3, 15, 0.3, 3.75, 1000000, 64000, A},
    {"claude-sonnet-4-5", 3, 15, 0.3, 3.75, 200000, 64000, 0},
    {"claude-sonnet-4-0", 3, 15, 0.3, 3.75, 200000, 64000, 0},
    {"claude-sonnet-4", 3, 15, 0.3, 3.75, 200000, 64000, 0},
    {"claude-haiku-4-5", 1, 5, 0.1, 1.25, 200000, 64000, 0},
    {"claude-3-7-sonnet", 3, 15, 0.3, 3.75, 200000, 64000, 0},
    {"claude-3-5-sonnet", 3, 15, 0.3, 3.75, 200000, 8192, 0},
    {"claude-3-5-haiku", 0.8, 4, 0.08, 1, 200000, 8192, 0},
    {"claude-3-opus", 15, 75, 1.5, 18.75, 200000, 4096, 0},
    {"claude-3-haiku", 0.25, 1.25, 0.03, 0.3, 200000, 4096, 0},
    {"gpt-5.5-pro", 30, 180, 30, 30, 1000000, 128000, R},
    {"gpt-5.5", 5, 30, 0.5, 5, 1000000, 128000, R},
    {"gpt-5.4-pro", 30, 180, 30, 30, 1000000, 128000, R},
    {"gpt-5.4-mini", 0.75, 4.5, 0.075, 0.75, 400000, 128000, R},
    {"gpt-5.4-nano", 0.2, 1.25, 0.02, 0.2, 400000, 128000, R},
    {"gpt-5.4", 2.5, 15, 0.25, 2.5, 1000000, 128000, R},
    {"gpt-5.2-pro", 21, 168, 21, 21, 400000, 128000, R},
    {"gpt-5.2-codex", 1.75, 14, 0.175, 1.75, 400000, 128000, R},
    {"gpt-5.2", 1.75, 14, 0.175, 1.75, 400000, 128000, R},
    {"gpt-5.1-codex-max", 1.25, 10, 0.125, 1.25, 400000, 128000, R},
    {"gpt-5.1-codex-mini", 0.25, 2, 0.025, 0.25, 400000, 128000, R},
    {"gpt-5.1-codex", 1.25, 10, 0.125, 1.25, 400000, 128000, R},
    {"gpt-5.1", 1.25, 10, 0.125, 1.25, 400000, 128000, R},
    {"gpt-5-codex", 1.25, 10, 0.125, 1.25, 400000, 128000, R},
    {"gpt-5-pro", 15, 120, 15, 15, 400000, 272000, R},
    {"gpt-5-mini", 0.25, 2, 0.025, 0.25, 400000, 128000, R},
    {"gpt-5-nano", 0.05, 0.4, 0.005, 0.05, 400000, 128000, R},
    {"gpt-5-chat", 1.25, 10, 0.125, 1.25, 128000, 16384, 0},
    {"gpt-5", 1.25, 10, 0.125, 1.25, 400000, 128000, R},
    {"gpt-4.1-mini", 0.4, 1.6, 0.1, 0.4, 1047576, 32768, 0},
    {"gpt-4.1-nano", 0.1, 0.4, 0.025, 0.1, 1047576, 32768, 0},
    {"gpt-4.1", 2, 8, 0.5, 2, 1047576, 32768, 0},
    {"gpt-4o-mini", 0.15, 0.6, 0.075, 0.15, 128000, 16384, 0},
    {"gpt-4o", 2.5, 10, 1.25, 2.5, 128000, 16384, 0},
    {"codex-mini", 1.5, 6, 0.375, 1.5, 200000, 100000, R},
    {"o4-mini", 1.1, 4.4, 0.275, 1.1, 200000, 100000, R},
    {"o3-pro", 20, 80, 20, 20, 200000, 100000, R},
    {"o3-mini", 1.1, 4.4, 0.55, 1.1, 200000, 100000, R},
    {"o3", 2, 8, 0.5, 2, 200000, 100000, R},
    {"o1", 15, 60, 7.5, 15, 200000, 100000, R},
};

/*
 * Provider, US dollars per thousand of its own searches; the tokens of what they find are counted by the provider as
 * input. platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool ("$10 per 1,000 searches", as counted in
 * usage.server_tool_use; failed ones are not) and developers.openai.com/api/docs/pricing ("Web search (all models):
 * $10.00 / 1k calls"; by its guide to the tool only actions "search" are calls), both as of November 2026. The tool
 * web_search_preview, which has other prices, is not used here.
 */
static const struct {
    const char *provider;
    double price;
} searches[] = {
    {"anthropic", 10},
    {"openai-responses", 10},
};

double catalog_search_price(struct hv_str provider)
{
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        if (hv_str_is(provider, searches[i].provider))
            return searches[i].price;
    }
    return 0;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* What may follow a family's name in the name of one of its snapshots: a date, "-latest", or a tag ("@…", ":…"). */
static bool is_snapshot(struct hv_str rest)
{
    if (!rest.len || hv_str_is(rest, "-latest") || rest.ptr[0] == '@' || rest.ptr[0] == ':')
        return true;
    return rest.len > 8 && rest.ptr[0] == '-' && rest.ptr[1] == '2' && is_digit(rest.ptr[2]) && is_digit(rest.ptr[3]) &&
           is_digit(rest.ptr[4]);
}

static const struct catalog_entry *find_family(struct hv_str name)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        struct hv_str family = hv_str_from(entries[i].name);
        if (hv_str_starts(name, family) && is_snapshot(hv_str_slice(name, family.len, name.len)))
            return &entries[i];
    }
    return NULL;
}

enum catalog_maker catalog_maker(struct hv_str name)
{
    if (hv_str_starts(name, HV_STR("claude")))
        return CATALOG_ANTHROPIC;
    return hv_str_starts(name, HV_STR("gpt")) ? CATALOG_OPENAI : CATALOG_MAKER_UNKNOWN;
}

struct hv_str catalog_full_name(struct hv_str name)
{
    static const char *const names[][2] = {
        {"sonnet", CATALOG_DEFAULT_ANTHROPIC}, {"opus", "claude-opus-5-5"}, {"haiku", "claude-haiku-5-5"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (hv_str_is(name, names[i][0]))
            return hv_str_from(names[i][1]);
    }
    return name;
}

unsigned catalog_traits_within(struct hv_str text)
{
    static const char *const strict[] = {"mistral", "magistral", "ministral", "devstral", "codestral", "pixtral"};
    for (size_t i = 0; i < sizeof strict / sizeof *strict; i++) {
        if (fault_contains(text, strict[i]))
            return CATALOG_STRICT_ROLES;
    }
    return 0;
}

/* Of a name that is not in the table something can still be said by how it begins. */
static struct catalog_entry guess(struct hv_str name)
{
    bool claude = catalog_maker(name) == CATALOG_ANTHROPIC;
    struct catalog_entry entry = {
        .input = -1,
        .window = claude ? CLAUDE_WINDOW : UNKNOWN_WINDOW,
        .max_output = claude ? CLAUDE_OUTPUT : UNKNOWN_OUTPUT,
    };
    /* The newer ones refuse to be given a budget; the older ones are all in the table, but for the third generation. */
    if (claude && !hv_str_starts(name, HV_STR("claude-3")) && !hv_str_starts(name, HV_STR("claude-2")))
        entry.traits = CATALOG_ADAPTIVE;
    bool reasons = hv_str_starts(name, HV_STR("gpt-5")) || hv_str_starts(name, HV_STR("gpt-6"));
    if (name.len > 1 && name.ptr[0] == 'o' && is_digit(name.ptr[1]))
        reasons = true;
    if (reasons && hv_str_find(name, HV_STR("-chat"), 0) == SIZE_MAX)
        entry.traits = CATALOG_REASONS;
    return entry;
}

struct catalog_entry catalog_find(struct hv_str name)
{
    size_t slash = hv_str_rfind_byte(name, '/');
    struct hv_str last = slash == SIZE_MAX ? name : hv_str_slice(name, slash + 1, name.len);
    const struct catalog_entry *found = find_family(last);
    struct catalog_entry entry = found ? *found : guess(last);
    entry.traits |= catalog_traits_within(name);
    if (slash != SIZE_MAX)
        entry.input = -1;
    return entry;
}
