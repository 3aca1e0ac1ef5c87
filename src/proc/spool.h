/*
 * spool.h: a sink for output of any size in constant memory.
 *
 * Up to inline_max bytes stay in memory. What grows over that goes to a file, from its first byte on, and only
 * the head and the tail stay in memory, for the preview. Over file_max the spool says stop. A disk that is full or
 * fails is not the command's fault: the spool goes on counting and keeps head and tail, drops the file and says so in
 * spool_note.
 *
 * One thread at a time.
 */
#ifndef PROC_SPOOL_H
#define PROC_SPOOL_H

#include <helve/content.h>
#include <helve/host.h>

struct spool;

struct spool_options {
    struct hv_str directory; /* for the file: exists, real path; absent: never a file (head and tail only) */
    struct hv_str name; /* start of the file's name ("bash"); letters, digits, '-' and '_'; other bytes become '_' */
    size_t inline_max;  /* 0: 128 KiB */
    size_t head_max, tail_max; /* 0: 64 KiB each; head_max + tail_max never exceeds inline_max */
    uint64_t file_max;         /* 0: 1 GiB */
    bool plain_name;           /* the file is called NAME.txt when there is no such file yet */
    bool merged;               /* the streams are not kept apart: spool_stream is not used */
};

/* A new, empty spool; free it with spool_free. Opens nothing until it must. The strings of options are copied. */
struct spool *spool_new(const struct spool_options *options);
/* Frees memory and descriptor; the file stays. NULL is accepted. */
void spool_free(struct spool *spool);

/*
 * Append bytes that came on a stream. False from the moment the total passes file_max: stop the producer; the bytes up
 * to exactly file_max are kept, the rest is only counted. Each stream is also kept apart, bounded (spool_stream).
 */
bool spool_add(struct spool *spool, enum hv_stream stream, struct hv_str bytes);

/* Write what came to the file from now on, however little it is, so that others can read it there. The file's path (a
 * view, as long as the spool), absent when it cannot be written. */
struct hv_str spool_to_file(struct spool *spool);
/* No more will come: give descriptor and memory back that only adding needs. */
void spool_settle(struct spool *spool);
/* Append what came from position `from` on, at most limit bytes, to out; returns the position of the first byte that is
 * appended (later than `from` when what lies between was not kept), or `from` when there is nothing. */
uint64_t spool_read(const struct spool *spool, uint64_t from, size_t limit, struct hv_buf *out);

/* Bytes that can be read: those that came, as far as they are below file_max. */
uint64_t spool_kept(const struct spool *spool);
uint64_t spool_size(const struct spool *spool);  /* bytes that came */
uint64_t spool_lines(const struct spool *spool); /* newlines that came */
/* The last line with something on it (at most 200 bytes of it), as it came; a view until the next spool_add. */
struct hv_str spool_last_line(const struct spool *spool);
/* What came on one stream: its first and last 8 KiB, joined by "\n…\n" when more; in arena. Empty when nothing came. */
struct hv_str spool_stream(const struct spool *spool, enum hv_stream stream, struct hv_arena *arena);

/*
 * Close the file and append what came to result, copied into arena: nothing for an empty spool, an HV_CONTENT_TEXT when
 * it fits in memory, else an HV_CONTENT_SPOOL (its `file` is absent when the file could not be written, then size and
 * lines are those of the output).
 * Call once, last.
 */
void spool_finish(struct spool *spool, struct hv_arena *arena, struct hv_result *result);
/* One sentence when the file could not be made, or was lost (disk full), else absent. In arena. */
struct hv_str spool_lost(const struct spool *spool, struct hv_arena *arena);
/* One sentence for the model when something was lost (that, or the cap was passed), else absent. In arena. */
struct hv_str spool_note(const struct spool *spool, struct hv_arena *arena);

#endif
