/* file_kind.c: see file_kind.h. The table of signatures is complete for what turns up in work trees, but for
 * what Read can show (text/image_head.h, PDF). */
#include "tools/file_kind.h"

#include "base/cleanup.h"
#include "base/nearest.h"
#include "base/path.h"
#include "base/utf8.h"
#include "fs/open.h"
#include "fs/write.h"

#include <string.h>

#define HINT_IMAGE "Convert it to PNG in a shell, for example with `convert FILE picture.png`, and read that"
#define HINT_ARCHIVE "List its contents in a shell, for example with `unzip -l` or `tar -tf`"
#define HINT_PROGRAM "Look into it in a shell with `file`, `nm`, `objdump -d` or `strings`"
#define HINT_OFFICE "Convert it in a shell, for example with `libreoffice --headless --convert-to txt`"
#define HINT_DATABASE "Query it in a shell with `sqlite3`"
#define HINT_MEDIA "Its properties can be told with `file` or `ffprobe` in a shell"
#define HINT_COMPRESSED "Unpack it to standard output in a shell, for example with `zcat`, `xzcat` or `zstdcat`"

static const struct signature {
    size_t offset, len;
    const char *bytes;
    struct file_kind kind;
} signatures[] = {
    {8, 4, "WAVE", {"a WAV sound file", HINT_MEDIA}},
    {8, 4, "AVI ", {"an AVI video", HINT_MEDIA}},
    {0, 4, "II*\0", {"a TIFF image", HINT_IMAGE}},
    {0, 4, "MM\0*", {"a TIFF image", HINT_IMAGE}},
    {0, 4, "\0\0\1\0", {"an icon image", HINT_IMAGE}},
    {0, 4, "8BPS", {"a Photoshop image", HINT_IMAGE}},
    {0, 4, "PK\3\4", {"a ZIP archive (or a document or package in that format)", HINT_ARCHIVE}},
    {0, 4, "PK\5\6", {"an empty ZIP archive", HINT_ARCHIVE}},
    {0, 6, "7z\xbc\xaf\x27\x1c", {"a 7z archive", HINT_ARCHIVE}},
    {0, 6, "Rar!\x1a\7", {"a RAR archive", HINT_ARCHIVE}},
    {257, 5, "ustar", {"a tar archive", HINT_ARCHIVE}},
    {0, 8, "!<arch>\n", {"a static library or Debian package (ar archive)", HINT_ARCHIVE}},
    {0, 2, "\x1f\x8b", {"a gzip-compressed file", HINT_COMPRESSED}},
    {0, 3, "BZh", {"a bzip2-compressed file", HINT_COMPRESSED}},
    {0,
     6,
     "\xfd"
     "7zXZ\0",
     {"an xz-compressed file", HINT_COMPRESSED}},
    {0, 4, "\x28\xb5\x2f\xfd", {"a zstd-compressed file", HINT_COMPRESSED}},
    {0,
     4,
     "\x7f"
     "ELF",
     {"an ELF program, library or object file", HINT_PROGRAM}},
    {0, 4, "\xcf\xfa\xed\xfe", {"a Mach-O program", HINT_PROGRAM}},
    {0, 4, "\xce\xfa\xed\xfe", {"a Mach-O program", HINT_PROGRAM}},
    {0, 4, "\xca\xfe\xba\xbe", {"a Java class or Mach-O file", HINT_PROGRAM}},
    {0, 4, "\0asm", {"a WebAssembly module", HINT_PROGRAM}},
    {0, 16, "SQLite format 3\0", {"an SQLite database", HINT_DATABASE}},
    {0, 8, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", {"an old Microsoft Office document", HINT_OFFICE}},
    {0, 4, "wOFF", {"a web font", HINT_MEDIA}},
    {0, 4, "wOF2", {"a web font", HINT_MEDIA}},
    {0, 4, "OggS", {"an Ogg media file", HINT_MEDIA}},
    {0, 4, "fLaC", {"a FLAC sound file", HINT_MEDIA}},
    {0, 3, "ID3", {"an MP3 sound file", HINT_MEDIA}},
    {4, 8, "ftypavif", {"an AVIF image", HINT_IMAGE}},
    {4, 8, "ftypheic", {"a HEIF image", HINT_IMAGE}},
    {4, 8, "ftypmif1", {"a HEIF image", HINT_IMAGE}},
    {0, 8, "\0\0\0\x0cJXL ", {"a JPEG XL image", HINT_IMAGE}},
    {4, 4, "ftyp", {"an MP4 or HEIF media file", HINT_MEDIA}},
};

static const struct file_kind windows_program = {"a Windows program or library", HINT_PROGRAM};

const struct file_kind *file_kind_sniff(struct hv_str head)
{
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
        const struct signature *known = &signatures[i];
        if (head.len >= known->offset + known->len && memcmp(head.ptr + known->offset, known->bytes, known->len) == 0)
            return &known->kind;
    }
    /* Two letters alone would be text as well. */
    if (!memchr(head.ptr ? head.ptr : "", '\0', head.len))
        return NULL;
    return hv_str_starts(head, HV_STR("MZ")) ? &windows_program : NULL;
}

struct hv_str file_shown_path(const struct hv_context *context, struct hv_str path)
{
    return path_relative(path, context->directory);
}

/* Nearly all are, so that all bytes are looked at, many at a time. */
bool file_name_is_plain(struct hv_str name)
{
    unsigned char controls = 0;
    for (size_t i = 0; i < name.len; i++)
        controls |= (unsigned char)name.ptr[i] < ' ' || name.ptr[i] == 0x7f;
    return !controls;
}

struct hv_str file_listed_name(struct hv_arena *arena, struct hv_str name)
{
    if (file_name_is_plain(name))
        return name;
    CLEANUP_BUF struct hv_buf quoted = {0};
    struct hv_json_writer writer;
    hv_buf_init(&quoted, 8 * name.len + 16);
    hv_json_writer_init(&writer, &quoted);
    hv_json_put_string(&writer, name);
    return hv_arena_str(arena, hv_buf_str(&quoted));
}

struct hv_str file_size_text(struct hv_arena *arena, uint64_t size)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
    if (size == 1)
        return HV_STR("1 byte");
    if (size < 1000)
        return hv_arena_format(arena, "%llu bytes", (unsigned long long)size);
    double value = (double)size;
    size_t unit = 0;
    for (; value >= 1000 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1000;
    return hv_arena_format(arena, value < 10 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

enum hv_code file_fail_kind(struct hv_str path, enum hv_file_kind kind, struct hv_error *err)
{
    hv_fail(err, HV_EUNSUPPORTED, "%.*s is %s, not a file that can be read or changed", HV_STR_ARG(path),
            fs_kind_name(kind));
    if (kind == HV_FILE_DIRECTORY)
        hv_error_hint(err, "Use LS to see what it holds, or Glob to find files in it");
    else
        hv_error_hint(err, "Only regular files can be read; use a shell command for anything else");
    return HV_EUNSUPPORTED;
}

enum { NEIGHBOURS_MAX = 2000, NEIGHBOURS_SHOWN = 8 };

/* A name that no call can hold, as JSON is UTF-8: a shell finds it by a pattern. */
static void hint_unwritable(struct hv_str directory, struct hv_str name, struct hv_error *err)
{
    CLEANUP_BUF struct hv_buf pattern = {0};
    uint32_t code_point;
    hv_buf_init(&pattern, 4096);
    for (size_t at = 0, len; at < name.len; at += len) {
        len = utf8_decode(name, at, &code_point);
        if (code_point == UTF8_INVALID)
            hv_buf_add_cstr(&pattern, "?");
        else
            hv_buf_add(&pattern, name.ptr + at, len);
    }
    hv_error_hint(err, "A name near it is not valid UTF-8: use a shell command with %.*s/%.*s", HV_STR_ARG(directory),
                  HV_STR_ARG(hv_buf_str(&pattern)));
}

/* Two names can look alike and be written with other characters (é, or e and an accent): then how this one is written,
 * for JSON. Empty where plain letters tell them apart. */
static struct hv_str spelling(struct hv_arena *arena, struct hv_str wanted, struct hv_str name)
{
    CLEANUP_BUF struct hv_buf text = {.max = 12 * NAME_MAX};
    if (utf8_is_ascii(wanted) && utf8_is_ascii(name))
        return HV_STR("");
    for (size_t at = 0; at < name.len;) {
        uint32_t code;
        at += utf8_decode(name, at, &code);
        if (code >= 0x10000)
            hv_buf_addf(&text, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
        else if (code >= 0x80 || code < ' ')
            hv_buf_addf(&text, "\\u%04x", code);
        else
            hv_buf_addf(&text, "%s%c", code == '"' || code == '\\' ? "\\" : "", (char)code);
    }
    return hv_arena_format(arena, " In JSON its name is \"%.*s\".", HV_STR_ARG(hv_buf_str(&text)));
}

static void hint_neighbours(struct hv_context *context, struct hv_str directory, struct hv_str name,
                            struct hv_error *err)
{
    const struct hv_host *host = context->host;
    struct hv_directory_entry *entries;
    size_t count;
    bool more;
    if (host->list(host, context->arena, directory, NEIGHBOURS_MAX, &entries, &count, &more, NULL))
        return;
    struct hv_str *names = hv_arena_array(context->arena, struct hv_str, count ? count : 1);
    size_t entry_count = count;
    count = 0;
    for (size_t i = 0; i < entry_count; i++)
        if (!fs_is_temporary(entries[i].name) &&
            !hv_hides_path(context, hv_arena_format(context->arena, "%.*s/%.*s",
                                                    HV_STR_ARG(hv_str_is(directory, "/") ? HV_STR("") : directory),
                                                    HV_STR_ARG(entries[i].name))))
            names[count++] = entries[i].name;
    struct hv_str near = nearest_name(name, names, count);
    if (near.ptr && !utf8_valid(near)) {
        hint_unwritable(directory, near, err);
        return;
    }
    if (near.ptr) {
        hv_error_hint(err, "Did you mean %.*s%s%.*s?%.*s", HV_STR_ARG(directory), hv_str_is(directory, "/") ? "" : "/",
                      HV_STR_ARG(near), HV_STR_ARG(spelling(context->arena, name, near)));
        return;
    }
    struct hv_str list = {0};
    for (size_t i = 0; i < count && i < NEIGHBOURS_SHOWN; i++)
        list = hv_arena_format(context->arena, "%.*s%s%.*s", HV_STR_ARG(list), i ? ", " : "", HV_STR_ARG(names[i]));
    if (count)
        hv_error_hint(err, "%.*s holds: %.*s%s", HV_STR_ARG(directory), HV_STR_ARG(list),
                      count > NEIGHBOURS_SHOWN ? ", …" : "");
    else
        hv_error_hint(err, "The directory %.*s is empty", HV_STR_ARG(directory));
}

enum hv_code file_fail_missing(struct hv_context *context, struct hv_str path, struct hv_error *err)
{
    const struct hv_host *host = context->host;
    struct hv_str missing = path, directory = path_parent(path), target;
    struct hv_file_stat stat;
    hv_fail(err, HV_ENOTFOUND, "%.*s does not exist", HV_STR_ARG(path));
    if (host->stat(host, path, false, &stat, NULL) == HV_OK && stat.kind == HV_FILE_SYMLINK &&
        host->resolve(host, context->arena, path, &target, NULL) == HV_OK) {
        hv_fail(err, HV_ENOTFOUND, "%.*s is a link to %.*s, which does not exist", HV_STR_ARG(path),
                HV_STR_ARG(target));
        missing = path = target;
        directory = path_parent(path);
    }
    while (!hv_str_is(directory, "/") && host->stat(host, directory, true, &stat, NULL)) {
        missing = directory;
        directory = path_parent(directory);
    }
    if (host->stat(host, directory, true, &stat, NULL) == HV_OK && stat.kind != HV_FILE_DIRECTORY)
        hv_error_hint(err, "%.*s is %s, not a directory", HV_STR_ARG(directory), fs_kind_name(stat.kind));
    else
        hint_neighbours(context, directory, path_name(missing), err);
    return HV_ENOTFOUND;
}
