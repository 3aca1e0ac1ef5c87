/* test_listing.c: the names in one directory say what a look at each would say, or that it takes one. */
#include "fs/listing.h"

#include "folder.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* NULL where the file system of the temporary directory is none that a listing is taken from. */
static const struct fs_listing *read_folder(struct folder *folder, size_t limit)
{
    return fs_listing_read(&folder->arena, folder->path, limit);
}

static void names_are_told_by_their_kind(void **state)
{
    struct folder *folder = *state;
    enum hv_file_kind kind;
    folder_put(folder, "file", "x");
    folder_put(folder, "Upper", "x");
    folder_make(folder, "dir");
    assert_int_equal(symlink("file", folder_cpath(folder, "link")), 0);
    assert_int_equal(mkfifo(folder_cpath(folder, "fifo"), 0600), 0);
    const struct fs_listing *listing = read_folder(folder, 10);
    if (!listing)
        return;
    static const struct {
        struct hv_str name;
        bool told;
        enum hv_file_kind kind;
    } rows[] = {
        {HV_STR("file"), true, HV_FILE_REGULAR},     {HV_STR("Upper"), true, HV_FILE_REGULAR},
        {HV_STR("dir"), true, HV_FILE_DIRECTORY},    {HV_STR("fifo"), true, HV_FILE_FIFO},
        {HV_STR("missing"), true, HV_FILE_UNKNOWN},  {HV_STR("link"), false, HV_FILE_UNKNOWN},
        {HV_STR("FILE"), false, HV_FILE_UNKNOWN},    {HV_STR("upper"), false, HV_FILE_UNKNOWN},
        {HV_STR("LINK"), false, HV_FILE_UNKNOWN},    {HV_STR("f\303\251"), false, HV_FILE_UNKNOWN},
        {HV_STR("file\0x"), false, HV_FILE_UNKNOWN}, {HV_STR(""), false, HV_FILE_UNKNOWN},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool told = fs_listing_tells(listing, rows[i].name, &kind);
        if (told != rows[i].told || (told && kind != rows[i].kind))
            fail_msg("%s: told %d, kind %d", rows[i].name.ptr, told, kind);
    }
    char longest[300];
    memset(longest, 'a', sizeof longest);
    assert_true(fs_listing_tells(listing, hv_str_of(longest, 255), &kind));
    assert_false(fs_listing_tells(listing, hv_str_of(longest, 256), &kind));
}

static void names_that_differ_in_case_alone_are_asked_for(void **state)
{
    struct folder *folder = *state;
    enum hv_file_kind kind;
    folder_put(folder, "name", "x");
    folder_put(folder, "NAME", "x");
    const struct fs_listing *listing = read_folder(folder, 10);
    if (!listing || folder_count(folder, ".") < 2)
        return;
    assert_false(fs_listing_tells(listing, HV_STR("name"), &kind));
    assert_false(fs_listing_tells(listing, HV_STR("NAME"), &kind));
    assert_true(fs_listing_tells(listing, HV_STR("other"), &kind));
}

static void beside_a_name_beyond_ascii_missing_names_are_asked_for(void **state)
{
    struct folder *folder = *state;
    enum hv_file_kind kind;
    folder_put(folder, "\342\204\252", "x"); /* the sign for Kelvin, which is k without its case */
    folder_put(folder, "file", "x");
    const struct fs_listing *listing = read_folder(folder, 10);
    if (!listing)
        return;
    assert_false(fs_listing_tells(listing, HV_STR("k"), &kind));
    assert_true(fs_listing_tells(listing, HV_STR("file"), &kind));
    assert_true(fs_listing_tells(listing, HV_STR("\342\204\252"), &kind));
    assert_int_equal(kind, HV_FILE_REGULAR);
}

static void the_ends_of_names_are_looked_for_without_their_case(void **state)
{
    struct folder *folder = *state;
    folder_put(folder, "re.cpython.so", "x");
    folder_put(folder, "Upper.SO.1", "x");
    folder_put(folder, "upper.SO.1", "x");
    const struct fs_listing *listing = read_folder(folder, 10);
    if (!listing)
        return;
    static const struct {
        struct hv_str beginning, ending;
        bool has_none;
    } rows[] = {
        {HV_STR(""), HV_STR(".so"), false},
        {HV_STR("re."), HV_STR(".so"), false},
        {HV_STR("RE."), HV_STR(".SO"), false},
        {HV_STR("re.cpython"), HV_STR(".so"), false},
        {HV_STR("upper"), HV_STR(""), false},
        {HV_STR("UPPER"), HV_STR(".so.1"), false},
        {HV_STR("re.cpython."), HV_STR("n.so"), true}, /* they would overlap */
        {HV_STR("json."), HV_STR(".so"), true},
        {HV_STR("re"), HV_STR(".dll"), true},
        {HV_STR("re.cpython.so.2"), HV_STR(""), true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(fs_listing_has_none(listing, rows[i].beginning, rows[i].ending), rows[i].has_none);
}

static void a_directory_of_too_many_names_is_not_listed(void **state)
{
    struct folder *folder = *state;
    for (int i = 0; i < 5; i++)
        folder_put(folder, (char[]){(char)('a' + i), '\0'}, "x");
    assert_null(read_folder(folder, 4));
    assert_true(read_folder(folder, 5) || !read_folder(folder, 6));
}

static void what_holds_more_than_it_lists_is_not_listed(void **state)
{
    struct folder *folder = *state;
    static const char *const directories[] = {"/proc",    "/proc/self", "/sys",    "/dev",
                                              "/dev/pts", "/dev/shm",   "/missing"};
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        assert_null(fs_listing_read(&folder->arena, hv_str_from(directories[i]), 100000));
    folder_put(folder, "file", "x");
    assert_null(fs_listing_read(&folder->arena, folder_path(folder, "file"), 10));
    assert_int_equal(symlink(".", folder_cpath(folder, "link")), 0);
    assert_null(fs_listing_read(&folder->arena, folder_path(folder, "link"), 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_are_told_by_their_kind, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(names_that_differ_in_case_alone_are_asked_for, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(beside_a_name_beyond_ascii_missing_names_are_asked_for, folder_setup,
                                        folder_teardown),
        cmocka_unit_test_setup_teardown(the_ends_of_names_are_looked_for_without_their_case, folder_setup,
                                        folder_teardown),
        cmocka_unit_test_setup_teardown(a_directory_of_too_many_names_is_not_listed, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(what_holds_more_than_it_lists_is_not_listed, folder_setup, folder_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
