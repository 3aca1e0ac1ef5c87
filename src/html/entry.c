/* entry.c: the module html.so. See html.h. */
#include "html/convert.h"
#include "module/module.h"

#include <helve/helve.h>

static const struct html_functions functions = {
    .to_markdown = html_to_markdown,
    .xml_to_markdown = xml_to_markdown,
};

static const struct hv_module module = {HV_MODULE_ABI, "html", HELVE_VERSION, &functions};

HV_API const struct hv_module *hv_module_entry(void);

const struct hv_module *hv_module_entry(void)
{
    return &module;
}
