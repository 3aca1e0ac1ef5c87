/* edit_describe.c: what the model reads when an edit fails; see edit.h. */
#include "text/edit.h"

#include <string.h>

static const struct {
    unsigned bit;
    const char *words;
} differences[] = {
    {EDIT_DIFFERS_TABS, "tabs against spaces"},
    {EDIT_DIFFERS_INDENTATION, "indentation"},
    {EDIT_DIFFERS_TRAILING_BLANKS, "trailing blanks"},
    {EDIT_DIFFERS_INNER_BLANKS, "blanks inside a line"},
    {EDIT_DIFFERS_QUOTES, "quote characters"},
    {EDIT_DIFFERS_CASE, "upper and lower case"},
    {EDIT_DIFFERS_LINE_ENDS, "line ends (a lone CR)"},
    {EDIT_DIFFERS_LINE_BREAKS, "line breaks or blank lines"},
    {EDIT_DIFFERS_NUMBERS, "line numbers in front, which are not part of the text"},
    {EDIT_DIFFERS_TEXT, "the text itself"},
};

static void add_differences(unsigned differs, struct hv_buf *out)
{
    bool first = true;
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++) {
        if (!(differs & differences[i].bit))
            continue;
        hv_buf_add_cstr(out, first ? "" : ", ");
        hv_buf_add_cstr(out, differences[i].words);
        first = false;
    }
}

/* A line with what cannot be seen made visible: tabs, CR, other control characters and blanks at the end. */
static void add_visible(struct hv_str line, struct hv_buf *out)
{
    size_t end = line.len;
    while (end && line.ptr[end - 1] == ' ')
        end--;
    hv_buf_add_byte(out, '"');
    for (size_t i = 0; i < line.len; i++) {
        unsigned char byte = (unsigned char)line.ptr[i];
        if (byte == '\t')
            hv_buf_add_cstr(out, "\\t");
        else if (byte == '\r')
            hv_buf_add_cstr(out, "\\r");
        else if (byte < ' ' || byte == 0x7f)
            hv_buf_addf(out, "\\x%02x", byte);
        else
            hv_buf_add_byte(out, (char)byte);
    }
    hv_buf_add_byte(out, '"');
    if (end < line.len)
        hv_buf_addf(out, " (%zu blank%s at the end)", line.len - end, line.len - end == 1 ? "" : "s");
}

static void add_lines(size_t first, size_t last, struct hv_buf *out)
{
    if (first == last)
        hv_buf_addf(out, "line %zu", first);
    else
        hv_buf_addf(out, "lines %zu-%zu", first, last);
}

/* A slip that explains it all, or that the edit was made before. */
static void describe_slip(const struct edit_failure *failure, struct hv_buf *out)
{
    if (failure->slip && failure->slip_places > 1)
        hv_buf_addf(out, "\nIt stands at %zu places, first at line %zu, %s. Give it so, with more lines around it.",
                    failure->slip_places, failure->slip_line, failure->slip);
    else if (failure->slip)
        hv_buf_addf(out, "\nIt stands at line %zu %s. Give it so, and %s too.", failure->slip_line, failure->slip,
                    failure->of_hunk ? "the lines that come" : "new_string");
    if (failure->slip) {
        hv_buf_addf(out, "\n  line %zu of the file: ", failure->slip_line);
        add_visible(failure->slip_text, out);
    }
    if (failure->new_line)
        hv_buf_addf(out, "\nnew_string stands at line %zu already: perhaps this edit was made before.",
                    failure->new_line);
}

static void describe_not_found(const struct edit_failure *failure, struct hv_buf *out)
{
    hv_buf_addf(out, "%s not found in the file.",
                failure->of_hunk ? "Its lines that stay and go were" : "old_string was");
    describe_slip(failure, out);
    if (failure->slip)
        return;
    if (!failure->first_line) {
        hv_buf_add_cstr(out, " No part of the file is like it. Read the file again and copy the text exactly.");
        return;
    }
    hv_buf_add_cstr(out, "\nThe nearest place is ");
    add_lines(failure->first_line, failure->last_line, out);
    if (failure->lines_total > 1)
        hv_buf_addf(out, ", where %zu of %zu lines agree", failure->lines_agree, failure->lines_total);
    hv_buf_add_cstr(out, "; it differs in: ");
    add_differences(failure->differs, out);
    hv_buf_add_byte(out, '.');
    if (failure->differing_line && hv_str_eq(failure->file_text, failure->old_text)) {
        hv_buf_addf(out, "\nUp to line %zu both agree; behind it lines break elsewhere.", failure->differing_line);
    } else if (failure->differing_line) {
        hv_buf_addf(out, "\nFirst difference, at line %zu:\n  file:       ", failure->differing_line);
        add_visible(failure->file_text, out);
        hv_buf_add_cstr(out, failure->of_hunk ? "\n  the hunk:   " : "\n  old_string: ");
        add_visible(failure->old_text, out);
    }
    hv_buf_add_cstr(out, "\nRead these lines and copy the text exactly, without line numbers.");
}

static void describe_ambiguous(const struct edit_failure *failure, struct hv_buf *out)
{
    size_t shown = failure->places < EDIT_LINES_SHOWN ? failure->places : EDIT_LINES_SHOWN;
    hv_buf_addf(out, "%s %zu times in the file, at lines ",
                failure->of_hunk ? "Its lines that stay and go occur" : "old_string occurs", failure->places);
    for (size_t i = 0; i < shown; i++)
        hv_buf_addf(out, "%s%zu", i ? ", " : "", failure->lines[i]);
    if (shown < failure->places)
        hv_buf_add_cstr(out, ", …");
    hv_buf_add_cstr(out, failure->of_hunk
                             ? ". Add an @@ line that stands above the place, or more lines that stay."
                             : ". Add lines around it until it is unique, or set replace_all to change every place.");
}

void edit_describe_failure(const struct edit_failure *failure, struct hv_buf *out)
{
    if (failure->edit_count > 1)
        hv_buf_addf(out,
                    "Edit %zu of %zu failed, so none was made (line numbers are those after the edits before it). ",
                    failure->edit_index + 1, failure->edit_count);
    switch (failure->kind) {
    case EDIT_NOT_FOUND: describe_not_found(failure, out); break;
    case EDIT_AMBIGUOUS: describe_ambiguous(failure, out); break;
    case EDIT_NO_CHANGE:
        hv_buf_add_cstr(
            out, "Nothing would change: old_string and new_string are the same, or differ only in line ends or quotes, "
                 "which follow the file.");
        break;
    case EDIT_EMPTY_OLD:
        hv_buf_add_cstr(out, "old_string is empty, but the file is not. Give the text to replace, or use Write to "
                             "replace the whole file.");
        break;
    case EDIT_UNENCODABLE:
        hv_buf_addf(out, "new_string cannot be written in the file's encoding: %s. " ENCODING_LACKS_HINT ".",
                    failure->detail);
        break;
    case EDIT_UNSUPPORTED:
        hv_buf_addf(out, "The file is encoded in %s, which Edit does not change. Convert it to UTF-8 first.",
                    failure->detail);
        break;
    case EDIT_TOO_LARGE:
        hv_buf_add_cstr(out, "The edit changes too many places or makes the file too large. Narrow old_string down.");
        break;
    }
}
