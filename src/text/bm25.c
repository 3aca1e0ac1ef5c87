/*
 * bm25.c: see bm25.h. An inverted index: the words of all documents in order, each with the documents that have it.
 * Since they are in order, the words that begin with a query's word are neighbours. A document's score is the usual
 * Okapi BM25, with a word in the name or hint counted as several occurrences.
 */
#include "text/bm25.h"

#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

enum {
    WORD_MAX = 64,         /* bytes; the rest of a longer word does not count */
    QUERY_WORDS_MAX = 64,  /* different ones; further ones do not count */
    DOCUMENT_WORDS = 4096, /* of one text; further ones do not count */
    BEGINNING_MIN = 3,     /* bytes of a word of the query that may be the beginning of another */
};

static const float name_weight = 5, hint_weight = 2.5F, description_weight = 1;
static const double saturation = 1.2, length_share = 0.6;        /* k1 and b of BM25 */
static const double beginning_factor = 0.5, plural_factor = 0.9; /* of what a whole word gives */

struct term {
    struct hv_str word;
    uint32_t first, count; /* of its postings */
};

struct posting {
    uint32_t document;
    float weight; /* of all its occurrences in the document */
};

struct bm25 {
    struct hv_arena arena;
    struct term *terms; /* in the order of their words */
    size_t term_count;
    struct posting *postings; /* of the first term, of the second, …; documents ascending in each */
    float *norms;             /* per document: k1 × (1 - b + b × length / average) */
    size_t count;
};

/* ---- words ---- */

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_word_byte(char c)
{
    return is_upper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* The next run of letters and digits of *rest; false when there is none. */
static bool next_run(struct hv_str *rest, struct hv_str *run)
{
    size_t from = 0, to;
    while (from < rest->len && !is_word_byte(rest->ptr[from]))
        from++;
    for (to = from; to < rest->len && is_word_byte(rest->ptr[to]);)
        to++;
    *run = hv_str_slice(*rest, from, to);
    *rest = hv_str_slice(*rest, to, rest->len);
    return run->len > 0;
}

/* A hump begins at i: "createIssue" before I, "HTTPServer" before S. */
static bool hump_begins(struct hv_str run, size_t i)
{
    if (!is_upper(run.ptr[i]))
        return false;
    return !is_upper(run.ptr[i - 1]) || (i + 1 < run.len && run.ptr[i + 1] >= 'a' && run.ptr[i + 1] <= 'z');
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

/* word in small letters, cut to WORD_MAX; in room. */
static struct hv_str fold(struct hv_str word, char room[WORD_MAX])
{
    size_t len = word.len < WORD_MAX ? word.len : WORD_MAX;
    for (size_t i = 0; i < len; i++)
        room[i] = (char)(is_upper(word.ptr[i]) ? word.ptr[i] + ('a' - 'A') : word.ptr[i]);
    return hv_str_of(room, len);
}

/* ---- building ---- */

struct occurrence {
    uint32_t term, document;
    float weight;
};

struct builder {
    struct bm25 *index;
    struct map numbers; /* word → 1 + its index in terms */
    VEC(struct term) terms;
    VEC(struct occurrence) occurrences; /* documents ascending */
};

static void add_word(struct builder *builder, uint32_t document, struct hv_str word, float weight)
{
    char room[WORD_MAX];
    struct hv_str folded = fold(word, room);
    uintptr_t number = (uintptr_t)map_get(&builder->numbers, folded);
    if (!number) {
        struct hv_str kept = hv_arena_str(&builder->index->arena, folded);
        *vec_push(&builder->terms) = (struct term){.word = kept};
        number = builder->terms.count;
        (void)map_set(&builder->numbers, kept, (void *)number);
    }
    builder->terms.items[number - 1].count++;
    *vec_push(&builder->occurrences) = (struct occurrence){(uint32_t)(number - 1), document, weight};
}

/* Add the words of a text: runs, and the parts of those in camel case. Returns the length they add. */
static float add_text(struct builder *builder, uint32_t document, struct hv_str text, float weight)
{
    struct hv_str run, part;
    float length = 0;
    for (size_t words = 0; words < DOCUMENT_WORDS && next_run(&text, &run); words++) {
        struct hv_str rest = run;
        add_word(builder, document, run, weight);
        length += weight;
        while (next_part(&rest, &part) && part.len < run.len)
            add_word(builder, document, part, weight);
    }
    return length;
}

static void add_documents(struct builder *builder, const struct bm25_document *documents)
{
    struct bm25 *index = builder->index;
    double total = 0;
    for (size_t i = 0; i < index->count; i++) {
        uint32_t document = (uint32_t)i;
        index->norms[i] = add_text(builder, document, documents[i].name, name_weight) +
                          add_text(builder, document, documents[i].hint, hint_weight) +
                          add_text(builder, document, documents[i].description, description_weight);
        total += index->norms[i];
    }
    double average = total > 0 ? total / (double)index->count : 1;
    for (size_t i = 0; i < index->count; i++)
        index->norms[i] = (float)(saturation * (1 - length_share + length_share * index->norms[i] / average));
}

static int compare_terms(const void *a, const void *b)
{
    return hv_str_compare(((const struct term *)a)->word, ((const struct term *)b)->word);
}

/* Put the terms in order, each knowing in `first` where its postings will begin. Returns old number → new one. */
static uint32_t *order_terms(struct builder *builder)
{
    struct bm25 *index = builder->index;
    uint32_t *places = hv_calloc(builder->terms.count + 1, sizeof *places), first = 0;
    index->term_count = builder->terms.count;
    index->terms = hv_arena_array(&index->arena, struct term, index->term_count);
    for (size_t i = 0; i < index->term_count; i++) {
        index->terms[i] = builder->terms.items[i];
        index->terms[i].first = (uint32_t)i;
    }
    qsort(index->terms, index->term_count, sizeof *index->terms, compare_terms);
    for (size_t i = 0; i < index->term_count; i++) {
        places[index->terms[i].first] = (uint32_t)i;
        index->terms[i].first = first;
        first += index->terms[i].count;
        index->terms[i].count = 0;
    }
    return places;
}

/* Deal the occurrences out to their terms; those in the same document become one. */
static void fill_postings(struct builder *builder)
{
    struct bm25 *index = builder->index;
    CLEANUP_FREE uint32_t *places = order_terms(builder);
    index->postings = hv_arena_array(&index->arena, struct posting, builder->occurrences.count);
    for (size_t i = 0; i < builder->occurrences.count; i++) {
        const struct occurrence *occurrence = &builder->occurrences.items[i];
        struct term *term = &index->terms[places[occurrence->term]];
        struct posting *postings = index->postings + term->first;
        if (term->count && postings[term->count - 1].document == occurrence->document)
            postings[term->count - 1].weight += occurrence->weight;
        else
            postings[term->count++] = (struct posting){occurrence->document, occurrence->weight};
    }
}

struct bm25 *bm25_new(const struct bm25_document *documents, size_t count)
{
    struct bm25 *index = hv_calloc(1, sizeof *index);
    struct builder builder = {.index = index};
    index->count = count;
    index->norms = hv_arena_array(&index->arena, float, count);
    add_documents(&builder, documents);
    fill_postings(&builder);
    map_release(&builder.numbers);
    vec_release(&builder.terms);
    vec_release(&builder.occurrences);
    return index;
}

void bm25_free(struct bm25 *index)
{
    if (!index)
        return;
    hv_arena_release(&index->arena);
    free(index);
}

/* ---- asking ---- */

/* One word of a query, as written between blanks. */
struct wanted {
    struct hv_str text; /* without "+" */
    bool required;
};

struct query {
    const struct bm25 *index;
    double *scores;  /* per document */
    float *best;     /* per document: the best match of the word at hand */
    uint32_t *unmet; /* per document: required words it lacks still; counted down */
    uint32_t required;
    uint32_t *seen; /* documents that `best` was set for */
    size_t seen_count;
};

/* The first term that is not before word. */
static size_t term_at(const struct bm25 *index, struct hv_str word)
{
    size_t low = 0, high = index->term_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (hv_str_compare(index->terms[middle].word, word) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Note how well each document of a term matches, unless another form of the same word matches better. */
static void match_term(struct query *query, const struct term *term, double factor)
{
    const struct bm25 *index = query->index;
    const struct posting *posting = index->postings + term->first;
    for (size_t i = 0; i < term->count; i++, posting++) {
        double weight = posting->weight;
        float match = (float)(factor * weight * (saturation + 1) / (weight + index->norms[posting->document]));
        float *best = &query->best[posting->document];
        if (*best == 0)
            query->seen[query->seen_count++] = posting->document;
        if (match > *best)
            *best = match;
    }
}

/* All terms that the word matches: itself, those that begin with it, itself without the "s" of a plural. */
static void match_word(struct query *query, struct hv_str word)
{
    const struct bm25 *index = query->index;
    for (size_t i = term_at(index, word); i < index->term_count && hv_str_starts(index->terms[i].word, word); i++) {
        bool is_whole = index->terms[i].word.len == word.len;
        if (!is_whole && word.len < BEGINNING_MIN)
            break;
        match_term(query, &index->terms[i], is_whole ? 1 : beginning_factor);
    }
    if (word.len > 3 && hv_str_ends(word, HV_STR("s"))) {
        struct hv_str singular = hv_str_slice(word, 0, word.len - 1);
        size_t i = term_at(index, singular);
        if (i < index->term_count && hv_str_eq(index->terms[i].word, singular))
            match_term(query, &index->terms[i], plural_factor);
    }
}

/* Add what the word gave to the scores of the documents, more when few have it, and forget it. */
static void settle(struct query *query, uint32_t *met)
{
    double frequency = (double)query->seen_count;
    double rarity = log(1 + ((double)query->index->count - frequency + 0.5) / (frequency + 0.5));
    for (size_t i = 0; i < query->seen_count; i++) {
        uint32_t document = query->seen[i];
        query->scores[document] += rarity * query->best[document];
        query->best[document] = 0;
        if (met)
            met[document]++;
    }
    query->seen_count = 0;
}

/* A run of the query: it occurs where its whole does, or all of its parts do. */
static void ask_run(struct query *query, struct hv_str run, bool required)
{
    CLEANUP_FREE uint32_t *met = required ? hv_calloc(query->index->count, sizeof *met) : NULL;
    CLEANUP_FREE bool *whole = required ? hv_calloc(query->index->count, sizeof *whole) : NULL;
    char room[WORD_MAX];
    uint32_t parts = 0;
    match_word(query, fold(run, room));
    for (size_t i = 0; required && i < query->seen_count; i++)
        whole[query->seen[i]] = true;
    settle(query, NULL);
    for (struct hv_str rest = run, part; next_part(&rest, &part) && part.len < run.len; parts++) {
        match_word(query, fold(part, room));
        settle(query, met);
    }
    for (size_t i = 0; required && i < query->index->count; i++)
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
    CLEANUP_FREE float *best = hv_calloc(index->count, sizeof *best);
    CLEANUP_FREE uint32_t *unmet = hv_calloc(index->count, sizeof *unmet);
    CLEANUP_FREE uint32_t *seen = hv_malloc(index->count * sizeof *seen);
    struct query query = {.index = index, .scores = scores, .best = best, .unmet = unmet, .seen = seen};
    for (size_t i = 0; i < count; i++)
        query.required += words[i].required;
    for (size_t i = 0; i < index->count; i++)
        unmet[i] = query.required;
    for (size_t i = 0; i < count; i++)
        ask_run(&query, words[i].text, words[i].required);
    return choose(&query, hits, max);
}
