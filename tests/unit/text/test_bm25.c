/* test_bm25.c: which documents a query finds, and in which order. */
#include "text/bm25.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

enum { READ, GITHUB, JIRA, SLACK, SQL, FETCH, TODO, DOCUMENTS };

static const struct bm25_document documents[] = {
    [READ] = {HV_STR("Read"), HV_STR("show a file"), HV_STR("Reads a text file from the disk")},
    [GITHUB] = {HV_STR("mcp__github__create_issue"), HV_STR("report a bug"),
                HV_STR("Creates an issue in a repository")},
    [JIRA] = {HV_STR("mcp__jira__search"), HV_STR("find tickets"), HV_STR("Searches issues with a JQL query")},
    [SLACK] = {HV_STR("SlackPostMessage"), HV_STR("send chat"), HV_STR("Posts a message to a channel")},
    [SQL] = {HV_STR("run-query"), {NULL, 0}, HV_STR("Runs a SQL query on the database; long text, read only, file")},
    [FETCH] = {HV_STR("HTTPFetch2"), HV_STR("download"), {NULL, 0}},
    [TODO] = {HV_STR("TodoWrite"),
              HV_STR("pr\xc3\xbc"
                     "fen"),
              HV_STR("Keeps the list of things to do")},
};

static const struct {
    const char *query;
    int expected[DOCUMENTS]; /* index + 1, best first, 0 ends */
} cases[] = {
    {"read", {READ + 1, SQL + 1}},
    {"READ", {READ + 1, SQL + 1}},
    {"issue", {GITHUB + 1, JIRA + 1}},  /* in the name before in the description */
    {"issues", {GITHUB + 1, JIRA + 1}}, /* the singular in a name weighs more than the plural in a description */
    {"create_issue", {GITHUB + 1, JIRA + 1}},
    {"createIssue", {GITHUB + 1, JIRA + 1}},
    {"create-issue", {GITHUB + 1, JIRA + 1}},
    {"message", {SLACK + 1}},
    {"slackpostmessage", {SLACK + 1}},
    {"slack", {SLACK + 1}},
    {"fetch", {FETCH + 1}},
    {"fetch2", {FETCH + 1}},
    {"http", {FETCH + 1}},
    {"httpfetch2", {FETCH + 1}},
    {"downl", {FETCH + 1}}, /* the beginning of a word */
    {"do", {TODO + 1}},     /* too short to be a beginning: not "download" */
    {"query", {SQL + 1, JIRA + 1}},
    {"+query +sql", {SQL + 1}},
    {"+query find", {JIRA + 1, SQL + 1}},
    {"+jql query", {JIRA + 1}},
    {"+nothing read", {0}},
    {"+read +nothing", {0}},
    {"+createIssue", {GITHUB + 1}},
    {"+create_issue", {GITHUB + 1}},
    {"pr\xc3\xbc"
     "fen",
     {TODO + 1}},
    {"zebra", {0}},
    {"", {0}},
    {" + - _ ", {0}},
    {"zebra message", {SLACK + 1}},
};

static void a_query_finds_the_documents_that_have_its_words_best_first(void **state)
{
    (void)state;
    struct bm25 *index = bm25_new(documents, DOCUMENTS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bm25_hit hits[DOCUMENTS];
        size_t found = bm25_query(index, hv_str_from(cases[i].query), hits, DOCUMENTS), expected = 0;
        while (expected < DOCUMENTS && cases[i].expected[expected])
            expected++;
        if (found != expected)
            fail_msg("\"%s\": %zu found, not %zu", cases[i].query, found, expected);
        for (size_t k = 0; k < found; k++)
            if (hits[k].document + 1 != (size_t)cases[i].expected[k] || hits[k].score <= 0)
                fail_msg("\"%s\": at %zu is %zu", cases[i].query, k, hits[k].document);
    }
    bm25_free(index);
}

static void of_the_best_no_more_come_than_asked_for(void **state)
{
    (void)state;
    struct bm25 *index = bm25_new(documents, DOCUMENTS);
    struct bm25_hit all[DOCUMENTS], some[DOCUMENTS];
    size_t found = bm25_query(index, HV_STR("read issue query file message"), all, DOCUMENTS);
    assert_true(found >= 4);
    for (size_t max = 0; max <= found; max++) {
        assert_int_equal(bm25_query(index, HV_STR("read issue query file message"), some, max), max);
        for (size_t i = 0; i < max; i++)
            assert_int_equal(some[i].document, all[i].document);
    }
    for (size_t i = 1; i < found; i++)
        assert_true(all[i - 1].score >= all[i].score);
    bm25_free(index);
}

static void equal_documents_keep_their_order(void **state)
{
    (void)state;
    enum { COUNT = 500 };
    struct bm25_document same[COUNT];
    struct bm25_hit hits[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        same[i] = (struct bm25_document){HV_STR("tool"), HV_STR("hint"), HV_STR("text")};
    struct bm25 *index = bm25_new(same, COUNT);
    assert_int_equal(bm25_query(index, HV_STR("tool"), hits, COUNT), COUNT);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(hits[i].document, i);
    assert_int_equal(bm25_query(index, HV_STR("hint"), hits, 10), 10);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(hits[i].document, i);
    bm25_free(index);
}

static void nothing_to_look_through_finds_nothing(void **state)
{
    (void)state;
    struct bm25_hit hit;
    struct bm25 *empty = bm25_new(NULL, 0);
    assert_int_equal(bm25_query(empty, HV_STR("word"), &hit, 1), 0);
    bm25_free(empty);
    const struct bm25_document blank = {0};
    struct bm25 *absent = bm25_new(&blank, 1);
    assert_int_equal(bm25_query(absent, HV_STR("word"), &hit, 1), 0);
    bm25_free(absent);
    bm25_free(NULL);
}

static void the_index_keeps_no_view_of_the_documents(void **state)
{
    (void)state;
    char name[] = "transient";
    struct bm25_document document = {.name = hv_str_from(name)};
    struct bm25 *index = bm25_new(&document, 1);
    memset(name, 'x', sizeof name - 1);
    struct bm25_hit hit;
    assert_int_equal(bm25_query(index, HV_STR("transient"), &hit, 1), 1);
    bm25_free(index);
}

static void overlong_words_and_queries_are_cut_not_refused(void **state)
{
    (void)state;
    char word[5000];
    memset(word, 'a', sizeof word);
    struct bm25_document document = {.description = hv_str_of(word, sizeof word)};
    struct bm25 *index = bm25_new(&document, 1);
    struct bm25_hit hit;
    assert_int_equal(bm25_query(index, hv_str_of(word, sizeof word), &hit, 1), 1);
    for (size_t i = 0; i < sizeof word; i++)
        word[i] = i % 2 ? ' ' : (char)('a' + i / 2 % 26);
    assert_int_equal(bm25_query(index, hv_str_of(word, sizeof word), &hit, 1), 0);
    bm25_free(index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_query_finds_the_documents_that_have_its_words_best_first),
        cmocka_unit_test(of_the_best_no_more_come_than_asked_for),
        cmocka_unit_test(equal_documents_keep_their_order),
        cmocka_unit_test(nothing_to_look_through_finds_nothing),
        cmocka_unit_test(the_index_keeps_no_view_of_the_documents),
        cmocka_unit_test(overlong_words_and_queries_are_cut_not_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
