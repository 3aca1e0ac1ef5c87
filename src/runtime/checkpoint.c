/*
 * checkpoint.c: see checkpoint.h. Two locks: look_lock keeps looks at the workspace (checkpoint_watch.h), and what is
 * said of them, one after another; lock guards the rest, is taken second, and never held over an event.
 */
#include "runtime/checkpoint.h"

#include "base/aside.h"
#include "base/cleanup.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "fs/handle.h"
#include "fs/held.h"
#include "fs/host_files.h"
#include "fs/image_store.h"
#include "fs/scan.h"
#include "runtime/checkpoint_watch.h"

#include <fcntl.h>
#include <string.h>

enum {
    FILES_MAX = CHECKPOINT_FILES_MAX,
    EVENT_MAX = 32 << 20, /* of JSON */
    MEGABYTES_MAX = 1 << 30,
    LABEL_MAX = 120,      /* of a command, as it is told */
    KEPT_ASIDE = 1 << 20, /* bytes */
};

/* What a call left running. */
struct background {
    struct hv_arena arena;
    struct hv_str call_id, tool;
    struct fs_image *files; /* that the call says it writes, as they were when it had begun */
    size_t count;
    unsigned turn;
    bool is_over;
};

struct checkpoints {
    struct runtime *runtime;
    struct hv_str directory;
    pthread_mutex_t look_lock;
    struct watch *watch; /* checkpoint_watch.c; made when first needed */

    pthread_mutex_t lock; /* guards what follows */
    unsigned turn;        /* turns and the pauses between them are counted */
    unsigned looked;      /* turn of the last look */
    size_t in_flight;     /* calls whose changes are not known yet */
    VEC(struct background *) running;
    struct fs_image_store store;
    bool is_broken;        /* the store could not be opened: told once */
    bool told;             /* that something could not be kept */
    struct hv_arena arena; /* of this turn */
    struct map known;      /* path → struct fs_image *: what this turn's calls left there */
};

/* What one call may change; in the call's arena. */
struct checkpoint {
    struct hv_arena arena;  /* files are kept beside the call, which has its own */
    pthread_mutex_t lock;   /* of waiting for that */
    struct aside keeping;   /* under way until it is waited for */
    struct fs_image *files; /* as they were before; sorted by nothing */
    size_t count, recorded; /* recorded: of them stand in the event */
    struct map places;      /* path → its image in files */
    size_t left_out;        /* files there was no room for */
};

struct checkpoints *checkpoints_new(struct runtime *runtime, struct hv_str directory)
{
    if (!directory.len)
        return NULL;
    struct checkpoints *checkpoints = hv_calloc(1, sizeof *checkpoints);
    checkpoints->runtime = runtime;
    checkpoints->directory = directory;
    pthread_mutex_init(&checkpoints->lock, NULL);
    pthread_mutex_init(&checkpoints->look_lock, NULL);
    return checkpoints;
}

static void background_free(struct background *background)
{
    hv_arena_release(&background->arena);
    free(background);
}

void checkpoints_free(struct checkpoints *checkpoints)
{
    if (!checkpoints)
        return;
    for (size_t i = 0; i < checkpoints->running.count; i++)
        background_free(checkpoints->running.items[i]);
    vec_release(&checkpoints->running);
    watch_free(checkpoints->watch);
    fs_image_store_release(&checkpoints->store);
    map_release(&checkpoints->known);
    hv_arena_release(&checkpoints->arena);
    pthread_mutex_destroy(&checkpoints->lock);
    pthread_mutex_destroy(&checkpoints->look_lock);
    free(checkpoints);
}

void checkpoints_begin_turn(struct checkpoints *checkpoints)
{
    if (!checkpoints)
        return;
    LOCK_SCOPE(&checkpoints->lock);
    checkpoints->turn++;
    map_release(&checkpoints->known);
    checkpoints->known = (struct map){0};
    hv_arena_reset(&checkpoints->arena);
}

void checkpoints_end_turn(struct checkpoints *checkpoints)
{
    if (!checkpoints)
        return;
    LOCK_SCOPE(&checkpoints->lock);
    checkpoints->turn++;
}

static void warn(struct checkpoints *checkpoints, const char *format, ...) HV_PRINTF(2, 3);
static void warn(struct checkpoints *checkpoints, const char *format, ...)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    va_list arguments;
    va_start(arguments, format);
    struct hv_str text = hv_arena_vformat(&arena, format, arguments);
    va_end(arguments);
    runtime_emit(checkpoints->runtime,
                 &(struct hv_event){.type = HV_EVENT_NOTICE, .name = HV_STR("warning"), .text = text});
}

/* ---- the files of a call ------------------------------------------------------------------------------------- */

static struct fs_image *add_place(struct checkpoint *checkpoint, struct hv_str path, const struct hv_handle *at)
{
    if (path.len < 2 || path.ptr[0] != '/' || fs_image_is_of_git(path) || map_get(&checkpoint->places, path))
        return NULL;
    if (checkpoint->count == FILES_MAX) {
        checkpoint->left_out++;
        return NULL;
    }
    struct fs_image *image = &checkpoint->files[checkpoint->count++];
    *image = (struct fs_image){.path = hv_arena_str(&checkpoint->arena, path), .at = at};
    map_set(&checkpoint->places, image->path, image);
    return image;
}

/* The entries of a directory that a call names. */
struct walk {
    struct call *call;
    struct checkpoint *checkpoint;
    struct hv_str root;
    const struct hv_handle *at; /* as the tool reaches it */
};

static enum fs_scan_action add_entry(void *user, const struct fs_scan_entry *entry)
{
    struct walk *walk = user;
    struct hv_str path =
        hv_arena_format(&walk->call->arena, "%.*s/%.*s", HV_STR_ARG(walk->root), HV_STR_ARG(entry->path));
    (void)add_place(walk->checkpoint, path, walk->at);
    return walk->checkpoint->left_out > FILES_MAX ? FS_SCAN_STOP : FS_SCAN_ON;
}

static void add_inside(struct call *call, struct checkpoint *checkpoint, struct hv_str root)
{
    struct walk walk = {call, checkpoint, root, fs_held_handle(call->context.host, root)};
    CLEANUP_FD int fd = fs_open_at(walk.at, root, O_RDONLY | O_DIRECTORY);
    struct fs_scan_options options = {
        .root = root, .descriptor = fd, .hidden = true, .no_ignore = true, .directories = true};
    struct fs_scan_outcome outcome;
    if (fd >= 0) /* what is no directory has nothing inside */
        (void)!fs_scan(&options, add_entry, &walk, &call->arena, &outcome, NULL);
}

/* The name itself where it was a link when it was judged, and what it led to then. */
static void add_written(struct call *call, struct checkpoint *checkpoint, size_t index)
{
    struct hv_str resolved = call->writes[index].resolved;
    if (call->links[index].len)
        add_place(checkpoint, call->links[index], &fs_root_handle);
    if (resolved.len)
        add_place(checkpoint, resolved, fs_held_handle(call->context.host, resolved));
}

static void collect(struct call *call, struct checkpoint *checkpoint)
{
    for (size_t i = 0; i < call->footprint.writes.count; i++)
        if (!call->writes[i].of_session) /* that goes with the session */
            add_written(call, checkpoint, i);
    for (size_t i = 0; i < call->footprint.writes.count; i++)
        if (!call->writes[i].of_session && call->writes[i].kind == HV_FILE_DIRECTORY && call->writes[i].resolved.len)
            add_inside(call, checkpoint, call->writes[i].resolved);
}

/* ---- events -------------------------------------------------------------------------------------------------- */

struct writing {
    struct hv_buf data;
    struct hv_json_writer writer;
};

static void begin_data(struct writing *writing)
{
    hv_buf_init(&writing->data, EVENT_MAX);
    hv_json_writer_init(&writing->writer, &writing->data);
    hv_json_begin_object(&writing->writer);
}

static void begin_list(struct writing *writing, const char *name)
{
    hv_json_name(&writing->writer, name);
    hv_json_begin_array(&writing->writer);
}

static void emit(struct call *call, struct writing *writing, const char *phase)
{
    hv_json_end_object(&writing->writer);
    if (!writing->data.failed)
        call_emit(call, (struct hv_event){.type = HV_EVENT_CHECKPOINT,
                                          .name = hv_str_from(phase),
                                          .data = hv_buf_str(&writing->data)});
    hv_buf_release(&writing->data);
}

/* ---- before -------------------------------------------------------------------------------------------------- */

static uint64_t bytes_of(int64_t megabytes)
{
    return (uint64_t)(megabytes < MEGABYTES_MAX ? megabytes : MEGABYTES_MAX) << 20;
}

/* The store, opened when the first call needs it. */
static bool has_store(struct checkpoints *checkpoints)
{
    LOCK_SCOPE(&checkpoints->lock);
    if (checkpoints->store.is_open || checkpoints->is_broken)
        return checkpoints->store.is_open;
    struct hv_error err;
    const struct settings *settings = checkpoints->runtime->settings;
    const struct runtime_options *options = &checkpoints->runtime->options;
    uint64_t room = options->checkpoint_room ? options->checkpoint_room(options->checkpoint_user)
                                             : bytes_of(settings->checkpoint_megabytes);
    enum hv_code code = fs_host_make_directories(NULL, path_parent(checkpoints->directory), &err);
    if (!code)
        code = fs_image_store_open(&checkpoints->store, checkpoints->directory,
                                   bytes_of(settings->checkpoint_file_megabytes), room, &err);
    checkpoints->is_broken = code != HV_OK;
    if (code)
        warn(checkpoints, "changes of this session cannot be rewound: %s", err.message);
    return !code;
}

/* This turn left it so, and nobody else was there: its bytes at the turn's beginning are kept already. */
static bool is_known(struct checkpoints *checkpoints, const struct fs_image *image)
{
    LOCK_SCOPE(&checkpoints->lock);
    const struct fs_image *known = map_get(&checkpoints->known, image->path);
    return known && (known->kind == FS_IMAGE_FILE ? fs_image_untouched(known, image) : fs_image_same(known, image));
}

static void tell_unsaved(struct checkpoints *checkpoints, const struct fs_image *image)
{
    pthread_mutex_lock(&checkpoints->lock);
    bool told = checkpoints->told;
    checkpoints->told = true;
    pthread_mutex_unlock(&checkpoints->lock);
    if (!told)
        warn(checkpoints, "%.*s is changed without a copy to rewind to: %.*s", HV_STR_ARG(image->path),
             HV_STR_ARG(image->unsaved));
}

/* The directories that will be made for it. */
static void add_missing_parents(struct checkpoint *checkpoint, struct fs_image *of)
{
    for (struct hv_str parent = path_parent(of->path); parent.len > 1; parent = path_parent(parent)) {
        struct fs_image image = {.path = parent, .at = of->at};
        fs_image_look(&image, &checkpoint->arena);
        if (image.kind != FS_IMAGE_NOTHING || !add_place(checkpoint, parent, of->at))
            return;
    }
}

/* Keep all that are not known, and record them. Perhaps beside the call: touches nothing of it that changes. */
static void keep(void *data)
{
    struct call *call = data;
    struct checkpoint *checkpoint = call->checkpoint;
    struct checkpoints *checkpoints = call->runtime->checkpoints;
    struct writing writing;
    bool copied = false;
    begin_data(&writing);
    begin_list(&writing, "before");
    for (size_t i = 0; i < checkpoint->count; i++) {
        struct fs_image *image = &checkpoint->files[i];
        fs_image_look(image, &checkpoint->arena);
        if (image->kind == FS_IMAGE_NOTHING)
            add_missing_parents(checkpoint, image);
        if (is_known(checkpoints, image))
            continue;
        fs_image_store_keep(&checkpoints->store, image, &checkpoint->arena);
        fs_image_find_twin(image, &checkpoint->arena);
        copied |= image->hash.ptr != NULL;
        if (image->unsaved.ptr)
            tell_unsaved(checkpoints, image);
        fs_image_write(&writing.writer, image);
        checkpoint->recorded++;
    }
    hv_json_end_array(&writing.writer);
    if (checkpoint->left_out)
        hv_json_member_int(&writing.writer, "left_out", (int64_t)checkpoint->left_out);
    struct hv_error err;
    if (copied && fs_image_store_sync(&checkpoints->store, &err) != HV_OK)
        warn(checkpoints, "%s", err.message);
    if (checkpoint->recorded || checkpoint->left_out)
        emit(call, &writing, "before");
    else
        hv_buf_release(&writing.data);
}

static void release_checkpoint(void *data)
{
    struct checkpoint *checkpoint = data;
    map_release(&checkpoint->places);
    hv_arena_release(&checkpoint->arena);
    pthread_mutex_destroy(&checkpoint->lock);
}

/* The call announces its changes, and what there is to keep takes longer than beginning it. */
static bool is_kept_aside(const struct call *call, struct checkpoint *checkpoint)
{
    uint64_t size = 0;
    for (size_t i = 0; call->tool->announces_changes && i < checkpoint->count; i++) {
        struct fs_image image = {.path = checkpoint->files[i].path, .at = checkpoint->files[i].at};
        fs_image_look(&image, &checkpoint->arena);
        size += is_known(call->runtime->checkpoints, &image) ? 0 : image.size;
    }
    return size >= KEPT_ASIDE;
}

static void begin_keeping(struct call *call, struct checkpoint *checkpoint)
{
    if (is_kept_aside(call, checkpoint))
        aside_begin(&checkpoint->keeping, keep, call);
    else
        keep(call);
}

void checkpoint_wait(struct call *call)
{
    struct checkpoint *checkpoint = call->checkpoint;
    if (!checkpoint)
        return;
    LOCK_SCOPE(&checkpoint->lock);
    aside_end(&checkpoint->keeping);
}

/* ---- what is known ----------------------------------------------------------------------------------------------- */

static struct fs_image copy_image(struct hv_arena *arena, const struct fs_image *image)
{
    struct fs_image copy = *image;
    copy.path = hv_arena_str(arena, image->path);
    copy.at = NULL; /* which goes with the call */
    copy.hash = hv_arena_str(arena, image->hash);
    copy.target = hv_arena_str(arena, image->target);
    copy.attributes = hv_arena_str(arena, image->attributes);
    copy.twin = hv_arena_str(arena, image->twin);
    copy.unsaved = hv_arena_str(arena, image->unsaved);
    return copy;
}

/* The next look at the workspace finds nothing new in it. */
static void note_for_watch(struct checkpoints *checkpoints, const struct fs_image *image)
{
    LOCK_SCOPE(&checkpoints->look_lock);
    if (checkpoints->watch)
        watch_note(checkpoints->watch, image);
}

static void remember(struct checkpoints *checkpoints, const struct fs_image *image)
{
    LOCK_SCOPE(&checkpoints->lock);
    struct fs_image *known = map_get(&checkpoints->known, image->path);
    if (!known) {
        known = hv_arena_new(&checkpoints->arena, struct fs_image);
        *known = copy_image(&checkpoints->arena, image);
        map_set(&checkpoints->known, known->path, known);
        return;
    }
    struct hv_str path = known->path;
    *known = copy_image(&checkpoints->arena, image);
    known->path = path;
}

static bool is_unchanged(const struct fs_image *before, const struct fs_image *now)
{
    return before->kind == FS_IMAGE_FILE ? fs_image_untouched(before, now) : fs_image_same(before, now);
}

/* ---- looking at the workspace ---------------------------------------------------------------------------------- */

static void put_watched(struct watch_change *changes, size_t count, struct writing *writing, bool after)
{
    begin_list(writing, after ? "after" : "before");
    for (size_t i = 0; i < count; i++)
        fs_image_write(&writing->writer, after ? &changes[i].after : &changes[i].before);
    hv_json_end_array(&writing->writer);
}

static void put_places(const struct watch_outcome *outcome, struct writing *writing)
{
    if (!outcome->place_count)
        return;
    begin_list(writing, "not_looked_at");
    for (size_t i = 0; i < outcome->place_count; i++) {
        hv_json_begin_object(&writing->writer);
        hv_json_member_string(&writing->writer, "path", outcome->places[i].path);
        hv_json_member_cstr(&writing->writer, "why", outcome->places[i].why);
        hv_json_end_object(&writing->writer);
    }
    hv_json_end_array(&writing->writer);
}

static void put_outcome(struct checkpoints *checkpoints, const struct watch_outcome *outcome, struct writing *writing)
{
    put_watched(outcome->changes, outcome->count, writing, false);
    put_watched(outcome->changes, outcome->count, writing, true);
    put_places(outcome, writing);
    if (outcome->left_out)
        hv_json_member_int(&writing->writer, "left_out", (int64_t)outcome->left_out);
    if (outcome->unwatched)
        hv_json_member_cstr(&writing->writer, "unwatched", outcome->unwatched);
    for (size_t i = 0; i < outcome->count; i++)
        remember(checkpoints, &outcome->changes[i].after);
}

static void emit_of_task(struct checkpoints *checkpoints, const struct background *background, struct writing *writing)
{
    hv_json_end_object(&writing->writer);
    if (!writing->data.failed)
        runtime_emit(checkpoints->runtime, &(struct hv_event){.type = HV_EVENT_CHECKPOINT,
                                                              .name = HV_STR("after"),
                                                              .call_id = background->call_id,
                                                              .tool = background->tool,
                                                              .data = hv_buf_str(&writing->data)});
    hv_buf_release(&writing->data);
}

/* Whether somebody else may have been at work since the last look: no turn ran for a while. */
static bool is_unsure(struct checkpoints *checkpoints, unsigned since)
{
    LOCK_SCOPE(&checkpoints->lock);
    return since != checkpoints->turn;
}

static void looked(struct checkpoints *checkpoints)
{
    LOCK_SCOPE(&checkpoints->lock);
    checkpoints->looked = checkpoints->turn;
}

static unsigned last_look(struct checkpoints *checkpoints)
{
    LOCK_SCOPE(&checkpoints->lock);
    return checkpoints->looked;
}

/* What changed since the last look is the work of what runs in the background; look_lock held. */
static void look_for_task(struct checkpoints *checkpoints, const struct background *background, bool is_before)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct watch_outcome outcome;
    struct writing writing;
    watch_look(checkpoints->watch, is_before, &checkpoints->store, &arena, &outcome);
    bool unsure = is_unsure(checkpoints, last_look(checkpoints));
    looked(checkpoints);
    if (!outcome.count && !outcome.left_out && !outcome.place_count)
        return;
    begin_data(&writing);
    put_outcome(checkpoints, &outcome, &writing);
    hv_json_member_bool(&writing.writer, "background", true);
    if (unsure)
        hv_json_member_bool(&writing.writer, "unsure", true);
    emit_of_task(checkpoints, background, &writing);
}

/* The one that began last: the others, too, are the session's. NULL: nothing runs. */
static const struct background *latest_task(struct checkpoints *checkpoints)
{
    LOCK_SCOPE(&checkpoints->lock);
    return checkpoints->running.count ? checkpoints->running.items[checkpoints->running.count - 1] : NULL;
}

/* Look, as something is about to run of which nobody knows what it writes. look_lock held. */
static void look_before(struct checkpoints *checkpoints)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct watch_outcome outcome;
    const struct background *task = latest_task(checkpoints);
    bool is_first = !checkpoints->watch;
    if (is_first)
        checkpoints->watch = watch_new(checkpoints->runtime, path_parent(checkpoints->directory));
    if (task && !is_first) {
        look_for_task(checkpoints, task, true);
        return;
    }
    watch_look(checkpoints->watch, true, NULL, &arena, &outcome);
    looked(checkpoints);
}

static void watch_begin(struct call *call)
{
    LOCK_SCOPE(&call->runtime->checkpoints->look_lock);
    look_before(call->runtime->checkpoints);
    call->watched = true;
}

/* What the call is, in a line. */
static struct hv_str label_of(struct call *call)
{
    struct hv_str subject = call->tool->subject ? call->tool->subject(call->input, &call->context) : (struct hv_str){0};
    struct hv_str text = hv_str_trim(subject.len ? subject : hv_str_from(call->tool->name));
    size_t end = hv_str_find_byte(text, '\n', 0);
    text = hv_str_slice(text, 0, end == SIZE_MAX ? text.len : end);
    if (text.len <= LABEL_MAX)
        return text;
    text = hv_str_slice(text, 0, LABEL_MAX);
    return hv_str_slice(text, 0, text.len - utf8_incomplete_tail(text));
}

static void watch_end(struct call *call)
{
    struct checkpoints *checkpoints = call->runtime->checkpoints;
    struct writing writing;
    struct watch_outcome outcome;
    LOCK_SCOPE(&checkpoints->look_lock);
    watch_look(checkpoints->watch, false, &checkpoints->store, &call->arena, &outcome);
    looked(checkpoints);
    begin_data(&writing);
    put_outcome(checkpoints, &outcome, &writing);
    hv_json_member_string(&writing.writer, "command", label_of(call));
    emit(call, &writing, "after");
}

/* ---- what runs in the background ------------------------------------------------------------------------------- */

void checkpoint_task_begins(struct call *call)
{
    struct checkpoints *checkpoints = call->runtime->checkpoints;
    const struct checkpoint *checkpoint = call->checkpoint;
    if (!checkpoints || !(call->watched || checkpoint))
        return;
    checkpoint_wait(call);
    struct background *background = hv_calloc(1, sizeof *background);
    background->call_id = hv_arena_str(&background->arena, call->context.call_id);
    background->tool = hv_arena_str(&background->arena, hv_str_from(call->tool->name));
    background->count = checkpoint ? checkpoint->count : 0;
    background->files = hv_arena_array(&background->arena, struct fs_image, background->count + 1);
    for (size_t i = 0; i < background->count; i++)
        background->files[i] = copy_image(&background->arena, &checkpoint->files[i]);
    pthread_mutex_lock(&checkpoints->look_lock);
    if (!call->watched)
        look_before(checkpoints);
    pthread_mutex_unlock(&checkpoints->look_lock);
    LOCK_SCOPE(&checkpoints->lock);
    background->turn = checkpoints->turn;
    *vec_push(&checkpoints->running) = background;
}

/* Of the files that the call said it writes: those that nobody has told of yet. */
static void look_at_files(struct checkpoints *checkpoints, struct background *background)
{
    struct writing writing;
    size_t changed = 0;
    struct fs_image *now = hv_arena_array(&background->arena, struct fs_image, background->count + 1);
    begin_data(&writing);
    for (size_t i = 0; i < background->count; i++) {
        now[i] = (struct fs_image){.path = background->files[i].path};
        fs_image_look(&now[i], &background->arena);
        if (is_unchanged(&background->files[i], &now[i]) || is_known(checkpoints, &now[i]))
            continue;
        if (now[i].kind == FS_IMAGE_FILE && now[i].size <= CHECKPOINT_SUM_MAX &&
            !fs_image_sum(&now[i], &background->arena))
            now[i].hash = (struct hv_str){0};
        background->files[changed] = background->files[i];
        now[changed++] = now[i];
    }
    begin_list(&writing, "before");
    for (size_t i = 0; i < changed; i++)
        fs_image_write(&writing.writer, &background->files[i]);
    hv_json_end_array(&writing.writer);
    begin_list(&writing, "after");
    for (size_t i = 0; i < changed; i++)
        fs_image_write(&writing.writer, &now[i]);
    hv_json_end_array(&writing.writer);
    for (size_t i = 0; i < changed; i++) {
        remember(checkpoints, &now[i]);
        watch_note(checkpoints->watch, &now[i]);
    }
    hv_json_member_bool(&writing.writer, "background", true);
    if (is_unsure(checkpoints, background->turn))
        hv_json_member_bool(&writing.writer, "unsure", true);
    if (changed)
        emit_of_task(checkpoints, background, &writing);
    else
        hv_buf_release(&writing.data);
}

/* One that is over, no longer in the list; NULL when there is none, or a call is under way whose changes would be taken
 * for its. */
static struct background *take_over(struct checkpoints *checkpoints)
{
    LOCK_SCOPE(&checkpoints->lock);
    for (size_t i = 0; i < checkpoints->running.count && !checkpoints->in_flight; i++) {
        struct background *background = checkpoints->running.items[i];
        if (!background->is_over)
            continue;
        checkpoints->running.count--;
        memmove(&checkpoints->running.items[i], &checkpoints->running.items[i + 1],
                (checkpoints->running.count - i) * sizeof background);
        return background;
    }
    return NULL;
}

static void look_after_tasks(struct checkpoints *checkpoints)
{
    struct background *background;
    LOCK_SCOPE(&checkpoints->look_lock);
    while ((background = take_over(checkpoints))) {
        look_at_files(checkpoints, background);
        look_for_task(checkpoints, background, false);
        background_free(background);
    }
}

void checkpoint_task_ends(struct checkpoints *checkpoints, struct hv_str call_id)
{
    bool is_ours = false;
    if (!checkpoints)
        return;
    pthread_mutex_lock(&checkpoints->lock);
    for (size_t i = 0; i < checkpoints->running.count && !is_ours; i++) {
        struct background *background = checkpoints->running.items[i];
        is_ours = !background->is_over && hv_str_eq(background->call_id, call_id);
        background->is_over |= is_ours;
    }
    pthread_mutex_unlock(&checkpoints->lock);
    if (is_ours)
        look_after_tasks(checkpoints);
}

/* ---- around a call ----------------------------------------------------------------------------------------------- */

void checkpoint_before(struct call *call)
{
    struct checkpoints *checkpoints = call->runtime->checkpoints;
    bool is_open = !call->footprint.limited;
    if (!checkpoints || call->read_only || !(is_open || call->footprint.writes.count) || !has_store(checkpoints))
        return;
    pthread_mutex_lock(&checkpoints->lock);
    checkpoints->in_flight++;
    pthread_mutex_unlock(&checkpoints->lock);
    if (is_open) {
        watch_begin(call);
        return;
    }
    struct checkpoint *checkpoint = hv_arena_new(&call->arena, struct checkpoint);
    checkpoint->files = hv_arena_array(&call->arena, struct fs_image, FILES_MAX);
    pthread_mutex_init(&checkpoint->lock, NULL);
    hv_arena_on_release(&call->arena, release_checkpoint, checkpoint);
    call->checkpoint = checkpoint;
    collect(call, checkpoint);
    begin_keeping(call, checkpoint);
}

/* What has come into being inside of the directories that the call names. */
static void collect_new(struct call *call, struct checkpoint *checkpoint)
{
    for (size_t i = 0; i < call->footprint.writes.count; i++) {
        struct hv_str path = call->writes[i].resolved.len ? call->writes[i].resolved : call->writes[i].written;
        struct fs_image now = {.path = path, .at = fs_held_handle(call->context.host, path)};
        fs_image_look(&now, &call->arena);
        if (now.kind == FS_IMAGE_DIRECTORY)
            add_inside(call, checkpoint, path);
    }
}

static void put_new(struct checkpoint *checkpoint, size_t from, struct writing *writing)
{
    begin_list(writing, "before");
    for (size_t i = from; i < checkpoint->count; i++)
        fs_image_write(&writing->writer, &checkpoint->files[i]);
    hv_json_end_array(&writing->writer);
}

static size_t put_changed(struct call *call, struct checkpoint *checkpoint, struct writing *writing)
{
    size_t changed = 0;
    begin_list(writing, "after");
    for (size_t i = 0; i < checkpoint->count; i++) {
        const struct fs_image *before = &checkpoint->files[i];
        struct fs_image now = {.path = before->path, .at = before->at};
        fs_image_look(&now, &call->arena);
        if (is_unchanged(before, &now))
            continue;
        /* A file that changes while it is summed up is recorded without: it will not pass for the same. */
        if (now.kind == FS_IMAGE_FILE && now.size <= CHECKPOINT_SUM_MAX && !fs_image_sum(&now, &call->arena))
            now.hash = (struct hv_str){0};
        now.folder_before_ns = before->folder_ns;
        fs_image_write(&writing->writer, &now);
        remember(call->runtime->checkpoints, &now);
        note_for_watch(call->runtime->checkpoints, &now);
        changed++;
    }
    hv_json_end_array(&writing->writer);
    return changed;
}

static void put_files(struct call *call, struct checkpoint *checkpoint)
{
    struct writing writing;
    size_t known = checkpoint->count;
    collect_new(call, checkpoint);
    begin_data(&writing);
    put_new(checkpoint, known, &writing);
    if (put_changed(call, checkpoint, &writing) || checkpoint->recorded)
        emit(call, &writing, "after");
    else
        hv_buf_release(&writing.data);
}

void checkpoint_after(struct call *call)
{
    struct checkpoints *checkpoints = call->runtime->checkpoints;
    if (!call->watched && !call->checkpoint)
        return;
    checkpoint_wait(call);
    if (call->watched)
        watch_end(call);
    else
        put_files(call, call->checkpoint);
    pthread_mutex_lock(&checkpoints->lock);
    checkpoints->in_flight--;
    pthread_mutex_unlock(&checkpoints->lock);
    look_after_tasks(checkpoints);
}
