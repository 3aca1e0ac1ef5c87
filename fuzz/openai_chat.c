/* Streams of the OpenAI Chat Completions API, as any server may send them. See decoder.h. */
#include "decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_decoder(MODEL_WIRE_OPENAI_CHAT, data, size);
}
