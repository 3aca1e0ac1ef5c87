/* label.c: see label.h. The names are those of the Encoding standard for what encoding.h can decode. */
#include "text/label.h"

#include <string.h>

enum { LOOK_AT = 4096 };

static const struct {
    const char *name;
    enum encoding_kind kind;
} labels[] = {
    {"utf-8", ENCODING_UTF8},
    {"utf8", ENCODING_UTF8},
    {"unicode-1-1-utf-8", ENCODING_UTF8},
    {"us-ascii", ENCODING_8BIT},
    {"ascii", ENCODING_8BIT},
    {"iso-8859-1", ENCODING_8BIT},
    {"iso8859-1", ENCODING_8BIT},
    {"iso_8859-1", ENCODING_8BIT},
    {"iso-8859-15", ENCODING_8BIT},
    {"latin1", ENCODING_8BIT},
    {"l1", ENCODING_8BIT},
    {"windows-1252", ENCODING_8BIT},
    {"cp1252", ENCODING_8BIT},
    {"x-cp1252", ENCODING_8BIT},
    {"utf-16", ENCODING_UTF16LE},
    {"utf-16le", ENCODING_UTF16LE},
    {"utf-16be", ENCODING_UTF16BE},
    {"shift_jis", ENCODING_SHIFT_JIS},
    {"shift-jis", ENCODING_SHIFT_JIS},
    {"sjis", ENCODING_SHIFT_JIS},
    {"x-sjis", ENCODING_SHIFT_JIS},
    {"ms_kanji", ENCODING_SHIFT_JIS},
    {"windows-31j", ENCODING_SHIFT_JIS},
    {"euc-jp", ENCODING_EUC_JP},
    {"x-euc-jp", ENCODING_EUC_JP},
    {"iso-2022-jp", ENCODING_ISO_2022_JP},
    {"gb18030", ENCODING_GB18030},
    {"gbk", ENCODING_GB18030},
    {"gb2312", ENCODING_GB18030},
    {"x-gbk", ENCODING_GB18030},
    {"chinese", ENCODING_GB18030},
    {"big5", ENCODING_BIG5},
    {"big5-hkscs", ENCODING_BIG5},
    {"x-x-big5", ENCODING_BIG5},
    {"euc-kr", ENCODING_EUC_KR},
    {"ks_c_5601-1987", ENCODING_EUC_KR},
    {"korean", ENCODING_EUC_KR},
    {"windows-949", ENCODING_EUC_KR},
    {"windows-1254", ENCODING_WINDOWS_1254},
    {"cp1254", ENCODING_WINDOWS_1254},
    {"iso-8859-9", ENCODING_WINDOWS_1254},
    {"latin5", ENCODING_WINDOWS_1254},
    {"windows-1250", ENCODING_WINDOWS_1250},
    {"cp1250", ENCODING_WINDOWS_1250},
    {"iso-8859-2", ENCODING_ISO_8859_2},
    {"latin2", ENCODING_ISO_8859_2},
    {"windows-1251", ENCODING_WINDOWS_1251},
    {"cp1251", ENCODING_WINDOWS_1251},
    {"koi8-r", ENCODING_KOI8_R},
    {"koi8", ENCODING_KOI8_R},
    {"koi8-u", ENCODING_KOI8_U},
    {"iso-8859-5", ENCODING_ISO_8859_5},
    {"ibm866", ENCODING_IBM866},
    {"cp866", ENCODING_IBM866},
    {"windows-1253", ENCODING_WINDOWS_1253},
    {"iso-8859-7", ENCODING_ISO_8859_7},
    {"windows-1255", ENCODING_WINDOWS_1255},
    {"iso-8859-8", ENCODING_WINDOWS_1255},
    {"iso-8859-8-i", ENCODING_WINDOWS_1255},
    {"windows-1256", ENCODING_WINDOWS_1256},
    {"windows-1257", ENCODING_WINDOWS_1257},
    {"windows-1258", ENCODING_WINDOWS_1258},
    {"windows-874", ENCODING_WINDOWS_874},
    {"tis-620", ENCODING_WINDOWS_874},
    {"iso-8859-11", ENCODING_WINDOWS_874},
    {"macintosh", ENCODING_MACINTOSH},
    {"x-mac-roman", ENCODING_MACINTOSH},
};

bool label_to_encoding(struct hv_str label, enum encoding_kind *kind)
{
    label = hv_str_trim(label);
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (hv_str_eq_nocase(label, hv_str_from(labels[i].name))) {
            *kind = labels[i].kind;
            return true;
        }
    return false;
}

static struct hv_str unquoted(struct hv_str text)
{
    text = hv_str_trim(text);
    size_t end = 0;
    if (text.len && (text.ptr[0] == '"' || text.ptr[0] == '\''))
        return hv_str_slice(text, 1, hv_str_find_byte(text, text.ptr[0], 1));
    while (end < text.len && (unsigned char)text.ptr[end] > ' ' && !strchr(";>/\"',", text.ptr[end]))
        end++;
    return hv_str_slice(text, 0, end);
}

struct hv_str label_parameter(struct hv_str header, const char *name)
{
    struct hv_str part, wanted = hv_str_from(name);
    while (hv_str_split(&header, ';', &part)) {
        size_t equals = hv_str_find_byte(part, '=', 0);
        if (equals != SIZE_MAX && hv_str_eq_nocase(hv_str_trim(hv_str_slice(part, 0, equals)), wanted))
            return unquoted(hv_str_slice(part, equals + 1, SIZE_MAX));
    }
    return (struct hv_str){0};
}

/* What follows `word`, blanks and "=" inside text, unquoted. */
static struct hv_str value_behind(struct hv_str text, const char *word)
{
    struct hv_str wanted = hv_str_from(word);
    for (size_t at = 0; at + wanted.len < text.len; at++) {
        if (!hv_str_eq_nocase(hv_str_slice(text, at, at + wanted.len), wanted))
            continue;
        struct hv_str rest = hv_str_trim(hv_str_slice(text, at + wanted.len, SIZE_MAX));
        if (rest.len && rest.ptr[0] == '=')
            return unquoted(hv_str_slice(rest, 1, SIZE_MAX));
    }
    return (struct hv_str){0};
}

struct hv_str label_in_page(struct hv_str bytes)
{
    struct hv_str head = hv_str_slice(bytes, 0, LOOK_AT), found = {0};
    if (hv_str_starts(hv_str_trim(head), HV_STR("<?xml")))
        return value_behind(hv_str_slice(head, 0, hv_str_find_byte(head, '>', 0)), "encoding");
    for (size_t at = 0; (at = hv_str_find_byte(head, '<', at)) != SIZE_MAX && !found.len; at++) {
        struct hv_str tag = hv_str_slice(head, at, hv_str_find_byte(head, '>', at));
        if (hv_str_starts(tag, HV_STR("<!--")))
            at = hv_str_find(head, HV_STR("-->"), at);
        else if (hv_str_eq_nocase(hv_str_slice(tag, 0, 5), HV_STR("<meta")))
            found = value_behind(tag, "charset");
        if (at == SIZE_MAX)
            break;
    }
    return found;
}

struct encoding label_sniff(struct hv_str bytes, struct hv_str content_type)
{
    enum encoding_kind named;
    struct encoding seen = encoding_detect(bytes);
    if (seen.mark)
        return seen;
    if (label_to_encoding(label_parameter(content_type, "charset"), &named))
        return (struct encoding){.kind = named, .confidence = 100};
    if (label_to_encoding(label_in_page(bytes), &named)) {
        /* It could be read as ASCII: it is not what it says. */
        bool wide = named == ENCODING_UTF16LE || named == ENCODING_UTF16BE;
        return (struct encoding){.kind = wide ? ENCODING_UTF8 : named, .confidence = 100};
    }
    if (seen.kind == ENCODING_BINARY)
        seen.kind = ENCODING_8BIT;
    return seen;
}
