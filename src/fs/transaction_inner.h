/*
 * transaction_inner.h: the folder that a change of several files keeps in the journal (transaction.h), as
 * transaction.c, transaction_step.c and restore.c share it. Nobody else includes it.
 *
 * A folder without a list is nothing yet; the name of the list says what a kill leads to.
 */
#ifndef FS_TRANSACTION_INNER_H
#define FS_TRANSACTION_INNER_H

#include "fs/handle.h"
#include "fs/image.h"
#include "fs/pending.h"
#include "fs/transaction.h"

#define LIST_PENDING "list"        /* a kill undoes it */
#define LIST_COMMITTED "committed" /* a kill completes it */
#define LIST_CONFLICT "conflict"   /* for a person */
#define LIST_DRAFT "draft"

enum transaction_kind {
    KIND_CREATE = 'c',
    KIND_WRITE = 'w',
    KIND_REMOVE = 'r',
    KIND_PLACE = 'p',     /* written over: a kill leaves old and new bytes mixed */
    KIND_DIRECTORY = 'd', /* made for a change; stands before it */
    KIND_LINK = 'l'       /* a symbolic link, made */
};
#define KINDS "cwrpdl"

/* One change as the list has it. */
struct transaction_step {
    enum transaction_kind kind;
    uint32_t mode;
    const struct hv_handle
        *at;            /* what path is opened from: what was held when it was judged; after a kill, at the beginning */
    struct hv_str path; /* where it is: links on the way are resolved, and one at its end unless it is to go itself */
    struct fs_image image; /* what stood there, but for its bytes: they are N.before; zeroed: nothing */
    struct hv_str link;    /* what a new link says */
};

struct transaction {
    struct hv_arena arena;
    struct hv_str folder;
    int list;                       /* open and locked for as long as we are at it; -1: none */
    struct transaction_step *steps; /* in arena, as many as there is room for; restore.c has its own */
    size_t count, room;
};

/* Closes the list; the folder stays. */
void transaction_release(struct transaction *transaction);
/* Make the folder, its name after prefix, with a note of it. */
enum hv_code transaction_make_folder(struct transaction *transaction, struct hv_str journal, const char *prefix,
                                     struct pending *pending, struct hv_error *err) HV_MUST_CHECK;
/* Write the list, lock it, and give it its name: from here on a kill is undone. HV_ETOOBIG when text has failed. */
enum hv_code transaction_put_list(struct transaction *transaction, const struct hv_buf *text,
                                  struct hv_error *err) HV_MUST_CHECK;
/* Another name for the list, synced; false with errno, and it has its old name. */
bool transaction_rename_list(struct transaction *transaction, const char *from, const char *to);
/* The list first, then all else. Returns whether nothing of it is left. */
bool transaction_remove_folder(struct transaction *transaction);
/* Open and read the list of that name into *text (released by the caller), when there is one that is nobody else's. */
bool transaction_take_list(struct transaction *transaction, const char *name, struct hv_buf *text);

/* ---- transaction_step.c ---- */

/* The file of the folder that has the bytes of that step, "before" or "after"; in the transaction's arena. */
struct hv_str transaction_image(struct transaction *transaction, size_t index, const char *which);
/* A whole file, into *bytes (initialised here, released by the caller in every case). */
enum hv_code transaction_load(struct hv_str path, struct hv_buf *bytes, struct hv_file_stat *status,
                              struct hv_error *err) HV_MUST_CHECK;
/* The same of the place of a step, to which no link leads any more. */
enum hv_code transaction_load_place(const struct transaction_step *step, struct hv_buf *bytes,
                                    struct hv_file_stat *status, struct hv_error *err) HV_MUST_CHECK;
/* Whole: the file is as it was before. */
enum transaction_outcome transaction_undo_step(struct transaction *transaction, size_t index);
/* Whole: what is to go is gone. */
enum transaction_outcome transaction_complete_step(struct transaction *transaction, size_t index);

/* Of an undoing that ended so: what is somebody else's is a conflict, all else a fault. */
enum transaction_outcome transaction_outcome_of(enum hv_code code);

/* Undo or complete what the folder's list says. transaction->list stays -1 when there is no list that is ours. */
typedef enum transaction_outcome transaction_recover(struct transaction *transaction, bool *committed);

#endif
