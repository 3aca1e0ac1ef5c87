/* test_image_head.c: what image files say of themselves, whole, cut off anywhere, and lying. */
#include "text/image_head.h"

#include "base/cleanup.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

#define BYTES(literal)                                                                                                 \
    {                                                                                                                  \
        ("" literal), sizeof(literal) - 1                                                                              \
    }

/* A PNG of 300×200 whose pixels are nonsense: the skeleton alone is looked at. */
#define PNG                                                                                                            \
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\x2c\0\0\0\xc8\x08\2\0\0\0CRC.\0\0\0\4IDATxxxxCRC."                            \
    "\0\0\0\0IEND\xae\x42\x60\x82"
#define JPEG_FRAME "\xff\xc0\0\x11\x08\0\xc8\1\x2c\3\1\x22\0\2\x11\1\3\x11\1"
#define JPEG_SCAN "\xff\xda\0\x0c\3\1\0\2\x11\3\x11\0\x3f\0somebits\xff\0more\xff\xd9"
#define EXIF_BIG                                                                                                       \
    "\xff\xe1\0\x22"                                                                                                   \
    "Exif\0\0MM\0*\0\0\0\x08\0\1\1\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"
#define EXIF_LITTLE                                                                                                    \
    "\xff\xe1\0\x22"                                                                                                   \
    "Exif\0\0II*\0\x08\0\0\0\1\0\x12\1\3\0\1\0\0\0\x08\0\0\0\0\0\0\0"
#define GIF_HEAD "GIF89a\x2c\1\xc8\0\x80\0\0\0\0\0\xff\xff\xff"
#define GIF_PICTURE ",\0\0\0\0\x2c\1\xc8\0\0\2\3abc\0"

static const struct whole {
    const char *name;
    struct hv_str bytes;
    struct image_head head;
} wholes[] = {
    {"png", BYTES(PNG), {IMAGE_PNG, 300, 200, 1, false}},
    {"jpeg", BYTES("\xff\xd8" JPEG_FRAME JPEG_SCAN), {IMAGE_JPEG, 300, 200, 1, false}},
    {"jpeg with filling",
     BYTES("\xff\xd8\xff\xff\xff\xfe\0\4hi" JPEG_FRAME JPEG_SCAN),
     {IMAGE_JPEG, 300, 200, 1, false}},
    {"jpeg with junk between segments",
     BYTES("\xff\xd8\xff\xe0\0\2\0\0x" JPEG_FRAME JPEG_SCAN),
     {IMAGE_JPEG, 300, 200, 1, false}},
    {"jpeg turned, big", BYTES("\xff\xd8" EXIF_BIG JPEG_FRAME JPEG_SCAN), {IMAGE_JPEG, 300, 200, 6, false}},
    {"jpeg turned, little", BYTES("\xff\xd8" EXIF_LITTLE JPEG_FRAME JPEG_SCAN), {IMAGE_JPEG, 300, 200, 8, false}},
    {"gif", BYTES(GIF_HEAD GIF_PICTURE ";"), {IMAGE_GIF, 300, 200, 1, false}},
    {"gif without its end", BYTES(GIF_HEAD GIF_PICTURE), {IMAGE_GIF, 300, 200, 1, false}},
    {"gif that moves",
     BYTES(GIF_HEAD "!\xf9\4\0\0\0\0\0" GIF_PICTURE "!\xfe\2hi\0" GIF_PICTURE ";"),
     {IMAGE_GIF, 300, 200, 1, true}},
    {"webp", BYTES("RIFF\x18\0\0\0WEBPVP8 \x0c\0\0\0\x10\0\0\x9d\1*\x2c\1\xc8\0xx"), {IMAGE_WEBP, 300, 200, 1, false}},
    {"webp, lossless",
     BYTES("RIFF\x16\0\0\0WEBPVP8L\x0a\0\0\0\x2f\x2b\xc1\x31\0xxxxx"),
     {IMAGE_WEBP, 300, 200, 1, false}},
    {"webp that moves",
     BYTES("RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\2\0\0\0\x2b\1\0\xc7\0\0"),
     {IMAGE_WEBP, 300, 200, 1, true}},
    {"bmp",
     BYTES("BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\2\0\0\0\1\0\0\0\1\0\x18\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
           "\0\0\0\0"
           "bgrbgr__"),
     {IMAGE_BMP, 2, 1, 1, false}},
    {"bmp, from the top",
     BYTES("BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\2\0\0\0\xff\xff\xff\xff\1\0\x18\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
           "\0\0\0\0\0\0\0\0"
           "bgrbgr__"),
     {IMAGE_BMP, 2, 1, 1, false}},
    {"bmp, old",
     BYTES("BM\x22\0\0\0\0\0\0\0\x1a\0\0\0\x0c\0\0\0\2\0\1\0\1\0\x18\0"
           "bgrbgr__"),
     {IMAGE_BMP, 2, 1, 1, false}},
    {"a bomb is told as it is",
     BYTES("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\1\x86\xa0\0\1\x86\xa0\1\0\0\0\0CRC.\0\0\0\0IEND\xae\x42\x60\x82"),
     {IMAGE_PNG, 100000, 100000, 1, false}},
};

static void whole_files_tell_their_format_size_and_orientation(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        struct image_head head = {0};
        struct hv_error err = {0};
        if (image_head_read(wholes[i].bytes, &head, &err) != HV_OK || head.format != wholes[i].head.format ||
            head.width != wholes[i].head.width || head.height != wholes[i].head.height ||
            head.orientation != wholes[i].head.orientation || head.animated != wholes[i].head.animated)
            fail_msg("%s: %s; %d %u×%u %u %d", wholes[i].name, err.message, head.format, head.width, head.height,
                     head.orientation, head.animated);
    }
}

/* Every beginning of every file: an error that says so, and no byte behind the end is looked at (ASan). */
static void files_that_are_cut_off_say_so(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++)
        for (size_t len = 0; len < wholes[i].bytes.len; len++) {
            char *copy = hv_malloc(len + 1);
            memcpy(copy, wholes[i].bytes.ptr, len);
            copy = hv_realloc(copy, len ? len : 1);
            struct image_head head;
            struct hv_error err;
            enum hv_code code = image_head_read(hv_str_of(copy, len), &head, &err);
            bool tolerated = wholes[i].head.format == IMAGE_GIF; /* once a whole picture is there */
            if (code == HV_OK && !tolerated)
                fail_msg("%s is taken with %zu of %zu bytes", wholes[i].name, len, wholes[i].bytes.len);
            if (code == HV_EINVAL)
                assert_non_null(strstr(err.message, "cut off"));
            else if (code)
                assert_int_equal(code, HV_EUNSUPPORTED);
            free(copy);
        }
}

static void headers_that_lie_are_refused(void **state)
{
    (void)state;
    static const struct hv_str broken[] = {
        BYTES("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\xc8\x08\2\0\0\0CRC.\0\0\0\0IEND\xae\x42\x60\x82"),
        BYTES("\x89PNG\r\n\x1a\n\0\0\0\x0cIHDR\0\0\1\0\0\0\0\xc8\x08\2\0\0\0CRC.\0\0\0\0IEND\xae\x42\x60\x82"),
        BYTES("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\x2c\0\0\0\xc8\x08\2\0\0\0CRC."
              "\xff\xff\xff\xffIDATxxxxxxxxxxxxxxxxxxxxxx"),
        BYTES("\xff\xd8\xff\xe0\0\1" JPEG_FRAME JPEG_SCAN),
        BYTES("\xff\xd8" JPEG_SCAN),
        BYTES("\xff\xd8\xff\xd9"),
        BYTES("GIF89a\x2c\1\xc8\0\x80\0\0\0\0\0\xff\xff\xffX"),
        BYTES("RIFF\x18\0\0\0WEBPJUNK\x0c\0\0\0\x10\0\0\x9d\1*\x2c\1\xc8\0xx"),
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct image_head head;
        struct hv_error err;
        assert_int_equal(image_head_read(broken[i], &head, &err), HV_EINVAL);
        if (!strstr(err.message, "damaged"))
            fail_msg("%zu: %s", i, err.message);
    }
}

static void what_is_no_image_is_none(void **state)
{
    (void)state;
    static const struct hv_str others[] = {BYTES(""),       BYTES("BM is how this text begins, and it goes on"),
                                           BYTES("<svg/>"), BYTES("RIFF\4\0\0\0WAVE"),
                                           BYTES("II*\0"),  BYTES("GIF88a")};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(image_format_of(others[i]), IMAGE_NONE);
}

static void names_claim_formats(void **state)
{
    (void)state;
    assert_int_equal(image_format_named(HV_STR("/a/b.PNG")), IMAGE_PNG);
    assert_int_equal(image_format_named(HV_STR("b.jpeg")), IMAGE_JPEG);
    assert_int_equal(image_format_named(HV_STR("b.jpg.webp")), IMAGE_WEBP);
    assert_int_equal(image_format_named(HV_STR(".png")), IMAGE_NONE);
    assert_int_equal(image_format_named(HV_STR("png")), IMAGE_NONE);
    assert_string_equal(image_format_media_type(IMAGE_GIF), "image/gif");
}

static void sizes_fit_into_the_side(void **state)
{
    (void)state;
    static const uint32_t rows[][5] = {
        {1920, 1080, 1568, 1568, 882},  {1080, 1920, 1568, 882, 1568},
        {1568, 1568, 1568, 1568, 1568}, {10, 7, 1568, 10, 7},
        {100000, 1, 1568, 1568, 1},     {1, 100000, 1568, 1, 1568},
        {1569, 1569, 1568, 1568, 1568}, {UINT32_MAX, UINT32_MAX, 1568, 1568, 1568},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t width, height;
        image_fit(rows[i][0], rows[i][1], rows[i][2], &width, &height);
        assert_int_equal(width, rows[i][3]);
        assert_int_equal(height, rows[i][4]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_files_tell_their_format_size_and_orientation),
        cmocka_unit_test(files_that_are_cut_off_say_so),
        cmocka_unit_test(headers_that_lie_are_refused),
        cmocka_unit_test(what_is_no_image_is_none),
        cmocka_unit_test(names_claim_formats),
        cmocka_unit_test(sizes_fit_into_the_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
