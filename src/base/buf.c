/* buf.c: growing buffers with a maximum from birth. See helve/str.h. */
#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SMALLEST = 64, LARGE = 64 << 10, PAGE = 4096, HUGE_PAGE = 2 << 20 };

void hv_buf_init(struct hv_buf *buf, size_t max)
{
    *buf = (struct hv_buf){.max = max};
}

void hv_buf_release(struct hv_buf *buf)
{
    free(buf->data);
    hv_buf_init(buf, buf->max);
}

void hv_buf_clear(struct hv_buf *buf)
{
    buf->len = 0;
    buf->failed = false;
    if (buf->data)
        buf->data[0] = '\0';
}

/*
 * Large memory for an empty buffer. It begins at a page: some processors copy to the address that malloc gives to large
 * blocks, 16 bytes after one, at a quarter of the speed. Of much the kernel is asked for huge pages, as giving it out
 * page by page would take longer than filling it. False: as any other memory then.
 */
static bool take_fresh(struct hv_buf *buf, size_t capacity)
{
    void *fresh;
    bool is_huge = capacity >= 2 * (size_t)HUGE_PAGE;
    if (buf->len || capacity < LARGE || posix_memalign(&fresh, is_huge ? HUGE_PAGE : PAGE, capacity))
        return false;
    if (is_huge)
        (void)madvise(fresh, capacity / PAGE * PAGE, MADV_HUGEPAGE);
    free(buf->data);
    buf->data = fresh;
    return true;
}

void buf_rest(struct hv_buf *buf)
{
    uintptr_t from = ((uintptr_t)buf->data + PAGE - 1) / PAGE * PAGE;
    uintptr_t to = ((uintptr_t)buf->data + buf->capacity) / PAGE * PAGE;
    if (buf->capacity >= LARGE && to > from)
        (void)madvise((void *)from, to - from, MADV_FREE);
    hv_buf_clear(buf);
}

char *hv_buf_reserve(struct hv_buf *buf, size_t len)
{
    if (buf->failed || len > buf->max || buf->len > buf->max - len) {
        buf->failed = true;
        return NULL;
    }
    size_t need = buf->len + len + 1;
    if (need > buf->capacity) {
        size_t capacity = buf->capacity + buf->capacity / 2;
        if (capacity < need)
            capacity = need;
        if (capacity < SMALLEST)
            capacity = SMALLEST;
        if (!take_fresh(buf, capacity))
            buf->data = hv_realloc(buf->data, capacity);
        buf->capacity = capacity;
        buf->data[buf->len] = '\0';
    }
    return buf->data + buf->len;
}

void hv_buf_commit(struct hv_buf *buf, size_t len)
{
    buf->len += len;
    buf->data[buf->len] = '\0';
}

/* Most of what is added fits. */
static inline bool fits(const struct hv_buf *buf, size_t len)
{
    return !buf->failed && len < buf->capacity - buf->len && len <= buf->max && buf->len <= buf->max - len;
}

static inline void add(struct hv_buf *buf, const void *bytes, size_t len)
{
    char *room = fits(buf, len) ? buf->data + buf->len : hv_buf_reserve(buf, len);
    if (!room)
        return;
    if (len)
        memcpy(room, bytes, len);
    buf->len += len;
    buf->data[buf->len] = '\0';
}

void hv_buf_add(struct hv_buf *buf, const void *bytes, size_t len)
{
    add(buf, bytes, len);
}

void hv_buf_add_str(struct hv_buf *buf, struct hv_str s)
{
    add(buf, s.ptr, s.len);
}
void hv_buf_add_cstr(struct hv_buf *buf, const char *nul_terminated)
{
    add(buf, nul_terminated, strlen(nul_terminated));
}
void hv_buf_add_byte(struct hv_buf *buf, char byte)
{
    add(buf, &byte, 1);
}

void hv_buf_addv(struct hv_buf *buf, const char *format, va_list arguments)
{
    va_list again;
    size_t spare = buf->failed ? 0 : buf->capacity - buf->len;
    va_copy(again, arguments);
    int length = vsnprintf(spare ? buf->data + buf->len : NULL, spare, format, again);
    va_end(again);
    if (length >= 0 && fits(buf, (size_t)length)) {
        buf->len += (size_t)length;
        return;
    }
    if (spare)
        buf->data[buf->len] = '\0'; /* what was begun there is too long */
    char *room = length < 0 ? NULL : hv_buf_reserve(buf, (size_t)length);
    if (!room)
        return;
    vsnprintf(room, (size_t)length + 1, format, arguments);
    hv_buf_commit(buf, (size_t)length);
}

void hv_buf_addf(struct hv_buf *buf, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    hv_buf_addv(buf, format, arguments);
    va_end(arguments);
}

void hv_buf_consume(struct hv_buf *buf, size_t len)
{
    if (len >= buf->len) {
        buf->len = 0;
    } else {
        memmove(buf->data, buf->data + len, buf->len - len);
        buf->len -= len;
    }
    if (buf->data)
        buf->data[buf->len] = '\0';
}

struct hv_str hv_buf_str(const struct hv_buf *buf)
{
    return (struct hv_str){buf->data ? buf->data : "", buf->len};
}

char *hv_buf_take(struct hv_buf *buf, size_t *len)
{
    char *data = buf->data;
    if (len)
        *len = buf->len;
    buf->data = NULL;
    buf->len = buf->capacity = 0;
    return data;
}
