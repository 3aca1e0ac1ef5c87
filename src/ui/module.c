/* module.c: ui as a module: what md4c and utf8proc cost is paid by interactive starts alone. */
#include <helve/helve.h>

#include "module/module.h"
#include "ui/front.h"

const struct hv_module *hv_module_entry(void);

__attribute__((visibility("default"))) const struct hv_module *hv_module_entry(void)
{
    static struct hv_module module = {.abi = HV_MODULE_ABI, .name = "ui", .version = HELVE_VERSION};
    module.functions = ui_table();
    return &module;
}
