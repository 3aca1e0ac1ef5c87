/* test_attributes.c: what a new file takes over from the one it replaces. */
#include "folder.h"

#include "base/cleanup.h"
#include "fs/attributes.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

struct pair {
    struct folder folder;
    int old, new;
};

static int open_pair(void **state)
{
    static struct pair pair;
    folder_open(&pair.folder);
    pair.old = open(folder_cpath(&pair.folder, "old"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    pair.new = open(folder_cpath(&pair.folder, "new"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(pair.old >= 0 && pair.new >= 0);
    *state = &pair;
    return 0;
}

static int close_pair(void **state)
{
    struct pair *pair = *state;
    close(pair->old);
    close(pair->new);
    folder_close(&pair->folder);
    return 0;
}

static void every_bit_of_the_mode_is_taken(void **state)
{
    struct pair *pair = *state;
    static const mode_t modes[] = {0, 0400, 0644, 0755, 0777, 04755, 02755, 01777, 07777};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct stat status;
        assert_int_equal(fchmod(pair->old, modes[i]), 0);
        assert_true(fs_copy_attributes(pair->old, pair->new));
        assert_int_equal(fstat(pair->new, &status), 0);
        assert_int_equal(status.st_mode & 07777, modes[i]);
    }
}

static void the_owner_is_taken(void **state)
{
    struct pair *pair = *state;
    if (fchown(pair->old, 1234, 5678)) /* only root may */
        return;
    assert_int_equal(fchmod(pair->old, 06755), 0);
    struct stat status;
    assert_true(fs_copy_attributes(pair->old, pair->new));
    assert_int_equal(fstat(pair->new, &status), 0);
    assert_int_equal(status.st_uid, 1234);
    assert_int_equal(status.st_gid, 5678);
    assert_int_equal(status.st_mode & 07777, 06755); /* a change of owner clears these bits: they come after it */
}

static void extended_attributes_are_taken(void **state)
{
    struct pair *pair = *state;
    char value[3000];
    memset(value, 'v', sizeof value);
    if (fsetxattr(pair->old, "user.empty", "", 0, 0) || fsetxattr(pair->old, "user.large", value, sizeof value, 0))
        return; /* not every file system has them */
    assert_true(fs_copy_attributes(pair->old, pair->new));
    char got[4000];
    assert_int_equal(fgetxattr(pair->new, "user.empty", got, sizeof got), 0);
    assert_int_equal(fgetxattr(pair->new, "user.large", got, sizeof got), sizeof value);
    assert_memory_equal(got, value, sizeof value);
}

static int take_from_another_owner(struct folder *folder)
{
    CLEANUP_FD int old = open(folder_cpath(folder, "old"), O_RDONLY | O_CLOEXEC);
    CLEANUP_FD int new = open(folder_cpath(folder, "mine"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return old < 0 || new < 0 || fs_copy_attributes(old, new);
}

static void an_owner_that_cannot_be_given_is_told(void **state)
{
    struct pair *pair = *state;
    if (geteuid() != 0) /* there is nobody else to be */
        return;
    assert_int_equal(chmod(pair->folder.path.ptr, 0777), 0);
    assert_int_equal(fchmod(pair->old, 0644), 0);
    assert_int_equal(in_child(take_from_another_owner, &pair->folder, true), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, open_pair, close_pair)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(every_bit_of_the_mode_is_taken),
        CASE(the_owner_is_taken),
        CASE(extended_attributes_are_taken),
        CASE(an_owner_that_cannot_be_given_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
