/*
 * path_class.c: see path_class.h. Each row of the table is a path below the root, below the home or at any depth; what
 * lies below a path of the table belongs to it. Rows are found by the hash of one component, so that a path costs one
 * look-up per component.
 */
#include "policy/path_class.h"

#include "base/path.h"
#include "policy/rule_path.h"
#include "text/glob.h"

#include <limits.h>
#include <string.h>

enum place { AT_ROOT = 0, AT_HOME, ANYWHERE, PLACE_COUNT };

struct row {
    enum policy_path_class class;
    enum place place;
    const char *pattern; /* AT_ROOT, AT_HOME: "*" within a component; ANYWHERE: "*.suffix", or components as they are */
    const char *what;
};

#define CREDENTIAL POLICY_PATH_CREDENTIAL
#define FORBIDDEN POLICY_PATH_FORBIDDEN
#define SPECIAL POLICY_PATH_SPECIAL

/* clang-format off */
static const struct row rows[] = {
    /* Keys, tokens, passwords. */
#define SECRET(place, pattern, what) {CREDENTIAL, place, pattern, what},
#include "sandbox/secret_rows.h"
    {CREDENTIAL, AT_ROOT, "proc/*/environ", "the environment of a process, with its secrets"},
    {CREDENTIAL, AT_ROOT, "proc/*/task/*/environ", "the environment of a process, with its secrets"},

    /* What others run or obey. */
#define PROTECTED(place, pattern, what) {POLICY_PATH_PROTECTED, place, pattern, what},
#include "sandbox/protected_rows.h"

    /* Never written. */
    {FORBIDDEN, AT_ROOT, "proc", "a window into the kernel"},
    {FORBIDDEN, AT_ROOT, "sys", "a window into the kernel"},
    {FORBIDDEN, AT_ROOT, "boot", "what starts the system"},

    /* Never opened. */
    {SPECIAL, AT_ROOT, "dev", "a device"},
    {SPECIAL, AT_ROOT, "proc/kmsg", "a file that blocks its reader"},
    {SPECIAL, AT_ROOT, "proc/kcore", "the memory of the system"},
    {SPECIAL, AT_ROOT, "proc/kpage*", "the memory of the system"},
    {SPECIAL, AT_ROOT, "proc/sysrq-trigger", "a switch of the kernel"},
    {SPECIAL, AT_ROOT, "proc/*/mem", "the memory of a process"},
    {SPECIAL, AT_ROOT, "proc/*/task/*/mem", "the memory of a process"},
    {SPECIAL, AT_ROOT, "proc/*/pagemap", "the memory of a process"},
    {SPECIAL, AT_ROOT, "proc/*/fd", "the open files of a process"},
    {SPECIAL, AT_ROOT, "proc/*/task/*/fd", "the open files of a process"},
    {SPECIAL, AT_ROOT, "proc/*/map_files", "the open files of a process"},
    {SPECIAL, AT_ROOT, "proc/*/root", "a way round the checks of paths"},
    {SPECIAL, AT_ROOT, "proc/*/cwd", "a way round the checks of paths"},
    {SPECIAL, AT_ROOT, "proc/*/task/*/root", "a way round the checks of paths"},
    {SPECIAL, AT_ROOT, "proc/*/task/*/cwd", "a way round the checks of paths"},
    {SPECIAL, AT_ROOT, "sys/kernel/debug", "a window into the kernel"},
    {SPECIAL, AT_ROOT, "sys/kernel/tracing", "a window into the kernel"},
};

/* Directories that are never themselves the target of a write, though files in them may be. */
static const char *const tree_roots[] = {
    "/", "/bin", "/etc", "/home", "/lib", "/lib32", "/lib64", "/media", "/mnt", "/opt", "/root", "/run", "/sbin", "/srv",
    "/tmp", "/usr", "/var", "/Users", "/System", "/Library", "/Applications", NULL};

/* Below /dev, but ordinary files. */
static const char *const ordinary_devices[] = {"/dev/shm", "/dev/mqueue", NULL};
/* clang-format on */

enum { ROW_COUNT = sizeof rows / sizeof *rows, BUCKET_COUNT = 256, KEY_LENGTHS = 64 };
_Static_assert(ROW_COUNT < UINT16_MAX, "rows are counted in 16 bits");

/* Where a name that is relative to nobody knows what is most likely a credential's. */
static const struct hv_str astray_places[] = {HV_STR("/"), HV_STR("/etc"), HV_STR("/etc/ssh")};
enum { ASTRAY_COUNT = sizeof astray_places / sizeof *astray_places };

struct path_classes {
    uint16_t first[BUCKET_COUNT], next[ROW_COUNT]; /* 1 + index of a row; 0 ends */
    /* By place and the length of a key: a bit for the first byte of each, its case and its two highest bits left out.
     * Most names differ from all keys in these two, and cost no hash. */
    uint32_t shapes[PLACE_COUNT][KEY_LENGTHS];
    struct hv_str patterns[ROW_COUNT];
    bool is_open[ROW_COUNT]; /* there is a "*" in it */
    /* By a place of astray_places: the first bytes of what stands there and may be a credential. */
    bool astray[ASTRAY_COUNT][UCHAR_MAX + 1];
    struct path_classes_options options;
};

/* ---- the index --------------------------------------------------------------------------------------------------- */

static unsigned bucket_of(struct hv_str name)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.len; i++) {
        unsigned char byte = (unsigned char)name.ptr[i];
        hash = (hash ^ (byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte)) * 16777619u;
    }
    return (hash ^ hash >> 16) % BUCKET_COUNT;
}

/* The component by which a row is found: the last of those at any depth, without the star; the first of the others. */
static struct hv_str key_of(const struct row *row)
{
    struct hv_str pattern = hv_str_from(row->pattern);
    if (row->place != ANYWHERE)
        return hv_str_slice(pattern, 0, hv_str_find_byte(pattern, '/', 0));
    return path_name(hv_str_starts(pattern, HV_STR("*")) ? hv_str_slice(pattern, 1, pattern.len) : pattern);
}

static uint32_t first_byte_of(struct hv_str name)
{
    return (uint32_t)1 << (name.len ? name.ptr[0] & 31 : 0);
}

/* A row of that place may have this key: not, where this is false. */
static bool may_be_key(const struct path_classes *classes, enum place place, struct hv_str name)
{
    return name.len >= KEY_LENGTHS || classes->shapes[place][name.len] & first_byte_of(name);
}

/* What could stand at a place of astray_places, by its first byte. */
static void note_astray(struct path_classes *classes, size_t place)
{
    struct hv_str inner = path_relative(astray_places[place], HV_STR("/"));
    size_t head = hv_str_is(inner, ".") ? 0 : inner.len + 1;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct hv_str pattern = classes->patterns[i];
        if (rows[i].class != CREDENTIAL || rows[i].place != AT_ROOT || (head && !hv_str_starts(pattern, inner)))
            continue;
        struct hv_str rest = hv_str_slice(pattern, head, pattern.len);
        if (!rest.len || rest.ptr[0] == '*')
            memset(classes->astray[place], true, sizeof classes->astray[place]);
        else
            classes->astray[place][(unsigned char)rest.ptr[0]] =
                classes->astray[place][(unsigned char)(rest.ptr[0] ^ 0x20)] = true;
    }
}

const struct path_classes *path_classes_new(struct hv_arena *arena, const struct path_classes_options *options)
{
    struct path_classes *classes = hv_arena_new(arena, struct path_classes);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct hv_str key = key_of(&rows[i]);
        classes->patterns[i] = hv_str_from(rows[i].pattern);
        classes->is_open[i] = glob_is_pattern(classes->patterns[i]);
        uint16_t *first = &classes->first[bucket_of(key)];
        classes->next[i] = *first;
        *first = (uint16_t)(i + 1);
        if (key.len < KEY_LENGTHS)
            classes->shapes[rows[i].place][key.len] |= first_byte_of(key);
    }
    for (size_t i = 0; i < ASTRAY_COUNT; i++)
        note_astray(classes, i);
    classes->options = *options;
    return classes;
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */

/* A path being looked at, and the gravest class found so far. */
struct search {
    const struct path_classes *classes;
    struct hv_str path;
    bool for_writing;
    struct path_class best;
};

static bool is_masked(const struct search *search)
{
    const struct path_classes_options *options = &search->classes->options;
    bool masked = false;
    for (size_t i = 0; i < options->masked_count && !masked; i++)
        masked = path_inside(search->path, options->masked[i]);
    return masked && hv_str_find(search->path, HV_STR("/.git/"), 0) == SIZE_MAX;
}

/* How grave a class is; 0: it does not count here. */
static int gravity(const struct search *search, enum policy_path_class class)
{
    switch (class) {
    case POLICY_PATH_SPECIAL: return 4;
    case POLICY_PATH_FORBIDDEN: return search->for_writing ? 3 : 0;
    case POLICY_PATH_CREDENTIAL: return is_masked(search) ? 0 : 2;
    case POLICY_PATH_PROTECTED: return search->for_writing ? 1 : 0;
    default: return 0;
    }
}

static void found(struct search *search, enum policy_path_class class, const char *what)
{
    if (gravity(search, class) > gravity(search, search->best.class))
        search->best = (struct path_class){class, what};
}

static bool is_ordinary_device(struct hv_str path)
{
    for (size_t i = 0; ordinary_devices[i]; i++)
        if (path_inside(path, hv_str_from(ordinary_devices[i])) && path.len > strlen(ordinary_devices[i]))
            return true;
    return false;
}

/* The components of pattern, in which "*" is open, are the first ones of path. */
static bool begins_with(struct hv_str path, struct hv_str pattern)
{
    struct hv_str wanted, got;
    while (hv_str_split(&pattern, '/', &wanted)) {
        if (!hv_str_split(&path, '/', &got))
            return false;
        if (glob_is_pattern(wanted) ? !glob_match(wanted, got, GLOB_ICASE) : !hv_str_eq_nocase(wanted, got))
            return false;
    }
    return true;
}

/* The last components of path are those of pattern. */
static bool ends_with(struct hv_str path, struct hv_str pattern)
{
    if (path.len < pattern.len || !hv_str_eq_nocase(hv_str_slice(path, path.len - pattern.len, path.len), pattern))
        return false;
    return path.len == pattern.len || path.ptr[path.len - pattern.len - 1] == '/';
}

/* The same as begins_with of a pattern without "*". */
static bool begins_with_text(struct hv_str path, struct hv_str text)
{
    return path.len >= text.len && (path.len == text.len || path.ptr[text.len] == '/') &&
           hv_str_eq_nocase(hv_str_slice(path, 0, text.len), text);
}

/* The first bytes of name and of pattern, what follows in both, are one; or the pattern has none, or a "*". */
static bool may_begin_alike(struct hv_str name, struct hv_str pattern)
{
    return !pattern.len || pattern.ptr[0] == '*' || (name.len && ((name.ptr[0] ^ pattern.ptr[0]) & ~0x20) == 0);
}

/* The row takes the path relative[0, end): end is the end of the component that key is (a part) of. */
static bool row_takes(const struct path_classes *classes, size_t index, enum place place, struct hv_str relative,
                      size_t end, struct hv_str key)
{
    struct hv_str pattern = classes->patterns[index];
    if (rows[index].place != place)
        return false;
    if (place != ANYWHERE) /* the first components are the same, and most of the second ones begin otherwise */
        return may_begin_alike(hv_str_slice(relative, key.len + 1, relative.len),
                               hv_str_slice(pattern, key.len + 1, pattern.len)) &&
               (classes->is_open[index] ? begins_with(relative, pattern) : begins_with_text(relative, pattern));
    if (hv_str_starts(pattern, HV_STR("*")))
        return hv_str_eq_nocase(hv_str_slice(pattern, 1, pattern.len), key);
    return ends_with(hv_str_slice(relative, 0, end), pattern);
}

static void look_up(struct search *search, enum place place, struct hv_str relative, size_t end, struct hv_str key)
{
    const struct path_classes *classes = search->classes;
    if (!may_be_key(classes, place, key))
        return;
    for (unsigned at = classes->first[bucket_of(key)]; at; at = classes->next[at - 1]) {
        const struct row *row = &rows[at - 1];
        if (!row_takes(classes, at - 1, place, relative, end, key))
            continue;
        if (row->class != POLICY_PATH_SPECIAL || !is_ordinary_device(search->path))
            found(search, row->class, row->what);
    }
}

static void look_up_start(struct search *search, enum place place, struct hv_str relative)
{
    size_t end = hv_str_find_byte(relative, '/', 0);
    if (relative.len)
        look_up(search, place, relative, end, hv_str_slice(relative, 0, end));
}

static void look_up_anywhere(struct search *search, struct hv_str relative)
{
    size_t start = 0, dot = SIZE_MAX; /* of the component: its beginning, and its last dot */
    for (size_t at = 0; at <= relative.len && relative.len; at++) {
        char byte = at < relative.len ? relative.ptr[at] : '/';
        if (byte == '.')
            dot = at;
        if (byte != '/')
            continue;
        look_up(search, ANYWHERE, relative, at, hv_str_slice(relative, start, at));
        if (dot != SIZE_MAX)
            look_up(search, ANYWHERE, relative, at, hv_str_slice(relative, dot, at));
        start = at + 1;
        dot = SIZE_MAX;
    }
}

/* The path as seen from base, absent when it is not below it. */
static struct hv_str below(struct hv_str path, struct hv_str base)
{
    if (!base.len || !rule_path_below(path, base, true) || path.len == base.len)
        return (struct hv_str){0};
    return hv_str_slice(path, base.len + (hv_str_is(base, "/") ? 0 : 1), path.len);
}

static const char *is_tree_root(const struct path_classes *classes, struct hv_str path)
{
    const struct policy_path *home = &classes->options.home;
    bool may_be_listed = hv_str_find_byte(path, '/', 1) == SIZE_MAX; /* all of the list are of one component */
    for (size_t i = 0; may_be_listed && tree_roots[i]; i++)
        if (hv_str_is(path, tree_roots[i]))
            return "the root of a whole tree";
    return path.len && (hv_str_eq(path, home->written) || hv_str_eq(path, home->resolved)) ? "a home directory" : NULL;
}

static const char *is_own(const struct path_classes *classes, struct hv_str path)
{
    for (size_t i = 0; i < classes->options.own_count; i++) {
        const struct policy_path *own = &classes->options.own[i];
        if (rule_path_below(path, own->written, true) || rule_path_below(path, own->resolved, true))
            return "helve's own settings and sessions";
    }
    return NULL;
}

static const char *special_kind(enum hv_file_kind kind)
{
    switch (kind) {
    case HV_FILE_DEVICE: return "a device";
    case HV_FILE_FIFO: return "a FIFO";
    case HV_FILE_SOCKET: return "a socket";
    default: return NULL;
    }
}

static void search_path(struct search *search, struct hv_str path)
{
    const struct policy_path *home = &search->classes->options.home;
    struct hv_str relative = below(path, HV_STR("/"));
    const char *what;
    search->path = path;
    look_up_start(search, AT_ROOT, relative);
    look_up_start(search, AT_HOME, below(path, home->written));
    if (!hv_str_eq(home->resolved, home->written))
        look_up_start(search, AT_HOME, below(path, home->resolved));
    look_up_anywhere(search, relative);
    if ((what = is_tree_root(search->classes, path)))
        found(search, POLICY_PATH_FORBIDDEN, what);
    if ((what = is_own(search->classes, path)))
        found(search, POLICY_PATH_PROTECTED, what);
}

struct path_class path_classify(const struct path_classes *classes, const struct policy_path *path, bool for_writing)
{
    struct search search = {.classes = classes, .for_writing = for_writing};
    const char *what = special_kind(path->kind);
    if (what)
        return (struct path_class){POLICY_PATH_SPECIAL, what};
    if (hv_str_find_byte(path->written, '\\', 0) != SIZE_MAX &&
        hv_str_find(path->written, HV_STR("/\\\\"), 0) != SIZE_MAX)
        return (struct path_class){POLICY_PATH_SPECIAL, "a network path"};
    search_path(&search, path->written);
    if (path->resolved.len && !hv_str_eq(path->resolved, path->written))
        search_path(&search, path->resolved);
    return search.best;
}

/* ---- many files of one directory --------------------------------------------------------------------------------- */

/* A row of that place begins, or for ANYWHERE ends, with the component key. */
static bool has_row(const struct path_classes *classes, enum place place, struct hv_str key)
{
    if (!may_be_key(classes, place, key))
        return false;
    for (unsigned at = classes->first[bucket_of(key)]; at; at = classes->next[at - 1])
        if (rows[at - 1].place == place && hv_str_eq_nocase(key_of(&rows[at - 1]), key))
            return true;
    return false;
}

static bool begins_a_row(const struct path_classes *classes, enum place place, struct hv_str relative)
{
    return !relative.len || has_row(classes, place, hv_str_slice(relative, 0, hv_str_find_byte(relative, '/', 0)));
}

static bool is_below_a_row(const struct path_classes *classes, struct hv_str path)
{
    const struct hv_str homes[] = {classes->options.home.written, classes->options.home.resolved};
    if (begins_a_row(classes, AT_ROOT, below(path, HV_STR("/"))))
        return true;
    for (size_t i = 0; i < 2; i++)
        if (homes[i].len && rule_path_below(path, homes[i], true) &&
            begins_a_row(classes, AT_HOME, below(path, homes[i])))
            return true;
    return false;
}

bool path_classes_by_name(const struct path_classes *classes, const struct policy_path *directory, bool for_writing)
{
    return directory->resolved.len && path_classify(classes, directory, for_writing).class == POLICY_PATH_OUTSIDE &&
           !is_below_a_row(classes, directory->written) && !is_below_a_row(classes, directory->resolved);
}

bool path_name_is_suspect(const struct path_classes *classes, struct hv_str name)
{
    size_t dot = hv_str_rfind_byte(name, '.');
    return hv_str_starts(name, HV_STR("\\\\")) || has_row(classes, ANYWHERE, name) ||
           (dot != SIZE_MAX && has_row(classes, ANYWHERE, hv_str_slice(name, dot, name.len)));
}

/* path is that one, whatever the case of its letters. */
static bool is_path(struct hv_str path, const struct policy_path *one)
{
    return hv_str_eq_nocase(path, one->written) || hv_str_eq_nocase(path, one->resolved);
}

bool path_is_suspect(const struct path_classes *classes, struct hv_str path, size_t name)
{
    if (path_name_is_suspect(classes, hv_str_slice(path, name, path.len)) || is_path(path, &classes->options.home))
        return true;
    for (size_t i = 0; i < classes->options.own_count; i++)
        if (is_path(path, &classes->options.own[i]))
            return true;
    return false;
}

/* ---- names in directories that are not known --------------------------------------------------------------------- */

/* What the pattern speaks of stands below the directory relative. */
static bool stands_below(struct hv_str pattern, struct hv_str relative)
{
    struct hv_str wanted, got;
    while (hv_str_split(&relative, '/', &got))
        if (got.len && (!hv_str_split(&pattern, '/', &wanted) || !glob_match(wanted, got, GLOB_ICASE)))
            return false;
    return pattern.len != 0;
}

bool path_place_tells(const struct path_classes *classes, struct hv_str place)
{
    const struct policy_path one = {.written = place, .resolved = place};
    const struct hv_str homes[] = {classes->options.home.written, classes->options.home.resolved};
    if (path_classify(classes, &one, true).class != POLICY_PATH_OUTSIDE)
        return true;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct hv_str pattern = hv_str_from(rows[i].pattern);
        if (rows[i].place == AT_ROOT && stands_below(pattern, below(place, HV_STR("/"))))
            return true;
        for (size_t j = 0; j < 2 && rows[i].place == AT_HOME; j++)
            if (homes[j].len && rule_path_below(place, homes[j], true) && stands_below(pattern, below(place, homes[j])))
                return true;
    }
    return false;
}

const char *path_credential_astray(const struct path_classes *classes, struct hv_arena *arena, struct hv_str relative,
                                   struct hv_str *path)
{
    for (size_t i = 0; relative.len && i < ASTRAY_COUNT; i++) {
        if (!classes->astray[i][(unsigned char)relative.ptr[0]] && relative.ptr[0] != '.')
            continue;
        *path = path_expand(arena, relative, astray_places[i], (struct hv_str){0});
        const struct policy_path one = {.written = *path, .resolved = *path};
        struct path_class class = path_classify(classes, &one, false);
        if (class.class == POLICY_PATH_CREDENTIAL)
            return class.what;
    }
    return NULL;
}
