/* chat_earlier.c: what a session said before it goes on, shown from its journal: the end of it, whatever its size. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cli/chat.h"
#include "journal/reader.h"

enum { EARLIER_MAX = 2 << 20 };

/* The last bytes of a file, from the beginning of a line. */
static bool read_end(struct hv_str path, struct hv_buf *bytes)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct stat stat;
    CLEANUP_FD int fd = open(hv_arena_cstr(&arena, path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &stat) != 0 || !S_ISREG(stat.st_mode))
        return false;
    off_t from = stat.st_size > EARLIER_MAX ? stat.st_size - EARLIER_MAX : 0;
    char *room = hv_buf_reserve(bytes, EARLIER_MAX);
    ssize_t got = room ? pread(fd, room, EARLIER_MAX, from) : -1;
    hv_buf_commit(bytes, got > 0 ? (size_t)got : 0);
    if (from > 0)
        hv_buf_consume(bytes, hv_str_find_byte(hv_buf_str(bytes), '\n', 0) + 1);
    return bytes->len > 0;
}

void chat_show_earlier(struct chat *chat, const struct session_entry *entry)
{
    CLEANUP_BUF struct hv_buf bytes = {.max = EARLIER_MAX + 1};
    struct hv_event event;
    if (!read_end(entry->path, &bytes))
        return;
    struct journal_reader *reader = journal_reader_from_memory(hv_buf_str(&bytes));
    while (journal_reader_next(reader, &event))
        chat->functions->earlier(chat->ui, &event);
    journal_reader_close(reader);
    chat->functions->earlier(chat->ui, NULL);
}
