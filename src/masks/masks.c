/* masks.c: see masks.h. */
#include "masks/masks.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"
#include "fs/marked.h"
#include "sandbox/home_links.h"

/* How many a sandbox holds without being slow; entries that are looked at for one rule outside the workspace. */
enum { MASKS_MAX = 512, OUTSIDE_ENTRIES_MAX = 200 * 1000, OUTSIDE_MAX = 64 };

struct judge;

struct masks {
    struct masks_options options;
    struct hv_arena arena;
    pthread_mutex_t lock; /* guards what follows */
    bool set;
    const struct hv_str *written; /* the roots as they were given */
    char *rules;                  /* that are looked for */
    struct marked *marked;
    struct policy *policy; /* those, and the settings' patterns; owned by the judge */
    const struct judge *judge;
};

/* ---- judging --------------------------------------------------------------------------------------------- */

/* A file of the home that programs run or obey, and that has further names: any of them may lie in the workspace. */
struct twins {
    struct twin {
        uint64_t device, inode;
    } * items;
    size_t count;
};

struct judge {
    struct policy *denied, *shown; /* shown: what allowRead names by a pattern, as denials; NULL: nothing */
    const struct hv_host *host;
    struct twins twins; /* seldom any */
};

static bool is_one_of(struct hv_str name, const char *const *names)
{
    while (*names && !hv_str_is(name, *names))
        names++;
    return *names != NULL;
}

/* Would the rule hold as well if what is above the path had another name? */
static bool is_pinned(const struct policy *policy, struct hv_str path, size_t name, enum hv_file_kind kind,
                      bool reading)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct hv_str other = hv_arena_join(&arena, HV_STR("/\x01/"), hv_str_slice(path, name, path.len));
    const struct policy_path moved = {.written = other, .resolved = other, .kind = kind};
    struct policy_guards guards = policy_guards_of(policy, &moved);
    return !(reading ? guards.reading : guards.writing).len;
}

static bool is_twin(const struct judge *judge, struct hv_str path, enum hv_file_kind kind)
{
    struct hv_file_stat found;
    if (!judge->twins.count || kind != HV_FILE_REGULAR ||
        judge->host->stat(judge->host, path, false, &found, NULL) != HV_OK || found.links < 2)
        return false;
    for (size_t i = 0; i < judge->twins.count; i++)
        if (judge->twins.items[i].inode == found.inode && judge->twins.items[i].device == found.device)
            return true;
    return false;
}

static unsigned marks_of(void *user, struct hv_str path, size_t name, enum hv_file_kind kind, struct hv_str *by)
{
    /* What package managers put there is public, test keys and lists of certificates included. */
    static const char *const packages[] = {"node_modules", "site-packages", "dist-packages", "bower_components", NULL};
    static const char *const kernels[] = {"/proc", "/sys", "/dev", NULL};
    const struct judge *judge = user;
    const struct policy_path one = {.written = path, .resolved = path, .kind = kind};
    struct hv_str last = hv_str_slice(path, name, path.len);
    struct policy_guards guards = policy_guards_of(judge->denied, &one);
    bool directory = kind == HV_FILE_DIRECTORY;
    unsigned marks = guards.reading.len ? MARK_HIDDEN : guards.writing.len ? MARK_KEPT : 0;
    *by = guards.reading.len ? guards.reading : guards.writing;
    if (marks && is_pinned(judge->denied, path, name, kind, guards.reading.len > 0))
        marks |= MARK_PINNED;
    if (is_twin(judge, path, kind))
        marks |= MARK_KEPT;
    if (directory && is_one_of(last, packages))
        marks |= MARK_PLAIN;
    if (directory && (hv_str_is(last, ".git") || is_one_of(path, kernels)))
        marks |= MARK_STOP;
    if (!(marks & MARK_HIDDEN) && policy_suspects_name(judge->denied, last) &&
        policy_classify_path(judge->denied, &one, false) == POLICY_PATH_CREDENTIAL)
        marks |= directory ? MARK_INSIDE : MARK_UNTRACKED;
    if (judge->shown && marks & (MARK_HIDDEN | MARK_UNTRACKED) && policy_guards_of(judge->shown, &one).reading.len)
        marks &= ~(unsigned)(MARK_HIDDEN | MARK_UNTRACKED);
    return marks;
}

static void release_judge(void *user)
{
    struct judge *judge = user;
    policy_unref(judge->denied);
    policy_unref(judge->shown);
    free(judge->twins.items);
    free(judge);
}

/* policy with a denial for each pattern; takes policy. */
static struct policy *with_patterns(struct policy *policy, const char *tool, const struct sandbox_strings *patterns)
{
    for (size_t i = 0; policy && i < patterns->count; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        struct hv_str rule = hv_arena_format(&arena, "%s(%.*s)", tool, HV_STR_ARG(patterns->items[i]));
        struct policy *more = policy_with_rule(policy, POLICY_SESSION, HV_DENY, rule, NULL);
        if (!more)
            continue;
        policy_unref(policy);
        policy = more;
    }
    return policy;
}

/* What the judge is given; the caller frees items. */
static struct twins twins_of(const struct masks *masks, const struct home_links *links)
{
    const struct hv_host *host = masks->options.host;
    struct twins twins = {.items = hv_calloc(links->count + 1, sizeof *twins.items)};
    for (size_t i = 0; i < links->count; i++) {
        struct hv_file_stat found;
        if (host->stat(host, links->items[i].target, false, &found, NULL) == HV_OK && found.kind == HV_FILE_REGULAR &&
            found.links > 1)
            twins.items[twins.count++] = (struct twin){found.device, found.inode};
    }
    return twins;
}

static bool are_same(const struct twins *a, const struct twins *b)
{
    return a->count == b->count && memcmp(a->items, b->items, a->count * sizeof *a->items) == 0;
}

static struct judge *make_judge(const struct masks *masks, const struct policy *policy)
{
    const struct sandbox_options *options = &masks->options.settings->sandbox;
    struct judge *judge = hv_calloc(1, sizeof *judge);
    judge->host = masks->options.host;
    judge->denied = policy_ref((struct policy *)policy);
    judge->denied = with_patterns(judge->denied, "Read", &options->deny_read_patterns);
    judge->denied = with_patterns(judge->denied, "Edit", &options->deny_write_patterns);
    if (options->read_patterns.count) {
        const struct policy_options nothing = {
            .host = masks->options.host, .directory = masks->options.roots[0], .home = masks->options.home};
        judge->shown = with_patterns(policy_new(&nothing), "Read", &options->read_patterns);
    }
    return judge;
}

/* ---- where is looked ------------------------------------------------------------------------------------- */

static bool is_in_roots(const struct masks *masks, struct hv_str path)
{
    for (size_t i = 0; i < masks->options.root_count; i++)
        if (path_inside(path, masks->options.roots[i]))
            return true;
    return false;
}

/* Where a rule's pattern begins outside the workspace, all below is looked at; not where that is the whole system:
 * there a name at any depth is looked for in the workspace, and directly in the home. */
static size_t find_roots(const struct masks *masks, const struct policy *policy, struct hv_arena *arena,
                         struct marked_root *roots)
{
    struct policy_guarded guarded;
    size_t count = 0;
    for (size_t i = 0; i < masks->options.root_count; i++)
        roots[count++] = (struct marked_root){.path = masks->options.roots[i]};
    if (!is_in_roots(masks, masks->options.home))
        roots[count++] = (struct marked_root){.path = masks->options.home, .shallow = true};
    policy_find_guarded(policy, arena, &guarded);
    for (size_t i = 0; i < guarded.count && count < masks->options.root_count + OUTSIDE_MAX; i++) {
        struct hv_str place = guarded.places[i];
        const struct policy_path one = {.written = place, .resolved = place, .kind = HV_FILE_DIRECTORY};
        if (place.len > 1 && !is_in_roots(masks, place) && !policy_guards_of(policy, &one).reading.len)
            roots[count++] = (struct marked_root){.path = place, .entries_max = OUTSIDE_ENTRIES_MAX};
    }
    return count;
}

/* Other denials than those that are looked for now, or other files of the home. */
static void look_for(struct masks *masks, const struct policy *policy, struct hv_str rules,
                     const struct home_links *links)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct twins twins = twins_of(masks, links);
    if (masks->set && hv_str_is(rules, masks->rules) && are_same(&twins, &masks->judge->twins)) {
        free(twins.items);
        return;
    }
    struct judge *judge = make_judge(masks, policy);
    judge->twins = twins;
    struct marked_root *roots = hv_arena_array(&arena, struct marked_root, masks->options.root_count + OUTSIDE_MAX + 1);
    size_t count = find_roots(masks, judge->denied, &arena, roots);
    marked_set(masks->marked, &(struct marked_judge){marks_of, release_judge, judge}, roots, count);
    free(masks->rules);
    masks->rules = hv_strdup(hv_arena_str(&arena, rules).ptr);
    masks->policy = judge->denied;
    masks->judge = judge;
    masks->set = true;
}

/* ---- life ------------------------------------------------------------------------------------------------ */

static struct hv_str real_path(struct masks *masks, struct hv_str path)
{
    struct hv_str real;
    const struct hv_host *host = masks->options.host;
    return host->resolve(host, &masks->arena, path, &real, NULL) == HV_OK ? real : hv_arena_str(&masks->arena, path);
}

struct masks *masks_new(const struct masks_options *options)
{
    struct masks *masks = hv_calloc(1, sizeof *masks);
    masks->options = *options;
    struct hv_str *roots = hv_arena_array(&masks->arena, struct hv_str, options->root_count);
    for (size_t i = 0; i < options->root_count; i++)
        roots[i] = hv_arena_str(&masks->arena, options->roots[i]);
    masks->written = roots;
    struct hv_str *resolved = hv_arena_array(&masks->arena, struct hv_str, options->root_count);
    memcpy(resolved, roots, options->root_count * sizeof *roots);
    masks->options.roots = resolved;
    masks->options.home = hv_arena_str(&masks->arena, options->home);
    masks->options.results = hv_arena_str(&masks->arena, options->results);
    masks->marked = marked_new(options->once);
    pthread_mutex_init(&masks->lock, NULL);
    return masks;
}

void masks_free(struct masks *masks)
{
    if (!masks)
        return;
    marked_free(masks->marked);
    free(masks->rules);
    pthread_mutex_destroy(&masks->lock);
    hv_arena_release(&masks->arena);
    free(masks);
}

/* ---- the list -------------------------------------------------------------------------------------------- */

struct listing {
    struct hv_arena *arena;
    VEC(struct sandbox_mask) found;
    bool too_many;
};

static void list_one(void *user, struct hv_str path, unsigned marks, struct hv_str by)
{
    struct listing *listing = user;
    listing->too_many |= listing->found.count == MASKS_MAX;
    if (listing->too_many)
        return;
    *vec_push(&listing->found) = (struct sandbox_mask){
        .path = hv_arena_str(listing->arena, path),
        .hides = marks & MARK_HIDDEN,
        .pinned = marks & MARK_PINNED,
        .by = hv_arena_str(listing->arena, by),
    };
}

/* Places that rules name, outside the workspace. */
static void list_places(const struct masks *masks, struct listing *listing)
{
    struct policy_guarded guarded;
    policy_find_guarded(masks->policy, listing->arena, &guarded);
    for (size_t i = 0; i < guarded.count; i++) {
        struct hv_str place = guarded.places[i];
        const struct policy_path one = {.written = place, .resolved = place, .kind = HV_FILE_UNKNOWN};
        struct policy_guards guards = policy_guards_of(masks->policy, &one);
        if (place.len > 1 && guards.writing.len && !is_in_roots(masks, place))
            list_one(listing, place, MARK_PINNED | (guards.reading.len ? MARK_HIDDEN : MARK_KEPT),
                     guards.reading.len ? guards.reading : guards.writing);
    }
}

/* What other sessions wrote down, of whatever project. */
static void list_journals(const struct masks *masks, struct listing *listing, struct sandbox_masks *out)
{
    struct hv_str state = masks->options.settings->state_directory;
    if (!state.len)
        return;
    list_one(listing, path_join(listing->arena, state, HV_STR("sessions")), MARK_HIDDEN, (struct hv_str){0});
    struct hv_str *shown = hv_arena_new(listing->arena, struct hv_str);
    *shown = masks->options.results;
    out->shown = shown;
    out->shown_count = shown->len > 0;
}

void masks_find(struct masks *masks, const struct policy *policy, struct hv_arena *arena, struct sandbox_masks *out)
{
    struct listing listing = {.arena = arena};
    struct policy_guarded guarded;
    LOCK_SCOPE(&masks->lock);
    *out = (struct sandbox_masks){0};
    policy_find_guarded(policy, arena, &guarded);
    if (!masks->set)
        for (size_t i = 0; i < masks->options.root_count; i++)
            ((struct hv_str *)masks->options.roots)[i] = real_path(masks, masks->options.roots[i]);
    home_links_find(masks->options.host, arena, masks->options.home, &out->home_links);
    look_for(masks, policy, guarded.rules, &out->home_links);
    bool all = marked_each(masks->marked, list_one, &listing, &out->changes);
    list_places(masks, &listing);
    list_journals(masks, &listing, out);
    struct sandbox_mask *items = hv_arena_array(arena, struct sandbox_mask, listing.found.count);
    if (listing.found.count)
        memcpy(items, listing.found.items, listing.found.count * sizeof *items);
    out->items = items;
    out->count = listing.found.count;
    if (!all)
        out->weakness = HV_STR("there are more files than can be looked at for what rules deny");
    if (listing.too_many)
        out->weakness = HV_STR("there are more files that rules deny, or secrets, than a sandbox can hide");
    vec_release(&listing.found);
}

/* Something in the root is shown again; what holds all of it shows nothing that was found. */
static bool is_shown(const struct masks *masks, struct hv_str root, struct hv_arena *arena)
{
    const struct sandbox_strings *read = &masks->options.settings->sandbox.read;
    bool shown = masks->options.settings->sandbox.read_patterns.count > 0;
    for (size_t i = 0; i < read->count && !shown; i++) {
        struct hv_str path = path_expand(arena, read->items[i], masks->written[0], masks->options.home);
        shown = path_inside(path, root) && path.len > root.len;
    }
    return shown;
}

const struct hv_str *masks_places(struct masks *masks, const struct policy *policy, struct hv_arena *arena,
                                  size_t *count)
{
    struct sandbox_masks found;
    struct hv_str *places = hv_arena_array(arena, struct hv_str, 2 * masks->options.root_count);
    *count = 0;
    masks_find(masks, policy, arena, &found);
    for (size_t i = 0; i < masks->options.root_count && !found.weakness.len; i++) {
        struct hv_str written = masks->written[i], resolved = masks->options.roots[i];
        if (resolved.len < 2 || is_shown(masks, written, arena) || is_shown(masks, resolved, arena))
            continue;
        places[(*count)++] = written;
        if (!hv_str_eq(written, resolved))
            places[(*count)++] = resolved;
    }
    return places;
}
