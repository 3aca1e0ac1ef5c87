/*
 * sha256.h: SHA-256 (FIPS 180-4), for names of contents that nobody can forge. Pure.
 *
 * Machines with instructions for it do some 2 GB/s, others some 0.3 GB/s.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <helve/str.h>

enum { SHA256_HEX = 64, SHA256_BLOCK = 64 };

/* One sum under way. */
struct sha256 {
    uint32_t state[8];
    uint64_t length;       /* bytes so far */
    bool has_instructions; /* of the processor: to ask it takes as long as a block */
    unsigned char block[SHA256_BLOCK];
};

void sha256_begin(struct sha256 *sum);
void sha256_add(struct sha256 *sum, const void *bytes, size_t len);
/* The sum in lower-case hexadecimal digits, with a NUL. */
void sha256_end(struct sha256 *sum, char hex[SHA256_HEX + 1]);
/* True for 64 lower-case hexadecimal digits. */
bool sha256_is_hex(struct hv_str text);

#endif
