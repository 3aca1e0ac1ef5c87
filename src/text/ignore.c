/*
 * ignore.c: see ignore.h. A rule is of one of four kinds: a plain name, "*" and a plain suffix, a plain path, or a real
 * wildcard. The first three lie in hash tables whose entries lead to the last rule of that key, and from there to
 * earlier ones; wildcards are tried from the last one back, and only those that come after the best rule found by
 * hashing.
 */
#include "text/ignore.h"

#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "text/glob.h"
#include "text/lines.h"

#include <string.h>

enum { FOLDED_PATH_STACK = 4096, ENDINGS = 64, LENGTHS_TOLD = 31 };

/* A set of hashes, by which most names are told from those that rules speak of, before anything is compared. */
struct sieve {
    uint64_t bits[8];
};

struct rule {
    struct ignore_rule_text text;
    struct hv_str fixed;  /* the part before the first wildcard, or the key of a hash table */
    struct hv_str wild;   /* the part from the first wildcard on; absent for a plain rule */
    struct hv_str needed; /* plain bytes that the wild part cannot match without; may be empty */
    bool negated, directory_only;
    bool name_only;       /* no slash inside: matched against the last component */
    bool top_only;        /* matches nothing with a slash in it */
    bool suffix;          /* '*' and a plain suffix */
    struct rule *earlier; /* with the same key */
};

struct suffix_length {
    size_t length;
    struct sieve outlines; /* of the suffixes of that length */
};

/* A rule with wildcards, and what is looked at first. */
struct wildcard {
    const struct rule *rule;
    uint64_t pairs; /* of neighbouring bytes that the name must hold */
    int first;      /* the byte that name or path must begin with; -1: any */
};

struct ignore_list {
    struct rule *rules; /* in the order of the file */
    size_t count;
    struct map names, suffixes, paths;
    struct sieve name_outlines, path_outlines; /* of plain names, and of the last components of plain paths */
    VEC(struct suffix_length) suffix_lengths;  /* distinct */
    uint32_t lengths_by_last[ENDINGS];         /* by the last byte of a name: bit i, suffixes of length i may fit */
    uint32_t any_ending;                       /* the same for any byte; the last bit: all further lengths */
    VEC(struct wildcard) wildcards;
    bool icase;
};

static void release_list(void *data)
{
    struct ignore_list *list = data;
    map_release(&list->names);
    map_release(&list->suffixes);
    map_release(&list->paths);
    vec_release(&list->suffix_lengths);
    vec_release(&list->wildcards);
}

/* ---- parsing ---- */

static size_t plain_length(struct hv_str pattern)
{
    for (size_t i = 0; i < pattern.len; i++)
        if (pattern.ptr[i] && strchr("*?[\\", pattern.ptr[i]))
            return i;
    return pattern.len;
}

/* Blanks at the end do not count unless a backslash stands before; one at the very end keeps everything. */
static struct hv_str trim_blanks(struct hv_str line)
{
    size_t end = 0;
    for (size_t i = 0; i < line.len; i++) {
        bool escaped = line.ptr[i] == '\\';
        if (escaped && ++i == line.len)
            return line;
        if (escaped || line.ptr[i] != ' ')
            end = i + 1;
    }
    return hv_str_slice(line, 0, end);
}

static void fold_ascii(char *to, const char *from, size_t len)
{
    for (size_t i = 0; i < len; i++)
        to[i] = from[i] >= 'A' && from[i] <= 'Z' ? (char)(from[i] + ('a' - 'A')) : from[i];
}

/* Split the pattern of a rule (without '!') into its parts. */
static void set_pattern(struct rule *rule, struct hv_str pattern)
{
    rule->directory_only = hv_str_ends(pattern, HV_STR("/"));
    if (rule->directory_only)
        pattern.len--;
    rule->name_only = hv_str_find_byte(pattern, '/', 0) == SIZE_MAX;
    if (pattern.len && pattern.ptr[0] == '/')
        pattern = hv_str_slice(pattern, 1, pattern.len);
    rule->top_only = !rule->name_only && hv_str_find_byte(pattern, '/', 0) == SIZE_MAX &&
                     hv_str_find(pattern, HV_STR("**"), 0) == SIZE_MAX;
    size_t plain = plain_length(pattern);
    struct hv_str after_star = hv_str_slice(pattern, 1, pattern.len);
    rule->suffix =
        rule->name_only && pattern.len && pattern.ptr[0] == '*' && plain_length(after_star) == after_star.len;
    if (rule->suffix) {
        rule->fixed = after_star;
    } else {
        rule->fixed = hv_str_slice(pattern, 0, plain);
        rule->wild = plain < pattern.len ? hv_str_slice(pattern, plain, pattern.len) : hv_str_of(NULL, 0);
    }
}

static unsigned byte_at(struct hv_str text, size_t at)
{
    return (unsigned char)text.ptr[at];
}

/* A hash of the length and some of the bytes. */
static unsigned outline(struct hv_str text)
{
    if (!text.len)
        return 0;
    return (unsigned)text.len * 67 + byte_at(text, 0) * 5 + byte_at(text, text.len / 2) * 19 +
           byte_at(text, text.len - 1) * 41;
}

static void sieve_add(struct sieve *sieve, unsigned hash)
{
    sieve->bits[hash / 64 % 8] |= UINT64_C(1) << hash % 64;
}

static bool sieve_has(const struct sieve *sieve, unsigned hash)
{
    return sieve->bits[hash / 64 % 8] >> hash % 64 & 1;
}

static struct hv_str last_component(struct hv_str path)
{
    size_t slash = hv_str_rfind_byte(path, '/');
    return slash == SIZE_MAX ? path : hv_str_slice(path, slash + 1, path.len);
}

static void note_suffix(struct ignore_list *list, struct hv_str suffix)
{
    size_t i = 0;
    while (i < list->suffix_lengths.count && list->suffix_lengths.items[i].length != suffix.len)
        i++;
    if (i == list->suffix_lengths.count)
        *vec_push(&list->suffix_lengths) = (struct suffix_length){.length = suffix.len};
    sieve_add(&list->suffix_lengths.items[i].outlines, outline(suffix));
    if (suffix.len && i < LENGTHS_TOLD)
        list->lengths_by_last[byte_at(suffix, suffix.len - 1) % ENDINGS] |= UINT32_C(1) << i;
    else
        list->any_ending |= UINT32_C(1) << (i < LENGTHS_TOLD ? i : LENGTHS_TOLD);
}

/*
 * The longest plain part of a wild one, looked for up to what takes more than a look to understand. Slashes at its ends
 * do not count, since beside "**" they may stand for nothing.
 */
static struct hv_str needed_part(struct hv_str wild)
{
    struct hv_str best = {0};
    for (size_t at = 0; at < wild.len && wild.ptr[at] != '[' && wild.ptr[at] != '\\'; at++) {
        size_t from = at;
        at += plain_length(hv_str_slice(wild, at, wild.len));
        struct hv_str part = hv_str_slice(wild, from, at);
        while (part.len && part.ptr[0] == '/')
            part = hv_str_slice(part, 1, part.len);
        while (part.len && part.ptr[part.len - 1] == '/')
            part.len--;
        if (part.len > best.len)
            best = part;
        if (at < wild.len && (wild.ptr[at] == '[' || wild.ptr[at] == '\\'))
            break;
    }
    return best;
}

static struct hv_str folded(struct hv_arena *arena, struct hv_str text)
{
    char *copy = hv_arena_alloc(arena, text.len);
    fold_ascii(copy, text.ptr, text.len);
    return hv_str_of(copy, text.len);
}

/* Which neighbours there are in a text, by hash: what holds another text has all of its pairs. */
static uint64_t pairs_of(struct hv_str text)
{
    uint64_t pairs = 0;
    for (size_t i = 1; i < text.len; i++)
        pairs |= UINT64_C(1) << (byte_at(text, i - 1) * 5 + byte_at(text, i) * 3) % 64;
    return pairs;
}

static void index_rule(struct hv_arena *arena, struct ignore_list *list, struct rule *rule)
{
    if (list->icase && rule->fixed.len)
        rule->fixed = folded(arena, rule->fixed);
    if (rule->wild.ptr) {
        rule->needed = needed_part(rule->wild);
        if (list->icase && rule->needed.len)
            rule->needed = folded(arena, rule->needed);
        *vec_push(&list->wildcards) = (struct wildcard){.rule = rule,
                                                        .pairs = rule->name_only ? pairs_of(rule->needed) : 0,
                                                        .first = rule->fixed.len ? (int)byte_at(rule->fixed, 0) : -1};
        return;
    }
    struct map *map = rule->suffix ? &list->suffixes : rule->name_only ? &list->names : &list->paths;
    rule->earlier = map_set(map, rule->fixed, rule);
    if (rule->suffix)
        note_suffix(list, rule->fixed);
    else if (rule->name_only)
        sieve_add(&list->name_outlines, outline(rule->fixed));
    else
        sieve_add(&list->path_outlines, outline(last_component(rule->fixed)));
}

static struct ignore_list *new_list(struct hv_arena *arena, size_t capacity, unsigned flags)
{
    struct ignore_list *list = hv_arena_new(arena, struct ignore_list);
    list->rules = hv_arena_array(arena, struct rule, capacity);
    list->icase = flags & IGNORE_ICASE;
    hv_arena_on_release(arena, release_list, list);
    return list;
}

static const struct ignore_list *index_list(struct hv_arena *arena, struct ignore_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        index_rule(arena, list, &list->rules[i]);
    return list->count ? list : NULL;
}

static void parse_line(struct ignore_list *list, struct hv_str line, size_t number)
{
    line = lines_chop(line);
    if (hv_str_ends(line, HV_STR("\r")))
        line.len--; /* the last line, without a newline */
    size_t nul = hv_str_find_byte(line, '\0', 0);
    line = hv_str_slice(line, 0, nul); /* git reads a rule as a C string */
    if (!line.len || line.ptr[0] == '#')
        return;
    struct hv_str pattern = trim_blanks(line);
    if (!pattern.len)
        return;
    struct rule *rule = &list->rules[list->count++];
    *rule = (struct rule){.text = {pattern, number}, .negated = pattern.ptr[0] == '!'};
    set_pattern(rule, hv_str_slice(pattern, rule->negated, pattern.len));
}

const struct ignore_list *ignore_parse(struct hv_arena *arena, struct hv_str bytes, unsigned flags)
{
    if (hv_str_starts(bytes, HV_STR("\xef\xbb\xbf")))
        bytes = hv_str_slice(bytes, 3, bytes.len);
    size_t lines = lines_count(bytes);
    if (!lines)
        return NULL;
    struct hv_str rest = hv_arena_str(arena, bytes), line;
    struct ignore_list *list = new_list(arena, lines, flags);
    for (size_t number = 1; lines_next(&rest, &line); number++)
        parse_line(list, line, number);
    return index_list(arena, list);
}

const struct ignore_list *ignore_parse_pattern(struct hv_arena *arena, struct hv_str pattern, unsigned flags)
{
    if (!pattern.len)
        return NULL;
    struct ignore_list *list = new_list(arena, 1, flags);
    struct rule *rule = &list->rules[list->count++];
    rule->text = (struct ignore_rule_text){hv_arena_str(arena, pattern), 1};
    struct hv_str kept = rule->text.pattern;
    if (hv_str_starts(kept, HV_STR("./")))
        kept = hv_str_slice(kept, 1, kept.len); /* "./x" is anchored, as "/x" */
    bool everything = hv_str_is(kept, ".") || hv_str_is(kept, "/");
    set_pattern(rule, everything ? HV_STR("**") : kept);
    return index_list(arena, list);
}

/* ---- matching ---- */

struct subject {
    struct hv_str path, name; /* folded when the list ignores case; never absent */
    bool is_directory;
};

/* The later of best and the newest rule of the chain that applies to the subject. */
static const struct rule *later(const struct rule *best, const struct rule *chain, const struct subject *subject)
{
    while (chain && chain->directory_only && !subject->is_directory)
        chain = chain->earlier;
    return chain && (!best || chain > best) ? chain : best;
}

static bool wildcard_matches(const struct ignore_list *list, const struct rule *rule, const struct subject *subject)
{
    if (rule->directory_only && !subject->is_directory)
        return false;
    if (rule->top_only && subject->name.len != subject->path.len)
        return false;
    struct hv_str text = rule->name_only ? subject->name : subject->path;
    if (!hv_str_starts(text, rule->fixed))
        return false;
    text = hv_str_slice(text, rule->fixed.len, text.len);
    if (rule->needed.len && !memmem(text.ptr, text.len, rule->needed.ptr, rule->needed.len))
        return false;
    return glob_match(rule->wild, text, (rule->name_only ? 0 : GLOB_PATHNAME) | (list->icase ? GLOB_ICASE : 0));
}

static const struct rule *find_suffix(const struct ignore_list *list, const struct subject *subject,
                                      const struct rule *best)
{
    struct hv_str name = subject->name;
    uint32_t lengths = list->any_ending;
    if (name.len)
        lengths |= list->lengths_by_last[byte_at(name, name.len - 1) % ENDINGS];
    for (size_t i = 0; lengths && i < list->suffix_lengths.count; i++, lengths >>= i <= LENGTHS_TOLD) {
        const struct suffix_length *suffixes = &list->suffix_lengths.items[i];
        if (!(lengths & 1) || suffixes->length > name.len)
            continue;
        struct hv_str suffix = hv_str_slice(name, name.len - suffixes->length, name.len);
        if (sieve_has(&suffixes->outlines, outline(suffix)))
            best = later(best, map_get(&list->suffixes, suffix), subject);
    }
    return best;
}

/* The last one that matches and comes after best. */
static const struct rule *find_wildcard(const struct ignore_list *list, const struct subject *subject,
                                        const struct rule *best)
{
    if (!list->wildcards.count)
        return best;
    uint64_t pairs = pairs_of(subject->name);
    int name_first = subject->name.len ? (int)byte_at(subject->name, 0) : -1;
    int path_first = subject->path.len ? (int)byte_at(subject->path, 0) : -1;
    for (size_t i = list->wildcards.count; i--;) {
        const struct wildcard *wildcard = &list->wildcards.items[i];
        if (best && wildcard->rule < best)
            break;
        if (wildcard->pairs & ~pairs)
            continue;
        if (wildcard->first >= 0 && wildcard->first != name_first && wildcard->first != path_first)
            continue;
        if (wildcard_matches(list, wildcard->rule, subject))
            return wildcard->rule;
    }
    return best;
}

static const struct rule *find_rule(const struct ignore_list *list, const struct subject *subject)
{
    const struct rule *best = NULL;
    unsigned name_outline = outline(subject->name);
    if (sieve_has(&list->name_outlines, name_outline))
        best = later(best, map_get(&list->names, subject->name), subject);
    if (sieve_has(&list->path_outlines, name_outline))
        best = later(best, map_get(&list->paths, subject->path), subject);
    return find_wildcard(list, subject, find_suffix(list, subject, best));
}

enum ignore_verdict ignore_match_rule(const struct ignore_list *list, struct hv_str path, bool is_directory,
                                      struct ignore_rule_text *text)
{
    *text = (struct ignore_rule_text){0};
    if (!list)
        return IGNORE_NONE;
    if (!path.len)
        path = HV_STR("");
    char stack[FOLDED_PATH_STACK];
    CLEANUP_FREE char *heap = NULL;
    if (list->icase && path.len) {
        char *folded = path.len <= sizeof stack ? stack : (heap = hv_malloc(path.len));
        fold_ascii(folded, path.ptr, path.len);
        path.ptr = folded;
    }
    struct subject subject = {.path = path, .name = last_component(path), .is_directory = is_directory};
    const struct rule *rule = find_rule(list, &subject);
    if (!rule)
        return IGNORE_NONE;
    *text = rule->text;
    return rule->negated ? IGNORE_INCLUDED : IGNORE_IGNORED;
}

enum ignore_verdict ignore_match(const struct ignore_list *list, struct hv_str path, bool is_directory)
{
    struct ignore_rule_text unused;
    return ignore_match_rule(list, path, is_directory, &unused);
}

enum ignore_verdict ignore_match_below(const struct ignore_list *list, struct hv_str path, bool is_directory)
{
    if (!list)
        return IGNORE_NONE;
    for (size_t slash = 0; (slash = hv_str_find_byte(path, '/', slash)) != SIZE_MAX; slash++)
        if (ignore_match(list, hv_str_slice(path, 0, slash), true) == IGNORE_IGNORED)
            return IGNORE_IGNORED;
    return ignore_match(list, path, is_directory);
}

/* The verdict of one link on path, which is relative to the root of the walk. */
static enum ignore_verdict match_link(const struct ignore_chain *link, struct hv_str path, bool is_directory)
{
    if (!link->list)
        return IGNORE_NONE;
    if (link->above.len) {
        char stack[FOLDED_PATH_STACK];
        size_t len = link->above.len + 1 + path.len;
        CLEANUP_FREE char *heap = len > sizeof stack ? hv_malloc(len) : NULL;
        char *joined = heap ? heap : stack;
        memcpy(joined, link->above.ptr, link->above.len);
        joined[link->above.len] = '/';
        if (path.len)
            memcpy(joined + link->above.len + 1, path.ptr, path.len);
        return ignore_match(link->list, hv_str_of(joined, len), is_directory);
    }
    if (link->base.len) {
        if (path.len <= link->base.len || path.ptr[link->base.len] != '/' || !hv_str_starts(path, link->base))
            return IGNORE_NONE;
        path = hv_str_slice(path, link->base.len + 1, path.len);
    }
    return ignore_match(link->list, path, is_directory);
}

enum ignore_verdict ignore_chain_match(const struct ignore_chain *chain, struct hv_str path, bool is_directory)
{
    for (; chain; chain = chain->parent) {
        enum ignore_verdict verdict = match_link(chain, path, is_directory);
        if (verdict != IGNORE_NONE)
            return verdict;
    }
    return IGNORE_NONE;
}
