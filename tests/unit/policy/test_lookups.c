/* test_lookups.c: paths that are looked up together lead where each of them leads by itself, for fewer looks. */
#include "policy/lookups.h"

#include "base/cleanup.h"
#include "fs/listing.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

/* The local machine, counted. */
struct counted {
    struct hv_host host; /* first */
    size_t resolved, looked;
};

static enum hv_code resolve(const struct hv_host *host, struct hv_arena *arena, struct hv_str path, struct hv_str *out,
                            struct hv_error *err)
{
    ((struct counted *)host)->resolved++;
    return hv_host_local()->resolve(hv_host_local(), arena, path, out, err);
}

static enum hv_code look(const struct hv_host *host, struct hv_str path, bool follow, struct hv_file_stat *out,
                         struct hv_error *err)
{
    ((struct counted *)host)->looked++;
    return hv_host_local()->stat(hv_host_local(), path, follow, out, err);
}

static char folder[] = "/tmp/helve-lookups-XXXXXX";

static int open_folder(void **state)
{
    static const char *const links[][2] = {{"dir", "to_dir"}, {"dir/file", "to_file"},
                                           {"loop", "loop"},  {"nothing", "dangle"},
                                           {"/", "to_root"},  {"/proc/self/fd/0", "to_stream"}};
    (void)state;
    assert_non_null(mkdtemp(folder));
    int at = open(folder, O_RDONLY | O_DIRECTORY);
    assert_int_equal(mkdirat(at, "dir", 0700), 0);
    assert_int_equal(close(openat(at, "dir/file", O_CREAT | O_WRONLY, 0600)), 0);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        assert_int_equal(symlinkat(links[i][0], at, links[i][1]), 0);
    assert_int_equal(close(at), 0);
    return 0;
}

static int close_folder(void **state)
{
    static const char *const names[] = {"to_dir", "to_file", "loop", "dangle", "to_root", "to_stream", "dir/file"};
    (void)state;
    int at = open(folder, O_RDONLY | O_DIRECTORY);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)unlinkat(at, names[i], 0);
    (void)unlinkat(at, "dir", AT_REMOVEDIR);
    (void)close(at);
    return rmdir(folder);
}

static void assert_leads_as_alone(struct lookups *lookups, struct hv_str path)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_host *local = hv_host_local();
    struct hv_str resolved = {0};
    struct hv_file_stat stat = {0};
    enum hv_code code = local->resolve(local, &scratch, path, &resolved, NULL);
    struct lookup *found = lookups_find(lookups, path);
    assert_int_equal(found->code, code);
    if (code != HV_OK) {
        assert_null(found->resolved.ptr);
        return;
    }
    if (!hv_str_eq(found->resolved, resolved))
        fail_msg("%.*s leads to %.*s, not to %.*s", HV_STR_ARG(path), HV_STR_ARG(resolved),
                 HV_STR_ARG(found->resolved));
    bool there = local->stat(local, resolved, true, &stat, NULL) == HV_OK;
    assert_int_equal(lookups_kind(lookups, found), there ? stat.kind : HV_FILE_UNKNOWN);
}

static const char *const places[] = {
    "",
    "/",
    "/dir",
    "/dir/",
    "/dir/file",
    "/dir/file/",
    "/dir/.",
    "/dir/..",
    "/dir/../dir/file",
    "/to_dir",
    "/to_dir/file",
    "/to_dir/..",
    "/to_dir/../dir",
    "/to_dir/missing",
    "/to_file",
    "/to_file/below",
    "/dir/file/below",
    "/loop",
    "/loop/x",
    "/dangle",
    "/dangle/x",
    "/missing",
    "/missing/x",
    "/missing/../dir/file",
    "/to_root",
    "/to_root/tmp",
    "/to_stream",
    "/to_stream/x",
    "//dir//file",
    "/./to_dir/./file",
};

static void paths_lead_where_they_lead_by_themselves(void **state)
{
    static const char *const others[] = {"/",   "/tmp",    "/etc/passwd", "/proc/self/fd/0", "/proc/self", "/dev/null",
                                         "/..", "/../etc", "/no-such/x",  "//etc",           "//no-such"};
    struct counted counted = {.host = {.resolve = resolve, .stat = look}};
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct lookups lookups = {.host = &counted.host, .arena = &arena};
    (void)state;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            assert_leads_as_alone(&lookups, hv_arena_format(&arena, "%s%s", folder, places[i]));
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            assert_leads_as_alone(&lookups, hv_str_from(others[i]));
    }
    lookups_release(&lookups);
}

static void what_a_host_refuses_is_refused(void **state)
{
    struct counted counted = {.host = {.resolve = resolve, .stat = look}};
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct lookups lookups = {.host = &counted.host, .arena = &arena};
    char *name = hv_arena_zalloc(&arena, 1, 5000);
    (void)state;
    memset(name, 'a', 4999);
    for (size_t length = 200; length < 4500; length += 50)
        assert_leads_as_alone(&lookups, hv_arena_format(&arena, "%s/dir/%.*s", folder, (int)length, name));
    for (size_t depth = 100; depth < 2300; depth += 200) { /* "/./././x" */
        struct hv_str dots = hv_arena_str(&arena, hv_str_of(name, 2 * depth));
        for (size_t i = 0; i < 2 * depth; i++)
            ((char *)dots.ptr)[i] = i % 2 ? '.' : '/';
        assert_leads_as_alone(&lookups, hv_arena_format(&arena, "%s%.*s/dir", folder, HV_STR_ARG(dots)));
    }
    assert_leads_as_alone(&lookups, hv_str_of("/tmp/a\0b", 8));
    assert_leads_as_alone(&lookups, hv_str_of("/t\0mp/a", 7));
    lookups_release(&lookups);
}

/* Many other names first, so that those of the directories are read. */
static void paths_among_many_lead_where_they_lead_by_themselves(void **state)
{
    static const char *const directories[] = {"", "/dir", "/to_dir", "/missing", "/dir/file"};
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct lookups lookups = {.host = hv_host_local(), .arena = &arena};
    (void)state;
    for (int i = 0; i < 40; i++)
        for (size_t j = 0; j < sizeof directories / sizeof *directories; j++)
            assert_leads_as_alone(&lookups, hv_arena_format(&arena, "%s%s/none%d", folder, directories[j], i));
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        assert_leads_as_alone(&lookups, hv_arena_format(&arena, "%s%s", folder, places[i]));
    lookups_release(&lookups);
}

static void many_names_of_a_directory_are_read_at_once(void **state)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct lookups lookups = {.host = hv_host_local(), .arena = &arena};
    (void)state;
    struct hv_str directory = hv_arena_format(&arena, "%s/dir", folder);
    for (int i = 0; i < 40; i++)
        (void)lookups_find(&lookups, hv_arena_format(&arena, "%s/dir/none%d", folder, i));
    struct hv_str later = hv_arena_format(&arena, "%s/dir/later", folder);
    assert_int_equal(close(open(later.ptr, O_CREAT | O_WRONLY, 0600)), 0);
    enum hv_file_kind kind = lookups_kind(&lookups, lookups_find(&lookups, later));
    assert_int_equal(unlink(later.ptr), 0);
    if (fs_listing_read(&arena, directory, 10)) /* else each is looked at */
        assert_int_equal(kind, HV_FILE_UNKNOWN);
    lookups_release(&lookups);
}

static void a_directory_is_resolved_once(void **state)
{
    struct counted counted = {.host = {.resolve = resolve, .stat = look}};
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct lookups lookups = {.host = &counted.host, .arena = &arena};
    (void)state;
    for (int i = 0; i < 100; i++)
        (void)lookups_kind(&lookups, lookups_find(&lookups, hv_arena_format(&arena, "%s/dir/f%d", folder, i % 50)));
    assert_int_equal(counted.resolved, 1);
    assert_int_equal(counted.looked, 50);
    lookups_release(&lookups);
}

/* Beside files that others stand in, or where no one comes. */
static void many_directories_lead_where_they_lead_by_themselves(void **state)
{
    static const char *const forms[][2] = {{"/none", "/x"},        {"/none", "/x/"},          {"/none", "/x/./"},
                                           {"/to_dir/n", "/y"},    {"/loop/n", "/y"},         {"/dir/file/n", "/y"},
                                           {"/none", "/../dir"},   {"/none", "/../dir/file"}, {"/to_stream/", "/x"},
                                           {"/dangle/n", "/../y"}, {"/to_root/", "/x"},       {"/dir//", "//x"}};
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct counted counted = {.host = {.resolve = resolve, .stat = look}};
    struct lookups lookups[] = {{.host = hv_host_local(), .arena = &arena}, {.host = &counted.host, .arena = &arena}};
    (void)state;
    for (size_t host = 0; host < 2; host++) {
        for (int i = 0; i < 40; i++)
            for (size_t j = 0; j < sizeof forms / sizeof *forms; j++)
                assert_leads_as_alone(&lookups[host],
                                      hv_arena_format(&arena, "%s%s%d%s", folder, forms[j][0], i, forms[j][1]));
        lookups_release(&lookups[host]);
    }
}

static void what_stands_in_many_directories_costs_few_looks(void **state)
{
    struct counted counted = {.host = {.resolve = resolve, .stat = look}};
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct lookups lookups = {.host = &counted.host, .arena = &arena};
    (void)state;
    for (int i = 0; i < 100; i++) {
        (void)lookups_find(&lookups, hv_arena_format(&arena, "%s/none%d/x", folder, i));
        (void)lookups_find(&lookups, hv_arena_format(&arena, "%s/none%d/y", folder, i));
        (void)lookups_find(&lookups, hv_arena_format(&arena, "%s/none%d/", folder, i));
        (void)lookups_find(&lookups, hv_arena_format(&arena, "%s/loop/x%d", folder, i));
    }
    assert_in_range(counted.resolved, 1, 10);
    assert_in_range(counted.looked, 100, 120);
    lookups_release(&lookups);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_lead_where_they_lead_by_themselves),
        cmocka_unit_test(paths_among_many_lead_where_they_lead_by_themselves),
        cmocka_unit_test(many_names_of_a_directory_are_read_at_once),
        cmocka_unit_test(what_a_host_refuses_is_refused),
        cmocka_unit_test(a_directory_is_resolved_once),
        cmocka_unit_test(many_directories_lead_where_they_lead_by_themselves),
        cmocka_unit_test(what_stands_in_many_directories_costs_few_looks),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
