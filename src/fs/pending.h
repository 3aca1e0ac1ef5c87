/*
 * pending.h: notes of writes under way. A note is a small file in the directory where a session keeps what its changes
 * need (hv_write_options.journal): it names the temporary file and the directories that a write makes, is locked for as
 * long as the writer lives, and goes when the write ends. What a killed writer left is found by its note at the next
 * start, without looking through anybody's project. Notes are not synced: a power cut may leave a temporary file.
 */
#ifndef FS_PENDING_H
#define FS_PENDING_H

#include <helve/host.h>

/* One note. Zeroed with fd -1: none; all functions then do nothing. */
struct pending {
    int fd;
    struct hv_arena arena;
    struct hv_str file;
    struct hv_str *made; /* directories, in the order in which they are made */
    size_t made_count;
    const struct hv_handle *at; /* what they are reached from */
    bool stays;                 /* something that it names could not be removed: the next start tries again */
};

/* Begin a note in journal (made when missing). Without one, or where that fails, writing goes on without a note. */
void pending_begin(struct pending *pending, struct hv_str journal);
/* Before the file of that name is made in directory. */
void pending_note_temporary(struct pending *pending, struct hv_str directory, const char *name);
/* Before the directories down to path are made: those that are missing, kept in pending->made too. at outlives the
 * note. */
void pending_note_directories(struct pending *pending, const struct hv_handle *at, struct hv_str path);
/* Before a folder of the journal is made (transaction.h), which is nothing until it has its list. */
void pending_note_folder(struct pending *pending, struct hv_str folder);
/* Remove the directories that were made for nothing, as far as they are empty. */
void pending_undo_directories(struct pending *pending);
/* The write has ended: the note goes, unless it stays. */
void pending_end(struct pending *pending);

/* Remove what killed writers left, by the notes in journal; of folders, unfinished is called. */
void pending_clean(struct hv_str journal, void (*unfinished)(struct hv_str folder));

/* The missing ones of the directories from the deepest that exists down to path, outermost first; in arena. at:
 * handle.h. */
size_t pending_missing(struct hv_arena *arena, const struct hv_handle *at, struct hv_str path, struct hv_str **missing);

#endif
