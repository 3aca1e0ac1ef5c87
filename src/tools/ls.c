/*
 * ls.c: the tool LS: a directory as a tree with sizes. The tree is taken level by level, so that a cap leaves out what
 * lies deep rather than whatever comes late in the alphabet.
 */
#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"
#include "fs/open.h"
#include "tools/file_kind.h"
#include "tools/tree.h"

#include <fcntl.h>
#include <helve/tool.h>
#include <string.h>
#include <sys/stat.h>

enum { ENTRIES_SHOWN = 500, OUTPUT_MAX = 8 << 20, PATH_ROOM_MAX = 1 << 24, LINK_TARGET_MAX = 512, DEPTH_MAX = 1000 };

struct ls_input {
    struct hv_str path;
    struct hv_array ignore; /* of hv_str */
    int64_t depth;
};

static const char *const path_aliases[] = {"dir_path", "directory", "relative_workspace_path", NULL};
static const char *const ignore_aliases[] = {"ignore_patterns", "exclude", NULL};
static const char *const depth_aliases[] = {"max_depth", NULL};

static const struct hv_field ls_fields[] = {
    {.name = "path",
     .description = "The directory to list; the working directory when not given",
     .type = HV_FIELD_STRING,
     .flags = HV_PATH,
     .offset = offsetof(struct ls_input, path),
     .aliases = path_aliases},
    {.name = "ignore",
     .description = "Patterns of names or paths to leave out, such as `node_modules` or `*.o`; `!` in front keeps what "
                    "those before it leave out",
     .type = HV_FIELD_ARRAY,
     .flags = HV_ONE_OR_MANY,
     .offset = offsetof(struct ls_input, ignore),
     .aliases = ignore_aliases,
     .items = HV_FIELD_STRING},
    {.name = "depth",
     .description = "How many levels to show: 1 is the directory's own entries; all levels when not given",
     .type = HV_FIELD_INTEGER,
     .offset = offsetof(struct ls_input, depth),
     .aliases = depth_aliases,
     .minimum = 0,
     .maximum = DEPTH_MAX},
    {0}};

struct node {
    char *path;                            /* relative to the root, on the heap */
    size_t len, parent, first, last, next; /* indices of nodes; 0 is the root and stands for none */
    enum hv_file_kind kind;
    uint64_t size;
    bool has_size; /* which is not told of files in a directory that may not be entered */
    char *target;  /* of a link */
    bool complete; /* a directory of which all entries are shown */
};

struct listing {
    struct search search;
    struct search_filter ignore;
    struct hv_buf path; /* of the entry at hand */
    VEC(struct node) nodes;
    size_t parent; /* the directory whose entries come at present */
    size_t max, left_out;
    bool full;
};

/* The node of the directory that path lies in: directories are entered in the order in which they were seen. */
static size_t find_parent(const struct listing *listing, struct hv_str path)
{
    size_t slash = hv_str_rfind_byte(path, '/');
    struct hv_str directory = hv_str_slice(path, 0, slash == SIZE_MAX ? 0 : slash);
    for (size_t i = listing->parent; i < listing->nodes.count; i++)
        if (hv_str_eq(hv_str_of(listing->nodes.items[i].path, listing->nodes.items[i].len), directory))
            return i;
    return 0;
}

static char *copy_path(struct hv_str path)
{
    char *copy = hv_malloc(path.len + 1);
    memcpy(copy, path.ptr, path.len);
    copy[path.len] = '\0';
    return copy;
}

static void look_at(struct node *node, const struct fs_scan_entry *entry)
{
    struct stat status;
    if (node->kind == HV_FILE_REGULAR && !fstatat(entry->directory, entry->name.ptr, &status, AT_SYMLINK_NOFOLLOW)) {
        node->kind = fs_kind_of_mode(status.st_mode); /* directories do not know what is mounted over their files */
        node->has_size = node->kind == HV_FILE_REGULAR;
        node->size = (uint64_t)status.st_size;
    }
    char target[LINK_TARGET_MAX];
    ssize_t len =
        node->kind == HV_FILE_SYMLINK ? readlinkat(entry->directory, entry->name.ptr, target, sizeof target) : 0;
    if (len > 0)
        node->target = copy_path(hv_str_of(target, (size_t)len));
}

static void add_node(struct listing *listing, const struct fs_scan_entry *entry)
{
    listing->parent = find_parent(listing, entry->path);
    struct node node = {.path = copy_path(entry->path),
                        .len = entry->path.len,
                        .parent = listing->parent,
                        .kind = entry->kind,
                        .complete = true};
    look_at(&node, entry);
    size_t at = listing->nodes.count;
    *vec_push(&listing->nodes) = node;
    struct node *parent = &listing->nodes.items[listing->parent];
    if (parent->last)
        listing->nodes.items[parent->last].next = at;
    else
        parent->first = at;
    parent->last = at;
}

/* What is never opened, such as a pipe, can still be shown by name, as far as a file of that name could be. */
static enum hv_file_kind kind_to_show(enum hv_file_kind kind)
{
    bool special = kind == HV_FILE_FIFO || kind == HV_FILE_SOCKET || kind == HV_FILE_DEVICE;
    return special ? HV_FILE_REGULAR : kind;
}

static enum fs_scan_action visit(void *user, const struct fs_scan_entry *entry)
{
    struct listing *listing = user;
    struct hv_str path = tree_path(&listing->search, entry, &listing->path);
    search_progress(&listing->search, listing->nodes.count, listing->nodes.count);
    struct hv_str shown = search_shown(&listing->search, path);
    if (search_filter_unwanted(&listing->ignore, entry->path, shown, entry->kind == HV_FILE_DIRECTORY)) {
        listing->left_out++;
        return FS_SCAN_SKIP;
    }
    if (hv_hides_entry(listing->search.context, path, kind_to_show(entry->kind)))
        return FS_SCAN_SKIP;
    if (listing->nodes.count > listing->max) {
        listing->full = true;
        listing->parent = find_parent(listing, entry->path);
        return FS_SCAN_STOP;
    }
    add_node(listing, entry);
    return FS_SCAN_ON;
}

/* ---- printing ------------------------------------------------------------------------------------------- */

static void print_node(const struct listing *listing, const struct node *node, size_t level, struct hv_buf *out)
{
    struct hv_arena *arena = listing->search.context->arena;
    struct hv_str name = file_listed_name(arena, path_name(hv_str_of(node->path, node->len)));
    hv_buf_addf(out, "%*s%.*s", (int)(level * 2), "", HV_STR_ARG(name));
    switch (node->kind) {
    case HV_FILE_DIRECTORY: hv_buf_add_byte(out, '/'); break;
    case HV_FILE_SYMLINK:
        hv_buf_add_cstr(out, " -> ");
        hv_buf_add_str(out, file_listed_name(arena, hv_str_from(node->target ? node->target : "?")));
        break;
    case HV_FILE_REGULAR:
        if (node->has_size)
            hv_buf_addf(out, "  %.*s", HV_STR_ARG(file_size_text(arena, node->size)));
        break;
    case HV_FILE_DEVICE: hv_buf_add_cstr(out, "  (device)"); break;
    case HV_FILE_FIFO: hv_buf_add_cstr(out, "  (pipe)"); break;
    case HV_FILE_SOCKET: hv_buf_add_cstr(out, "  (socket)"); break;
    case HV_FILE_UNKNOWN: break;
    }
    if (node->kind == HV_FILE_DIRECTORY && !node->complete && !node->first)
        hv_buf_add_cstr(out, " …");
    hv_buf_add_byte(out, '\n');
}

/* Depth first over the links between nodes, without a stack. */
static void print_tree(const struct listing *listing, struct hv_buf *out)
{
    const struct node *nodes = listing->nodes.items;
    size_t level = 1, at = nodes[0].first;
    while (at) {
        print_node(listing, &nodes[at], level, out);
        if (nodes[at].first) {
            at = nodes[at].first;
            level++;
            continue;
        }
        while (at && !nodes[at].next) {
            at = nodes[at].parent;
            level--;
            if (at && !nodes[at].complete && nodes[at].first)
                hv_buf_addf(out, "%*s…\n", (int)((level + 1) * 2), "");
        }
        at = nodes[at].next;
    }
    if (!nodes[0].complete)
        hv_buf_add_cstr(out, "  …\n");
}

/* From the directory on in which the listing ended, directories are not, or not wholly, shown. */
static void mark_incomplete(struct listing *listing, const struct fs_scan_outcome *outcome, size_t depth_max)
{
    struct node *nodes = listing->nodes.items;
    bool cut = listing->full || outcome->timed_out || outcome->dropped;
    for (size_t i = 0; i < listing->nodes.count; i++) {
        size_t depth = 0;
        for (size_t up = i; up && depth <= depth_max; up = nodes[up].parent)
            depth++;
        bool too_deep = depth_max && depth >= depth_max && nodes[i].kind == HV_FILE_DIRECTORY;
        nodes[i].complete = !too_deep && !(cut && i >= listing->parent);
    }
}

static void answer(struct listing *listing, const struct fs_scan_outcome *outcome, const struct ls_input *in,
                   struct hv_result *result)
{
    struct hv_arena *arena = listing->search.context->arena;
    CLEANUP_BUF struct hv_buf out = {0};
    hv_buf_init(&out, OUTPUT_MAX);
    size_t shown = listing->nodes.count - 1;
    mark_incomplete(listing, outcome, (size_t)in->depth);
    struct hv_str root = hv_str_is(listing->search.root, "/") ? HV_STR("") : listing->search.root;
    hv_buf_addf(&out, "%.*s/\n", HV_STR_ARG(file_listed_name(arena, root)));
    print_tree(listing, &out);
    if (!shown && !outcome->timed_out)
        hv_buf_addf(&out, "  (%s)\n", outcome->ignored || listing->left_out ? "nothing to show" : "empty");
    if (listing->full)
        hv_buf_addf(&out,
                    "[The first %zu entries are shown, level by level; \"…\" marks where there are more. List a "
                    "deeper directory, or find files with Glob.]\n",
                    shown);
    else if (outcome->dropped)
        hv_buf_addf(&out, "[%zu names in very large directories were not looked at: find files there with Glob.]\n",
                    outcome->dropped);
    if (listing->left_out)
        hv_buf_addf(&out, "[%s%zu entr%s left out by the ignore patterns]\n",
                    listing->full || outcome->timed_out ? "At least " : "", listing->left_out,
                    listing->left_out == 1 ? "y was" : "ies were");
    search_note_ignored(outcome, "", &out);
    search_note_outcome(&listing->search, outcome, &out);
    hv_result_add_text(result, arena, hv_arena_str(arena, hv_buf_str(&out)));
    result->summary =
        hv_arena_format(arena, "%s%zu entr%s", listing->full ? "over " : "", shown, shown == 1 ? "y" : "ies");
}

static enum hv_code list(struct listing *listing, const struct ls_input *in, struct hv_result *result,
                         struct hv_error *err)
{
    struct search *search = &listing->search;
    if (search->stat.kind != HV_FILE_DIRECTORY) {
        hv_fail(err, HV_EINVAL, "%.*s is a file, not a directory", HV_STR_ARG(search->root));
        hv_error_hint(err, "Use Read to see what it holds");
        return HV_EINVAL;
    }
    const struct hv_str *patterns = in->ignore.items;
    listing->ignore.directory = search->context->directory;
    for (size_t i = 0; i < in->ignore.count; i++) {
        enum hv_code code =
            search_filter_exclude(&listing->ignore, search->context->arena, hv_str_trim(patterns[i]), err);
        if (code) {
            hv_error_place(err, "ignore[%zu]", i);
            return code;
        }
    }
    struct fs_scan_options options = tree_options(search);
    options.hidden = options.directories = options.ordered = true;
    options.depth_max = (size_t)in->depth;
    struct fs_scan_outcome outcome;
    enum hv_code code = tree_scan(search, &options, visit, listing, &outcome, err);
    if (!code && outcome.cancelled)
        code = hv_fail(err, HV_ECANCELLED, "The listing was cancelled");
    if (!code)
        answer(listing, &outcome, in, result);
    return code;
}

static void listing_release(struct listing *listing)
{
    for (size_t i = 0; i < listing->nodes.count; i++) {
        free(listing->nodes.items[i].path);
        free(listing->nodes.items[i].target);
    }
    vec_release(&listing->nodes);
    hv_buf_release(&listing->path);
}

static enum hv_code ls_call(const void *input, struct hv_context *context, void **data, struct hv_result *result,
                            struct hv_error *err)
{
    (void)data;
    const struct ls_input *in = input;
    struct listing listing = {.max = ENTRIES_SHOWN};
    hv_buf_init(&listing.path, PATH_ROOM_MAX);
    *vec_push(&listing.nodes) =
        (struct node){.path = copy_path(HV_STR("")), .kind = HV_FILE_DIRECTORY, .complete = true};
    enum hv_code code = search_begin(&listing.search, context, in->path, err);
    if (!code)
        code = list(&listing, in, result, err);
    listing_release(&listing);
    return code;
}

static void ls_footprint(const void *input, const struct hv_context *context, struct hv_footprint *out)
{
    const struct ls_input *in = input;
    hv_footprint_read(out, context->arena, in->path.len ? in->path : context->directory);
}

static bool always(const void *input, const struct hv_context *context)
{
    (void)input, (void)context;
    return true;
}

static void ls_render_use(const void *input, const struct hv_context *context, struct hv_buf *out)
{
    const struct ls_input *in = input;
    hv_buf_add_str(out, file_shown_path(context, in->path.len ? in->path : context->directory));
}

static const char *const ls_aliases[] = {"ls", "list_dir", "list_directory", "list", "tree", "ListDir", NULL};
static const char *const ls_rule_names[] = {"Read", NULL};

const struct hv_tool tool_ls = {
    .name = "LS",
    .aliases = ls_aliases,
    .rule_names = ls_rule_names,
    .title = "List a directory",
    .search_hint = "show a directory as a tree with file sizes",
    .description =
        "Shows a directory as a tree with the sizes of its files, hidden ones included, level by level up to 500 "
        "entries. What ignore files (.gitignore, .ignore, .helveignore) exclude and the inside of .git are left out; "
        "links are shown but "
        "not followed. To find files by name use Glob.",
    .fields = ls_fields,
    .input_size = sizeof(struct ls_input),
    .subject_kind = HV_SUBJECT_PATH,
    .footprint = ls_footprint,
    .read_only = always,
    .concurrency_safe = always,
    .call = ls_call,
    .render_use = ls_render_use,
};
