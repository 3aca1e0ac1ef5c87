/* git_index.c: the bytes of git's index: never more than is there, and only names that stand in it. */
#include "fs/git_index.h"
#include "base/cleanup.h"
#include "parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_ARENA struct hv_arena arena = {0};
    struct git_index_links links = {0};
    struct hv_str bytes = hv_str_of((const char *)data, size);
    const struct fs_plain nothing = {0};
    struct fs_plain wanted = {.no_option = true, .words = true, .lines = true, .no_dash = true};
    bool is_read = git_index_links(&arena, bytes, 20, &links),
         is_plain = git_index_is_plain(bytes, 20, HV_STR(""), &wanted);
    wanted.no_option = false; /* which is about the first names alone */
    FUZZ_CHECK(!is_plain || git_index_is_plain(bytes, 20, HV_STR("a"), &wanted));
    FUZZ_CHECK(!is_plain || git_index_is_plain(bytes, 20, HV_STR(""), &nothing));
    if (!is_read) {
        FUZZ_CHECK(!links.paths && !links.count);
        return 0;
    }
    FUZZ_CHECK(links.count <= GIT_INDEX_LINKS_MAX);
    for (size_t at = 0; at < links.count; at++)
        FUZZ_CHECK(hv_str_find_byte(links.paths[at], '\0', 0) == SIZE_MAX);
    return 0;
}
