/*
 * settings_file.h: settings files of agents are not to be broken by an edit: what would come out of it is checked
 * first.
 */
#ifndef TOOLS_SETTINGS_FILE_H
#define TOOLS_SETTINGS_FILE_H

#include <helve/tool.h>

/* path is that of a settings file. */
bool settings_file_is(const struct hv_context *context, struct hv_str path);
/*
 * HV_OK for every file that is no settings file, and for bytes that are good settings. Else HV_EINVAL: they are no
 * JSON, or do not fit docs/settings.schema.json (helve's own files), or have what helve reads of them in another shape
 * (`.claude/settings*.json` with its hooks, `.mcp.json`); err says where and what. Pure but for the
 * environment in context, which says where the person's own settings stand.
 */
enum hv_code settings_file_check(const struct hv_context *context, struct hv_str path, struct hv_str bytes,
                                 struct hv_error *err) HV_MUST_CHECK;

#endif
