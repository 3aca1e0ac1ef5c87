/* timeline.c: see timeline.h. */
#include "journal/timeline.h"

#include "base/cleanup.h"
#include "base/map.h"
#include "base/vec.h"
#include "journal/reader.h"
#include "journal/sessions.h"

enum { TOUCHES_MAX = 1 << 20, PLACES_MAX = 1000 };

/* A touch while the journal is read. */
struct draft {
    struct timeline_touch touch;
    bool is_open, is_void; /* the call may still end; it changed nothing */
};

struct collector {
    struct hv_arena *arena;
    struct timeline *out;
    uint64_t moment;
    VEC(struct timeline_prompt) prompts;
    VEC(struct draft) drafts;
    size_t first_open; /* drafts before it are closed */
    VEC(struct timeline_rewind) rewinds;
    VEC(size_t *) chains; /* of each rewind: the numbers of the prompts of the conversation before it, 0 at the end */
    VEC(size_t) chain;    /* the same now */
    struct map latest;    /* path → index + 1 of its last draft */
    struct map tasks;     /* id of the call that began a task → number of its prompt + 1 */
    VEC(struct timeline_place) places;
    bool is_unsure;              /* of the event that is being read */
    uint64_t moment_of_part;     /* of the first of several events that are one; 0: none is to be continued */
    struct hv_str call_of_parts; /* in arena */
};

/* ---- prompts ------------------------------------------------------------------------------------------------- */

static void note_message(struct collector *collector, const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *data;
    if (!hv_str_is(event->name, "user") || !event->data.ptr ||
        hv_json_parse(&scratch, event->data, HV_JSON_STRICT, &data, NULL) != HV_OK ||
        !hv_json_bool(hv_json_get(data, "prompt"), false))
        return;
    *vec_push(&collector->prompts) =
        (struct timeline_prompt){.moment = collector->moment,
                                 .wall_ms = event->wall_ms,
                                 .id = hv_arena_str(collector->arena, hv_json_get_string(data, "uuid")),
                                 .title = sessions_title(collector->arena, event->json)};
    *vec_push(&collector->chain) = collector->prompts.count;
}

/* ---- changes ------------------------------------------------------------------------------------------------- */

static struct draft *latest_of(struct collector *collector, struct hv_str path)
{
    uintptr_t at = (uintptr_t)map_get(&collector->latest, path);
    return at ? &collector->drafts.items[at - 1] : NULL;
}

/* The turn in which the call began: what runs in the background changes things later. */
static size_t prompt_of(const struct collector *collector, const struct hv_event *event)
{
    uintptr_t number = event->call_id.len ? (uintptr_t)map_get(&collector->tasks, event->call_id) : 0;
    return number ? number - 1 : collector->prompts.count;
}

static void note_task(struct collector *collector, const struct hv_event *event)
{
    if (hv_str_is(event->name, "started") && event->call_id.len)
        map_set(&collector->tasks, hv_arena_str(collector->arena, event->call_id),
                (void *)(uintptr_t)(collector->prompts.count + 1));
}

static void add_draft(struct collector *collector, const struct hv_event *event, const struct fs_image *before)
{
    *vec_push(&collector->drafts) = (struct draft){
        .touch =
            {
                .moment = collector->moment_of_part,
                .prompt = prompt_of(collector, event),
                .is_unsure = collector->is_unsure,
                .call_id = hv_arena_str(collector->arena, event->call_id),
                .tool = hv_arena_str(collector->arena, event->tool),
                .before = *before,
            },
        .is_open = true,
    };
}

/* What a call left of a file that was not kept anew: before it, the file was what the turn had left of it. */
static struct draft *continued(struct collector *collector, const struct hv_event *event, struct hv_str path)
{
    struct draft *last = latest_of(collector, path);
    if (!last || !last->touch.is_finished)
        return NULL;
    struct fs_image before = last->touch.after;
    add_draft(collector, event, &before);
    return &collector->drafts.items[collector->drafts.count - 1];
}

static struct draft *find_open(struct collector *collector, const struct hv_event *event, const struct map *open,
                               struct hv_str path)
{
    uintptr_t at = (uintptr_t)map_get(open, path);
    return at ? &collector->drafts.items[at - 1] : continued(collector, event, path);
}

static void take_before(struct collector *collector, const struct hv_event *event, const struct hv_json *list)
{
    struct fs_image image;
    hv_json_each(value, list)
    {
        if (collector->drafts.count <= TOUCHES_MAX && fs_image_read(collector->arena, value, &image))
            add_draft(collector, event, &image);
    }
}

/* The call's drafts that wait for their end, by path. */
static void map_open(struct collector *collector, struct hv_str call_id, struct map *open)
{
    for (size_t i = collector->first_open; i < collector->drafts.count; i++) {
        const struct draft *draft = &collector->drafts.items[i];
        if (draft->is_open && hv_str_eq(draft->touch.call_id, call_id))
            map_set(open, draft->touch.before.path, (void *)(uintptr_t)(i + 1));
    }
}

/* Whatever of the call's files is not among those that changed did not change. */
static void close_call(struct collector *collector, struct hv_str call_id)
{
    for (size_t i = collector->first_open; i < collector->drafts.count; i++) {
        struct draft *draft = &collector->drafts.items[i];
        if (!draft->is_open || !hv_str_eq(draft->touch.call_id, call_id))
            continue;
        draft->is_open = false;
        draft->is_void = !draft->touch.is_finished;
        if (!draft->is_void)
            map_set(&collector->latest, draft->touch.before.path, (void *)(uintptr_t)(i + 1));
    }
    while (collector->first_open < collector->drafts.count && !collector->drafts.items[collector->first_open].is_open)
        collector->first_open++;
}

static void take_after(struct collector *collector, const struct hv_event *event, const struct hv_json *list,
                       bool is_last)
{
    struct map open = {0};
    struct fs_image image;
    map_open(collector, event->call_id, &open);
    hv_json_each(value, list)
    {
        if (collector->drafts.count > TOUCHES_MAX || !fs_image_read(collector->arena, value, &image))
            continue;
        struct draft *draft = find_open(collector, event, &open, image.path);
        if (draft && !draft->touch.is_finished) {
            draft->touch.after = image;
            if (image.folder_before_ns) /* of a file that was not kept anew, too */
                draft->touch.before.folder_ns = image.folder_before_ns;
            draft->touch.is_finished = true;
        }
    }
    map_release(&open);
    if (is_last)
        close_call(collector, event->call_id);
}

static void take_places(struct collector *collector, const struct hv_json *list)
{
    hv_json_each(value, list)
    {
        struct hv_str path = hv_json_get_string(value, "path");
        bool is_known = !path.len || collector->places.count == PLACES_MAX;
        for (size_t i = 0; i < collector->places.count && !is_known; i++)
            is_known = hv_str_eq(collector->places.items[i].path, path);
        if (!is_known)
            *vec_push(&collector->places) = (struct timeline_place){
                hv_arena_str(collector->arena, path),
                hv_arena_str(collector->arena, hv_json_get_string(value, "why")),
            };
    }
}

static void note_checkpoint(struct collector *collector, const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *data;
    int64_t left_out;
    if (!event->data.ptr || hv_json_parse(&scratch, event->data, HV_JSON_STRICT, &data, NULL) != HV_OK)
        return;
    bool has_more = hv_json_bool(hv_json_get(data, "more"), false), is_after = hv_str_is(event->name, "after");
    collector->is_unsure = hv_json_bool(hv_json_get(data, "unsure"), false);
    if (is_after || !collector->moment_of_part || !hv_str_eq(collector->call_of_parts, event->call_id))
        collector->moment_of_part = collector->moment;
    take_places(collector, hv_json_get(data, "not_looked_at"));
    take_before(collector, event, hv_json_get(data, "before"));
    if (is_after)
        take_after(collector, event, hv_json_get(data, "after"), !has_more);
    if (!has_more || is_after)
        collector->moment_of_part = 0;
    else
        collector->call_of_parts = hv_arena_str(collector->arena, event->call_id);
    if (!collector->prompts.count)
        return;
    struct timeline_prompt *prompt = &collector->prompts.items[collector->prompts.count - 1];
    if (hv_json_int64(hv_json_get(data, "left_out"), &left_out) && left_out > 0 && left_out < TOUCHES_MAX)
        prompt->left_out += (size_t)left_out;
    struct hv_str why_unwatched = hv_json_get_string(data, "unwatched");
    if (why_unwatched.ptr) {
        prompt->unwatched++;
        prompt->why_unwatched = hv_arena_str(collector->arena, why_unwatched);
    }
    struct hv_str command = hv_json_get_string(data, "command");
    if (command.ptr && prompt->commands++ < TIMELINE_NAMED_MAX)
        prompt->named[prompt->commands - 1] = hv_arena_str(collector->arena, command);
}

/* A session that begins (again) has no calls of an earlier one. */
static void close_all(struct collector *collector)
{
    for (size_t i = collector->first_open; i < collector->drafts.count; i++) {
        struct draft *draft = &collector->drafts.items[i];
        if (draft->is_open)
            map_set(&collector->latest, draft->touch.before.path, (void *)(uintptr_t)(i + 1));
        draft->is_open = false;
    }
    collector->first_open = collector->drafts.count;
}

/* ---- rewinds ------------------------------------------------------------------------------------------------- */

static size_t *copy_chain(struct collector *collector)
{
    size_t *copy = hv_arena_array(collector->arena, size_t, collector->chain.count + 1);
    if (collector->chain.count)
        memcpy(copy, collector->chain.items, collector->chain.count * sizeof *copy);
    return copy;
}

static void follow(struct collector *collector, const struct timeline_rewind *rewind)
{
    if (rewind->to)
        while (collector->chain.count && collector->chain.items[collector->chain.count - 1] >= rewind->to)
            collector->chain.count--;
    if (!rewind->undoes)
        return;
    collector->chain.count = 0;
    for (const size_t *number = collector->chains.items[rewind->undoes - 1]; *number; number++)
        *vec_push(&collector->chain) = *number;
}

/* Taking back what took another back makes that other stand again. */
static void settle(struct collector *collector, size_t number)
{
    for (bool stands = false; number; stands = !stands) {
        struct timeline_rewind *rewind = &collector->rewinds.items[number - 1];
        rewind->stands = stands;
        number = rewind->undoes < number ? rewind->undoes : 0;
    }
}

/* Its last attempt: an earlier one under the same name came to nothing. */
static uint64_t beginning_of(const struct collector *collector, struct hv_str call_id)
{
    for (size_t i = collector->drafts.count; call_id.len && i > 0; i--)
        if (hv_str_eq(collector->drafts.items[i - 1].touch.call_id, call_id))
            return collector->drafts.items[i - 1].touch.moment;
    return collector->moment;
}

static void note_rewind(struct collector *collector, const struct hv_event *event)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *data;
    if (!event->data.ptr || hv_json_parse(&scratch, event->data, HV_JSON_STRICT, &data, NULL) != HV_OK)
        return;
    bool both = hv_str_is(event->name, "both");
    struct timeline_rewind rewind = {
        .moment = collector->moment,
        .began = beginning_of(collector, event->call_id),
        .code = both || hv_str_is(event->name, "code"),
        .conversation = both || hv_str_is(event->name, "conversation"),
        .to = journal_number(data, "to", collector->prompts.count),
        .undoes = journal_number(data, "undoes", collector->rewinds.count),
        .stands = true,
    };
    *vec_push(&collector->chains) = copy_chain(collector);
    settle(collector, rewind.undoes);
    *vec_push(&collector->rewinds) = rewind;
    if (rewind.conversation)
        follow(collector, &rewind);
}

/* ---- the whole ----------------------------------------------------------------------------------------------- */

static void note_start(struct collector *collector, struct hv_str data)
{
    CLEANUP_ARENA struct hv_arena scratch = {0};
    const struct hv_json *object;
    close_all(collector);
    if (!data.ptr || hv_json_parse(&scratch, data, HV_JSON_STRICT, &object, NULL) != HV_OK)
        return;
    collector->out->session_id = hv_arena_str(collector->arena, hv_json_get_string(object, "id"));
    collector->out->directory = hv_arena_str(collector->arena, hv_json_get_string(object, "cwd"));
}

static void hand_over(struct collector *collector)
{
    struct timeline *out = collector->out;
    close_all(collector);
    for (size_t i = 0; i < collector->chain.count; i++)
        collector->prompts.items[collector->chain.items[i] - 1].in_conversation = true;
    out->prompts = hv_arena_array(collector->arena, struct timeline_prompt, collector->prompts.count);
    for (size_t i = 0; i < collector->prompts.count; i++)
        out->prompts[out->prompt_count++] = collector->prompts.items[i];
    out->touches = hv_arena_array(collector->arena, struct timeline_touch, collector->drafts.count);
    for (size_t i = 0; i < collector->drafts.count; i++)
        if (!collector->drafts.items[i].is_void)
            out->touches[out->touch_count++] = collector->drafts.items[i].touch;
    out->rewinds = hv_arena_array(collector->arena, struct timeline_rewind, collector->rewinds.count);
    for (size_t i = 0; i < collector->rewinds.count; i++)
        out->rewinds[out->rewind_count++] = collector->rewinds.items[i];
    out->places = hv_arena_array(collector->arena, struct timeline_place, collector->places.count);
    for (size_t i = 0; i < collector->places.count; i++)
        out->places[out->place_count++] = collector->places.items[i];
    out->end = collector->moment + 1;
}

static void collector_release(struct collector *collector)
{
    vec_release(&collector->prompts);
    vec_release(&collector->drafts);
    vec_release(&collector->rewinds);
    vec_release(&collector->chains);
    vec_release(&collector->chain);
    map_release(&collector->latest);
    map_release(&collector->tasks);
    vec_release(&collector->places);
}

enum hv_code timeline_collect(struct hv_arena *arena, struct journal_reader *reader, struct timeline *out,
                              struct hv_error *err)
{
    *out = (struct timeline){0};
    struct collector collector = {.arena = arena, .out = out};
    struct hv_event event;
    while (journal_reader_next(reader, &event)) {
        collector.moment++;
        out->time_ns = event.time_ns;
        switch (event.type) {
        case HV_EVENT_SESSION_START: note_start(&collector, event.data); break;
        case HV_EVENT_MESSAGE: note_message(&collector, &event); break;
        case HV_EVENT_TASK: note_task(&collector, &event); break;
        case HV_EVENT_CHECKPOINT: note_checkpoint(&collector, &event); break;
        case HV_EVENT_REWIND: note_rewind(&collector, &event); break;
        default: break;
        }
    }
    bool too_many = collector.drafts.count > TOUCHES_MAX;
    hand_over(&collector);
    out->faults = *journal_reader_faults(reader);
    collector_release(&collector);
    return too_many
               ? hv_fail(err, HV_ETOOBIG, "the session changed more files than can be gone through (%d)", TOUCHES_MAX)
               : HV_OK;
}

enum hv_code timeline_read(struct hv_arena *arena, struct hv_str path, struct timeline *out, struct hv_error *err)
{
    struct journal_reader *reader;
    enum hv_code code = journal_reader_open(path, &reader, err);
    if (code != HV_OK)
        return code;
    code = timeline_collect(arena, reader, out, err);
    int reason = journal_reader_faults(reader)->read_errno;
    if (!code && reason) /* what is not known of must not be taken for what has not been */
        code = hv_fail_errno(err, reason, "cannot read %.*s to its end", HV_STR_ARG(path));
    journal_reader_close(reader);
    return code;
}

size_t timeline_last_rewind(const struct timeline *timeline, bool is_redo)
{
    for (size_t i = timeline->rewind_count; i > 0; i--) {
        const struct timeline_rewind *rewind = &timeline->rewinds[i - 1];
        const struct timeline_rewind *other = rewind->undoes ? &timeline->rewinds[rewind->undoes - 1] : NULL;
        bool is_undo = other && !other->undoes;
        if (rewind->stands && (is_redo ? is_undo : !other))
            return i;
        if (is_redo && !other && rewind->stands)
            return 0;
    }
    return 0;
}
