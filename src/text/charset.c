/*
 * charset.c: see charset.h. A guess decodes the sample in every candidate and gives points for each character beyond
 * ASCII: many for the frequent letters and signs of the languages that are written in it, few for its other letters,
 * minus for what no language does (a letter's case that turns inside a word, a symbol or another script in a word).
 */
#include "text/charset.h"

#include "base/cleanup.h"
#include "base/utf8.h"

#include <iconv.h>
#include <string.h>
#include <wchar.h>

enum {
    SAMPLE_MAX = 64 << 10,
    HIGH_MAX = 3000,
    ESCAPES_WITHIN = 1 << 20,
    CHUNK = 4096,
    FEW = 6,
    LEAST = 400,
    STRANGE = 6,
    BAD_RARE = 400,
    ESCAPE = 0x1b
};

/* How the points of a character are given. */
enum script { LATIN, CYRILLIC, GREEK, HEBREW, ARABIC, THAI, JAPANESE, CHINESE, KOREAN };

struct charset {
    const char *name; /* for people */
    const char *iconv;
    enum script script;
    const char *const *languages; /* LATIN: the letters of each, ending with NULL */
};

/* The small letters that the languages of each code page have beyond ASCII. */
static const char *const western[] = {
    "éèàçùâêîôûëïüœ", /* French */
    "äöüß",           /* German */
    "áéíóúñü",        /* Spanish */
    "áâãàçéêíóôõú",   /* Portuguese */
    "àèéìòù",         /* Italian */
    "àèéíïòóúüç",     /* Catalan */
    "åäöæøé",         /* the Scandinavian ones */
    "áðéíóúýþæö",     /* Icelandic */
    NULL,
};
static const char *const central[] = {
    "ąćęłńóśźż",       /* Polish */
    "áčďéěíňóřšťúůýž", /* Czech */
    "áäčďéíľňóôšťúýž", /* Slovak; ĺ and ŕ are very rare, and stand where Norwegian has å, Italian à */
    "áéíóöőúüű",       /* Hungarian */
    "ăâîşţ",           /* Romanian */
    "čćđšž",           /* Croatian, Slovene */
    "çë",              /* Albanian */
    "äöüß",            /* German */
    NULL,
};
static const char *const turkish[] = {"çğıöşüâîû", NULL};
static const char *const baltic[] = {
    "āčēģīķļņšūž", /* Latvian */
    "ąčęėįšųūž",   /* Lithuanian */
    "äõöüšž",      /* Estonian */
    "åäöæøé",      NULL,
};
static const char *const vietnamese[] = {"àáâãèéêìíòóôõùúýăđơưĩũạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ", NULL};

static const struct charset charsets[] = {
    [ENCODING_8BIT] = {"8-bit (shown as windows-1252)", "WINDOWS-1252", LATIN, western},
    [ENCODING_SHIFT_JIS] = {"Shift_JIS", "CP932", JAPANESE, NULL},
    [ENCODING_EUC_JP] = {"EUC-JP", "EUC-JP", JAPANESE, NULL},
    [ENCODING_ISO_2022_JP] = {"ISO-2022-JP", "ISO-2022-JP", JAPANESE, NULL},
    [ENCODING_GB18030] = {"GB18030", "GB18030", CHINESE, NULL},
    [ENCODING_BIG5] = {"Big5", "BIG5-HKSCS", CHINESE, NULL},
    [ENCODING_EUC_KR] = {"EUC-KR", "CP949", KOREAN, NULL},
    [ENCODING_WINDOWS_1250] = {"windows-1250", "WINDOWS-1250", LATIN, central},
    [ENCODING_ISO_8859_2] = {"ISO-8859-2", "ISO-8859-2", LATIN, central},
    [ENCODING_WINDOWS_1251] = {"windows-1251", "WINDOWS-1251", CYRILLIC, NULL},
    [ENCODING_KOI8_R] = {"KOI8-R", "KOI8-R", CYRILLIC, NULL},
    [ENCODING_ISO_8859_5] = {"ISO-8859-5", "ISO-8859-5", CYRILLIC, NULL},
    [ENCODING_IBM866] = {"IBM866", "IBM866", CYRILLIC, NULL},
    [ENCODING_WINDOWS_1253] = {"windows-1253", "WINDOWS-1253", GREEK, NULL},
    [ENCODING_WINDOWS_1254] = {"windows-1254", "WINDOWS-1254", LATIN, turkish},
    [ENCODING_WINDOWS_1255] = {"windows-1255", "WINDOWS-1255", HEBREW, NULL},
    [ENCODING_WINDOWS_1256] = {"windows-1256", "WINDOWS-1256", ARABIC, NULL},
    [ENCODING_WINDOWS_1257] = {"windows-1257", "WINDOWS-1257", LATIN, baltic},
    [ENCODING_WINDOWS_1258] = {"windows-1258", "CP1258", LATIN, vietnamese},
    [ENCODING_KOI8_U] = {"KOI8-U", "KOI8-U", CYRILLIC, NULL},
    [ENCODING_WINDOWS_874] = {"windows-874", "CP874", THAI, NULL},
    [ENCODING_ISO_8859_7] = {"ISO-8859-7", "ISO-8859-7", GREEK, NULL},
    [ENCODING_MACINTOSH] = {"macintosh", "MACINTOSH", LATIN, western},
    [ENCODING_IBM850] = {"IBM850", "IBM850", LATIN, western},
};

enum { CHARSET_COUNT = sizeof charsets / sizeof *charsets };

/* The most frequent ideographs of Chinese (both scripts) and Japanese, and syllables of Korean; ascending. */
static const uint16_t common_ideographs[] = {
    0x4e00, 0x4e03, 0x4e07, 0x4e09, 0x4e0a, 0x4e0b, 0x4e0d, 0x4e0e, 0x4e14, 0x4e16, 0x4e1a, 0x4e1c, 0x4e21, 0x4e24,
    0x4e26, 0x4e2a, 0x4e2d, 0x4e3a, 0x4e3b, 0x4e48, 0x4e49, 0x4e4b, 0x4e57, 0x4e5d, 0x4e5f, 0x4e66, 0x4e86, 0x4e88,
    0x4e89, 0x4e8b, 0x4e8c, 0x4e8e, 0x4e94, 0x4e95, 0x4e9b, 0x4ea4, 0x4ea7, 0x4eac, 0x4eba, 0x4ec0, 0x4eca, 0x4ece,
    0x4ed5, 0x4ed6, 0x4ed8, 0x4ee3, 0x4ee5, 0x4eec, 0x4ef6, 0x4efb, 0x4f01, 0x4f1a, 0x4f1d, 0x4f20, 0x4f46, 0x4f4d,
    0x4f4e, 0x4f4f, 0x4f50, 0x4f53, 0x4f55, 0x4f5c, 0x4f60, 0x4f7f, 0x4f86, 0x4f8b, 0x4f9b, 0x4fa1, 0x4fbf, 0x4fc2,
    0x4fdd, 0x4fe1, 0x500b, 0x5011, 0x5019, 0x505a, 0x5074, 0x5099, 0x50b3, 0x50cd, 0x50cf, 0x512a, 0x513f, 0x5143,
    0x5148, 0x5149, 0x514b, 0x5152, 0x515a, 0x5165, 0x5167, 0x5168, 0x5169, 0x516b, 0x516c, 0x516d, 0x5171, 0x5173,
    0x5176, 0x5185, 0x5186, 0x518d, 0x5199, 0x519b, 0x51b3, 0x51e0, 0x51fa, 0x51fd, 0x5206, 0x5207, 0x5219, 0x521d,
    0x5224, 0x5225, 0x5229, 0x522b, 0x5230, 0x5236, 0x5247, 0x524d, 0x526f, 0x5272, 0x529b, 0x52a0, 0x52a1, 0x52a8,
    0x52a9, 0x52b4, 0x52d5, 0x52d9, 0x52dd, 0x52e2, 0x5316, 0x5317, 0x533a, 0x533b, 0x5340, 0x5341, 0x5343, 0x5348,
    0x534a, 0x5354, 0x5357, 0x5373, 0x5374, 0x537b, 0x539f, 0x53bb, 0x53c2, 0x53c8, 0x53ca, 0x53cd, 0x53ce, 0x53d1,
    0x53d6, 0x53d7, 0x53d8, 0x53e3, 0x53ea, 0x53ef, 0x53f0, 0x53f8, 0x5404, 0x5408, 0x540c, 0x540d, 0x540e, 0x5411,
    0x542b, 0x542c, 0x544a, 0x5458, 0x5473, 0x547c, 0x547d, 0x548c, 0x54c1, 0x54e1, 0x5546, 0x554f, 0x55b6, 0x56db,
    0x56de, 0x56e0, 0x56e3, 0x56fd, 0x570b, 0x571f, 0x5728, 0x5730, 0x573a, 0x578b, 0x57df, 0x57fa, 0x5831, 0x5834,
    0x5883, 0x5897, 0x58f0, 0x58f2, 0x5904, 0x5909, 0x5916, 0x591a, 0x591c, 0x5927, 0x5929, 0x592a, 0x592b, 0x5931,
    0x5934, 0x5973, 0x5979, 0x597d, 0x5982, 0x59cb, 0x59d4, 0x59ff, 0x5b50, 0x5b57, 0x5b66, 0x5b78, 0x5b83, 0x5b85,
    0x5b88, 0x5b89, 0x5b8c, 0x5b98, 0x5b9a, 0x5b9e, 0x5b9f, 0x5bae, 0x5bb3, 0x5bb6, 0x5bb9, 0x5bdf, 0x5be6, 0x5be9,
    0x5bf9, 0x5bfc, 0x5bfe, 0x5c06, 0x5c07, 0x5c0d, 0x5c0e, 0x5c0f, 0x5c11, 0x5c14, 0x5c31, 0x5c40, 0x5c55, 0x5c71,
    0x5ca1, 0x5cf6, 0x5ddd, 0x5dde, 0x5de5, 0x5dee, 0x5df1, 0x5df2, 0x5e02, 0x5e08, 0x5e26, 0x5e2b, 0x5e2d, 0x5e36,
    0x5e38, 0x5e73, 0x5e74, 0x5e76, 0x5e79, 0x5e7e, 0x5e83, 0x5e94, 0x5e97, 0x5e9c, 0x5ea6, 0x5efa, 0x5f00, 0x5f0f,
    0x5f15, 0x5f20, 0x5f35, 0x5f37, 0x5f3a, 0x5f53, 0x5f62, 0x5f71, 0x5f79, 0x5f85, 0x5f88, 0x5f8c, 0x5f97, 0x5f9e,
    0x5fa9, 0x5fb7, 0x5fc3, 0x5fc5, 0x5fdc, 0x5ff5, 0x601d, 0x6025, 0x6027, 0x603b, 0x60c5, 0x60f3, 0x610f, 0x611f,
    0x614b, 0x61c9, 0x6210, 0x6211, 0x6216, 0x6218, 0x6226, 0x6230, 0x6240, 0x624b, 0x624d, 0x6253, 0x6280, 0x628a,
    0x6295, 0x62a5, 0x62c5, 0x62c9, 0x6307, 0x6319, 0x636e, 0x63a5, 0x63d0, 0x63f4, 0x6483, 0x64da, 0x652f, 0x6539,
    0x653e, 0x653f, 0x6559, 0x6570, 0x6574, 0x6578, 0x6587, 0x6599, 0x65ad, 0x65af, 0x65b0, 0x65b9, 0x65bc, 0x65bd,
    0x65cf, 0x65e0, 0x65e5, 0x65e9, 0x65f6, 0x660e, 0x6620, 0x6628, 0x662f, 0x6642, 0x666f, 0x66f4, 0x66f8, 0x6700,
    0x6703, 0x6708, 0x6709, 0x671b, 0x671d, 0x671f, 0x6728, 0x672b, 0x672c, 0x672f, 0x673a, 0x6743, 0x6751, 0x6761,
    0x6765, 0x6771, 0x677e, 0x679c, 0x67fb, 0x6821, 0x682a, 0x6837, 0x6838, 0x683c, 0x6848, 0x689d, 0x691c, 0x696d,
    0x6975, 0x697d, 0x69cb, 0x69d8, 0x6a23, 0x6a29, 0x6a2a, 0x6a5f, 0x6a94, 0x6b0a, 0x6b21, 0x6b27, 0x6b62, 0x6b63,
    0x6b64, 0x6b66, 0x6b73, 0x6b7b, 0x6b8b, 0x6bb5, 0x6bce, 0x6bd4, 0x6c0f, 0x6c11, 0x6c14, 0x6c17, 0x6c23, 0x6c34,
    0x6c42, 0x6c7a, 0x6c92, 0x6ca1, 0x6ca2, 0x6cbb, 0x6cc1, 0x6cd5, 0x6ce8, 0x6d3b, 0x6d3e, 0x6d41, 0x6d4b, 0x6d77,
    0x6d88, 0x6df1, 0x6e05, 0x6e08, 0x6e09, 0x6e1b, 0x6e21, 0x6e2c, 0x6e2f, 0x6e96, 0x6f14, 0x7063, 0x70b9, 0x70ba,
    0x7121, 0x7136, 0x722d, 0x723e, 0x7269, 0x7279, 0x72b6, 0x72ec, 0x7387, 0x738b, 0x73b0, 0x73fe, 0x7403, 0x7406,
    0x74b0, 0x751f, 0x7522, 0x7523, 0x7528, 0x7530, 0x7531, 0x7533, 0x7535, 0x7537, 0x753a, 0x753b, 0x754c, 0x756a,
    0x7576, 0x7591, 0x75c5, 0x767a, 0x767c, 0x767d, 0x767e, 0x7684, 0x76e3, 0x76ee, 0x76f4, 0x76f8, 0x770b, 0x770c,
    0x771f, 0x773c, 0x7740, 0x77e5, 0x77f3, 0x7801, 0x7814, 0x786e, 0x78ba, 0x78bc, 0x793a, 0x793e, 0x795e, 0x7968,
    0x798f, 0x79c1, 0x79cd, 0x79d1, 0x79fb, 0x7a0b, 0x7a0e, 0x7a2e, 0x7a76, 0x7a7a, 0x7acb, 0x7b26, 0x7b2c, 0x7b49,
    0x7b54, 0x7b56, 0x7b97, 0x7ba1, 0x7c73, 0x7c7b, 0x7cfb, 0x7d04, 0x7d42, 0x7d44, 0x7d4c, 0x7d50, 0x7d66, 0x7d71,
    0x7d93, 0x7d9a, 0x7dcf, 0x7dda, 0x7de8, 0x7e3d, 0x7ecf, 0x7ed3, 0x7ed9, 0x7edf, 0x7f16, 0x7f6e, 0x7f8e, 0x7fa9,
    0x8001, 0x8003, 0x8005, 0x800c, 0x805e, 0x8072, 0x8077, 0x807d, 0x80b2, 0x80fd, 0x8133, 0x81ea, 0x81f3, 0x81fa,
    0x8207, 0x8272, 0x82e5, 0x82f1, 0x842c, 0x843d, 0x8449, 0x8457, 0x8535, 0x85e4, 0x8655, 0x878d, 0x8846, 0x884c,
    0x8853, 0x885b, 0x8868, 0x88ab, 0x88c1, 0x88dc, 0x88e1, 0x88fd, 0x897f, 0x8981, 0x898b, 0x898f, 0x8996, 0x89aa,
    0x89b3, 0x89ba, 0x89c0, 0x89c1, 0x89c2, 0x89c4, 0x89c9, 0x89e3, 0x8a00, 0x8a08, 0x8a18, 0x8a2a, 0x8a2d, 0x8a31,
    0x8a34, 0x8a3c, 0x8a55, 0x8a66, 0x8a71, 0x8a72, 0x8a8d, 0x8a9e, 0x8aa4, 0x8aaa, 0x8aac, 0x8ab2, 0x8abf, 0x8ac7,
    0x8ad6, 0x8b58, 0x8b66, 0x8b70, 0x8b77, 0x8b8a, 0x8b93, 0x8ba1, 0x8ba4, 0x8ba9, 0x8bb0, 0x8bb8, 0x8bba, 0x8bbe,
    0x8bc6, 0x8bd5, 0x8bdd, 0x8be5, 0x8bef, 0x8bf4, 0x8c61, 0x8ca0, 0x8ca1, 0x8cbb, 0x8cc0, 0x8cc7, 0x8cea, 0x8d44,
    0x8d70, 0x8d77, 0x8db3, 0x8def, 0x8eab, 0x8eca, 0x8ecd, 0x8ee2, 0x8f38, 0x8f93, 0x8fb2, 0x8fb9, 0x8fba, 0x8fbe,
    0x8fc7, 0x8fd0, 0x8fd1, 0x8fd4, 0x8fd8, 0x8fd9, 0x8fdb, 0x8ff0, 0x8ffd, 0x9000, 0x9001, 0x9019, 0x901a, 0x9020,
    0x9023, 0x9032, 0x904b, 0x904e, 0x9053, 0x9054, 0x9055, 0x9078, 0x9084, 0x908a, 0x90a3, 0x90e8, 0x90fd, 0x914d,
    0x91cc, 0x91cd, 0x91ce, 0x91cf, 0x91d1, 0x9280, 0x932f, 0x9519, 0x9577, 0x957f, 0x9580, 0x958b, 0x9593, 0x95a2,
    0x95a3, 0x95dc, 0x95e8, 0x95ee, 0x95f4, 0x961f, 0x9632, 0x9650, 0x9662, 0x968a, 0x969b, 0x96be, 0x96c6, 0x96e3,
    0x96fb, 0x975e, 0x9762, 0x9769, 0x97d3, 0x97f3, 0x9818, 0x982d, 0x984c, 0x984d, 0x985e, 0x9886, 0x9898, 0x98df,
    0x9996, 0x99ac, 0x9a13, 0x9a6c, 0x9ad4, 0x9ad8, 0x9bae, 0x9ebc, 0x9ede,
};
static const uint16_t common_syllables[] = {
    0xac00, 0xac1c, 0xac70, 0xac83, 0xac8c, 0xacbd, 0xacc4, 0xace0, 0xacf5, 0xacfc, 0xad00, 0xad50, 0xad6c,
    0xad6d, 0xadf8, 0xae00, 0xae30, 0xae4c, 0xb098, 0xb0b4, 0xb294, 0xb2c8, 0xb2e4, 0xb2e8, 0xb300, 0xb370,
    0xb3c4, 0xb3d9, 0xb41c, 0xb4dc, 0xb4e4, 0xb77c, 0xb825, 0xb85c, 0xb958, 0xb97c, 0xb9ac, 0xb9c8, 0xb9cc,
    0xba74, 0xbaa8, 0xbb34, 0xbb38, 0xbb3c, 0xbbf8, 0xbc29, 0xbcf4, 0xbd80, 0xbd84, 0xbe44, 0xc0ac, 0xc0c1,
    0xc0dd, 0xc11c, 0xc120, 0xc131, 0xc138, 0xc18c, 0xc218, 0xc2a4, 0xc2b5, 0xc2dc, 0xc2dd, 0xc2e0, 0xc2e4,
    0xc544, 0xc548, 0xc57c, 0xc5b4, 0xc5c6, 0xc5d0, 0xc5ec, 0xc5f0, 0xc624, 0xc640, 0xc6a9, 0xc6b0, 0xc6b4,
    0xc6d0, 0xc704, 0xc720, 0xc73c, 0xc740, 0xc744, 0xc758, 0xc774, 0xc778, 0xc77c, 0xc785, 0xc788, 0xc790,
    0xc7a5, 0xc801, 0xc804, 0xc815, 0xc81c, 0xc870, 0xc8fc, 0xc911, 0xc9c0, 0xcd9c, 0xce58, 0xcf54, 0xd2b8,
    0xd30c, 0xd45c, 0xd558, 0xd55c, 0xd569, 0xd574, 0xd588, 0xd589, 0xd654, 0xd68c,
};

static const struct charset *find(enum encoding_kind kind)
{
    return (size_t)kind < CHARSET_COUNT && charsets[kind].name ? &charsets[kind] : NULL;
}

const char *charset_name(enum encoding_kind kind)
{
    const struct charset *charset = find(kind);
    return charset ? charset->name : NULL;
}

/* ---- conversion -------------------------------------------------------------------------------------------------- */

static void close_converter(iconv_t *converter)
{
    if (*converter != (iconv_t)-1)
        iconv_close(*converter);
}
#define CLEANUP_CONVERTER __attribute__((cleanup(close_converter)))

static enum hv_code open_converter(const char *to, const char *from, iconv_t *converter, struct hv_error *err)
{
    *converter = iconv_open(to, from);
    if (*converter != (iconv_t)-1)
        return HV_OK;
    hv_fail(err, HV_EUNSUPPORTED, "this system cannot convert %s to %s", from, to);
    hv_error_hint(err, "Install the converters of the C library (package libc-bin or glibc-gconv-extra)");
    return HV_EUNSUPPORTED;
}

/* One round: convert what fits into a chunk. False when input stands at something that cannot be converted. */
static bool convert_chunk(iconv_t converter, char **input, size_t *left, struct hv_buf *out)
{
    char chunk[CHUNK], *to = chunk;
    size_t room = sizeof chunk;
    errno = 0;
    size_t result = iconv(converter, input, left, &to, &room);
    int why = errno;
    hv_buf_add(out, chunk, sizeof chunk - room);
    return result != (size_t)-1 || why == E2BIG;
}

/* What a converter still holds: the bytes that bring a stateful encoding back to ASCII, or a last character that might
 * have been put together with another (windows-1255). */
static void finish(iconv_t converter, struct hv_buf *out)
{
    char chunk[16], *to = chunk;
    size_t room = sizeof chunk;
    if (iconv(converter, NULL, NULL, &to, &room) != (size_t)-1)
        hv_buf_add(out, chunk, sizeof chunk - room);
}

static enum hv_code too_long(const struct hv_buf *out, struct hv_error *err)
{
    return hv_fail(err, HV_ETOOBIG, "the converted text is over the limit of %zu bytes", out->max);
}

/* In ISO-2022-JP escape begins a change of the set and is no character (RFC 1468): one that stands alone has no way
 * back, but iconv lets it pass. */
static void replace_escapes(struct hv_buf *out, size_t from)
{
    struct hv_str rest = hv_str_slice(hv_buf_str(out), from, out->len);
    CLEANUP_BUF struct hv_buf text = {.max = rest.len};
    if (hv_str_find_byte(rest, ESCAPE, 0) == SIZE_MAX)
        return;
    hv_buf_add_str(&text, rest);
    out->len = from;
    for (size_t at = 0, end; at < text.len; at = end + 1) {
        end = hv_str_find_byte(hv_buf_str(&text), ESCAPE, at);
        hv_buf_add_str(out, hv_str_slice(hv_buf_str(&text), at, end < text.len ? end : text.len));
        if (end >= text.len)
            break;
        hv_buf_add_cstr(out, UTF8_REPLACEMENT);
    }
}

enum hv_code charset_to_utf8(struct hv_str bytes, enum encoding_kind kind, struct hv_buf *out, struct hv_error *err)
{
    const struct charset *charset = find(kind);
    if (!charset)
        return hv_fail(err, HV_EUNSUPPORTED, "not a legacy encoding");
    CLEANUP_CONVERTER iconv_t converter = (iconv_t)-1;
    enum hv_code code = open_converter("UTF-8", charset->iconv, &converter, err);
    if (code)
        return code;
    size_t from = out->len;
    char *input = (char *)bytes.ptr; /* iconv does not write to it */
    for (size_t left = bytes.len; left && !out->failed;) {
        if (convert_chunk(converter, &input, &left, out))
            continue;
        if (kind != ENCODING_ISO_2022_JP) /* which would fall back to ASCII */
            finish(converter, out);
        hv_buf_add_cstr(out, UTF8_REPLACEMENT);
        input++;
        left--;
    }
    finish(converter, out);
    if (kind == ENCODING_ISO_2022_JP && !out->failed)
        replace_escapes(out, from);
    return out->failed ? too_long(out, err) : HV_OK;
}

enum hv_code charset_from_utf8(struct hv_str text, enum encoding_kind kind, struct hv_buf *out, struct hv_error *err)
{
    const struct charset *charset = find(kind);
    if (!charset)
        return hv_fail(err, HV_EUNSUPPORTED, "not a legacy encoding");
    CLEANUP_CONVERTER iconv_t converter = (iconv_t)-1;
    enum hv_code code = open_converter(charset->iconv, "UTF-8", &converter, err);
    if (code)
        return code;
    char *input = (char *)text.ptr;
    if (kind == ENCODING_ISO_2022_JP && hv_str_find_byte(text, ESCAPE, 0) != SIZE_MAX)
        return hv_fail(err, HV_EINVAL, "the character U+001B (escape) does not exist in %s", charset->name);
    for (size_t left = text.len; left && !out->failed;) {
        if (convert_chunk(converter, &input, &left, out))
            continue;
        return encoding_fail_character(text, text.len - left, charset->name, err);
    }
    finish(converter, out);
    return out->failed ? too_long(out, err) : HV_OK;
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

static bool is_in(const uint16_t *table, size_t count, uint32_t code_point)
{
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (table[middle] == code_point)
            return true;
        if (table[middle] < code_point)
            low = middle + 1;
        else
            count = middle;
    }
    return false;
}

static bool is_ascii_letter(uint32_t c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_thai(uint32_t c)
{
    return (c >= 0xe01 && c <= 0xe3a) || (c >= 0xe40 && c <= 0xe4e);
}

/* Letters of the alphabets that the code pages hold. */
static bool is_letter(uint32_t c)
{
    return is_ascii_letter(c) || (c >= 0xc0 && c <= 0x24f && c != 0xd7 && c != 0xf7) || (c >= 0x386 && c <= 0x3ce) ||
           (c >= 0x400 && c <= 0x45f) || (c >= 0x490 && c <= 0x491) || (c >= 0x5d0 && c <= 0x5ea) ||
           (c >= 0x620 && c <= 0x64a) || (c >= 0x671 && c <= 0x6d3) || is_thai(c) || (c >= 0x1ea0 && c <= 0x1ef9);
}

static bool is_upper(uint32_t c)
{
    if (c >= 0x1ea0 && c <= 0x1ef9)
        return c % 2 == 0;
    if (c < 0x80)
        return c >= 'A' && c <= 'Z';
    if (c < 0x100)
        return c >= 0xc0 && c <= 0xde && c != 0xd7;
    if (c < 0x180) /* pairs, upper first: even before U+0139 and from U+014A on, odd between; U+0178 is upper */
        return c == 0x178 || ((c >= 0x139 && c <= 0x148) || c >= 0x179 ? c % 2 == 1 : c % 2 == 0);
    return c == 0x1a0 || c == 0x1af || (c >= 0x386 && c <= 0x3ab && c != 0x390) || (c >= 0x400 && c <= 0x42f) ||
           c == 0x490;
}

/* The small letter of one of the Latin alphabets. */
static uint32_t latin_small(uint32_t c)
{
    return !is_upper(c) ? c : c == 0x178 ? 0xff : c < 0x100 ? c + 0x20 : c + 1;
}

/* Quotes, dashes and signs that stand in texts of any language. */
static bool is_usual_sign(uint32_t c)
{
    return (c >= 0x2013 && c <= 0x201e) || c == 0x2022 || c == 0x2026 || c == 0x20ac || c == 0xa0 || c == 0xa7 ||
           c == 0xab || c == 0xbb || c == 0xb0 || c == 0xa9 || c == 0xae || c == 0xa3 || c == 0x2116 || c == 0x2122;
}

/* Signs that stand between the letters of a word: the apostrophe, dashes, a blank that does not break. */
static bool joins_letters(uint32_t c)
{
    return c == 0x2019 || c == 0x2013 || c == 0x2014 || c == 0x2026 || c == 0xa0;
}

static bool has_character(const char *list, uint32_t c)
{
    struct hv_str text = hv_str_from(list);
    uint32_t each;
    for (size_t at = 0; at < text.len;) {
        at += utf8_decode(text, at, &each);
        if (each == c)
            return true;
    }
    return false;
}

static bool has_letter(const char *const *languages, uint32_t c)
{
    for (; *languages; languages++)
        if (has_character(*languages, latin_small(c)))
            return true;
    return false;
}

/* Letters that stand where Slavic and Baltic ones do on other pages, and that few neighbours give away. */
static int points_beside(uint32_t before, uint32_t c, uint32_t after)
{
    switch (c) {
    case 0xe3: return has_character("bcdfghjklmnpqrtvxz", after) ? 0 : 10; /* ã; ă */
    case 0xe8: return has_character("aeiou", after) ? 0 : 10;              /* è; č stands before vowels */
    case 0xe7: return !is_letter(after) ? 4 : has_character("eibcdfghjklmnpqrstvxyz", after) ? 0 : 10; /* ç; ē */
    case 0xf0: return is_letter(before) ? 10 : 0; /* Icelandic ð begins no word; š */
    case 0xfe: return is_letter(before) ? 2 : 10; /* Icelandic þ begins one; ž, ţ */
    default: return -1;
    }
}

static int points_of_western(uint32_t before, uint32_t c, uint32_t after)
{
    int beside = points_beside(before, c, after);
    if (beside >= 0)
        return beside;
    if (c == 0xd0 || c == 0xde) /* Icelandic */
        return 8;
    if (c == 0xfd || c == 0xdd) /* Icelandic, too, but far more often Turkish, which has dotless i there */
        return 4;
    if (c == 0xec || c == 0xf2) /* Italian ends words with them; Czech has ě and ň at their places */
        return is_letter(after) ? 3 : 10;
    if (c == 0xf5) /* Portuguese has it before e; Hungarian's ő stands at this place elsewhere */
        return after == 'e' ? 10 : 6;
    return c == 0xfb ? 7 : has_letter(western, c) ? 10 : 2;
}

/* On the other Latin pages. */
static int points_of_latin(const struct charset *charset, uint32_t before, uint32_t c)
{
    if (charset->languages == vietnamese && c == 0x111 && is_letter(before)) /* đ begins words, Icelandic ð does not */
        return 0;
    if (c == 0x17a) /* ź, the rarest of its letters, and where old Macs have ü */
        return 8;
    if (charset->languages == turkish && has_character("âîû", latin_small(c))) /* in loan words only */
        return 5;
    return has_letter(charset->languages, c) ? 10 : 2;
}

static int points_of_cyrillic(uint32_t c)
{
    if (c < 0x400 || c > 0x491)
        return -10;
    if ((c < 0x410 || c > 0x44f) && !has_character("ЁёІіЇїЄєЎў", c))
        return 2;
    return is_upper(c) ? 6 : has_character("оеаинтсрвлкмдпуяыьгзбчйхжію", c) ? 10 : 7;
}

static int points_of_greek(uint32_t c, uint32_t after)
{
    if (c < 0x386 || c > 0x3ce)
        return -10;
    if (c == 0x3c2) /* the sigma that ends words */
        return is_letter(after) ? -20 : 10;
    return is_upper(c) ? 6 : has_character("αοιετνσηυρπκμλάέήίόύώδγχφθβω", c) ? 10 : 1;
}

static int points_of_hebrew(uint32_t c, uint32_t after)
{
    bool final = c == 0x5da || c == 0x5dd || c == 0x5df || c == 0x5e3 || c == 0x5e5;
    return c < 0x5d0 || c > 0x5ea ? -10 : final && is_letter(after) ? -20 : 10;
}

/* Marks follow a consonant, and some vowels stand before one. */
static int points_of_thai(uint32_t before, uint32_t c, uint32_t after)
{
    bool mark = c == 0xe31 || (c >= 0xe34 && c <= 0xe3a) || (c >= 0xe47 && c <= 0xe4e);
    if (mark)
        return is_thai(before) && !(before >= 0xe40 && before <= 0xe44) ? 10 : -20;
    if (c >= 0xe40 && c <= 0xe44)
        return after >= 0xe01 && after <= 0xe2e ? 10 : -20;
    return is_thai(c) ? 8 : c >= 0xe3f && c <= 0xe5b ? 2 : -10;
}

static int points_of_letter(const struct charset *charset, uint32_t before, uint32_t c, uint32_t after)
{
    switch (charset->script) {
    case LATIN:
        return charset->languages == western ? points_of_western(before, c, after)
                                             : points_of_latin(charset, before, c);
    case CYRILLIC: return points_of_cyrillic(c);
    case GREEK: return points_of_greek(c, after);
    case HEBREW: return points_of_hebrew(c, after);
    case THAI: return points_of_thai(before, c, after);
    case ARABIC: return c >= 0x620 && c <= 0x6d3 ? (has_character("اليمونرتبعدةسه", c) ? 10 : 7) : -10;
    default: return -10;
    }
}

/* "È vero", "À propos". */
static bool is_capital_word(const struct charset *charset, uint32_t c)
{
    return charset->languages == western && has_character("ÀÈÉÓ", c);
}

/*
 * A character of an 8-bit encoding, between its neighbours (0 at the ends). Signs count as much as letters in
 * windows-1252, where old Macs have letters at their places, and less in those.
 */
static int points_of_narrow(const struct charset *charset, uint32_t before, uint32_t c, uint32_t after)
{
    if (c < 0xa0)
        return -50;
    if (!is_letter(c)) {
        bool inside = is_letter(before) && is_letter(after);
        if (charset->languages == western && (c == 0xbf || c == 0xa1) && !is_letter(before) && is_letter(after))
            return 10; /* a Spanish question */
        if (is_usual_sign(c) && (!inside || joins_letters(c)))
            return charset == &charsets[ENCODING_8BIT] ? 10 : charset->languages == western ? 5 : 8;
        return c >= 0x2500 && c < 0x25a0 ? -10 : inside ? -20 : -2;
    }
    int points = points_of_letter(charset, before, c, after);
    if (charset->script != LATIN && (is_ascii_letter(before) || is_ascii_letter(after)))
        points -= 25;
    if (charset->script == LATIN && before >= 0x80 && is_letter(before)) /* accents stand alone */
        points -= 6;
    if (is_letter(before) && is_upper(c))
        points -= is_upper(before) ? 3 : 15;
    if (!is_letter(before) && !is_letter(after) && points > 0) /* hardly a word: a sign, or a letter of another page */
        points = is_upper(c) && !is_capital_word(charset, c) ? 0 : charset->script == LATIN ? points / 2 : 2;
    return points;
}

/* Where a character stands in the encoding tells how rare it is: the first levels hold the usual ideographs. */
static int points_of_ideograph(uint32_t c)
{
    if (is_in(common_ideographs, sizeof common_ideographs / sizeof *common_ideographs, c))
        return 30;
    return c <= 0x9fff ? 6 : -10;
}

/* A character of an encoding of the Far East. */
static int points_of_wide(const struct charset *charset, uint32_t before, uint32_t c, uint32_t after)
{
    int points = -15;
    bool kana = false;
    if ((c >= 0x3041 && c <= 0x3096) || (c >= 0x30a1 && c <= 0x30fc))
        kana = (points = charset->script == JAPANESE ? 28 : 4) == 28;
    else if (c >= 0xac00 && c <= 0xd7a3)
        points = charset->script != KOREAN                                                        ? 0
                 : is_in(common_syllables, sizeof common_syllables / sizeof *common_syllables, c) ? 30
                                                                                                  : 10;
    else if (c >= 0x4e00 && c <= 0x9fff)
        points = charset->script == KOREAN ? 3 : points_of_ideograph(c);
    else if ((c >= 0x3000 && c <= 0x3011) || (c >= 0xff01 && c <= 0xff5e) || is_usual_sign(c))
        points = 15;
    else if (c >= 0xff61 && c <= 0xff9f)
        points = -8; /* narrow katakana: any high byte reads so in Shift_JIS */
    /* Alone in a word of Latin letters it is one of them, read wrongly. */
    return is_ascii_letter(before) && after < 0x80 && !kana ? points - 30 : points;
}

/* ---- the guess --------------------------------------------------------------------------------------------------- */

/* What a candidate makes of the sample: the mean points of a character beyond ASCII, and how many there are. */
struct reading {
    long mean, characters;
};

/* What cannot be decoded is left out; even a long text has one or two such places, but not many. */
static bool decode_sample(const struct charset *charset, struct hv_str sample, bool is_cut, struct hv_buf *out,
                          size_t *bad)
{
    CLEANUP_CONVERTER iconv_t converter = (iconv_t)-1;
    if (open_converter("WCHAR_T", charset->iconv, &converter, NULL) != HV_OK)
        return false;
    char *input = (char *)sample.ptr;
    *bad = 0;
    for (size_t left = sample.len; left && !out->failed;) {
        if (convert_chunk(converter, &input, &left, out))
            continue;
        if (is_cut && left < 4)
            break;
        input++;
        left--;
        if (++*bad > sample.len / BAD_RARE)
            return false;
    }
    return !out->failed;
}

static uint32_t character_at(const struct hv_buf *decoded, size_t i)
{
    wchar_t c = 0;
    if (i < decoded->len / sizeof c)
        memcpy(&c, decoded->data + i * sizeof c, sizeof c);
    return (uint32_t)c;
}

/* How many of the letters beyond ASCII in words no single language of the page has: a text is in one. */
static size_t count_strange_letters(const struct charset *charset, const struct hv_buf *decoded)
{
    size_t least = SIZE_MAX, count = decoded->len / sizeof(wchar_t);
    for (const char *const *language = charset->languages; *language; language++) {
        size_t strange = 0;
        for (size_t i = 0; i < count; i++) {
            uint32_t c = character_at(decoded, i);
            if (c < 0x80 || !is_letter(c) || has_character(*language, latin_small(c)))
                continue;
            strange += (i && is_letter(character_at(decoded, i - 1))) || is_letter(character_at(decoded, i + 1));
        }
        least = strange < least ? strange : least;
    }
    return least;
}

static bool read_sample(enum encoding_kind kind, struct hv_str sample, bool is_cut, struct reading *reading)
{
    const struct charset *charset = &charsets[kind];
    CLEANUP_BUF struct hv_buf decoded = {0};
    hv_buf_init(&decoded, (SAMPLE_MAX + 1) * sizeof(wchar_t));
    size_t bad;
    if (!decode_sample(charset, sample, is_cut, &decoded, &bad))
        return false;
    size_t count = decoded.len / sizeof(wchar_t);
    long points = -(long)bad * 50, characters = (long)bad;
    uint32_t before = 0, c = 0, after = 0;
    for (size_t i = 0; i <= count; i++, before = c, c = after) {
        after = character_at(&decoded, i);
        if (c < 0x80 || (c == before && c == after)) /* a line drawn by a character is no word */
            continue;
        points += charset->script >= JAPANESE ? points_of_wide(charset, before, c, after)
                                              : points_of_narrow(charset, before, c, after);
        characters++;
    }
    if (charset->script == LATIN)
        points -= STRANGE * (long)count_strange_letters(charset, &decoded);
    *reading = (struct reading){.mean = characters ? points * 100 / characters : 0, .characters = characters};
    return characters > 0;
}

/* The part that tells something: from the line of the first byte beyond ASCII on, until there are enough of these. */
static struct hv_str take_sample(struct hv_str bytes, bool *is_cut)
{
    size_t from = 0, line = 0;
    while (from < bytes.len && !((unsigned char)bytes.ptr[from] & 0x80)) {
        if (bytes.ptr[from] == '\n')
            line = from + 1;
        from++;
    }
    if (from - line > SAMPLE_MAX / 2)
        line = from;
    size_t end = line, high = 0;
    for (; end < bytes.len && end - line < SAMPLE_MAX && high < HIGH_MAX; end++)
        high += (unsigned char)bytes.ptr[end] >> 7;
    *is_cut |= end < bytes.len;
    return hv_str_slice(bytes, line, end);
}

/* ISO-2022-JP is all ASCII, with escapes that change to the Japanese sets. */
bool charset_is_escaped(struct hv_str bytes)
{
    bytes = hv_str_slice(bytes, 0, ESCAPES_WITHIN);
    size_t at = hv_str_find_byte(bytes, ESCAPE, 0);
    for (; at < bytes.len; at = hv_str_find_byte(bytes, ESCAPE, at + 1))
        if (bytes.len - at >= 3 && bytes.ptr[at + 1] == '$' && (bytes.ptr[at + 2] == 'B' || bytes.ptr[at + 2] == '@'))
            return true;
    return false;
}

/* An encoding of the Far East scores up to 30 a character, an 8-bit one up to 10: the same scale for both. */
static long comparable(enum encoding_kind kind, const struct reading *reading)
{
    return charsets[kind].script >= JAPANESE ? (reading->mean - 700) * 2 / 3 : reading->mean;
}

enum encoding_kind charset_guess(struct hv_str bytes, bool is_cut, unsigned *confidence)
{
    struct hv_str sample = take_sample(bytes, &is_cut);
    enum encoding_kind best = ENCODING_8BIT;
    long best_points = -10000, second_points = -10000, characters = 0;
    *confidence = 100;
    if (charset_is_escaped(bytes))
        return ENCODING_ISO_2022_JP;
    for (int kind = 0; kind < CHARSET_COUNT; kind++) {
        struct reading reading;
        if (!charsets[kind].name || kind == ENCODING_ISO_2022_JP || !read_sample(kind, sample, is_cut, &reading))
            continue;
        long points = comparable(kind, &reading);
        if (kind == ENCODING_8BIT && reading.characters < FEW) /* a few signs prove little */
            points += 200;
        if (kind == ENCODING_MACINTOSH || kind == ENCODING_IBM850) /* rare by now */
            points -= 100;
        if (kind == ENCODING_WINDOWS_874 && reading.characters < FEW) /* nearly every byte is a letter of Thai */
            points -= 600;
        if (points > best_points) {
            second_points = best_points;
            best_points = points;
            best = kind;
            characters = reading.characters;
        } else if (points > second_points) {
            second_points = points;
        }
    }
    long lead = best_points - second_points, much = characters < 20 ? 40 + 3 * characters : 100;
    long certain = best_points <= 0 ? 10 : 50 + (lead > 500 ? 50 : lead / 10);
    *confidence = (unsigned)(certain < much ? certain : much);
    return best_points > LEAST ? best : ENCODING_8BIT;
}

/* ---- UTF-16 and UTF-32 without a mark ---------------------------------------------------------------------------- */

/* A unit that texts are made of: 2, that may stand in one: 1, that hardly does: 0. */
static unsigned plausible_unit(uint32_t unit)
{
    if (unit == 0x0a0d) /* no character, but a line end of an encoding of single bytes */
        return 0;
    if (unit < 0x80)
        return unit >= ' ' || unit == '\n' || unit == '\r' || unit == '\t' ? 2 : 0;
    if (is_letter(unit) || is_usual_sign(unit) || (unit >= 0x3000 && unit <= 0x30ff) ||
        (unit >= 0x531 && unit <= 0x589) || (unit >= 0x900 && unit <= 0x10ff) ||
        is_in(common_ideographs, sizeof common_ideographs / sizeof *common_ideographs, unit) ||
        is_in(common_syllables, sizeof common_syllables / sizeof *common_syllables, unit))
        return 2;
    return (unit >= 0xa0 && unit <= 0x6ff) || (unit >= 0x2000 && unit <= 0x27bf) ||
           (unit >= 0x4e00 && unit <= 0x9fff) || (unit >= 0xac00 && unit <= 0xdfff) ||
           (unit >= 0xff00 && unit <= 0xffff);
}

unsigned charset_wide_plausibility(struct hv_str bytes, size_t size, bool big)
{
    enum { LOOK = 8192 };
    size_t units = (bytes.len < LOOK ? bytes.len : LOOK) / size, points = 0, strange = 0;
    for (size_t i = 0; i < units; i++) {
        uint32_t unit = 0;
        for (size_t k = 0; k < size; k++)
            unit = unit << 8 | (unsigned char)bytes.ptr[i * size + (big ? k : size - 1 - k)];
        bool is_far = size == 4 && unit >= 0x10000 && unit <= 0x3ffff; /* emoji, rare ideographs */
        unsigned plausible = is_far ? 1 : plausible_unit(unit);
        points += plausible;
        strange += !plausible || (size == 4 && unit >= 0xd800 && unit <= 0xdfff);
    }
    return units == 0 || strange * 50 > units ? 0 : (unsigned)(points * 50 / units);
}
