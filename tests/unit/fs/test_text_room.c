/* test_text_room.c: memory for small texts (fs/text_room.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fs/text_room.h"

#include <pthread.h>
#include <string.h>

enum { ROUNDS = 20000, HELD = 500, THREADS = 3, BLOCKS = 24 };

static void texts_lie_beside_one_another(void **state)
{
    (void)state;
    struct text_room room;
    struct text_block *own = NULL, *block, *first;
    text_room_init(&room, TEXT_BLOCK);
    char *one = text_room_take(&room, &own, 3, &first);
    char *two = text_room_take(&room, &own, 100, &block);
    assert_non_null(one);
    assert_non_null(two);
    assert_ptr_equal(first, block);
    assert_int_equal((uintptr_t)one % _Alignof(max_align_t), 0);
    assert_int_equal((uintptr_t)two % _Alignof(max_align_t), 0);
    assert_true(two >= one + 3 && two < one + 100);
    assert_int_equal(room.bytes, TEXT_BLOCK);
    text_room_give(first, one, 3);
    text_room_give(block, two, 100);
    assert_int_equal(room.filled, 0);
    assert_int_equal(room.bytes, TEXT_BLOCK); /* it is being filled still */
    text_room_leave(&room, own);
    own = NULL;
    one = text_room_take(&room, &own, 100, &block); /* by the next one, too */
    assert_non_null(one);
    assert_ptr_equal(block, first);
    text_room_leave(&room, own);
    text_room_give(block, one, 100);
    text_room_release(&room);
    assert_int_equal(room.bytes, 0);
}

static void a_room_is_bounded(void **state)
{
    (void)state;
    enum { SIZE = TEXT_BLOCK / 2 };
    struct text_room room;
    struct text_block *own = NULL, *blocks[8];
    void *bytes[8];
    size_t count = 0;
    text_room_init(&room, 3 * TEXT_BLOCK + 1);
    while (count < 8 && (bytes[count] = text_room_take(&room, &own, SIZE, &blocks[count])))
        count++;
    assert_int_equal(count, 3); /* a block has something in front */
    assert_null(own);
    assert_int_equal(room.bytes, 3 * TEXT_BLOCK);
    assert_false(text_room_is_sparse(&room));
    assert_null(text_room_take(&room, &own, 1, &blocks[3]));
    text_room_give(blocks[1], bytes[1], SIZE);
    assert_int_equal(room.bytes, 2 * TEXT_BLOCK); /* nobody fills that one any more */
    assert_false(text_room_is_sparse(&room));     /* another one fits */
    bytes[1] = text_room_take(&room, &own, 1, &blocks[1]);
    assert_non_null(bytes[1]);
    assert_true(text_room_is_sparse(&room));
    text_room_leave(&room, own);
    text_room_give(blocks[0], bytes[0], SIZE);
    text_room_give(blocks[1], bytes[1], 1);
    text_room_give(blocks[2], bytes[2], SIZE);
    text_room_release(&room);
}

/* What the threads have put down, and give back for one another. */
struct holding {
    struct text_room *room;
    pthread_mutex_t lock;
    struct held {
        unsigned char *bytes;
        struct text_block *block;
        size_t size;
    } held[HELD];
};

static void check_and_give(struct held held)
{
    if (!held.bytes)
        return;
    for (size_t i = 0; i < held.size; i++)
        if (held.bytes[i] != (unsigned char)held.size)
            fail_msg("somebody wrote into a text");
    text_room_give(held.block, held.bytes, held.size);
}

static void *take_and_give(void *data)
{
    struct holding *holding = data;
    struct text_block *own = NULL;
    uint32_t random = (uint32_t)(uintptr_t)&own | 1;
    for (int i = 0; i < ROUNDS; i++) {
        random = random * 1664525 + 1013904223;
        struct held held = {.size = 1 + (random >> 8) % 2000};
        held.bytes = text_room_take(holding->room, &own, held.size, &held.block);
        if (held.bytes)
            memset(held.bytes, (unsigned char)held.size, held.size);
        pthread_mutex_lock(&holding->lock);
        struct held before = holding->held[(random >> 20) % HELD];
        holding->held[(random >> 20) % HELD] = held;
        pthread_mutex_unlock(&holding->lock);
        check_and_give(before);
        if (random >> 24 == 0) {
            text_room_leave(holding->room, own);
            own = NULL;
        }
    }
    text_room_leave(holding->room, own);
    return NULL;
}

static void threads_take_and_give(void **state)
{
    (void)state;
    static struct holding holding = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct text_room room;
    pthread_t threads[THREADS];
    text_room_init(&room, (size_t)BLOCKS * TEXT_BLOCK);
    holding.room = &room;
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &holding), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_true(room.bytes <= (size_t)BLOCKS * TEXT_BLOCK);
    for (size_t i = 0; i < HELD; i++)
        check_and_give(holding.held[i]);
    assert_int_equal(room.filled, 0);
    text_room_release(&room);
    assert_int_equal(room.bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_lie_beside_one_another),
        cmocka_unit_test(a_room_is_bounded),
        cmocka_unit_test(threads_take_and_give),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
