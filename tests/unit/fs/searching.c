/* searching.c: see searching.h. */
#include "searching.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "fs/directory.h"
#include "fs/scan.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const words[] = {"alpha", "beta", "gamma", "alphabet", "delta", "eta"};
const char *const patterns[PATTERNS] = {"alpha", "beta",  "alphabet", "alpha|gamma", "gamma\\w", "\\bdelta\\b", "eta",
                                        "nope",  "ALPHA", "d.lta",    "^eta",        "(?i)beta", "\\p{Greek}"};
enum { WORDS = 6 };

uint32_t next_random(struct memory *memory, uint32_t below)
{
    memory->random = memory->random * 1664525u + 1013904223u;
    return (memory->random >> 12) % below;
}

/* Long enough for directories not to have changed lately. */
void let_rest(void)
{
    struct timespec pause = {.tv_nsec = 2 * TICKS_NS};
    while (nanosleep(&pause, &pause))
        continue;
}

void file_name(char *name, size_t size, unsigned number)
{
    snprintf(name, size, "t/%u/f%u", number % DIRECTORIES, number / DIRECTORIES);
}

static void write_words(struct memory *memory, const char *path, int flags)
{
    CLEANUP_FD int fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0600);
    char text[256];
    int len = 0;
    for (uint32_t left = next_random(memory, 5); left > 0; left--)
        len += snprintf(text + len, 32, "%s%c", words[next_random(memory, WORDS)], " \n_"[next_random(memory, 3)]);
    if (next_random(memory, 12) == 0)
        len += snprintf(text + len, 32, "\xce\xb1\n");
    if (fd >= 0)
        assert_int_equal(write(fd, text, (size_t)len), len);
}

int open_memory(void **state)
{
    static struct memory memory;
    folder_open(&memory.folder);
    fs_warm_init(&memory.warm);
    memory.warm.steady_ns = memory.warm.marks.late_ns = TICKS_NS;
    memory.warm.marks.sketches.bytes_max = 0;
    memory.random = 5;
    CLEANUP_FD int fd = open(memory.folder.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    memory.works = fs_tells_changes(fd);
    for (unsigned i = 0; i < DIRECTORIES; i++) {
        char name[32];
        snprintf(name, sizeof name, "t/%u", i);
        folder_make(&memory.folder, name);
    }
    for (unsigned i = 0; i < DIRECTORIES * FILES; i++) {
        char name[32];
        file_name(name, sizeof name, i);
        write_words(&memory, folder_cpath(&memory.folder, name), O_CREAT);
    }
    *state = &memory;
    return 0;
}

int close_memory(void **state)
{
    struct memory *memory = *state;
    fs_warm_release(&memory->warm);
    folder_close(&memory->folder);
    return 0;
}

/* ---- searching -------------------------------------------------------------------------------------------------- */

static void note_found(struct searching *searching, struct hv_str path)
{
    unsigned directory, file;
    if (sscanf(path.ptr, "%u/f%u", &directory, &file) == 2 && directory < DIRECTORIES && file < FILES)
        searching->found[file * DIRECTORIES + directory] = 'x';
}

static enum fs_scan_action search_file(void *user, const struct fs_scan_entry *entry)
{
    struct searching *searching = user;
    char text[4096];
    size_t clear;
    struct fs_content content;
    struct hv_str all;
    struct find_match match;
    if (entry->kind != HV_FILE_REGULAR)
        return FS_SCAN_ON;
    enum fs_known known = fs_marks_look(&searching->use, entry, &content);
    atomic_fetch_add(known == FS_RULED_OUT ? &searching->skipped
                     : known == FS_READ    ? &searching->known
                                           : &searching->opened,
                     1);
    if (known == FS_RULED_OUT)
        return FS_SCAN_ON;
    if (known == FS_READ) {
        all = content.text;
    } else {
        CLEANUP_FD int fd = openat(entry->directory, entry->name.ptr, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text);
        if (got < 0)
            return FS_SCAN_ON;
        all = hv_str_of(text, (size_t)got);
        if (!searching->no_texts)
            fs_marks_keep_text(&searching->use, entry, all);
    }
    struct find_scratch *scratch = find_scratch_new(searching->find, NULL, NULL);
    bool is_out = find_rules_out(scratch, all, &clear);
    if (is_out)
        fs_marks_ruled_out(&searching->use, entry);
    if (!is_out && find_next(scratch, all, 0, &match) == FIND_FOUND) {
        LOCK_SCOPE(&searching->lock);
        note_found(searching, entry->path);
    }
    find_scratch_free(scratch);
    return FS_SCAN_ON;
}

void search(struct fs_warm *warm, struct hv_str root, const char *pattern, struct searching *searching)
{
    struct find *find;
    struct hv_arena arena = {0};
    struct fs_scan_outcome outcome;
    struct fs_scan_options options = {.root = root, .threads = 2, .warm = warm};
    *searching = (struct searching){.lock = PTHREAD_MUTEX_INITIALIZER, .no_texts = searching->no_texts};
    assert_int_equal(find_compile(hv_str_from(pattern), &(struct find_options){0}, &find, NULL), HV_OK);
    searching->find = find;
    if (warm)
        fs_marks_begin(warm, find, &searching->use);
    assert_int_equal(fs_scan(&options, search_file, searching, &arena, &outcome, NULL), HV_OK);
    fs_marks_end(&searching->use);
    find_release(find);
    hv_arena_release(&arena);
}

/* Search with what is remembered and without; how many files were ruled out by marks, how many texts were known. */
void compare_both(struct memory *memory, const char *pattern, bool no_texts, size_t *skipped, size_t *known)
{
    struct searching remembering = {.no_texts = no_texts}, plain = {0};
    struct hv_str root = folder_path(&memory->folder, "t");
    search(&memory->warm, root, pattern, &remembering);
    search(NULL, root, pattern, &plain);
    if (memcmp(remembering.found, plain.found, sizeof plain.found) != 0)
        fail_msg("a search for \"%s\" that remembers finds something else", pattern);
    assert_int_equal(remembering.opened + remembering.known + remembering.skipped, plain.opened);
    *skipped = remembering.skipped;
    *known = remembering.known;
}

size_t compare(struct memory *memory, const char *pattern)
{
    size_t skipped, known;
    compare_both(memory, pattern, true, &skipped, &known);
    assert_int_equal(known, 0);
    return skipped;
}

size_t compare_texts(struct memory *memory, const char *pattern)
{
    size_t skipped, known;
    compare_both(memory, pattern, false, &skipped, &known);
    return known;
}

/* ---- changes ---------------------------------------------------------------------------------------------------- */

/* Write over it what is as long, and set its times back. */
void change_in_secret(struct memory *memory, const char *path)
{
    struct stat before;
    char text[256];
    CLEANUP_FD int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &before))
        return;
    ssize_t len = pread(fd, text, sizeof text, 0);
    for (ssize_t i = 0; i < len; i++)
        text[i] = "alph\n"[(i + (ssize_t)next_random(memory, 2)) % 5];
    if (len >= 5 && next_random(memory, 2))
        memcpy(text, "alpha", 5);
    if (len > 0)
        assert_int_equal(pwrite(fd, text, (size_t)len, 0), len);
    struct timespec times[2] = {before.st_atim, before.st_mtim};
    assert_int_equal(futimens(fd, times), 0);
}

/* One change somewhere; it may fail. */
void change(struct memory *memory)
{
    char name[32], other[32];
    struct stat status;
    file_name(name, sizeof name, next_random(memory, DIRECTORIES * FILES));
    file_name(other, sizeof other, next_random(memory, DIRECTORIES * FILES));
    const char *path = folder_cpath(&memory->folder, name), *second = folder_cpath(&memory->folder, other);
    switch (next_random(memory, 9)) {
    case 0: (void)!truncate(path, next_random(memory, 20)); break;
    case 1: write_words(memory, path, O_TRUNC); break;
    case 2: write_words(memory, path, O_APPEND); break;
    case 3: write_words(memory, path, 0); break;
    case 4: (void)!chmod(path, 0640); break;
    case 5:
        if (next_random(memory, 4) == 0) /* its directory is read anew for a while */
            (void)!rename(path, second);
        break;
    case 6:
        if (next_random(memory, 4) == 0 && stat(second, &status) && link(path, second) == 0)
            write_words(memory, second, O_APPEND);
        break;
    default: change_in_secret(memory, path); break;
    }
}

void *keep_changing(void *data)
{
    struct changing *changing = data;
    for (unsigned i = 0; !atomic_load(&changing->over); i++) {
        char name[32], path[128];
        file_name(name, sizeof name, i % changing->files);
        snprintf(path, sizeof path, "%s/%s", changing->memory->folder.path.ptr, name);
        int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
        if (fd >= 0) {
            (void)!write(fd, i % 3 ? "alpha\n" : "beta\n", i % 3 ? 6 : 5);
            close(fd);
        }
    }
    return NULL;
}
