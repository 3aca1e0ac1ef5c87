/* sessions.c: the directory of journals. See sessions.h. */
#include "journal/sessions.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "fs/restore.h"
#include "journal/reader.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SLUG_MAX = 80,
    TITLE_MAX = 80,
    TITLE_FILE_MAX = 200,
    PREFIX_MIN = 4,
    CLEAN_MAX = 1000,
    DESCRIBE_EVENTS = 2000,
    DAY_SECONDS = 86400
};

/* ---- ids and places ------------------------------------------------------------------------------------------ */

void session_id_new(char out[SESSION_ID_SIZE])
{
    unsigned char b[16];
    if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b) {
        uint64_t now[2] = {(uint64_t)clock_wall_ns(), clock_monotonic_ns() ^ ((uint64_t)getpid() << 40)};
        memcpy(b, now, sizeof b);
    }
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    snprintf(out, SESSION_ID_SIZE, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
             b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

bool session_id_is_valid(struct hv_str id)
{
    /* What is kept of changes that are not over would else be taken for a session's, and cleaned away. */
    if (id.len == 0 || id.len > 64 || hv_str_is(id, CHANGES_FOLDER))
        return false;
    for (size_t i = 0; i < id.len; i++)
        if (!isalnum((unsigned char)id.ptr[i]) && id.ptr[i] != '-' && id.ptr[i] != '_')
            return false;
    return true;
}

static struct hv_str environment(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] == '/' ? hv_str_from(value) : (struct hv_str){0};
}

struct hv_str sessions_directory(struct hv_arena *arena)
{
    struct hv_str base = environment("HELVE_HOME");
    if (base.ptr)
        return hv_arena_format(arena, "%.*s/sessions", HV_STR_ARG(base));
    base = environment("XDG_STATE_HOME");
    if (base.ptr)
        return hv_arena_format(arena, "%.*s/helve/sessions", HV_STR_ARG(base));
    base = environment("HOME");
    return hv_arena_format(arena, "%.*s/.local/state/helve/sessions", HV_STR_ARG(base));
}

/* FNV-1a: unlike hv_str_hash the same in every process, for names on disk. */
static uint64_t stable_hash(struct hv_str s)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < s.len; i++)
        hash = (hash ^ (unsigned char)s.ptr[i]) * 0x100000001b3u;
    return hash;
}

struct hv_str sessions_project_directory(struct hv_arena *arena, struct hv_str directory)
{
    struct hv_str tail = hv_str_slice(directory, directory.len > SLUG_MAX ? directory.len - SLUG_MAX : 0, SIZE_MAX);
    char *slug = hv_arena_cstr(arena, tail);
    for (char *c = slug; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '-';
    while (*slug == '-')
        slug++;
    return hv_arena_format(arena, "%.*s/%s-%08x", HV_STR_ARG(sessions_directory(arena)), *slug ? slug : "root",
                           (unsigned)(stable_hash(directory) & 0xffffffffu));
}

/* ---- listing ------------------------------------------------------------------------------------------------- */

typedef VEC(struct session_entry) entry_list;

static void add_entry(struct hv_arena *arena, entry_list *list, struct hv_str folder, const char *name)
{
    struct hv_str file = hv_str_from(name);
    if (!hv_str_ends(file, HV_STR(".jsonl")))
        return;
    struct hv_str path = hv_arena_format(arena, "%.*s/%s", HV_STR_ARG(folder), name);
    struct stat st;
    if (stat(path.ptr, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    *vec_push(list) = (struct session_entry){
        .id = hv_arena_str(arena, hv_str_slice(file, 0, file.len - 6)),
        .path = path,
        .modified_ns = (int64_t)st.st_mtim.tv_sec * (int64_t)CLOCK_SECOND + st.st_mtim.tv_nsec,
        .size = (uint64_t)st.st_size,
    };
}

static void list_folder(struct hv_arena *arena, entry_list *list, struct hv_str folder)
{
    DIR *dir = opendir(hv_arena_cstr(arena, folder));
    if (!dir)
        return;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        add_entry(arena, list, folder, entry->d_name);
    closedir(dir);
}

static int newest_first(const void *a, const void *b)
{
    int64_t left = ((const struct session_entry *)a)->modified_ns,
            right = ((const struct session_entry *)b)->modified_ns;
    return left < right ? 1 : left > right ? -1 : 0;
}

enum hv_code sessions_list(struct hv_arena *arena, struct hv_str directory, struct session_entry **entries,
                           size_t *count, struct hv_error *err)
{
    entry_list list = {0};
    if (directory.ptr) {
        list_folder(arena, &list, sessions_project_directory(arena, directory));
    } else {
        struct hv_str all = sessions_directory(arena);
        DIR *dir = opendir(hv_arena_cstr(arena, all));
        if (!dir && errno != ENOENT)
            return hv_fail_errno(err, errno, "cannot read %.*s", HV_STR_ARG(all));
        for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir))
            if (entry->d_name[0] != '.')
                list_folder(arena, &list, hv_arena_format(arena, "%.*s/%s", HV_STR_ARG(all), entry->d_name));
        if (dir)
            closedir(dir);
    }
    if (list.count > 0)
        qsort(list.items, list.count, sizeof *list.items, newest_first);
    *entries = hv_arena_array(arena, struct session_entry, list.count);
    if (list.count > 0)
        memcpy(*entries, list.items, list.count * sizeof *list.items);
    *count = list.count;
    vec_release(&list);
    return HV_OK;
}

struct hv_str sessions_title(struct hv_arena *arena, struct hv_str content)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *blocks;
    if (hv_json_parse(&scratch, content, HV_JSON_STRICT, &blocks, NULL) != HV_OK)
        return (struct hv_str){0};
    hv_json_each(block, blocks)
    {
        struct hv_str text = hv_str_trim(hv_json_get_string(block, "text"));
        if (text.len == 0 || hv_str_starts(text, HV_STR("<")))
            continue;
        text = hv_str_slice(text, 0, hv_str_find_byte(text, '\n', 0));
        struct hv_str cut = hv_str_slice(text, 0, TITLE_MAX);
        if (cut.len < text.len)
            cut.len -= utf8_incomplete_tail(cut);
        return hv_arena_str(arena, cut);
    }
    return (struct hv_str){0};
}

static void describe_start(struct hv_arena *arena, struct session_entry *entry, struct hv_str data)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *object;
    if (!data.ptr || hv_json_parse(&scratch, data, HV_JSON_STRICT, &object, NULL) != HV_OK)
        return;
    entry->directory = hv_arena_str(arena, hv_json_get_string(object, "cwd"));
    entry->model = hv_arena_str(arena, hv_json_get_string(object, "model"));
}

/* Beside what else belongs to the session. */
static struct hv_str title_file(struct hv_arena *arena, struct hv_str journal)
{
    bool usual = hv_str_ends(journal, HV_STR(".jsonl"));
    return usual ? hv_arena_format(arena, "%.*s/title", HV_STR_ARG(hv_str_slice(journal, 0, journal.len - 6)))
                 : hv_arena_format(arena, "%.*s.files/title", HV_STR_ARG(journal));
}

enum hv_code sessions_set_title(struct hv_str journal, struct hv_str title, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str path = title_file(&arena, journal);
    struct hv_str beside = hv_arena_format(&arena, "%.*s.%ld", HV_STR_ARG(path), (long)getpid());
    const char *folder = hv_arena_cstr(&arena, path_parent(path));
    title = hv_str_slice(title, 0, TITLE_FILE_MAX);
    title.len -= utf8_incomplete_tail(title);
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return hv_fail_errno(err, errno, "cannot make %s", folder);
    int fd = open(beside.ptr, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool done = fd >= 0 && write(fd, title.ptr, title.len) == (ssize_t)title.len;
    int fault = errno;
    if (fd >= 0 && close(fd) != 0 && done)
        done = false, fault = errno;
    if (done && rename(beside.ptr, path.ptr) == 0)
        return HV_OK;
    fault = done ? errno : fault;
    unlink(beside.ptr);
    return hv_fail_errno(err, fault, "cannot write %s", path.ptr);
}

static void read_title(struct hv_arena *arena, struct session_entry *entry)
{
    char title[TITLE_FILE_MAX];
    CLEANUP_FD int fd = open(title_file(arena, entry->path).ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t got = fd >= 0 ? read(fd, title, sizeof title) : 0;
    if (got > 0 && utf8_valid(hv_str_of(title, (size_t)got)))
        entry->title = hv_arena_str(arena, hv_str_of(title, (size_t)got));
}

void sessions_describe(struct hv_arena *arena, struct session_entry *entry)
{
    struct journal_reader *reader;
    if (journal_reader_open(entry->path, &reader, NULL) != HV_OK)
        return;
    struct hv_event event;
    for (int i = 0; i < DESCRIBE_EVENTS && journal_reader_next(reader, &event); i++) {
        if (event.type == HV_EVENT_SESSION_START)
            describe_start(arena, entry, event.data);
        else if (event.type == HV_EVENT_MESSAGE && !entry->title.ptr && hv_str_is(event.name, "user"))
            entry->title = sessions_title(arena, event.json);
        else if (event.type == HV_EVENT_TURN_END)
            entry->turns++;
    }
    journal_reader_close(reader);
    read_title(arena, entry);
}

/* ---- finding ------------------------------------------------------------------------------------------------- */

/* One broken journal (a full disk, a crash at the start) must not stand before all the others. */
static bool holds_session(struct hv_str path)
{
    struct journal_reader *reader;
    struct hv_event event;
    bool found = false;
    if (journal_reader_open(path, &reader, NULL) != HV_OK)
        return false;
    for (int i = 0; !found && i < DESCRIBE_EVENTS && journal_reader_next(reader, &event); i++)
        found = event.type == HV_EVENT_SESSION_START || event.type == HV_EVENT_MESSAGE;
    journal_reader_close(reader);
    return found;
}

static enum hv_code find_latest(struct hv_arena *arena, struct hv_str directory, struct session_entry *out,
                                struct hv_error *err)
{
    struct session_entry *entries;
    size_t count;
    enum hv_code code = sessions_list(arena, directory, &entries, &count, err);
    if (code != HV_OK)
        return code;
    if (count == 0) {
        hv_fail(err, HV_ENOTFOUND, "there is no earlier session in %.*s", HV_STR_ARG(directory));
        hv_error_hint(err, "`helve sessions --all` lists those of all directories");
        return HV_ENOTFOUND;
    }
    for (size_t i = 0; i < count; i++) {
        if (!holds_session(entries[i].path))
            continue;
        *out = entries[i];
        out->passed_over = i;
        return HV_OK;
    }
    *out = entries[0]; /* opening it says what is wrong with it */
    return HV_OK;
}

static bool find_path(struct hv_arena *arena, struct hv_str name, struct session_entry *out)
{
    struct stat st;
    const char *path = hv_arena_cstr(arena, name);
    if (hv_str_find_byte(name, '/', 0) == SIZE_MAX && !hv_str_ends(name, HV_STR(".jsonl")))
        return false;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return false;
    char *absolute = realpath(path, NULL);
    struct hv_str full = hv_arena_str(arena, absolute ? hv_str_from(absolute) : name);
    free(absolute);
    struct hv_str file = path_name(full);
    struct hv_str id = hv_str_ends(file, HV_STR(".jsonl")) ? hv_str_slice(file, 0, file.len - 6) : file;
    *out = (struct session_entry){.id = id, .path = full, .size = (uint64_t)st.st_size};
    return true;
}

enum hv_code sessions_find(struct hv_arena *arena, struct hv_str name, struct hv_str directory,
                           struct session_entry *out, struct hv_error *err)
{
    if (!name.ptr)
        return find_latest(arena, directory, out, err);
    if (find_path(arena, name, out))
        return HV_OK;
    struct session_entry *entries;
    size_t count, found = 0;
    enum hv_code code = sessions_list(arena, (struct hv_str){0}, &entries, &count, err);
    if (code != HV_OK)
        return code;
    for (size_t i = 0; i < count; i++) {
        bool same = hv_str_eq(entries[i].id, name);
        if (!same && (name.len < PREFIX_MIN || !hv_str_starts(entries[i].id, name)))
            continue;
        *out = entries[i];
        found = same ? 1 : found + 1;
        if (same)
            break;
    }
    if (found == 1)
        return HV_OK;
    if (found > 1) {
        hv_fail(err, HV_ECONFLICT, "%zu sessions begin with \"%.*s\"", found, HV_STR_ARG(name));
        hv_error_hint(err, "give more of the id; `helve sessions --all` lists them");
        return HV_ECONFLICT;
    }
    hv_fail(err, HV_ENOTFOUND, "there is no session \"%.*s\"", HV_STR_ARG(hv_str_slice(name, 0, 200)));
    hv_error_hint(err, "`helve sessions --all` lists them");
    return HV_ENOTFOUND;
}

/* ---- cleaning ------------------------------------------------------------------------------------------------ */

static int remove_visited(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    (void)remove(path); /* what stays is tried again at the next cleaning */
    return 0;
}

static void remove_folder(struct hv_arena *arena, struct hv_str folder)
{
    nftw(hv_arena_cstr(arena, folder), remove_visited, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

bool sessions_is_kept(const struct session_entry *entry)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct hv_arena *arena = &scratch;
    struct hv_str directory = sessions_directory(arena);
    char *real = realpath(directory.ptr, NULL);
    struct hv_str resolved = hv_arena_format(arena, "%s/", real ? real : directory.ptr);
    free(real);
    return session_id_is_valid(entry->id) && hv_str_ends(entry->path, HV_STR(".jsonl")) &&
           (hv_str_starts(entry->path, resolved) ||
            hv_str_starts(entry->path, hv_arena_format(arena, "%s/", directory.ptr)));
}

/* Where changes of files that are not over are recorded, for all sessions of a project. */
static struct hv_str changes_of(struct hv_arena *arena, struct hv_str journal)
{
    return hv_arena_format(arena, "%.*s/" CHANGES_FOLDER, HV_STR_ARG(path_parent(journal)));
}

/* A restoration that was cut off goes back, or on, with the copies of this session. */
static bool is_needed(struct hv_arena *arena, struct hv_str journal)
{
    struct hv_str folder = hv_str_slice(journal, 0, journal.len - strlen(".jsonl"));
    return fs_restore_needs(changes_of(arena, journal),
                            hv_arena_format(arena, "%.*s/" CHECKPOINTS_FOLDER, HV_STR_ARG(folder)));
}

enum hv_code sessions_remove(const struct session_entry *entry, struct hv_error *err)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    const char *path = hv_arena_cstr(&arena, entry->path);
    /* Anything may be named by its path. */
    if (!sessions_is_kept(entry)) {
        hv_fail(err, HV_EINVAL, "%s is not in the directory of sessions", path);
        hv_error_hint(err, "remove the file yourself if you no longer want it");
        return HV_EINVAL;
    }
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return hv_fail_errno(err, errno, "cannot open %s", path);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return hv_fail(err, HV_ECONFLICT, "session %.*s is in use", HV_STR_ARG(entry->id));
    if (is_needed(&arena, entry->path)) {
        hv_fail(err, HV_ECONFLICT, "a rewind of session %.*s was cut off, and its copies of files are still needed",
                HV_STR_ARG(entry->id));
        hv_error_hint(err, "`helve rewind %.*s --to N` ends it first; what waits for a person is in %.*s",
                      HV_STR_ARG(entry->id), HV_STR_ARG(changes_of(&arena, entry->path)));
        return HV_ECONFLICT;
    }
    if (unlink(path) != 0)
        return hv_fail_errno(err, errno, "cannot remove %s", path);
    remove_folder(&arena, hv_str_slice(entry->path, 0, entry->path.len - 6));
    return HV_OK;
}

/* ---- copies of files ----------------------------------------------------------------------------------------- */

/* What one session keeps. */
struct copies {
    struct hv_str folder, journal;
    uint64_t size;
    int64_t modified;
};

typedef VEC(struct copies) copies_list;

static void add_copies(struct hv_arena *arena, copies_list *list, struct hv_str directory, const char *id)
{
    struct hv_str folder = hv_arena_format(arena, "%.*s/%s/" CHECKPOINTS_FOLDER, HV_STR_ARG(directory), id);
    struct stat st;
    DIR *dir = opendir(folder.ptr);
    if (!dir)
        return;
    struct copies copies = {.folder = folder,
                            .journal = hv_arena_format(arena, "%.*s/%s.jsonl", HV_STR_ARG(directory), id)};
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
            copies.size += (uint64_t)st.st_size;
    if (fstat(dirfd(dir), &st) == 0)
        copies.modified = (int64_t)st.st_mtim.tv_sec * (int64_t)CLOCK_SECOND + st.st_mtim.tv_nsec;
    closedir(dir);
    *vec_push(list) = copies;
}

static int oldest_first(const void *a, const void *b)
{
    int64_t left = ((const struct copies *)a)->modified, right = ((const struct copies *)b)->modified;
    return left < right ? -1 : left > right ? 1 : 0;
}

/* False when the session is being written, and so may still add to them, or when a rewind is not over. */
static bool remove_copies(struct hv_arena *arena, const struct copies *copies)
{
    CLEANUP_FD int fd = open(copies->journal.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    if (is_needed(arena, copies->journal))
        return false;
    remove_folder(arena, copies->folder);
    return true;
}

uint64_t sessions_make_room(struct hv_str directory, struct hv_str except_id, uint64_t limit)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    copies_list list = {0};
    uint64_t total = 0;
    DIR *dir = opendir(hv_arena_cstr(&arena, directory));
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir))
        if (session_id_is_valid(hv_str_from(entry->d_name)) && !hv_str_is(except_id, entry->d_name))
            add_copies(&arena, &list, directory, entry->d_name);
    if (dir)
        closedir(dir);
    for (size_t i = 0; i < list.count; i++)
        total += list.items[i].size;
    if (list.count)
        qsort(list.items, list.count, sizeof *list.items, oldest_first);
    for (size_t i = 0; i < list.count && total > limit / 2; i++)
        if (remove_copies(&arena, &list.items[i]))
            total -= list.items[i].size;
    vec_release(&list);
    return total < limit ? limit - total : 0;
}

/* True when the marker of the last cleaning is missing or older than a day; renews it. */
static bool cleaning_is_due(struct hv_arena *arena)
{
    struct hv_str marker = hv_arena_format(arena, "%.*s/.cleaned", HV_STR_ARG(sessions_directory(arena)));
    struct stat st;
    if (stat(marker.ptr, &st) == 0 && time(NULL) - st.st_mtime < DAY_SECONDS)
        return false;
    CLEANUP_FD int fd = open(marker.ptr, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    return fd >= 0 && futimens(fd, NULL) == 0;
}

/* Stored results of runs that kept no journal (`helve exec`, --no-session-persistence), not touched since `oldest`. */
static size_t clean_results(struct hv_arena *arena, struct hv_str project, int64_t oldest)
{
    size_t removed = 0;
    struct stat st;
    DIR *dir = opendir(hv_arena_cstr(arena, project));
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && removed < CLEAN_MAX; entry = readdir(dir)) {
        struct hv_str id = hv_str_from(entry->d_name);
        struct hv_str folder = hv_arena_format(arena, "%.*s/%s", HV_STR_ARG(project), entry->d_name);
        struct hv_str results = hv_arena_format(arena, "%.*s/tool-results", HV_STR_ARG(folder));
        bool without_journal = session_id_is_valid(id) && lstat(folder.ptr, &st) == 0 && S_ISDIR(st.st_mode) &&
                               access(hv_arena_format(arena, "%.*s.jsonl", HV_STR_ARG(folder)).ptr, F_OK) != 0;
        if (!without_journal || (lstat(results.ptr, &st) != 0 && errno != ENOENT) || st.st_mtime >= oldest)
            continue;
        remove_folder(arena, folder);
        removed++;
    }
    if (dir)
        closedir(dir);
    return removed;
}

static size_t clean_all_results(struct hv_arena *arena, int64_t oldest)
{
    size_t removed = 0;
    struct hv_str all = sessions_directory(arena);
    DIR *dir = opendir(hv_arena_cstr(arena, all));
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && removed < CLEAN_MAX; entry = readdir(dir))
        if (entry->d_name[0] != '.')
            removed += clean_results(arena, hv_arena_format(arena, "%.*s/%s", HV_STR_ARG(all), entry->d_name), oldest);
    if (dir)
        closedir(dir);
    return removed;
}

size_t sessions_clean(int64_t days, struct hv_str except_id)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    if (days < 0 || !cleaning_is_due(&arena))
        return 0;
    struct session_entry *entries;
    size_t count, removed = 0;
    if (sessions_list(&arena, (struct hv_str){0}, &entries, &count, NULL) != HV_OK)
        return 0;
    int64_t oldest = clock_wall_ns() / (int64_t)CLOCK_SECOND - days * DAY_SECONDS;
    for (size_t i = count; i > 0 && removed < CLEAN_MAX; i--) {
        const struct session_entry *entry = &entries[i - 1];
        if (entry->modified_ns / (int64_t)CLOCK_SECOND >= oldest)
            break;
        if (!hv_str_eq(entry->id, except_id) && sessions_remove(entry, NULL) == HV_OK)
            removed++;
    }
    return removed + clean_all_results(&arena, oldest);
}
