/*
 * read_notebook.c: whole notebooks through the tool Read: NOTEBOOK 0x1e what the decoder of its first picture prints
 * 0x1e … Whatever stands in cells and outputs, there is an answer or an error.
 */
#include "read_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_file file = {0};
    CLEANUP_ARENA struct hv_arena copies = {0};
    struct hv_str rest = hv_str_of((const char *)data, size);
    file.bytes = fuzz_part(&copies, &rest);
    file.printed = fuzz_copy(&copies, rest);
    fuzz_read_file(&file, "/w/n.ipynb", (struct hv_str){0});
    return 0;
}
