/*
 * reader.h: a journal's events, one after another, in bounded memory whatever the file's size.
 *
 * A journal may end in the middle of a line (kill -9, power cut): that tail is left out and told. A line in the middle
 * that cannot be read is counted and skipped. So every file gives all events that can be read, and never an error
 * after it was opened.
 */
#ifndef JOURNAL_READER_H
#define JOURNAL_READER_H

#include <helve/event.h>

enum { JOURNAL_LINE_MAX = 64 << 20 };

struct journal_reader;

/* What was wrong with a file so far. */
struct journal_faults {
    uint64_t bad_lines;      /* lines that were skipped */
    uint64_t first_bad_line; /* number of the first of them, from 1; 0: none */
    struct hv_error first;   /* what was wrong with it */
    bool torn;               /* the last line was incomplete */
    int read_errno;          /* reading stopped early with this errno, or 0 */
};

/* Open a file. HV_ENOTFOUND, HV_EACCES; HV_EINVAL when it is no regular file. */
enum hv_code journal_reader_open(struct hv_str path, struct journal_reader **out, struct hv_error *err) HV_MUST_CHECK;
/* Read from memory instead; bytes must live as long as the reader. */
struct journal_reader *journal_reader_from_memory(struct hv_str bytes);
void journal_reader_close(struct journal_reader *reader);

/* The next event; false at the end. Its views are valid until the next call. Events of unknown type are left out. */
bool journal_reader_next(struct journal_reader *reader, struct hv_event *event);
/* The line of the event given last, without its newline, and its number from 1. Valid until the next call. */
struct hv_str journal_reader_line(const struct journal_reader *reader, uint64_t *number);
const struct journal_faults *journal_reader_faults(const struct journal_reader *reader);

/* A member of an event's data as a number from 1 to most; 0 when it is none of these. Any thread. */
size_t journal_number(const struct hv_json *data, const char *name, size_t most);

#endif
