/* chat_picture.c: pictures for the terminal, drawn beside the session (media/image_draw.h). */
#include "base/cleanup.h"
#include "base/thread.h"
#include "cli/chat.h"
#include "media/image.h"
#include "media/image_draw.h"

enum { PICTURES_MAX = 4 };

/* One that is being drawn. Owned by the list until it is shown, then by what its thread has posted. */
struct chat_picture {
    struct chat *chat; /* NULL: nobody wants it any more */
    struct chat_picture *next;
    struct hv_arena arena;
    struct hv_cancel *cancel;
    pthread_t thread;
    struct loop *loop;
    const struct hv_host *host;
    struct hv_str path;
    struct ui_drawing drawing;
    bool drawn;
};

static void drop(struct chat_picture *picture)
{
    struct hv_arena arena = picture->arena;
    hv_cancel_free(picture->cancel);
    free(picture);
    hv_arena_release(&arena);
}

static void on_drawn(void *data)
{
    struct chat_picture *picture = data;
    struct chat *chat = picture->chat;
    if (chat) {
        struct chat_picture **place = &chat->pictures;
        while (*place != picture)
            place = &(*place)->next;
        *place = picture->next;
        pthread_join(picture->thread, NULL);
        if (picture->drawn && chat->ui)
            chat->functions->show_drawing(chat->ui, &picture->drawing);
    }
    drop(picture);
}

static enum image_draw_kind kind_of(const struct ui_drawing *drawing)
{
    if (drawing->kind == UI_DRAWING_SIXELS)
        return IMAGE_DRAW_SIXELS;
    if (drawing->kind != UI_DRAWING_CELLS)
        return IMAGE_DRAW_PNG;
    return drawing->true_colour ? IMAGE_DRAW_TRUE_COLOUR : IMAGE_DRAW_256;
}

static void *draw(void *data)
{
    struct chat_picture *picture = data;
    struct ui_drawing *drawing = &picture->drawing;
    CLEANUP_BUF struct hv_buf bytes = {.max = IMAGE_FILE_MAX};
    struct media media = {.host = picture->host, .cancel = picture->cancel, .arena = &picture->arena};
    struct image_drawing made = {.kind = kind_of(drawing),
                                 .columns = drawing->columns,
                                 .rows = drawing->rows,
                                 .cell_width = drawing->cell_width,
                                 .cell_height = drawing->cell_height};
    picture->drawn =
        picture->host->read(picture->host, picture->path, 0, IMAGE_FILE_MAX, &bytes, NULL, NULL) == HV_OK &&
        image_draw(&media, hv_buf_str(&bytes), &made, NULL) == HV_OK;
    drawing->columns = made.columns;
    drawing->rows = made.rows;
    drawing->bytes = made.bytes;
    loop_post(picture->loop, on_drawn, picture);
    return NULL;
}

void chat_draw_picture(void *user, struct hv_str path, const struct ui_drawing *wanted)
{
    struct chat *chat = user;
    size_t count = 0;
    for (const struct chat_picture *picture = chat->pictures; picture; picture = picture->next)
        count++;
    if (count >= PICTURES_MAX || !chat->functions->show_drawing)
        return;
    struct chat_picture *picture = hv_calloc(1, sizeof *picture);
    picture->chat = chat;
    picture->cancel = hv_cancel_new();
    picture->loop = chat->setup.loop;
    picture->host = chat->setup.host;
    picture->path = hv_arena_str(&picture->arena, path);
    picture->drawing = *wanted;
    if (thread_start(&picture->thread, 0, draw, picture)) {
        drop(picture);
        return;
    }
    picture->next = chat->pictures;
    chat->pictures = picture;
}

void chat_end_pictures(struct chat *chat)
{
    for (struct chat_picture *picture = chat->pictures, *next; picture; picture = next) {
        next = picture->next;
        hv_cancel_raise(picture->cancel);
        pthread_join(picture->thread, NULL);
        picture->chat = NULL; /* what the thread has posted is called yet, and releases it */
    }
    chat->pictures = NULL;
}
