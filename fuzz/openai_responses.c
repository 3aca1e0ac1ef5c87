/* Streams of the OpenAI Responses API, as any server may send them. See decoder.h. */
#include "decoder.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_decoder(MODEL_WIRE_OPENAI_RESPONSES, data, size);
}
