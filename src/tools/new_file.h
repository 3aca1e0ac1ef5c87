/*
 * new_file.h: how a file that is made afresh is to be written: line ends and encoding as .gitattributes and
 * .editorconfig of its place ask for, and git's settings, where those say nothing of line ends. Nothing else of what
 * the model gave is changed.
 */
#ifndef TOOLS_NEW_FILE_H
#define TOOLS_NEW_FILE_H

#include <helve/tool.h>

/*
 * Append content (UTF-8) as the bytes of a new file at path (absolute, links resolved) to out. *note tells what was
 * done, or absent: nothing was. Where several speak, .gitattributes wins: git would write the file so; core.autocrlf
 * and core.eol, which are of the person's machine, come last, and leave scripts ("#!") alone: no kernel starts them
 * with CRLF. HV_EINVAL: a character that the encoding lacks, by name and line; HV_ETOOBIG. Looks at the host.
 */
enum hv_code new_file_bytes(struct hv_context *context, struct hv_str path, struct hv_str content, struct hv_buf *out,
                            struct hv_str *note, struct hv_error *err) HV_MUST_CHECK;

#endif
