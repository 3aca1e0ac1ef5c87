/*
 * test_suite.c: runs files in the format of the JSON Schema Test Suite through the validator: an array of
 * {description, schema, tests: [{description, data, valid}]}.
 *
 * argv: DRAFT FOLDER [REMOTES_FOLDER REMOTES_URI]. Every .json file in FOLDER is run; REMOTES are given to the compiler
 * as documents. A schema may also be expected to be refused: {description, schema, refused: "part of the message"}.
 * A folder that is not there is a skipped test: the suite is a package that not every machine has.
 */
#include "base/cleanup.h"
#include "base/vec.h"
#include "schema/validator.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { SKIPPED = 77, FILE_MAX = 16 << 20 };

struct suite {
    struct hv_arena arena;
    VEC(struct schema_document) documents;
    enum schema_draft draft;
    unsigned passed, failed;
};

static struct hv_str read_file(struct hv_arena *arena, const char *path)
{
    CLEANUP_BUF struct hv_buf buf = {.max = FILE_MAX};
    FILE *file = fopen(path, "rb");
    for (size_t got = 1; file && got;) {
        char *room = hv_buf_reserve(&buf, 1 << 16);
        got = room ? fread(room, 1, 1 << 16, file) : 0;
        if (room)
            hv_buf_commit(&buf, got);
    }
    if (file)
        fclose(file);
    return hv_arena_str(arena, hv_buf_str(&buf));
}

static bool is_json(const char *name)
{
    return hv_str_ends(hv_str_from(name), HV_STR(".json"));
}

/* Every file below folder as a document named uri/relative/path. */
static void load_documents(struct suite *suite, const char *folder, const char *uri)
{
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char path[PATH_MAX], name[PATH_MAX];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        snprintf(name, sizeof name, "%s/%s", uri, entry->d_name);
        if (!is_json(entry->d_name))
            load_documents(suite, path, name);
        else
            *vec_push(&suite->documents) = (struct schema_document){
                .uri = hv_arena_str(&suite->arena, hv_str_from(name)), .text = read_file(&suite->arena, path)};
    }
    if (directory)
        closedir(directory);
}

static void note(struct suite *suite, bool good, const struct hv_json *group, const struct hv_json *test,
                 const char *what)
{
    suite->passed += good;
    suite->failed += !good;
    if (!good)
        printf("  not ok: %.*s: %.*s: %s\n", HV_STR_ARG(hv_json_get_string(group, "description")),
               HV_STR_ARG(hv_json_get_string(test, "description")), what);
}

static void run_test(struct suite *suite, const struct schema *schema, const struct hv_json *group,
                     const struct hv_json *test)
{
    struct hv_error err = {0};
    struct schema_errors errors = {0};
    bool wanted = hv_json_bool(hv_json_get(test, "valid"), false);
    const struct hv_json *data = hv_json_get(test, "data");
    enum hv_code quiet = schema_validate(schema, data, &suite->arena, NULL, &err);
    enum hv_code loud = schema_validate(schema, data, &suite->arena, &errors, &err);
    if (quiet != loud)
        note(suite, false, group, test, "the answer depends on whether errors are collected");
    else if (quiet == HV_ETOOBIG)
        note(suite, false, group, test, err.message);
    else if (loud == HV_EINVAL && !errors.count)
        note(suite, false, group, test, "invalid without an error");
    else
        note(suite, (loud == HV_OK) == wanted, group, test,
             errors.first ? errors.first->message.ptr : "taken as valid");
}

static void run_group(struct suite *suite, const struct hv_json *group, struct hv_str source)
{
    struct schema *schema = NULL;
    struct hv_error err = {0};
    struct hv_str refused = hv_json_get_string(group, "refused");
    struct schema_options options = {
        .draft = suite->draft, .documents = suite->documents.items, .document_count = suite->documents.count};
    enum hv_code code = schema_compile(hv_json_source(hv_json_get(group, "schema"), source), &options, &schema, &err);
    if (refused.ptr) {
        bool good = code != HV_OK && hv_str_find(hv_str_from(err.message), refused, 0) != SIZE_MAX;
        note(suite, good, group, NULL, code == HV_OK ? "compiled" : err.message);
    } else if (code != HV_OK) {
        note(suite, false, group, NULL, err.message);
    } else {
        hv_json_each(test, hv_json_get(group, "tests")) run_test(suite, schema, group, test);
    }
    schema_unref(schema);
}

static void run_file(struct suite *suite, const char *path)
{
    const struct hv_json *groups = NULL;
    struct hv_error err = {0};
    struct hv_str source = read_file(&suite->arena, path);
    unsigned failed = suite->failed;
    if (hv_json_parse(&suite->arena, source, HV_JSON_STRICT, &groups, &err) != HV_OK)
        note(suite, false, NULL, NULL, err.message);
    hv_json_each(group, groups) run_group(suite, group, source);
    if (suite->failed > failed)
        printf("# %s: %u failed\n", path, suite->failed - failed);
}

int main(int argc, char **argv)
{
    struct suite suite = {0};
    if (argc != 3 && argc != 5) {
        fprintf(stderr, "usage: %s DRAFT FOLDER [REMOTES_FOLDER REMOTES_URI]\n", argv[0]);
        return 2;
    }
    DIR *folder = opendir(argv[2]);
    if (!folder) {
        printf("1..0 # SKIP %s is not installed\n", argv[2]);
        return SKIPPED;
    }
    suite.draft = schema_draft_from(hv_str_from(argv[1]));
    if (argc == 5)
        load_documents(&suite, argv[3], argv[4]);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", argv[2], entry->d_name);
        if (is_json(entry->d_name))
            run_file(&suite, path);
    }
    closedir(folder);
    printf("# %u passed, %u failed\n", suite.passed, suite.failed);
    vec_release(&suite.documents);
    hv_arena_release(&suite.arena);
    return suite.failed || !suite.passed;
}
