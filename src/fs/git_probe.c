/*
 * git_probe.c: see git_probe.h. A look at a directory collects findings and, beside them, the identity of every file
 * that it looked at, also of those that do not exist: that is what makes remembering safe.
 */
#include "fs/git_probe.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"
#include "fs/git_findings.h"
#include "fs/git_index.h"
#include "fs/open.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    CONFIG_MAX = 1 << 20,
    INDEX_MAX = 64 << 20,
    INCLUDE_DEPTH_MAX = 10,
    REPOSITORIES_MAX = 300,
    DEPTH_MAX = 5,
    BELOW_MAX = 200
};
enum { REMEMBERED_MAX = 16, SETTLED_SECONDS = 2, POINTER_FILE_MAX = 8 << 10 };

/* A file as it was when it was looked at; all zero: there was none. Of a directory only which one it is. */
struct seen {
    const char *path;
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec modified, changed;
};

/* One look at a directory. */
struct look {
    struct hv_arena *arena;
    struct git_findings findings;
    VEC(struct seen) seen;
    unsigned repositories, depth, include_depth;
    struct hv_str worktree; /* of the repository at hand, resolved; absent: none */
    struct hv_str shared;   /* where its configuration lies */
    struct hv_str file;     /* the configuration at hand */
    bool sha256;
};

/* ---- files ----------------------------------------------------------------------------------------------- */

static struct hv_str join(struct hv_arena *arena, struct hv_str directory, struct hv_str name)
{
    if (hv_str_starts(name, HV_STR("/")))
        return hv_arena_str(arena, name);
    return hv_arena_format(arena, "%.*s/%.*s", HV_STR_ARG(directory), HV_STR_ARG(name));
}

/* status: NULL when there is nothing at path. */
static struct seen identity(const char *path, const struct stat *status)
{
    struct seen seen = {.path = path};
    if (status) {
        seen.device = status->st_dev;
        seen.inode = status->st_ino;
    }
    if (status && !S_ISDIR(status->st_mode)) {
        seen.size = status->st_size;
        seen.modified = status->st_mtim;
        seen.changed = status->st_ctim;
    }
    return seen;
}

static bool is_same(const struct seen *a, const struct seen *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->modified.tv_sec == b->modified.tv_sec && a->modified.tv_nsec == b->modified.tv_nsec &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

/* A file that was noted as it is now needs no second look. */
static void note(struct look *look, const char *path, const struct stat *status)
{
    struct seen seen = identity(path, status);
    for (size_t at = 0; at < look->seen.count; at++)
        if (strcmp(look->seen.items[at].path, path) == 0 && is_same(&look->seen.items[at], &seen))
            return;
    *vec_push(&look->seen) = seen;
}

/* What is at path, followed; 0: nothing. Remembered. */
static mode_t kind_at(struct look *look, struct hv_str path)
{
    struct stat status;
    bool there = stat(path.ptr, &status) == 0;
    note(look, path.ptr, there ? &status : NULL);
    return there ? status.st_mode & S_IFMT : 0;
}

static void add(struct look *look, enum git_finding_kind kind, struct hv_str why)
{
    git_findings_add(&look->findings, kind, HV_STR(""), why);
}

/* The whole of a file, in arena; absent when there is none. What is there but cannot be read is a finding. */
static struct hv_str read_into(struct look *look, struct hv_arena *arena, struct hv_str path, size_t max)
{
    struct stat status;
    CLEANUP_FD int fd = open(path.ptr, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        note(look, path.ptr, NULL);
        return hv_str_of(NULL, 0);
    }
    if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) || (uint64_t)status.st_size > max) {
        add(look, GIT_FINDING_ANY, hv_arena_format(look->arena, "%s cannot be read", path.ptr));
        return hv_str_of(NULL, 0);
    }
    note(look, path.ptr, &status);
    char *bytes = hv_arena_alloc(arena, (size_t)status.st_size + 1);
    ssize_t got = fs_read_at(fd, bytes, (size_t)status.st_size, 0);
    if (got != status.st_size) {
        add(look, GIT_FINDING_ANY, hv_arena_format(look->arena, "%s cannot be read", path.ptr));
        return hv_str_of(NULL, 0);
    }
    return hv_str_of(bytes, (size_t)got);
}

static struct hv_str read_file(struct look *look, struct hv_str path, size_t max)
{
    return read_into(look, look->arena, path, max);
}

/* A file that holds one path, after prefix; absent when it does not. */
static struct hv_str read_pointer(struct look *look, struct hv_str path, struct hv_str prefix)
{
    struct hv_str line = hv_str_trim(read_file(look, path, POINTER_FILE_MAX));
    if (!hv_str_starts(line, prefix) || hv_str_find_byte(line, '\0', 0) != SIZE_MAX)
        return hv_str_of(NULL, 0);
    return hv_str_trim(hv_str_slice(line, prefix.len, line.len));
}

/* ---- configuration --------------------------------------------------------------------------------------- */

static void read_config(struct look *look, struct hv_str path);

static bool is_inside(struct hv_str path, struct hv_str directory)
{
    return directory.len && path_inside(path, directory);
}

/* A file that is included: relative to the one that includes it, never one of the work tree. */
static void include(void *user, struct hv_str path)
{
    struct look *look = user;
    if (look->include_depth >= INCLUDE_DEPTH_MAX || !path.len || hv_str_starts(path, HV_STR("%(")) ||
        hv_str_find_byte(path, '\0', 0) != SIZE_MAX) {
        add(look, GIT_FINDING_ANY, HV_STR("the repository's configuration includes other files in an unusual way"));
        return;
    }
    if (path.ptr[0] == '~') {
        const char *home = getenv("HOME");
        if (!home || (path.len > 1 && path.ptr[1] != '/')) {
            add(look, GIT_FINDING_ANY, HV_STR("the repository's configuration includes a file of another user"));
            return;
        }
        path = hv_arena_format(look->arena, "%s%.*s", home, HV_STR_ARG(hv_str_slice(path, 1, path.len)));
    }
    size_t slash = hv_str_rfind_byte(look->file, '/');
    struct hv_str target = join(look->arena, hv_str_slice(look->file, 0, slash), path);
    char resolved[PATH_MAX];
    struct hv_str real = realpath(target.ptr, resolved) ? hv_str_from(resolved) : target;
    if (is_inside(real, look->worktree) && !is_inside(real, look->shared)) {
        add(look, GIT_FINDING_ANY, HV_STR("the repository's configuration includes a file of the work tree"));
        return;
    }
    look->include_depth++;
    read_config(look, target);
    look->include_depth--;
}

static void check_worktree(struct look *look, struct hv_str value, struct hv_str base)
{
    char resolved[PATH_MAX];
    if (!value.ptr || hv_str_find_byte(value, '\0', 0) != SIZE_MAX)
        return;
    bool known = realpath(join(look->arena, base, value).ptr, resolved) != NULL;
    if (!known || !look->worktree.len || !hv_str_eq(hv_str_from(resolved), look->worktree))
        add(look, GIT_FINDING_ANY, HV_STR("the repository's configuration names a work tree that lies elsewhere"));
}

static void read_config(struct look *look, struct hv_str path)
{
    struct hv_str outer = look->file;
    look->file = path;
    struct hv_str text = read_file(look, path, CONFIG_MAX);
    struct git_findings_config config = {.sha256 = look->sha256, .include = include, .user = look};
    if (text.len)
        git_findings_read(look->arena, text, &look->findings, &config);
    look->sha256 = config.sha256;
    check_worktree(look, config.worktree, look->shared);
    look->file = outer;
}

/* ---- repositories ---------------------------------------------------------------------------------------- */

/* Whether git takes what HEAD says for a HEAD. Stricter than git: what is not certain is no repository here. */
static bool is_head(struct hv_str text)
{
    if (hv_str_starts(text, HV_STR("ref: refs/")))
        return true;
    struct hv_str name = hv_str_trim(text);
    for (size_t at = 0; at < name.len; at++)
        if (!strchr("0123456789abcdef", name.ptr[at]) || !name.ptr[at])
            return false;
    return name.len == 40 || name.len == 64;
}

static struct hv_str common_directory(struct look *look, struct hv_str git)
{
    struct hv_str common = read_pointer(look, join(look->arena, git, HV_STR("commondir")), HV_STR(""));
    return common.len ? join(look->arena, git, common) : git;
}

/* Whether git certainly takes this directory for a repository. */
static bool is_repository(struct look *look, struct hv_str git)
{
    struct hv_str common = common_directory(look, git);
    bool objects = kind_at(look, join(look->arena, common, HV_STR("objects"))) == S_IFDIR;
    bool refs = kind_at(look, join(look->arena, common, HV_STR("refs"))) == S_IFDIR;
    return objects && refs && is_head(read_file(look, join(look->arena, git, HV_STR("HEAD")), POINTER_FILE_MAX));
}

static bool look_at_level(struct look *look, struct hv_str directory);

/* The submodules that the index names, as far as they are there. */
static void look_at_submodules(struct look *look, struct hv_str git, struct hv_str worktree)
{
    struct hv_arena scratch = {0};
    struct git_index_links links = {0};
    struct hv_str bytes = read_into(look, &scratch, join(look->arena, git, HV_STR("index")), INDEX_MAX);
    if (bytes.len && !git_index_links(look->arena, bytes, look->sha256 ? 32 : 20, &links))
        add(look, GIT_FINDING_CONTENT, HV_STR("the index of the repository is of a form that helve does not read"));
    hv_arena_release(&scratch);
    look->depth++;
    if (links.count && look->depth > DEPTH_MAX)
        add(look, GIT_FINDING_CONTENT, HV_STR("submodules lie too deep inside each other"));
    else
        for (size_t at = 0; at < links.count; at++)
            (void)look_at_level(look, join(look->arena, worktree, links.paths[at]));
    look->depth--;
}

static void look_at_repository(struct look *look, struct hv_str git, struct hv_str worktree)
{
    if (++look->repositories > REPOSITORIES_MAX) {
        add(look, GIT_FINDING_ANY, HV_STR("there are too many repositories inside each other"));
        return;
    }
    char resolved[PATH_MAX], resolved_shared[PATH_MAX];
    struct hv_str outer_worktree = look->worktree, outer_shared = look->shared;
    struct hv_str common = common_directory(look, git);
    look->sha256 = false;
    look->worktree = realpath(worktree.ptr, resolved) ? hv_str_from(resolved) : hv_str_of(NULL, 0);
    look->shared = realpath(common.ptr, resolved_shared) ? hv_str_from(resolved_shared) : common;
    read_config(look, join(look->arena, common, HV_STR("config")));
    read_config(look, join(look->arena, git, HV_STR("config.worktree")));
    look_at_submodules(look, git, worktree);
    look->worktree = outer_worktree;
    look->shared = outer_shared;
}

/* Look for a repository right here. True when git certainly looks no further. */
static bool look_at_level(struct look *look, struct hv_str directory)
{
    struct hv_str git = join(look->arena, directory, HV_STR(".git"));
    mode_t kind = kind_at(look, git);
    bool found = false;
    if (kind == S_IFREG) {
        struct hv_str target = read_pointer(look, git, HV_STR("gitdir:"));
        git = target.len ? join(look->arena, directory, target) : git;
    }
    if (kind) {
        look_at_repository(look, git, directory);
        found = is_repository(look, git);
    }
    struct hv_str head = join(look->arena, directory, HV_STR("HEAD"));
    if (!found && kind_at(look, head)) {
        look_at_repository(look, directory, directory);
        found = is_repository(look, directory);
    }
    return found;
}

/* Variables that lead git elsewhere than a look upwards would. */
static bool is_led_elsewhere(void)
{
    static const char *const names[] = {"GIT_DIR",        "GIT_WORK_TREE",        "GIT_COMMON_DIR",
                                        "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"};
    for (size_t at = 0; at < sizeof names / sizeof *names; at++)
        if (getenv(names[at]))
            return true;
    return false;
}

/* Nothing that git could take for a repository stands here. */
static bool is_bare_level(struct fs_trees *trees, struct hv_str directory)
{
    struct stat status;
    bool is_new, *answer = fs_trees_answer(trees, directory, HV_STR("git"), &is_new);
    if (is_new)
        *answer = stat(join(&trees->arena, directory, HV_STR(".git")).ptr, &status) != 0 &&
                  stat(join(&trees->arena, directory, HV_STR("HEAD")).ptr, &status) != 0;
    return *answer;
}

struct hv_str git_probe_start(struct fs_trees *trees, struct hv_str directory)
{
    struct hv_str at, there;
    if (hv_str_find_byte(directory, '\0', 0) != SIZE_MAX || !hv_str_starts(directory, HV_STR("/")))
        return directory;
    struct hv_str real = fs_trees_real(trees, directory, &at);
    while (at.len > 1 && is_bare_level(trees, at))
        at = path_parent(at);
    /* Where directory is missing, what is above it is what is written, and may lead over links. */
    return hv_str_eq(at, real) || hv_str_eq(fs_trees_real(trees, at, &there), at) ? at : directory;
}

static void look_upwards(struct look *look, struct hv_str directory)
{
    char resolved[PATH_MAX];
    struct hv_str at = hv_arena_str(look->arena, directory);
    if (realpath(at.ptr, resolved))
        at = hv_arena_str(look->arena, hv_str_from(resolved));
    for (; !look_at_level(look, at); at = hv_arena_str(look->arena, path_parent(at)))
        if (at.len <= 1)
            return;
}

/* ---- remembering ----------------------------------------------------------------------------------------- */

struct remembered {
    struct hv_arena arena;
    struct hv_str directory; /* absent: free */
    struct look look;
};

struct git_probe {
    pthread_mutex_t lock;
    struct remembered items[REMEMBERED_MAX];
    size_t next; /* the one to be replaced */
};

static void remembered_release(struct remembered *item)
{
    vec_release(&item->look.seen);
    hv_arena_release(&item->arena);
    *item = (struct remembered){0};
}

struct git_probe *git_probe_new(void)
{
    struct git_probe *probe = hv_calloc(1, sizeof *probe);
    pthread_mutex_init(&probe->lock, NULL);
    return probe;
}

void git_probe_free(struct git_probe *probe)
{
    if (!probe)
        return;
    for (size_t at = 0; at < REMEMBERED_MAX; at++)
        remembered_release(&probe->items[at]);
    pthread_mutex_destroy(&probe->lock);
    free(probe);
}

static bool is_unchanged(const struct seen *seen)
{
    struct stat status;
    struct seen found = identity(seen->path, stat(seen->path, &status) == 0 ? &status : NULL);
    return is_same(&found, seen);
}

static struct remembered *find(struct git_probe *probe, struct hv_str directory)
{
    for (size_t at = 0; at < REMEMBERED_MAX; at++) {
        struct remembered *item = &probe->items[at];
        if (!item->directory.ptr || !hv_str_eq(item->directory, directory))
            continue;
        for (size_t file = 0; file < item->look.seen.count; file++)
            if (!is_unchanged(&item->look.seen.items[file])) {
                remembered_release(item);
                return NULL;
            }
        return item;
    }
    return NULL;
}

/* A file that was changed just now could change again without its times telling. */
static bool is_settled(const struct look *look)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    for (size_t at = 0; at < look->seen.count; at++)
        if (look->seen.items[at].changed.tv_sec > now.tv_sec - SETTLED_SECONDS)
            return false;
    return true;
}

static void look_into(struct remembered *item, struct hv_str directory)
{
    item->directory = hv_arena_str(&item->arena, directory);
    item->look.arena = &item->arena;
    if (is_led_elsewhere())
        add(&item->look, GIT_FINDING_ANY, HV_STR("the environment names a repository (GIT_DIR or the like)"));
    else if (hv_str_find_byte(directory, '\0', 0) != SIZE_MAX || !hv_str_starts(directory, HV_STR("/")))
        add(&item->look, GIT_FINDING_ANY, HV_STR("the directory that git runs in is not known"));
    else
        look_upwards(&item->look, directory);
}

static bool answer(const struct look *look, struct hv_arena *arena, struct hv_str subcommand, struct hv_str *why)
{
    const struct git_finding *finding = git_findings_for(&look->findings, subcommand);
    if (finding)
        *why = hv_arena_str(arena, finding->why);
    return !finding;
}

bool git_probe_is_quiet(struct git_probe *probe, struct hv_arena *arena, struct hv_str directory,
                        struct hv_str subcommand, struct hv_str *why)
{
    if (probe) {
        LOCK_SCOPE(&probe->lock);
        struct remembered *known = find(probe, directory);
        if (known)
            return answer(&known->look, arena, subcommand, why);
    }
    struct remembered item = {0};
    look_into(&item, directory);
    bool quiet = answer(&item.look, arena, subcommand, why);
    if (probe && is_settled(&item.look)) {
        LOCK_SCOPE(&probe->lock);
        struct remembered *place = &probe->items[probe->next++ % REMEMBERED_MAX];
        remembered_release(place);
        *place = item;
        place->look.arena = NULL;
        return quiet;
    }
    remembered_release(&item);
    return quiet;
}

bool git_probe_is_quiet_below(struct git_probe *probe, struct hv_arena *arena, struct hv_str directory,
                              struct hv_str subcommand, struct hv_str *why)
{
    DIR *names = opendir(hv_arena_cstr(arena, directory));
    const struct dirent *entry;
    struct fs_trees trees = {0};
    struct hv_str last = {0};
    bool quiet = names != NULL;
    if (!quiet)
        *why = HV_STR("the directories that git runs in cannot be read");
    for (size_t count = 0; quiet && (entry = readdir(names));) {
        struct stat status;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 || entry->d_type == DT_REG)
            continue;
        struct hv_str path = join(arena, directory, hv_str_from(entry->d_name));
        if (stat(path.ptr, &status) != 0 ? errno == ENOENT : !S_ISDIR(status.st_mode))
            continue;
        quiet = ++count <= BELOW_MAX;
        struct hv_str start = git_probe_start(&trees, path);
        if (!quiet)
            *why = HV_STR("git runs in too many directories to look at");
        else if (!hv_str_eq(start, last))
            quiet = git_probe_is_quiet(probe, arena, start, subcommand, why);
        last = start;
    }
    if (names)
        closedir(names);
    fs_trees_release(&trees);
    return quiet;
}

/* What git finds at this level: the repository of a work tree, …; when that is not certain, nobody knows where it
 * looks. */
enum level { LEVEL_NOTHING, LEVEL_TOP, LEVEL_UNCERTAIN };

static enum level level_of(struct look *look, struct hv_str directory)
{
    struct hv_str git = join(look->arena, directory, HV_STR(".git"));
    mode_t kind = kind_at(look, git);
    if (!kind)
        return kind_at(look, join(look->arena, directory, HV_STR("HEAD"))) ? LEVEL_UNCERTAIN : LEVEL_NOTHING;
    struct hv_str target = kind == S_IFREG ? read_pointer(look, git, HV_STR("gitdir:")) : (struct hv_str){0};
    return is_repository(look, target.len ? join(look->arena, directory, target) : git) ? LEVEL_TOP : LEVEL_UNCERTAIN;
}

struct hv_str git_probe_top(struct hv_arena *arena, struct hv_str directory)
{
    char resolved[PATH_MAX];
    enum level level;
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct look look = {.arena = &scratch};
    struct hv_str at = hv_arena_str(&scratch, directory), top = {0};
    if (is_led_elsewhere() || !realpath(at.ptr, resolved))
        return top;
    at = hv_arena_str(&scratch, hv_str_from(resolved));
    while ((level = level_of(&look, at)) == LEVEL_NOTHING && at.len > 1)
        at = hv_arena_str(&scratch, path_parent(at));
    if (level != LEVEL_UNCERTAIN)
        top = hv_arena_str(arena, level == LEVEL_TOP ? at : directory);
    vec_release(&look.seen);
    return top;
}

/* Where git keeps what belongs to the work tree that begins at top. */
static struct hv_str git_folder(struct look *look, struct hv_str top)
{
    struct hv_str git = join(look->arena, top, HV_STR(".git"));
    struct hv_str target = kind_at(look, git) == S_IFREG ? read_pointer(look, git, HV_STR("gitdir:")) : HV_STR("");
    return target.len ? join(look->arena, top, target) : git;
}

/* The index of the repository around a directory. */
struct index_bytes {
    struct hv_str bytes, below; /* "" where there is none; the directory as seen from the top */
    size_t hash_size;
};

/* False: that is not certain. */
static bool read_index_around(struct hv_arena *scratch, struct hv_str directory, struct index_bytes *out)
{
    char resolved[PATH_MAX];
    struct look config = {.arena = scratch}, index = {.arena = scratch};
    struct hv_str top = git_probe_top(scratch, directory);
    if (!top.ptr || !realpath(hv_arena_cstr(scratch, directory), resolved))
        return false;
    struct hv_str below = path_relative(hv_arena_str(scratch, hv_str_from(resolved)), top);
    struct hv_str git = git_folder(&config, top);
    read_config(&config, join(scratch, common_directory(&config, git), HV_STR("config")));
    out->bytes = read_into(&index, scratch, join(scratch, git, HV_STR("index")), INDEX_MAX);
    out->below = hv_str_is(below, ".") ? HV_STR("") : below;
    out->hash_size = config.sha256 ? 32 : 20;
    bool plain = !index.findings.count;
    vec_release(&config.seen);
    vec_release(&index.seen);
    return plain;
}

bool git_probe_names_are_plain(struct hv_str directory, const struct fs_plain *wanted)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct index_bytes index;
    return read_index_around(&scratch, directory, &index) &&
           (!index.bytes.len || git_index_is_plain(index.bytes, index.hash_size, index.below, wanted));
}

struct hv_str git_probe_find_name(struct hv_arena *arena, struct hv_str directory, fs_name_wanted *wanted, void *user)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    struct index_bytes index;
    if (!read_index_around(&scratch, directory, &index) || !index.bytes.len)
        return (struct hv_str){0};
    return git_index_find(arena, index.bytes, index.hash_size, index.below, wanted, user);
}
