/* write_inner.h: what write.c (judging, replacing) and write_in_place.c share. Nobody else includes it. */
#ifndef FS_WRITE_INNER_H
#define FS_WRITE_INNER_H

#include "fs/pending.h"
#include "fs/write.h"

#include <limits.h>
#include <sys/stat.h>

#define TEMPORARY_PREFIX ".helve-tmp-"
#define BACKUP_PREFIX ".helve-backup-"
enum { TEMPORARY_NAME_MAX = 48 };

/* One write under way. Descriptors are -1 when not open. */
struct writing {
    const char *path; /* the resolved target, for messages */
    const struct hv_write_options *options;
    struct pieces content;
    const struct fs_image *image; /* what a file that is put back was, but for its bytes; or NULL */
    struct hv_str parent;
    int directory;
    char name[NAME_MAX + 1];
    bool exists;
    struct stat before; /* of the target, when it exists */
    int old;            /* the target, open for reading */
    int temporary;
    char temporary_name[TEMPORARY_NAME_MAX]; /* "" when there is none to remove */
    bool locked;
    bool same_name; /* the plan is to rename: the target must not have got further names */
    struct pending pending;
};

/* HV_ECONFLICT: the target "was …"; says what to do. */
enum hv_code write_conflict(const struct writing *w, const char *what, struct hv_error *err);
void write_random_name(char name[TEMPORARY_NAME_MAX], const char *prefix);
/* A new file of ours in the target's directory; locked for as long as we live, so that a cleaner leaves it alone. */
enum hv_code write_create_temporary(struct writing *w, mode_t mode, struct hv_error *err) HV_MUST_CHECK;
void write_drop_temporary(struct writing *w);
/* Two writers take turns from here on. Where the file system has no locks, the checks alone must do. */
enum hv_code write_lock(struct writing *w, struct hv_error *err) HV_MUST_CHECK;
/* Wait for the lock of one descriptor: false when somebody else keeps it for too long. */
bool write_wait_for_lock(int fd, bool *locked);
/* Under the lock: what the name stands for must still be what was judged. */
enum hv_code write_look_again(struct writing *w, struct hv_error *err) HV_MUST_CHECK;
int write_content(int fd, struct pieces content); /* from the beginning on; 0, or -1 with errno */
int write_sync(int fd);
int write_copy(int from, int to); /* all bytes */
/* What the caller wants it to be, besides its bytes: 0, or -1 with errno. */
int write_set_attributes(const struct writing *w, int fd);
/* The directory is synced; *after is set. */
enum hv_code write_finish(struct writing *w, int fd, struct hv_file_stat *after, struct hv_error *err) HV_MUST_CHECK;

/* The whole of writing in place, for targets that must not be replaced by a rename. */
enum hv_code write_in_place(struct writing *w, struct hv_file_stat *after, struct hv_error *err) HV_MUST_CHECK;

#endif
