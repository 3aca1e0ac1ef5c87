/*
 * writer.h: the journal of one session as a sink: every recorded event becomes one line of JSON in an append-only file.
 *
 * It must be the first sink, so that what is shown has been written. Each line leaves in one write(2) to a descriptor
 * opened with O_APPEND; the file is locked (flock) for as long as the writer lives, so that two sessions can never mix
 * in one file. A full disk or a failing write is told once; the session goes on, and so does the journal as soon as
 * writing works again.
 */
#ifndef JOURNAL_WRITER_H
#define JOURNAL_WRITER_H

#include <helve/event.h>

struct journal_writer;

struct journal_writer_options {
    struct hv_str path;           /* absolute; missing directories are made with mode 0700, the file with 0600 */
    const struct hv_str *secrets; /* values that must never be written (API keys); shorter than 8 bytes are ignored */
    size_t secret_count;
    /* Called at most once, on the thread that emitted, when writing starts to fail. May be NULL. Must not emit. */
    void (*on_fault)(void *user, const struct hv_error *err);
    void *user;
};

/*
 * Open or create the file for appending. A torn last line of an earlier run is cut off. HV_ECONFLICT when another
 * process is writing it. Blocks for a few system calls.
 */
enum hv_code journal_writer_open(const struct journal_writer_options *options, struct journal_writer **out,
                                 struct hv_error *err) HV_MUST_CHECK;
/* Close and unlock. NULL is fine. */
void journal_writer_close(struct journal_writer *writer);

/* The sink to hand to the runtime; valid until close. Safe on any thread. */
struct hv_sink journal_writer_sink(struct journal_writer *writer);

/* Whether the file ended within a line when it was opened; that line is lost. */
bool journal_writer_cut(const struct journal_writer *writer);

/* Append one event, as the sink does. */
void journal_write(struct journal_writer *writer, const struct hv_event *event);

/* The error that on_fault told or would have told, when writing has failed since the writer was opened. */
enum hv_code journal_writer_check(struct journal_writer *writer, struct hv_error *err) HV_MUST_CHECK;

/* Make dir and all missing parents with this mode. An existing directory is fine. */
enum hv_code journal_make_directories(struct hv_str directory, unsigned mode, struct hv_error *err) HV_MUST_CHECK;

#endif
