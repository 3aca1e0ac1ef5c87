/*
 * bm25.h: ranking of short documents (tools: name, hint, description) by the words of a query, for ToolSearch. Words
 * are runs of letters and digits, ASCII letters folded; names and all else are also split at '_', '-' and camel case. A
 * word of the name weighs more than one of the hint, that more than one of the description. Words match whole, without
 * the "s" of a plural, or, from three letters on, as the beginning of a word (weaker).
 */
#ifndef TEXT_BM25_H
#define TEXT_BM25_H

#include <helve/str.h>

struct bm25_document {
    struct hv_str name, hint, description; /* any may be absent */
};

struct bm25_hit {
    size_t document; /* index into the documents */
    double score;    /* over 0 */
};

struct bm25;

/* Build the index of count documents. It keeps no view of them. Free with bm25_free. Immutable: any thread may query.
 */
struct bm25 *bm25_new(const struct bm25_document *documents, size_t count);
void bm25_free(struct bm25 *index);

/*
 * The best max documents for query, best first, equal ones in the order of the documents; returns how many. Words with
 * "+" in front must occur in the name, hint or description; other words add to the score. A query of only "+" words
 * ranks what has them all.
 */
size_t bm25_query(const struct bm25 *index, struct hv_str query, struct bm25_hit *hits, size_t max);

#endif
