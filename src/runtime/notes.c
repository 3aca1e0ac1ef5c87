/* notes.c: see notes.h. */
#include "runtime/notes.h"

#include "base/cleanup.h"
#include "base/vec.h"

#include <helve/json.h>
#include <string.h>

enum { NOTES_MAX = 64, NOTE_TEXT_MAX = 8000, BLOCK_MAX = 1 << 20 };

struct note {
    char *task, *text;
};

/* What is posted to the loop: it may arrive after the notes have been freed. */
struct wake {
    struct notes *notes; /* NULL then */
};

struct notes {
    pthread_mutex_t lock;
    struct loop *loop;
    void (*wake)(void *user);
    void *user;
    VEC(struct note) list;
    size_t dropped;
    struct wake *posted; /* NULL: none is on its way */
};

struct notes *notes_new(struct loop *loop, void (*wake)(void *user), void *user)
{
    struct notes *notes = hv_calloc(1, sizeof *notes);
    pthread_mutex_init(&notes->lock, NULL);
    notes->loop = loop;
    notes->wake = wake;
    notes->user = user;
    return notes;
}

static void free_note(struct note *note)
{
    free(note->task);
    free(note->text);
}

static void remove_at(struct notes *notes, size_t at)
{
    free_note(&notes->list.items[at]);
    for (size_t i = at + 1; i < notes->list.count; i++)
        notes->list.items[i - 1] = notes->list.items[i];
    notes->list.count--;
}

void notes_free(struct notes *notes)
{
    if (notes->posted)
        notes->posted->notes = NULL;
    for (size_t i = 0; i < notes->list.count; i++)
        free_note(&notes->list.items[i]);
    vec_release(&notes->list);
    pthread_mutex_destroy(&notes->lock);
    free(notes);
}

static void wake_now(void *data)
{
    struct wake *wake = data;
    struct notes *notes = wake->notes;
    free(wake);
    if (!notes)
        return;
    pthread_mutex_lock(&notes->lock);
    notes->posted = NULL;
    bool any = notes->list.count > 0;
    pthread_mutex_unlock(&notes->lock);
    if (any)
        notes->wake(notes->user);
}

static char *copy(struct hv_str text)
{
    char *bytes = hv_calloc(text.len + 1, 1);
    if (text.len)
        memcpy(bytes, text.ptr, text.len);
    return bytes;
}

void notes_add(struct notes *notes, struct hv_str task, struct hv_str text)
{
    LOCK_SCOPE(&notes->lock);
    if (notes->list.count >= NOTES_MAX) {
        remove_at(notes, 0);
        notes->dropped++;
    }
    *vec_push(&notes->list) = (struct note){copy(task), copy(hv_str_slice(text, 0, NOTE_TEXT_MAX))};
    if (!notes->wake || notes->posted)
        return;
    notes->posted = hv_calloc(1, sizeof *notes->posted);
    notes->posted->notes = notes;
    loop_post(notes->loop, wake_now, notes->posted);
}

void notes_drop(struct notes *notes, struct hv_str task)
{
    LOCK_SCOPE(&notes->lock);
    for (size_t i = notes->list.count; i-- > 0;)
        if (hv_str_eq(hv_str_from(notes->list.items[i].task), task))
            remove_at(notes, i);
}

bool notes_waiting(struct notes *notes)
{
    LOCK_SCOPE(&notes->lock);
    return notes->list.count > 0;
}

bool notes_take(struct notes *notes, struct hv_buf *block)
{
    CLEANUP_BUF struct hv_buf text = {.max = BLOCK_MAX};
    struct hv_json_writer writer;
    LOCK_SCOPE(&notes->lock);
    if (!notes->list.count)
        return false;
    hv_buf_add_cstr(&text, "<task_notification>\n");
    if (notes->dropped)
        hv_buf_addf(&text, "(%zu earlier notes were dropped: too many came at once.)\n", notes->dropped);
    for (size_t i = 0; i < notes->list.count; i++) {
        hv_buf_addf(&text, "%s\n", notes->list.items[i].text);
        free_note(&notes->list.items[i]);
    }
    hv_buf_add_cstr(&text, "</task_notification>");
    notes->list.count = notes->dropped = 0;
    hv_json_writer_init(&writer, block);
    hv_json_begin_object(&writer);
    hv_json_member_cstr(&writer, "type", "text");
    hv_json_member_string(&writer, "text", hv_buf_str(&text));
    hv_json_end_object(&writer);
    return true;
}
