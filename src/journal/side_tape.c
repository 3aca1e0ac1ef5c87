/* side_tape.c: see side_tape.h. */
#include "journal/side_tape.h"

#include "base/cleanup.h"
#include "base/vec.h"
#include "journal/reader.h"

#include <pthread.h>

struct row {
    struct hv_str purpose, question;
    struct side_record record;
    bool given;
};

struct side_tape {
    struct hv_arena arena;
    VEC(struct row) rows;
    pthread_mutex_t lock; /* guards `given` */
};

static void take_event(struct side_tape *tape, const struct hv_event *event)
{
    struct hv_arena *arena = &tape->arena;
    const struct hv_json *json;
    int64_t left_out = 0;
    if (hv_json_parse(arena, hv_arena_str(arena, event->data), HV_JSON_STRICT, &json, NULL) != HV_OK)
        json = NULL; /* no question, then */
    if (!hv_json_int64(hv_json_get(json, "material_left_out"), &left_out) || left_out < 0)
        left_out = 0;
    *vec_push(&tape->rows) = (struct row){
        .purpose = hv_arena_str(arena, event->name),
        .question = hv_json_get_string(json, "question"),
        .record = {.ok = event->ok,
                   .text = hv_arena_str(arena, event->text),
                   .blocks = hv_arena_str(arena, event->json),
                   .left_out = (size_t)left_out},
    };
}

enum hv_code side_tape_open(struct hv_str path, struct side_tape **out, struct hv_error *err)
{
    struct journal_reader *reader;
    struct hv_event event;
    enum hv_code code = journal_reader_open(path, &reader, err);
    if (code != HV_OK)
        return code;
    struct side_tape *tape = hv_calloc(1, sizeof *tape);
    hv_arena_init(&tape->arena);
    pthread_mutex_init(&tape->lock, NULL);
    while (journal_reader_next(reader, &event))
        if (event.type == HV_EVENT_SIDE)
            take_event(tape, &event);
    journal_reader_close(reader);
    *out = tape;
    return HV_OK;
}

void side_tape_close(struct side_tape *tape)
{
    if (!tape)
        return;
    pthread_mutex_destroy(&tape->lock);
    vec_release(&tape->rows);
    hv_arena_release(&tape->arena);
    free(tape);
}

size_t side_tape_count(const struct side_tape *tape)
{
    return tape->rows.count;
}

bool side_tape_take(struct side_tape *tape, struct hv_str purpose, struct hv_str question, struct side_record *out)
{
    LOCK_SCOPE(&tape->lock);
    for (size_t i = 0; i < tape->rows.count; i++) {
        struct row *row = &tape->rows.items[i];
        if (row->given || !hv_str_eq(row->purpose, purpose) || !hv_str_eq(row->question, question))
            continue;
        row->given = true;
        *out = row->record;
        return true;
    }
    return false;
}
