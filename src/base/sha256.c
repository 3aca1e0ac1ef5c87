/* sha256.c: see sha256.h. The compression in plain C, and by the instructions of x86 where the machine has them. */
#include "base/sha256.h"

#include "base/processor.h"

#include <string.h>

static const uint32_t constants[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* ---- plain C ------------------------------------------------------------------------------------------------- */

static uint32_t rotate(uint32_t value, unsigned bits)
{
    return value >> bits | value << (32 - bits);
}

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void make_schedule(uint32_t words[64], const unsigned char *block)
{
    for (size_t i = 0; i < 16; i++)
        words[i] = big_endian(block + 4 * i);
    for (size_t i = 16; i < 64; i++) {
        uint32_t a = words[i - 15], b = words[i - 2];
        uint32_t low = rotate(a, 7) ^ rotate(a, 18) ^ a >> 3, high = rotate(b, 17) ^ rotate(b, 19) ^ b >> 10;
        words[i] = words[i - 16] + low + words[i - 7] + high;
    }
}

/* One round; the caller turns the names of the eight words round instead of their values. */
static inline void round_plain(uint32_t s[8], unsigned turn, uint32_t added)
{
    uint32_t a = s[-turn & 7], b = s[(1 - turn) & 7], c = s[(2 - turn) & 7];
    uint32_t e = s[(4 - turn) & 7], f = s[(5 - turn) & 7], g = s[(6 - turn) & 7];
    uint32_t *d = &s[(3 - turn) & 7], *h = &s[(7 - turn) & 7];
    uint32_t one = *h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g)) + added;
    *d += one;
    *h = one + (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
}

static void compress_plain(uint32_t state[8], const unsigned char *block)
{
    uint32_t words[64], s[8];
    make_schedule(words, block);
    memcpy(s, state, sizeof s);
    for (size_t i = 0; i < 64; i += 8) {
        round_plain(s, 0, constants[i] + words[i]);
        round_plain(s, 1, constants[i + 1] + words[i + 1]);
        round_plain(s, 2, constants[i + 2] + words[i + 2]);
        round_plain(s, 3, constants[i + 3] + words[i + 3]);
        round_plain(s, 4, constants[i + 4] + words[i + 4]);
        round_plain(s, 5, constants[i + 5] + words[i + 5]);
        round_plain(s, 6, constants[i + 6] + words[i + 6]);
        round_plain(s, 7, constants[i + 7] + words[i + 7]);
    }
    for (size_t i = 0; i < 8; i++)
        state[i] += s[i];
}

/* ---- x86 ----------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#include <immintrin.h>

#define SHA_TARGET __attribute__((target("sha,sse4.1,ssse3")))

static bool has_instructions(void)
{
    return processor_has_sha();
}

/* Four rounds, and the words of the schedule that come sixteen later. */
SHA_TARGET static inline __attribute__((always_inline)) void four_rounds(__m128i *abef, __m128i *cdgh, __m128i words[4],
                                                                         unsigned i)
{
    __m128i *now = &words[i & 3], next = words[(i + 1) & 3], last = words[(i + 3) & 3];
    __m128i sum = _mm_add_epi32(*now, _mm_load_si128((const __m128i *)&constants[4 * i]));
    *cdgh = _mm_sha256rnds2_epu32(*cdgh, *abef, sum);
    *abef = _mm_sha256rnds2_epu32(*abef, *cdgh, _mm_shuffle_epi32(sum, 0x0e));
    if (i >= 12)
        return;
    __m128i part = _mm_add_epi32(_mm_sha256msg1_epu32(*now, next), _mm_alignr_epi8(last, words[(i + 2) & 3], 4));
    *now = _mm_sha256msg2_epu32(part, last);
}

SHA_TARGET static void compress_x86(uint32_t state[8], const unsigned char *bytes, size_t count)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
    for (; count; count--, bytes += SHA256_BLOCK) {
        __m128i words[4], abef_before = abef, cdgh_before = cdgh;
        for (size_t i = 0; i < 4; i++)
            words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)), swap);
        for (unsigned i = 0; i < 16; i += 4) {
            four_rounds(&abef, &cdgh, words, i);
            four_rounds(&abef, &cdgh, words, i + 1);
            four_rounds(&abef, &cdgh, words, i + 2);
            four_rounds(&abef, &cdgh, words, i + 3);
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    low = _mm_shuffle_epi32(abef, 0x1b);
    high = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(high, low, 8));
}
#else
static bool has_instructions(void)
{
    return false;
}

static void compress_x86(uint32_t state[8], const unsigned char *bytes, size_t count)
{
    for (; count; count--, bytes += SHA256_BLOCK)
        compress_plain(state, bytes);
}
#endif

/* ---- the whole ----------------------------------------------------------------------------------------------- */

static void compress(struct sha256 *sum, const unsigned char *bytes, size_t count)
{
    if (sum->has_instructions) {
        compress_x86(sum->state, bytes, count);
        return;
    }
    for (; count; count--, bytes += SHA256_BLOCK)
        compress_plain(sum->state, bytes);
}

void sha256_begin(struct sha256 *sum)
{
    *sum = (struct sha256){
        .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
        .has_instructions = has_instructions()};
}

void sha256_add(struct sha256 *sum, const void *data, size_t len)
{
    const unsigned char *bytes = data;
    size_t filled = sum->length % SHA256_BLOCK;
    sum->length += len;
    if (filled && len) {
        size_t part = len < SHA256_BLOCK - filled ? len : SHA256_BLOCK - filled;
        memcpy(sum->block + filled, bytes, part);
        if (filled + part < SHA256_BLOCK)
            return;
        compress(sum, sum->block, 1);
        bytes += part;
        len -= part;
    }
    if (len >= SHA256_BLOCK)
        compress(sum, bytes, len / SHA256_BLOCK);
    if (len % SHA256_BLOCK)
        memcpy(sum->block, bytes + len / SHA256_BLOCK * SHA256_BLOCK, len % SHA256_BLOCK);
}

void sha256_end(struct sha256 *sum, char hex[SHA256_HEX + 1])
{
    static const unsigned char padding[SHA256_BLOCK] = {0x80};
    static const char digits[] = "0123456789abcdef";
    unsigned char length[8];
    for (size_t i = 0; i < 8; i++)
        length[i] = (unsigned char)(sum->length * 8 >> (56 - 8 * i));
    size_t filled = sum->length % SHA256_BLOCK;
    sha256_add(sum, padding, (filled < 56 ? 56 : 120) - filled);
    sha256_add(sum, length, sizeof length);
    for (size_t i = 0; i < SHA256_HEX; i++)
        hex[i] = digits[sum->state[i / 8] >> (28 - 4 * (i % 8)) & 15];
    hex[SHA256_HEX] = '\0';
}

bool sha256_is_hex(struct hv_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!memchr("0123456789abcdef", text.ptr[i], 16))
            return false;
    return text.len == SHA256_HEX;
}
