/* sample.c: modules for test_module.c: one that is fine, and some that must be refused, chosen by a macro. */
#include "module/module.h"

#include <helve/helve.h>

const struct hv_module *hv_module_entry(void);

static const int functions = 42;

static const struct hv_module sample = {
#ifdef OTHER_ABI
    .abi = HV_MODULE_ABI + 1,
#else
    .abi = HV_MODULE_ABI,
#endif
#ifndef NO_NAME
    .name = "sample",
#endif
    .version = HELVE_VERSION,
    .functions = &functions,
};

#ifndef NO_ENTRY
__attribute__((visibility("default")))
#endif
const struct hv_module *
hv_module_entry(void)
{
    return &sample;
}
