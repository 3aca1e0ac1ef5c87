/* test_charset.c: texts of many languages are known again from their bytes in a legacy encoding, and come back whole.
 */
#include "base/cleanup.h"
#include "base/utf8.h"
#include "text/charset.h"

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
// clang-format on

static const char russian[] = "Привет, мир! Это обычный текст на русском языке. Файл был изменён вчера.\n";
static const char japanese[] = "# 設定ファイル\nこれは普通の日本語の文章です。ファイルを開くことができませんでした。\n";
static const char chinese[] = "// 初始化配置\n文件无法打开，请检查路径。这是一个普通的中文文本。\n";
static const char czech[] = "Příliš žluťoučký kůň úpěl ďábelské ódy. Tohle je obyčejný český text.\n";

static const struct {
    const char *text;
    enum encoding_kind kind;
} samples[] = {
    {russian, ENCODING_WINDOWS_1251},
    {russian, ENCODING_KOI8_R},
    {russian, ENCODING_ISO_8859_5},
    {russian, ENCODING_IBM866},
    {"Привіт, світе! Їжак і ґанок є тут.\n", ENCODING_WINDOWS_1251},
    {japanese, ENCODING_SHIFT_JIS},
    {japanese, ENCODING_EUC_JP},
    {japanese, ENCODING_ISO_2022_JP},
    {chinese, ENCODING_GB18030},
    {"int main() { return 0; } // 返回\n", ENCODING_GB18030},
    {"檔案無法開啟，請檢查路徑。這是一個普通的中文文本。\n", ENCODING_BIG5},
    {"파일을 열 수 없습니다. 경로를 확인하십시오.\n", ENCODING_EUC_KR},
    {czech, ENCODING_WINDOWS_1250},
    {czech, ENCODING_ISO_8859_2},
    {"Zażółć gęślą jaźń. To jest zwykły tekst po polsku.\n", ENCODING_WINDOWS_1250},
    {"Árvíztűrő tükörfúrógép. Őszintén köszönöm.\n", ENCODING_WINDOWS_1250},
    {"Çok güzel bir gün, değil mi? Yağmur yağıyor. Şimdi gidiyoruz.\n", ENCODING_WINDOWS_1254},
    {"Καλημέρα κόσμε! Πού είναι ο σταθμός;\n", ENCODING_WINDOWS_1253},
    {"שלום עולם! זהו טקסט רגיל בעברית. איפה התחנה?\n", ENCODING_WINDOWS_1255},
    {"مرحبا بالعالم! هذا نص عادي باللغة العربية.\n", ENCODING_WINDOWS_1256},
    {"Šis ir parasts teksts latviešu valodā. Ģimene ēd āboļus.\n", ENCODING_WINDOWS_1257},
    {"Voilà, l'été : où est-ce que c'était déjà ? Ça coûte 5 €.\n", ENCODING_8BIT},
    {"Schöne Grüße aus München! Übung macht den Meister.\n", ENCODING_8BIT},
    {"¿Dónde está la estación? ¡Mañana será otro día, niño!\n", ENCODING_8BIT},
    {"Não há razão; a situação está sob controle, coração.\n", ENCODING_8BIT},
    {"Perché la città è così bella? Più tardi andrò a casa.\n", ENCODING_8BIT},
    {"Það er gott að vera hér á Íslandi. Þú ert góður maður.\n", ENCODING_8BIT},
    {"Funkcija grąžina rastų eilučių skaičių. Jei failas neegzistuoja, rodomas klaidos pranešimas.\n",
     ENCODING_WINDOWS_1257},
    {"Đây là một văn bản tiếng Việt bình thường. Không thể mở tệp.\n", ENCODING_WINDOWS_1258},
    {"Функція повертає кількість знайдених рядків.\n", ENCODING_KOI8_U},
    {"ฟังก์ชันนี้ส่งคืนจำนวนบรรทัดที่พบ หากไม่มีไฟล์จะแสดงข้อความ\n", ENCODING_WINDOWS_874},
    {"Å være eller ikke være: en øy på fjorden, så går vi. Kjør!\n", ENCODING_8BIT},
    {"Aquesta és la versió que està més avançada, però també l'última.\n", ENCODING_8BIT},
    {"Fonksiyon bulunan satırların sayısını döndürür.\n", ENCODING_WINDOWS_1254},
    /* old Macs and DOS; and what in windows-1252 looks like their letters */
    {"Voilà, l'été : où est-ce que c'était déjà ? Ça coûte cher.\n", ENCODING_MACINTOSH},
    {"Schöne Grüße aus München! Übung macht den Meister.\n", ENCODING_MACINTOSH},
    {"// la clé n'a pas été trouvée\n", ENCODING_MACINTOSH},
    {"Voilà, l'été : où est-ce que c'était déjà ? Ça coûte cher.\n", ENCODING_IBM850},
    {"Schöne Grüße aus München! Übung macht den Meister.\n", ENCODING_IBM850},
    {"It\u2019s \u201cfine\u201d \u2013 don\u2019t worry\u2026 We\u2019re here, they\u2019ve gone.\n", ENCODING_8BIT},
    {"externe à l'application", ENCODING_8BIT},
    {"È richiesto il nome di un pacchetto.\n", ENCODING_8BIT},
    {"Foo\u2122 and Bar\u2122 and Baz\u2122, Qux\u2122, Quux\u2122, Corge\u2122.\n", ENCODING_8BIT},
    {"Άκυρος αριθμός συσκευής. Έγγραφο.\n", ENCODING_ISO_8859_7},
    /* a letter that other pages have at its place is known by its neighbours */
    {"Ni mogoče najti datoteke; omogočen je zaslon.\n", ENCODING_WINDOWS_1250},
    {"Nu s-a putut găsi fişierul, încărcaţi-l.\n", ENCODING_WINDOWS_1250},
    {"Nevar atvērt failu šajā vietā.\n", ENCODING_WINDOWS_1257},
    {"Skjalið verður að vera opið með slóðinni.\n", ENCODING_8BIT},
    {"Copyright \u00a9 1990-2008 by Foo", ENCODING_8BIT},
    {"\u00abFrontmost\u00bb", ENCODING_8BIT},
    {"caf\u00e9", ENCODING_8BIT},
    {"\u00a9 2024 \u2013 Foo\u2122 \u201cquoted\u201d 50\u20ac", ENCODING_8BIT},
};

static void the_language_tells_the_encoding(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        CLEANUP_BUF struct hv_buf bytes = {0}, text = {0};
        hv_buf_init(&bytes, 4096);
        hv_buf_init(&text, 4096);
        struct hv_error err;
        assert_int_equal(encoding_from_utf8(hv_str_from(samples[i].text), samples[i].kind, &bytes, &err), HV_OK);
        struct encoding encoding = encoding_detect(hv_buf_str(&bytes));
        if (encoding.kind != samples[i].kind)
            print_message("%s: taken for %s\n", samples[i].text, encoding_name(encoding.kind));
        assert_int_equal(encoding.kind, samples[i].kind);
        assert_in_range(encoding.confidence, 1, 100);
        assert_int_equal(encoding_to_utf8(hv_buf_str(&bytes), encoding, &text, &err), HV_OK);
        assert_string_equal(text.data, samples[i].text);
    }
}

static void utf16_and_utf32_need_no_mark(void **state)
{
    (void)state;
    static const enum encoding_kind kinds[] = {ENCODING_UTF16LE, ENCODING_UTF16BE, ENCODING_UTF32LE, ENCODING_UTF32BE};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            CLEANUP_BUF struct hv_buf bytes = {0};
            hv_buf_init(&bytes, 4096);
            assert_int_equal(encoding_from_utf8(hv_str_from(samples[i].text), kinds[k], &bytes, NULL), HV_OK);
            assert_int_equal(encoding_detect(hv_buf_str(&bytes)).kind, kinds[k]);
        }
}

static void a_head_may_end_inside_a_character(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, 4096);
    assert_int_equal(encoding_from_utf8(hv_str_from(japanese), ENCODING_SHIFT_JIS, &bytes, NULL), HV_OK);
    struct hv_str torn = hv_buf_str(&bytes);
    torn.len -= 4; /* "た。\n" less its last bytes */
    assert_int_equal(encoding_detect_head(torn).kind, ENCODING_SHIFT_JIS);
    assert_int_equal(encoding_detect_head(HV_STR("gr\xc3\xbc\xc3")).kind, ENCODING_UTF8);
}

static void a_place_that_cannot_be_decoded_hides_no_encoding(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf bytes = {0};
    hv_buf_init(&bytes, 1 << 16);
    for (int i = 0; i < 20; i++)
        assert_int_equal(encoding_from_utf8(hv_str_from(japanese), ENCODING_SHIFT_JIS, &bytes, NULL), HV_OK);
    hv_buf_add_cstr(&bytes, "\xfc\xfc\n");
    assert_int_equal(encoding_from_utf8(hv_str_from(japanese), ENCODING_SHIFT_JIS, &bytes, NULL), HV_OK);
    assert_int_equal(encoding_detect(hv_buf_str(&bytes)).kind, ENCODING_SHIFT_JIS);
}

/* Numbers of four bytes are no text in UTF-32, nor is anything with units beyond Unicode. */
static void numbers_are_no_utf32(void **state)
{
    (void)state;
    uint32_t numbers[64];
    for (uint32_t i = 0; i < 64; i++)
        numbers[i] = i * 3;
    assert_int_equal(encoding_detect(hv_str_of((const char *)numbers, sizeof numbers)).kind, ENCODING_BINARY);
    for (uint32_t i = 0; i < 64; i++)
        numbers[i] = 'a' + (i % 16 == 15) * 0x200000;
    assert_int_equal(encoding_detect(hv_str_of((const char *)numbers, sizeof numbers)).kind, ENCODING_BINARY);
}

static void the_missing_character_is_named(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf bytes = {0};
    struct hv_error err;
    hv_buf_init(&bytes, 4096);
    hv_buf_add_cstr(&bytes, "kept");
    assert_int_equal(encoding_from_utf8(HV_STR("мир €"), ENCODING_KOI8_R, &bytes, &err), HV_EINVAL);
    assert_non_null(strstr(err.message, "U+20AC"));
    assert_non_null(strstr(err.message, "KOI8-R"));
    assert_string_equal(bytes.data, "kept");
}

static void what_cannot_be_decoded_is_marked(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, 4096);
    assert_int_equal(charset_to_utf8(HV_STR("a\xfd\xff"
                                            "b"),
                                     ENCODING_EUC_JP, &text, NULL),
                     HV_OK);
    assert_true(utf8_valid(hv_buf_str(&text)));
    assert_non_null(strstr(text.data, UTF8_REPLACEMENT));
    assert_int_equal(text.data[text.len - 1], 'b');
}

/* The converter waits whether the last letter goes together with another. */
static void a_last_letter_that_might_be_put_together_is_not_lost(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf text = {.max = 1000};
    assert_int_equal(charset_to_utf8(HV_STR("\xf9\xec\xe5\xed \xfa"), ENCODING_WINDOWS_1255, &text, NULL), HV_OK);
    assert_string_equal(text.data, "שלום ת");
    hv_buf_clear(&text);
    assert_int_equal(charset_to_utf8(HV_STR("\xfa\xff\xfa"), ENCODING_WINDOWS_1255, &text, NULL), HV_OK);
    assert_string_equal(text.data, "ת\xef\xbf\xbdת");
}

static void an_escape_that_changes_nothing_is_no_character(void **state)
{
    (void)state;
    CLEANUP_BUF struct hv_buf text = {.max = 1000};
    assert_int_equal(charset_to_utf8(HV_STR("a\x1b\x1b$B\x24\x22\x1b(Bz\n"), ENCODING_ISO_2022_JP, &text, NULL), HV_OK);
    assert_string_equal(text.data, "a\xef\xbf\xbd\xe3\x81\x82z\n");
    hv_buf_clear(&text);
    assert_int_equal(charset_from_utf8(HV_STR("a\x1b"), ENCODING_ISO_2022_JP, &text, NULL), HV_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_language_tells_the_encoding),
        cmocka_unit_test(utf16_and_utf32_need_no_mark),
        cmocka_unit_test(a_head_may_end_inside_a_character),
        cmocka_unit_test(a_place_that_cannot_be_decoded_hides_no_encoding),
        cmocka_unit_test(numbers_are_no_utf32),
        cmocka_unit_test(the_missing_character_is_named),
        cmocka_unit_test(a_last_letter_that_might_be_put_together_is_not_lost),
        cmocka_unit_test(what_cannot_be_decoded_is_marked),
        cmocka_unit_test(an_escape_that_changes_nothing_is_no_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
