/*
 * bm25.c: see bm25.h. The words of all documents stand one after the other, each with a key that holds its first
 * letters and its length. A query runs over the keys, many at a time, and looks at the few words whose key fits: with
 * thousands of short documents that takes less than a millisecond a word, and making ready costs no more than reading
 * the documents once, where an index sorted by words would cost ten times as much. A document's score is the usual
 * Okapi BM25, with a word in the name or hint counted as several occurrences.
 */
#include "text/bm25.h"

#include "base/cleanup.h"

#include <math.h>
#include <string.h>

enum {
    WORD_MAX = 64,         /* bytes; the rest of a longer word does not count */
    QUERY_WORDS_MAX = 64,  /* different ones; further ones do not count */
    DOCUMENT_WORDS = 4096, /* of one text; further ones do not count */
    KEY_LETTERS = 3,       /* bytes of a word in its key; so many must agree for the beginning of a word to count */
    LENGTH_SHIFT = 24,     /* the length of a word stands above them */
    FIELDS = 3,
};

#define LETTERS_MASK (((uint32_t)1 << LENGTH_SHIFT) - 1)

static const float field_weights[FIELDS] = {5, 2.5F, 1};          /* name, hint, description */
static const float saturation = 1.2F, length_share = 0.6F;        /* k1 and b of BM25 */
static const float beginning_factor = 0.5F, plural_factor = 0.9F; /* of what a whole word gives */

struct bm25 {
    char *text;               /* all words, in small letters, without anything between them */
    uint32_t *keys, *offsets; /* per word: its key, where it stands in text */
    uint32_t *ends;           /* per document and field: the number of words up to its end */
    float *norms;             /* per document: k1 × (1 - b + b × length / average) */
    size_t count, words;
};

/* ---- words ---- */

static bool is_capital(char byte)
{
    return byte >= 'A' && byte <= 'Z';
}

/* The byte in small letters, 0 for what separates words. Bytes of other scripts are letters. */
static char fold(char byte)
{
    if (is_capital(byte))
        return (char)(byte | 0x20);
    bool in_word = (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || (unsigned char)byte >= 0x80;
    return (char)(in_word ? byte : 0);
}

/* The next run of letters and digits of *rest; false when there is none. */
static bool next_run(struct hv_str *rest, struct hv_str *run)
{
    const char *at = rest->ptr, *end = at + rest->len;
    while (at < end && !fold(*at))
        at++;
    run->ptr = at;
    while (at < end && fold(*at))
        at++;
    run->len = (size_t)(at - run->ptr);
    *rest = hv_str_of(at, (size_t)(end - at));
    return run->len > 0;
}

/* A hump begins at i: "createIssue" before I, "HTTPServer" before S. */
static bool hump_begins(struct hv_str run, size_t i)
{
    if (!is_capital(run.ptr[i]))
        return false;
    return !is_capital(run.ptr[i - 1]) || (i + 1 < run.len && run.ptr[i + 1] >= 'a' && run.ptr[i + 1] <= 'z');
}

/* The next part of a run in camel case. */
static bool next_part(struct hv_str *rest, struct hv_str *part)
{
    size_t to = 1;
    if (!rest->len)
        return false;
    while (to < rest->len && !hump_begins(*rest, to))
        to++;
    *part = hv_str_slice(*rest, 0, to);
    *rest = hv_str_slice(*rest, to, rest->len);
    return true;
}

/* The key of a word that has KEY_LETTERS readable bytes, whatever its length. */
static inline uint32_t key_of(const char *word, size_t len)
{
    static const uint32_t masks[KEY_LETTERS + 1] = {0, 0xff, 0xffff, LETTERS_MASK};
    const unsigned char *bytes = (const unsigned char *)word;
    uint32_t letters = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;
    return (letters & masks[len < KEY_LETTERS ? len : KEY_LETTERS]) | (uint32_t)len << LENGTH_SHIFT;
}

/* ---- building ---- */

struct builder {
    struct bm25 *index;
    char folds[256];       /* of each byte: a look-up is quicker than to ask every time */
    size_t used, capacity; /* of text; of keys and offsets */
};

static void grow(struct builder *builder)
{
    struct bm25 *index = builder->index;
    builder->capacity *= 2;
    index->keys = hv_realloc(index->keys, builder->capacity * sizeof *index->keys);
    index->offsets = hv_realloc(index->offsets, builder->capacity * sizeof *index->offsets);
}

/* Add a word that stands in text already. */
static inline void add_word(struct builder *builder, size_t offset, size_t len)
{
    struct bm25 *index = builder->index;
    if (index->words == builder->capacity)
        grow(builder);
    index->keys[index->words] = key_of(index->text + offset, len < WORD_MAX ? len : WORD_MAX);
    index->offsets[index->words++] = (uint32_t)offset;
}

/* Copy the run that begins at `at` behind the text, in small letters; *inner: it has a capital letter inside. */
static inline size_t copy_run(struct builder *builder, const char *at, const char *end, bool *inner)
{
    char *out = builder->index->text + builder->used;
    size_t len = 0;
    *inner = false;
    for (char folded; at + len < end && (folded = builder->folds[(unsigned char)at[len]]); len++) {
        out[len] = folded;
        *inner |= len && folded != at[len];
    }
    return len;
}

/* Add the words of a text: runs, and the parts of those in camel case. Returns how many runs. */
static size_t add_text(struct builder *builder, struct hv_str text)
{
    const char *at = text.ptr, *end = at + text.len;
    size_t runs = 0, len;
    for (bool inner; at < end && runs < DOCUMENT_WORDS; at += len < (size_t)(end - at) ? len + 1 : len) {
        size_t offset = builder->used;
        len = copy_run(builder, at, end, &inner);
        if (!len)
            continue;
        runs++;
        builder->used += len;
        add_word(builder, offset, len);
        for (struct hv_str rest = hv_str_of(at, inner ? len : 0), part; next_part(&rest, &part) && part.len < len;)
            add_word(builder, offset + (size_t)(part.ptr - at), part.len);
    }
    return runs;
}

static void add_documents(struct builder *builder, const struct bm25_document *documents)
{
    struct bm25 *index = builder->index;
    double total = 0;
    for (size_t i = 0; i < index->count; i++) {
        const struct hv_str texts[FIELDS] = {documents[i].name, documents[i].hint, documents[i].description};
        for (size_t field = 0; field < FIELDS; field++) {
            index->norms[i] += field_weights[field] * (float)add_text(builder, texts[field]);
            index->ends[i * FIELDS + field] = (uint32_t)index->words;
        }
        total += index->norms[i];
    }
    double average = total > 0 ? total / (double)index->count : 1;
    for (size_t i = 0; i < index->count; i++)
        index->norms[i] = saturation * (1 - length_share + length_share * index->norms[i] / (float)average);
}

struct bm25 *bm25_new(const struct bm25_document *documents, size_t count)
{
    struct bm25 *index = hv_calloc(1, sizeof *index);
    struct builder builder = {.index = index};
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += documents[i].name.len + documents[i].hint.len + documents[i].description.len;
    if (bytes > UINT32_MAX / 2) /* nobody has so many tools; the rest would not be found */
        count = 0;
    for (int byte = 0; byte < 256; byte++)
        builder.folds[byte] = fold((char)byte);
    builder.capacity = bytes / 4 + 16;
    index->count = count;
    index->text = hv_malloc(bytes + KEY_LETTERS);
    index->keys = hv_malloc(builder.capacity * sizeof *index->keys);
    index->offsets = hv_malloc(builder.capacity * sizeof *index->offsets);
    index->ends = hv_calloc(count * FIELDS, sizeof *index->ends);
    index->norms = hv_calloc(count, sizeof *index->norms);
    add_documents(&builder, documents);
    return index;
}

void bm25_free(struct bm25 *index)
{
    if (!index)
        return;
    free(index->text);
    free(index->keys);
    free(index->offsets);
    free(index->ends);
    free(index->norms);
    free(index);
}

/* ---- asking ---- */

/* One word of a query, as written between blanks. */
struct wanted {
    struct hv_str text; /* without "+" */
    bool required;
};

/* A document in which a word of the query occurs. */
struct match {
    uint32_t document;
    float value;
};

struct query {
    const struct bm25 *index;
    double *scores;        /* per document */
    uint32_t *unmet;       /* per document: required words it lacks still; counted down */
    struct match *matches; /* of the word at hand, documents ascending */
    size_t count;
};

/* A word of the query on its way over the words of the documents. */
struct search {
    char word[WORD_MAX + KEY_LETTERS];
    size_t len;
    bool plural;                      /* "issues" finds "issue" too */
    size_t place;                     /* document and field that the last hit was in */
    float exact, singular, beginning; /* weights of the occurrences in that document */
};

/* What occurrences of that weight in a document give. */
static inline float saturate(float weight, float norm)
{
    return weight > 0 ? weight * (saturation + 1) / (weight + norm) : 0;
}

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

/* The document is done: note how well it matches, by the form of the word that matches best. */
static inline void note_match(struct query *query, struct search *search)
{
    uint32_t document = (uint32_t)(search->place / FIELDS);
    float norm = query->index->norms[document], value = saturate(search->exact, norm);
    value = larger(value, plural_factor * saturate(search->singular, norm));
    value = larger(value, beginning_factor * saturate(search->beginning, norm));
    if (value > 0)
        query->matches[query->count++] = (struct match){document, value};
    search->exact = search->singular = search->beginning = 0;
}

/* Go on to the document and field that a word is in. */
static void go_to_word(struct query *query, struct search *search, size_t number)
{
    const uint32_t *ends = query->index->ends;
    size_t before = search->place / FIELDS;
    if (number < ends[search->place])
        return;
    size_t place = search->place;
    while (ends[place] <= number)
        place++;
    if (place / FIELDS != before)
        note_match(query, search);
    search->place = place;
}

/* The key of a word fits: see whether the word does. */
static void look_at_word(struct query *query, struct search *search, size_t number)
{
    const struct bm25 *index = query->index;
    const char *word = index->text + index->offsets[number];
    size_t len = index->keys[number] >> LENGTH_SHIFT, wanted = search->len;
    bool singular = search->plural && len == wanted - 1;
    if ((len < wanted && !singular) || (len > wanted && wanted < KEY_LETTERS))
        return;
    size_t compared = singular ? len : wanted; /* of which the key has told the first */
    if (compared > KEY_LETTERS && memcmp(word + KEY_LETTERS, search->word + KEY_LETTERS, compared - KEY_LETTERS) != 0)
        return;
    go_to_word(query, search, number);
    float weight = field_weights[search->place % FIELDS];
    *(singular ? &search->singular : len == wanted ? &search->exact : &search->beginning) += weight;
}

typedef uint32_t key_vector __attribute__((vector_size(16)));

/* Whether one of the keys of some vectors is the wanted one. */
static inline bool any_fits(const uint32_t *keys, size_t vectors, uint32_t wanted)
{
    key_vector mask, pattern = {0}, found = {0};
    for (size_t lane = 0; lane < sizeof mask / sizeof *keys; lane++) {
        mask[lane] = LETTERS_MASK;
        pattern[lane] = wanted;
    }
    for (size_t i = 0; i < vectors; i++) {
        key_vector piece;
        memcpy(&piece, (const char *)keys + i * sizeof piece, sizeof piece);
        found |= (key_vector)((piece & mask) == pattern);
    }
    uint64_t halves[2];
    memcpy(halves, &found, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

enum { LANES = sizeof(key_vector) / sizeof(uint32_t), VECTORS = 8, BLOCK = VECTORS * LANES };

/* Look at the words of a block, or of less, whose keys fit. */
static void look_at_block(struct query *query, struct search *search, size_t from, size_t to, uint32_t wanted)
{
    const uint32_t *keys = query->index->keys;
    for (size_t number = from; number < to; number += LANES) {
        size_t end = to - number < LANES ? to : number + LANES;
        if (end - number == LANES && !any_fits(keys + number, 1, wanted))
            continue;
        for (size_t i = number; i < end; i++)
            if ((keys[i] & LETTERS_MASK) == wanted)
                look_at_word(query, search, i);
    }
}

/* Find the documents that have the word: itself, those that begin with it, itself without the "s" of a plural. */
static void match_word(struct query *query, struct hv_str word)
{
    const struct bm25 *index = query->index;
    struct search search = {.len = word.len < WORD_MAX ? word.len : WORD_MAX};
    for (size_t i = 0; i < search.len; i++)
        search.word[i] = fold(word.ptr[i]);
    search.plural = search.len > KEY_LETTERS && search.word[search.len - 1] == 's';
    uint32_t wanted = key_of(search.word, search.len) & LETTERS_MASK;
    query->count = 0;
    for (size_t number = 0; number < index->words; number += BLOCK) {
        size_t end = index->words - number < BLOCK ? index->words : number + BLOCK;
        if (end - number < BLOCK || any_fits(index->keys + number, VECTORS, wanted))
            look_at_block(query, &search, number, end, wanted);
    }
    note_match(query, &search);
}

/* Add what the word gave to the scores of the documents, more when few have it. */
static void settle(struct query *query, uint32_t *met)
{
    double frequency = (double)query->count;
    double rarity = log(1 + ((double)query->index->count - frequency + 0.5) / (frequency + 0.5));
    for (size_t i = 0; i < query->count; i++) {
        uint32_t document = query->matches[i].document;
        query->scores[document] += rarity * query->matches[i].value;
        if (met)
            met[document]++;
    }
}

/* A run of the query: it occurs where its whole does, or all of its parts do. */
static void ask_run(struct query *query, struct hv_str run, bool required)
{
    size_t count = query->index->count;
    CLEANUP_FREE uint32_t *whole = required ? hv_calloc(count, sizeof *whole) : NULL;
    CLEANUP_FREE uint32_t *met = required ? hv_calloc(count, sizeof *met) : NULL;
    uint32_t parts = 0;
    match_word(query, run);
    settle(query, whole);
    for (struct hv_str rest = run, part; next_part(&rest, &part) && part.len < run.len; parts++) {
        match_word(query, part);
        settle(query, met);
    }
    for (size_t i = 0; required && i < count; i++)
        query->unmet[i] -= whole[i] || (parts && met[i] == parts);
}

static bool is_known(const struct wanted *words, size_t count, struct wanted word)
{
    for (size_t i = 0; i < count; i++)
        if (words[i].required == word.required && hv_str_eq_nocase(words[i].text, word.text))
            return true;
    return false;
}

/* Split a query into its different runs. */
static size_t read_query(struct hv_str text, struct wanted words[QUERY_WORDS_MAX])
{
    size_t count = 0;
    while (text.len && count < QUERY_WORDS_MAX) {
        size_t end = 0;
        while (end < text.len && !strchr(" \t\r\n,", text.ptr[end] ? text.ptr[end] : 'x'))
            end++;
        struct hv_str token = hv_str_slice(text, 0, end), run;
        bool required = hv_str_starts(token, HV_STR("+"));
        while (count < QUERY_WORDS_MAX && next_run(&token, &run))
            if (!is_known(words, count, (struct wanted){run, required}))
                words[count++] = (struct wanted){run, required};
        text = hv_str_slice(text, end + 1, text.len);
    }
    return count;
}

static bool is_better(struct bm25_hit a, struct bm25_hit b)
{
    return a.score > b.score || (a.score == b.score && a.document < b.document);
}

/* hits is a heap with its worst on top, but for the one at `at`: let it sink to its place. */
static void sink(struct bm25_hit *hits, size_t count, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_better(hits[child], hits[child + 1]))
            child++;
        if (!is_better(hits[at], hits[child]))
            return;
        struct bm25_hit hit = hits[at];
        hits[at] = hits[child];
        hits[child] = hit;
    }
}

/* Keep the best max documents, and put them in order. */
static size_t choose(const struct query *query, struct bm25_hit *hits, size_t max)
{
    size_t count = 0;
    for (size_t i = 0; i < query->index->count; i++) {
        struct bm25_hit hit = {i, query->scores[i]};
        if (hit.score <= 0 || query->unmet[i])
            continue;
        if (count < max) {
            hits[count++] = hit;
            for (size_t at = count / 2; count == max && at-- > 0;)
                sink(hits, count, at);
        } else if (is_better(hit, hits[0])) {
            hits[0] = hit;
            sink(hits, count, 0);
        }
    }
    for (size_t at = count / 2; count < max && at-- > 0;)
        sink(hits, count, at);
    for (size_t end = count; end-- > 1;) {
        struct bm25_hit worst = hits[0];
        hits[0] = hits[end];
        hits[end] = worst;
        sink(hits, end, 0);
    }
    return count;
}

size_t bm25_query(const struct bm25 *index, struct hv_str text, struct bm25_hit *hits, size_t max)
{
    struct wanted words[QUERY_WORDS_MAX];
    size_t count = read_query(text, words);
    if (!count || !index->count || !max)
        return 0;
    CLEANUP_FREE double *scores = hv_calloc(index->count, sizeof *scores);
    CLEANUP_FREE uint32_t *unmet = hv_calloc(index->count, sizeof *unmet);
    CLEANUP_FREE struct match *matches = hv_malloc(index->count * sizeof *matches);
    struct query query = {.index = index, .scores = scores, .unmet = unmet, .matches = matches};
    uint32_t required = 0;
    for (size_t i = 0; i < count; i++)
        required += words[i].required;
    for (size_t i = 0; i < index->count; i++)
        unmet[i] = required;
    for (size_t i = 0; i < count; i++)
        ask_run(&query, words[i].text, words[i].required);
    return choose(&query, hits, max);
}
