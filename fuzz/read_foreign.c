/*
 * read_foreign.c: any other file through the tool Read, as a picture, a PDF document or a text, whichever its bytes
 * and its name say: NAME-AND-PAGES FILE 0x1e what the first program that is run prints 0x1e … The first byte chooses
 * the name, whether pages are asked for, and how programs end.
 */
#include "read_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"/w/a.png", "/w/a.pdf", "/w/a.txt", "/w/a.c",
                                        "/w/a.jpg", "/w/a.gif", "/w/a.bmp", "/w/a.webp"};
    struct fuzz_file file = {0};
    if (size == 0)
        return 0;
    CLEANUP_ARENA struct hv_arena copies = {0};
    /* A file may hold 0x1e itself: what programs print is behind the last two. */
    struct hv_str rest = hv_str_of((const char *)data + 1, size - 1);
    size_t cut = hv_str_rfind_byte(rest, '\x1e');
    size_t first = cut == SIZE_MAX ? cut : hv_str_rfind_byte(hv_str_slice(rest, 0, cut), '\x1e');
    cut = first == SIZE_MAX ? cut : first;
    file.bytes = fuzz_copy(&copies, hv_str_slice(rest, 0, cut == SIZE_MAX ? rest.len : cut));
    if (cut != SIZE_MAX)
        file.printed = fuzz_copy(&copies, hv_str_slice(rest, cut + 1, rest.len));
    file.exit_code = data[0] & 0x10 ? data[0] >> 5 : 0;
    fuzz_read_file(&file, names[data[0] & 7], data[0] & 8 ? HV_STR("1-3") : (struct hv_str){0});
    return 0;
}
