/* base64.c: RFC 4648 in both alphabets. See base/base64.h. */
#include "base/base64.h"

enum { NO_DIGIT = 0xff };

#define LETTERS_AND_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static const char digits[2][65] = {
    [BASE64_STANDARD] = LETTERS_AND_DIGITS "+/",
    [BASE64_URL] = LETTERS_AND_DIGITS "-_",
};

size_t base64_encoded_size(size_t size, enum base64_alphabet alphabet)
{
    size_t rest = size % 3;
    if (alphabet == BASE64_STANDARD)
        return size / 3 * 4 + (rest ? 4 : 0);
    return size / 3 * 4 + (rest ? rest + 1 : 0);
}

void base64_encode(struct hv_buf *buf, struct hv_str bytes, enum base64_alphabet alphabet)
{
    const char *alphabet_digits = digits[alphabet];
    const unsigned char *in = (const unsigned char *)bytes.ptr;
    size_t size = base64_encoded_size(bytes.len, alphabet), i = 0;
    char *out = hv_buf_reserve(buf, size);
    if (!out)
        return;
    for (; bytes.len - i >= 3; i += 3) {
        uint32_t group = (uint32_t)in[i] << 16 | (uint32_t)in[i + 1] << 8 | in[i + 2];
        *out++ = alphabet_digits[group >> 18];
        *out++ = alphabet_digits[group >> 12 & 63];
        *out++ = alphabet_digits[group >> 6 & 63];
        *out++ = alphabet_digits[group & 63];
    }
    size_t rest = bytes.len - i;
    if (rest) {
        uint32_t group = (uint32_t)in[i] << 16 | (rest == 2 ? (uint32_t)in[i + 1] << 8 : 0);
        *out++ = alphabet_digits[group >> 18];
        *out++ = alphabet_digits[group >> 12 & 63];
        if (rest == 2)
            *out++ = alphabet_digits[group >> 6 & 63];
        for (; alphabet == BASE64_STANDARD && rest < 3; rest++)
            *out++ = '=';
    }
    hv_buf_commit(buf, size);
}

/* A table that gives each digit's value, on the caller's stack: 256 bytes are quicker filled than missed. */
static void fill_values(unsigned char values[256], enum base64_alphabet alphabet)
{
    for (unsigned i = 0; i < 256; i++)
        values[i] = NO_DIGIT;
    for (unsigned char i = 0; i < 64; i++)
        values[(unsigned char)digits[alphabet][i]] = i;
}

/* Take the padding off; false when there is too much or too little of it. */
static bool strip_padding(struct hv_str *text, enum base64_alphabet alphabet)
{
    if (alphabet == BASE64_URL)
        return text->len % 4 != 1;
    if (text->len % 4 != 0)
        return false;
    for (int i = 0; i < 2 && text->len && text->ptr[text->len - 1] == '='; i++)
        text->len--;
    return true;
}

static size_t first_fault(struct hv_str text, const unsigned char values[256])
{
    for (size_t i = 0; i < text.len; i++)
        if (values[(unsigned char)text.ptr[i]] == NO_DIGIT)
            return i;
    return text.len;
}

enum hv_code base64_decode(struct hv_buf *buf, struct hv_str text, enum base64_alphabet alphabet, struct hv_error *err)
{
    unsigned char values[256];
    fill_values(values, alphabet);
    struct hv_str whole = text;
    bool padding_right = strip_padding(&text, alphabet);
    size_t fault = first_fault(text, values);
    if (fault < text.len)
        return hv_fail(err, HV_EINVAL, "base64: byte %zu (0x%02x) is no digit of the alphabet", fault,
                       (unsigned char)text.ptr[fault]);
    if (!padding_right)
        return hv_fail(err, HV_EINVAL, "base64: %zu characters are not a whole number of groups", whole.len);
    if (text.len % 4 && values[(unsigned char)text.ptr[text.len - 1]] & (text.len % 4 == 2 ? 15 : 3))
        return hv_fail(err, HV_EINVAL, "base64: the last digit (byte %zu) has bits that belong to no byte",
                       text.len - 1);
    size_t size = text.len / 4 * 3 + (text.len % 4 ? text.len % 4 - 1 : 0);
    char *out = hv_buf_reserve(buf, size);
    if (!out)
        return hv_fail(err, HV_ETOOBIG, "base64: %zu bytes are over the limit of %zu", size, buf->max);
    uint32_t group = 0;
    for (size_t i = 0, held = 0; i < text.len; i++) {
        group = group << 6 | values[(unsigned char)text.ptr[i]];
        held += 6;
        if (held >= 8) {
            held -= 8;
            *out++ = (char)(group >> held);
        }
    }
    hv_buf_commit(buf, size);
    return HV_OK;
}
