/* folder.h: a temporary directory for a test, and the few things that tests of files do in it. Failures fail the test.
 */
#ifndef TESTS_FS_FOLDER_H
#define TESTS_FS_FOLDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <helve/host.h>

struct folder {
    struct hv_arena arena; /* tests may empty it */
    char root[64];
    struct hv_str path; /* a view of root; links resolved */
};

void folder_open(struct folder *folder);
void folder_close(struct folder *folder); /* removes it, whatever its modes */
/* For cmocka: a folder of its own for each test, as *state. */
int folder_setup(void **state);
int folder_teardown(void **state);

/* The absolute path of name in it, in the folder's arena. */
struct hv_str folder_path(struct folder *folder, const char *name);
const char *folder_cpath(struct folder *folder, const char *name);
/* Write a file with plain system calls, its directories first. */
void folder_put(struct folder *folder, const char *name, const char *text);
void folder_put_bytes(struct folder *folder, const char *name, struct hv_str bytes);
struct hv_str folder_get(struct folder *folder, const char *name);
void folder_make(struct folder *folder, const char *name); /* a directory */
bool folder_has(struct folder *folder, const char *name);
/* How many entries a directory of it has. */
size_t folder_count(struct folder *folder, const char *name);

/* Run function in a child process, as an unprivileged user when asked; returns its exit code, or minus the signal. */
int in_child(int (*function)(struct folder *folder), struct folder *folder, bool unprivileged);

#endif
