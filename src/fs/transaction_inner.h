/*
 * transaction_inner.h: the folder that a change of several files keeps in the journal (transaction.h), as transaction.c
 * and restore.c share it. Nobody else includes it.
 *
 * A folder without a list is nothing yet; the name of the list says what a kill leads to.
 */
#ifndef FS_TRANSACTION_INNER_H
#define FS_TRANSACTION_INNER_H

#include "fs/pending.h"

#define LIST_PENDING "list"        /* a kill undoes it */
#define LIST_COMMITTED "committed" /* a kill completes it */
#define LIST_CONFLICT "conflict"   /* for a person */
#define LIST_DRAFT "draft"

struct transaction_step; /* transaction.c alone */

struct transaction {
    struct hv_arena arena;
    struct hv_str folder;
    int list;                       /* open and locked for as long as we are at it; -1: none */
    struct transaction_step *steps; /* in arena, as many as there is room for */
    size_t count, room;
};

/* Closes the list; the folder stays. */
void transaction_release(struct transaction *transaction);
/* The path of a file of the folder; in the transaction's arena. */
struct hv_str transaction_file(struct transaction *transaction, const char *name);
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

/* Undo or complete what the folder's list says. transaction->list stays -1 when there is no list that is ours. */
typedef enum transaction_outcome transaction_recover(struct transaction *transaction, bool *committed);

#endif
