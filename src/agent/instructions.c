/* instructions.c: finds and joins AGENTS.md and CLAUDE.md files. See instructions.h. */
#include "agent/instructions.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"

enum { CLIMB_MAX = 256 };

/* What was taken already. */
struct seen_file {
    uint64_t device, inode, hash;
};

struct gatherer {
    const struct hv_host *host;
    struct hv_arena arena;
    struct hv_str home;
    const struct policy *policy;
    struct hv_str inside; /* files must lie here, links resolved: a project's file cannot fetch a key from elsewhere */
    VEC(struct seen_file) seen;
    struct hv_buf *out;
    struct context_parts *parts;
    size_t start; /* out's length before the first file */
    bool full;
};

struct hv_str instructions_repository(const struct hv_host *host, struct hv_arena *arena, struct hv_str directory)
{
    for (int i = 0; i < CLIMB_MAX; i++) {
        struct hv_file_stat st;
        struct hv_str git = hv_arena_format(arena, "%.*s/.git", HV_STR_ARG(directory));
        if (host->stat(host, git, true, &st, NULL) == HV_OK)
            return hv_arena_str(arena, directory);
        if (hv_str_is(directory, "/") || directory.len == 0)
            break;
        directory = path_parent(directory);
    }
    return (struct hv_str){0};
}

static bool is_new(struct gatherer *gatherer, const struct hv_file_stat *st, struct hv_str text)
{
    uint64_t hash = hv_str_hash(hv_str_trim(text));
    for (size_t i = 0; i < gatherer->seen.count; i++) {
        const struct seen_file *seen = &gatherer->seen.items[i];
        if ((seen->inode == st->inode && seen->device == st->device) || seen->hash == hash)
            return false;
    }
    *vec_push(&gatherer->seen) = (struct seen_file){.device = st->device, .inode = st->inode, .hash = hash};
    return true;
}

/* text without <!-- … --> parts. */
static struct hv_str without_comments(struct hv_arena *arena, struct hv_str text)
{
    if (hv_str_find(text, HV_STR("<!--"), 0) == SIZE_MAX)
        return text;
    CLEANUP_BUF struct hv_buf kept = {0};
    hv_buf_init(&kept, text.len);
    size_t at = 0;
    while (at < text.len) {
        size_t open = hv_str_find(text, HV_STR("<!--"), at);
        size_t close = open == SIZE_MAX ? SIZE_MAX : hv_str_find(text, HV_STR("-->"), open);
        hv_buf_add_str(&kept, hv_str_slice(text, at, close == SIZE_MAX ? SIZE_MAX : open));
        at = close == SIZE_MAX ? text.len : close + 3;
    }
    return hv_arena_str(arena, hv_buf_str(&kept));
}

static void put_file(struct gatherer *gatherer, struct hv_str path, int depth);

/* "@notes/style.md" alone on its line, outside code. */
static bool import_of(struct gatherer *gatherer, struct hv_str line, struct hv_str from, struct hv_str *path)
{
    line = hv_str_trim(line);
    if (line.len < 2 || line.ptr[0] != '@' || hv_str_find_byte(line, ' ', 0) != SIZE_MAX)
        return false;
    *path = path_expand(&gatherer->arena, hv_str_slice(line, 1, SIZE_MAX), path_parent(from), gatherer->home);
    return true;
}

/* Links resolved, the file lies in the tree that may be read, and is none that another file could only have chosen to
 * get at what rules and path classes keep back. */
static bool is_allowed(struct gatherer *gatherer, struct hv_str path, int depth)
{
    struct policy_path place;
    policy_path_resolve(gatherer->host, &gatherer->arena, path, &place);
    bool chosen = depth > 0 || !hv_str_eq(place.resolved, path);
    return path_inside(place.resolved, gatherer->inside) &&
           !(chosen && gatherer->policy && policy_keeps_back(gatherer->policy, &place));
}

/* The tree that files are taken from next. */
static void set_tree(struct gatherer *gatherer, struct hv_str directory)
{
    if (gatherer->host->resolve(gatherer->host, &gatherer->arena, directory, &gatherer->inside, NULL) != HV_OK)
        gatherer->inside = directory;
}

static void put_text(struct gatherer *gatherer, struct hv_str text, struct hv_str from, int depth)
{
    bool in_code = false;
    struct hv_str rest = text, line, path;
    while (!gatherer->full && hv_str_split(&rest, '\n', &line)) {
        if (hv_str_starts(hv_str_trim(line), HV_STR("```")))
            in_code = !in_code;
        if (!in_code && depth < INSTRUCTIONS_IMPORT_DEPTH && import_of(gatherer, line, from, &path)) {
            put_file(gatherer, path, depth + 1);
            continue;
        }
        if (gatherer->out->len - gatherer->start + line.len > INSTRUCTIONS_TOTAL_MAX) {
            hv_buf_add_cstr(gatherer->out, "[The rest of the instruction files is left out: over the limit.]\n");
            gatherer->full = true;
            break;
        }
        hv_buf_add_str(gatherer->out, line);
        hv_buf_add_byte(gatherer->out, '\n');
    }
}

static void put_file(struct gatherer *gatherer, struct hv_str path, int depth)
{
    CLEANUP_BUF struct hv_buf bytes = {0};
    struct hv_file_stat st;
    hv_buf_init(&bytes, INSTRUCTIONS_FILE_MAX + 1);
    if (gatherer->full || !is_allowed(gatherer, path, depth) ||
        gatherer->host->read(gatherer->host, path, 0, INSTRUCTIONS_FILE_MAX, &bytes, &st, NULL) != HV_OK)
        return;
    struct hv_str text = hv_buf_str(&bytes);
    if (hv_str_trim(text).len == 0 || !is_new(gatherer, &st, text))
        return;
    if (gatherer->out->len == gatherer->start)
        hv_buf_add_cstr(gatherer->out, "\n# Instructions of the person and the project\n"
                                       "Follow these; the later ones are nearer to the work and win.\n");
    hv_buf_addf(gatherer->out, "\n## From %.*s\n", HV_STR_ARG(path));
    put_text(gatherer, without_comments(&gatherer->arena, text), path, depth);
    if (st.size > INSTRUCTIONS_FILE_MAX)
        hv_buf_addf(gatherer->out, "[The rest of this file is left out: it has %llu bytes.]\n",
                    (unsigned long long)st.size);
}

static void put_named(struct gatherer *gatherer, struct hv_str directory, const char *name)
{
    const char *slash = hv_str_is(directory, "/") ? "" : "/";
    struct hv_str path = hv_arena_format(&gatherer->arena, "%.*s%s%s", HV_STR_ARG(directory), slash, name);
    size_t before = gatherer->out->len;
    put_file(gatherer, path, 0);
    context_add(gatherer->parts, "memory file", path, gatherer->out->len - before);
}

static void put_directory(struct gatherer *gatherer, struct hv_str directory)
{
    static const char *const names[] = {"AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_named(gatherer, directory, names[i]);
}

/* From the top folder down to the working directory. */
static void put_walk(struct gatherer *gatherer, struct hv_str top, struct hv_str directory)
{
    struct hv_str at = top;
    put_directory(gatherer, at);
    while (at.len < directory.len) {
        size_t from = at.len + (hv_str_is(at, "/") ? 0 : 1);
        size_t slash = hv_str_find_byte(directory, '/', from);
        at = hv_str_slice(directory, 0, slash);
        put_directory(gatherer, at);
    }
}

void instructions_put(const struct hv_host *host, const struct settings *settings, const struct policy *policy,
                      struct hv_str directory, struct hv_str home, struct hv_buf *out, struct context_parts *parts)
{
    struct gatherer gatherer = {
        .host = host, .home = home, .policy = policy, .out = out, .parts = parts, .start = out->len};
    struct hv_str top = instructions_repository(host, &gatherer.arena, directory);
    if (settings && settings->user_directory.len > 0) {
        set_tree(&gatherer, home.len > 0 ? home : settings->user_directory);
        put_named(&gatherer, settings->user_directory, "AGENTS.md");
    }
    if (home.len > 0) {
        set_tree(&gatherer, home);
        put_named(&gatherer, home, ".claude/CLAUDE.md");
    }
    set_tree(&gatherer, top.ptr ? top : directory);
    put_walk(&gatherer, top.ptr ? top : directory, directory);
    vec_release(&gatherer.seen);
    hv_arena_release(&gatherer.arena);
}
