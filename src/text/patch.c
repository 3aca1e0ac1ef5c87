/* patch.c: see patch.h. Parsing is in the first half, finding the places of hunks in the second. */
#include "text/patch.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/vec.h"
#include "text/lines.h"

#include <string.h>

/* ---- parsing ----------------------------------------------------------------------------------------------------- */

struct parser {
    struct hv_arena *arena;
    struct hv_str rest;
    struct hv_str line; /* the current one, without its end */
    size_t number;      /* of it, from 1 */
    bool done;          /* there is no current line */
    struct hv_error *err;
};

static void advance(struct parser *parser)
{
    parser->done = !lines_next(&parser->rest, &parser->line);
    parser->line = lines_chop(parser->line);
    parser->number++;
}

static bool starts(const struct parser *parser, const char *prefix)
{
    return !parser->done && hv_str_starts(parser->line, hv_str_from(prefix));
}

static enum hv_code fail(const struct parser *parser, const char *what, const char *hint)
{
    hv_fail(parser->err, HV_EINVAL, "line %zu of the patch: %s", parser->number, what);
    hv_error_hint(parser->err, "%s", hint);
    hv_error_place(parser->err, "patch");
    return HV_EINVAL;
}

#define FORMAT_HINT                                                                                                    \
    "A patch is \"*** Begin Patch\", then per file \"*** Add File: path\" (lines with +), \"*** Update File: path\" "  \
    "(@@ hunks of lines that begin with a blank, - or +) or \"*** Delete File: path\", and \"*** End Patch\""

#define FILE_HINT "Name the file itself, without a slash behind it; directories that are missing are made for it"

/* What stands behind a marker, without blanks around it. */
static struct hv_str behind(const struct parser *parser, const char *marker)
{
    return hv_str_trim(hv_str_slice(parser->line, strlen(marker), parser->line.len));
}

static bool at_file(const struct parser *parser)
{
    return starts(parser, "*** Add File:") || starts(parser, "*** Update File:") || starts(parser, "*** Delete File:");
}

static bool at_end(const struct parser *parser)
{
    return parser->done || starts(parser, "*** End Patch");
}

static enum hv_code parse_added(struct parser *parser, struct patch_file *file)
{
    CLEANUP_BUF struct hv_buf content = {0};
    hv_buf_init(&content, EDIT_SIZE_MAX);
    for (; !at_end(parser) && !at_file(parser); advance(parser)) {
        if (!starts(parser, "+"))
            return fail(parser, "every line of a file that is added begins with +", FORMAT_HINT);
        hv_buf_add_str(&content, hv_str_slice(parser->line, 1, parser->line.len));
        hv_buf_add_byte(&content, '\n');
    }
    file->content = hv_arena_str(parser->arena, hv_buf_str(&content));
    return content.failed ? hv_fail(parser->err, HV_ETOOBIG, "the file that is added is too large") : HV_OK;
}

/* "-1,5 +1,6 @@ rest": the numbers of a unified diff say nothing certain; what follows them is an anchor. */
static struct hv_str without_numbers(struct hv_str anchor)
{
    size_t at = 0;
    if (!anchor.len || anchor.ptr[0] != '-')
        return anchor;
    while (at < anchor.len && strchr("-+,0123456789 ", anchor.ptr[at]))
        at++;
    if (!hv_str_starts(hv_str_slice(anchor, at, anchor.len), HV_STR("@@")))
        return at == anchor.len ? (struct hv_str){0} : anchor;
    return hv_str_trim(hv_str_slice(anchor, at + 2, anchor.len));
}

static void parse_anchors(struct parser *parser, struct patch_hunk *hunk)
{
    VEC(struct hv_str) anchors = {0};
    for (; starts(parser, "@@"); advance(parser)) {
        struct hv_str anchor = without_numbers(behind(parser, "@@"));
        if (hv_str_ends(anchor, HV_STR("@@")))
            anchor = hv_str_trim(hv_str_slice(anchor, 0, anchor.len - 2));
        if (anchor.len)
            *vec_push(&anchors) = anchor;
    }
    hunk->anchor_count = anchors.count;
    hunk->anchors = hv_arena_array(parser->arena, struct hv_str, anchors.count);
    if (anchors.count)
        memcpy(hunk->anchors, anchors.items, anchors.count * sizeof *anchors.items);
    vec_release(&anchors);
}

static bool in_hunk(const struct parser *parser)
{
    return !at_end(parser) && !at_file(parser) && !starts(parser, "@@") && !starts(parser, "*** End of File");
}

static enum hv_code parse_hunk(struct parser *parser, struct patch_hunk *hunk)
{
    VEC(struct patch_line) lines = {0};
    enum hv_code code = HV_OK;
    *hunk = (struct patch_hunk){.line = parser->number};
    parse_anchors(parser, hunk);
    bool changes = false;
    for (; !code && in_hunk(parser); advance(parser)) {
        /* Models leave out the blank of an empty line that stays. */
        char sign = parser->line.len ? parser->line.ptr[0] : ' ';
        if (lines.count && starts(parser, "\\ No newline")) {
            lines.items[lines.count - 1].open = true;
            continue;
        }
        if (sign != ' ' && sign != '-' && sign != '+')
            code = fail(parser, "a line of a hunk begins with a blank, - or +", FORMAT_HINT);
        changes |= sign != ' ';
        *vec_push(&lines) = (struct patch_line){sign, hv_str_slice(parser->line, 1, parser->line.len), false};
    }
    if (starts(parser, "*** End of File")) {
        hunk->at_end = true;
        advance(parser);
    }
    if (!code && !changes)
        code = fail(parser, "the hunk before it changes nothing: it has no line with - or +", FORMAT_HINT);
    hunk->count = lines.count;
    hunk->lines = hv_arena_array(parser->arena, struct patch_line, lines.count);
    if (lines.count)
        memcpy(hunk->lines, lines.items, lines.count * sizeof *lines.items);
    vec_release(&lines);
    return code;
}

static enum hv_code parse_update(struct parser *parser, struct patch_file *file)
{
    VEC(struct patch_hunk) hunks = {0};
    enum hv_code code = HV_OK;
    if (starts(parser, "*** Move to:")) {
        file->move_to = behind(parser, "*** Move to:");
        if (!file->move_to.len)
            return fail(parser, "\"*** Move to:\" names no path", FORMAT_HINT);
        if (path_names_directory(file->move_to))
            return fail(parser, "\"*** Move to:\" names a directory, as it ends in a slash", FILE_HINT);
        advance(parser);
    }
    while (!code && !at_end(parser) && !at_file(parser)) {
        if (!hv_str_trim(parser->line).len && (!parser->rest.len || hv_str_starts(parser->rest, HV_STR("*** ")))) {
            advance(parser); /* a blank line before the next file */
            continue;
        }
        struct patch_hunk hunk;
        code = parse_hunk(parser, &hunk);
        *vec_push(&hunks) = hunk;
    }
    if (!code && !hunks.count && !file->move_to.len)
        code = fail(parser, "the update before it has no hunks", FORMAT_HINT);
    file->hunk_count = hunks.count;
    file->hunks = hv_arena_array(parser->arena, struct patch_hunk, hunks.count);
    if (hunks.count)
        memcpy(file->hunks, hunks.items, hunks.count * sizeof *hunks.items);
    vec_release(&hunks);
    return code;
}

static enum hv_code parse_file(struct parser *parser, struct patch_file *file)
{
    static const struct {
        const char *marker;
        enum patch_kind kind;
    } markers[] = {
        {"*** Add File:", PATCH_ADD}, {"*** Update File:", PATCH_UPDATE}, {"*** Delete File:", PATCH_DELETE}};
    *file = (struct patch_file){.line = parser->number};
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++)
        if (starts(parser, markers[i].marker)) {
            file->kind = markers[i].kind;
            file->path = behind(parser, markers[i].marker);
        }
    if (!file->kind)
        return fail(parser,
                    "expected \"*** Add File: \", \"*** Update File: \", \"*** Delete File: \" or \"*** End Patch\"",
                    FORMAT_HINT);
    if (!file->path.len)
        return fail(parser, "the path is missing", FORMAT_HINT);
    if (path_names_directory(file->path))
        return fail(parser, "the path names a directory, as it ends in a slash", FILE_HINT);
    advance(parser);
    return file->kind == PATCH_ADD      ? parse_added(parser, file)
           : file->kind == PATCH_UPDATE ? parse_update(parser, file)
                                        : HV_OK;
}

enum hv_code patch_parse(struct hv_arena *arena, struct hv_str text, struct patch *out, struct hv_error *err)
{
    struct parser parser = {.arena = arena, .rest = text, .err = err};
    VEC(struct patch_file) files = {0};
    enum hv_code code = HV_OK;
    if (lines_newlines(text) > PATCH_LINES_MAX)
        return hv_fail(err, HV_ETOOBIG, "the patch has more than %d lines", PATCH_LINES_MAX);
    do
        advance(&parser);
    while (!parser.done && !starts(&parser, "*** Begin Patch"));
    if (parser.done) {
        parser.number = 1; /* where it should stand */
        return fail(&parser, "there is no \"*** Begin Patch\"", FORMAT_HINT);
    }
    advance(&parser);
    while (!code && !at_end(&parser)) {
        struct patch_file file = {0};
        if (files.count >= PATCH_FILES_MAX)
            code = hv_fail(err, HV_ETOOBIG, "the patch has more than %d files", PATCH_FILES_MAX);
        else if (hv_str_trim(parser.line).len)
            code = parse_file(&parser, &file);
        else
            advance(&parser);
        if (file.kind)
            *vec_push(&files) = file;
    }
    if (!code && parser.done)
        code = fail(&parser, "the patch ends without \"*** End Patch\"; it may have been cut off", FORMAT_HINT);
    if (!code && !files.count)
        code = fail(&parser, "the patch names no file", FORMAT_HINT);
    if (!code) {
        out->count = files.count;
        out->files = hv_arena_array(arena, struct patch_file, files.count);
        memcpy(out->files, files.items, files.count * sizeof *files.items);
    }
    vec_release(&files);
    return code;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

/* The file as lines. */
struct text_lines {
    size_t *begins; /* offsets; begins[count] is the end of the file */
    size_t count;
    struct hv_str file;
};

static void split(struct hv_arena *arena, struct hv_str file, size_t mark, struct text_lines *out)
{
    struct hv_str rest = hv_str_slice(file, mark, file.len), line;
    out->file = file;
    out->begins = hv_arena_array(arena, size_t, lines_count(rest) + 1);
    out->count = 0;
    size_t at = mark;
    for (; lines_next(&rest, &line); at += line.len)
        out->begins[out->count++] = at;
    out->begins[out->count] = at;
}

static struct hv_str line_at(const struct text_lines *lines, size_t index)
{
    return lines_chop(hv_str_slice(lines->file, lines->begins[index], lines->begins[index + 1]));
}

static struct hv_str trim_end(struct hv_str text)
{
    while (text.len && strchr(" \t\r", text.ptr[text.len - 1]))
        text.len--;
    return text;
}

static bool same_line(struct hv_str a, struct hv_str b, bool by_blanks)
{
    return by_blanks ? hv_str_eq(trim_end(a), trim_end(b)) : hv_str_eq(a, b);
}

/* The lines of the hunk that are in the file now. */
static size_t old_lines(struct hv_arena *arena, const struct patch_hunk *hunk, struct hv_str **out)
{
    size_t count = 0;
    *out = hv_arena_array(arena, struct hv_str, hunk->count);
    for (size_t i = 0; i < hunk->count; i++)
        if (hunk->lines[i].sign != '+')
            (*out)[count++] = hunk->lines[i].text;
    return count;
}

static bool fits_at(const struct text_lines *lines, size_t index, const struct hv_str *old, size_t count,
                    bool by_blanks)
{
    if (count > lines->count || index > lines->count - count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!same_line(line_at(lines, index + i), old[i], by_blanks))
            return false;
    return true;
}

/* What is looked for, and from where. */
struct search {
    const struct text_lines *lines;
    const struct hv_str *old;
    size_t count, from;
    bool only_end, by_blanks;
};

/* How many places there are; the first ones, as line indexes, into places. */
static size_t find_places(const struct search *search, size_t *places, size_t room)
{
    size_t found = 0, last = search->lines->count;
    if (search->count > last)
        return 0;
    last -= search->count;
    for (size_t i = search->only_end && last > search->from ? last : search->from; i <= last; i++) {
        if (!fits_at(search->lines, i, search->old, search->count, search->by_blanks))
            continue;
        if (found < room)
            places[found] = i;
        found++;
    }
    return found;
}

/* The line after the anchors, found one after the other; false: *missing is the one that is not there. */
static bool pass_anchors(const struct text_lines *lines, const struct patch_hunk *hunk, size_t *from,
                         struct hv_str *missing)
{
    for (size_t a = 0; a < hunk->anchor_count; a++) {
        size_t at = *from;
        while (at < lines->count && !hv_str_eq(hv_str_trim(line_at(lines, at)), hv_str_trim(hunk->anchors[a])))
            at++;
        if (at == lines->count) {
            *missing = hunk->anchors[a];
            return false;
        }
        *from = at + 1;
    }
    return true;
}

/* ---- splices ----------------------------------------------------------------------------------------------------- */

struct computing {
    struct hv_arena *arena;
    struct text_lines lines;
    enum line_end end; /* of the file's lines */
    VEC(struct edit_splice) splices;
};

/* The line end of a new line that comes before the line `index` of the file: that of its neighbour. */
static struct hv_str end_near(const struct computing *computing, size_t index)
{
    const struct text_lines *lines = &computing->lines;
    for (size_t i = 0; i < 2; i++) {
        size_t at = i ? index : index - 1;
        if (at >= lines->count)
            continue;
        struct hv_str line = hv_str_slice(lines->file, lines->begins[at], lines->begins[at + 1]);
        size_t text = lines_chop(line).len;
        if (text < line.len)
            return hv_str_slice(line, text, line.len);
    }
    return line_end_bytes(computing->end == LINE_END_NONE ? LINE_END_LF : computing->end);
}

static bool ends_open(const struct computing *computing)
{
    struct hv_str file = computing->lines.file;
    return computing->lines.count && file.ptr[file.len - 1] != '\n';
}

/* Whether the file is to end without a line end when these lines come last: as it does, unless the hunk tells else. */
static bool stays_open(const struct computing *computing, const struct patch_line *line, size_t count)
{
    bool came = false, went = false;
    for (size_t i = 0; i < count; i++) {
        came = line[i].sign == '+' ? line[i].open : came;
        went |= line[i].sign == '-' && line[i].open;
    }
    return came || (ends_open(computing) && !went);
}

/* The lines [first, last) of the file give way to the new lines of the hunk from `line` on, up to the next that stays.
 */
static void splice(struct computing *computing, size_t first, size_t last, const struct patch_line *line, size_t count)
{
    CLEANUP_BUF struct hv_buf text = {0};
    hv_buf_init(&text, EDIT_SIZE_MAX);
    struct hv_str end = end_near(computing, first);
    bool at_end = last == computing->lines.count;
    size_t start = computing->lines.begins[first], finish = computing->lines.begins[last], came = 0;
    for (size_t i = 0; i < count; i++) {
        if (line[i].sign != '+')
            continue;
        if (!came++ && at_end && first == last && ends_open(computing)) /* behind a last line without an end */
            hv_buf_add_str(&text, end);
        hv_buf_add_str(&text, line[i].text);
        hv_buf_add_str(&text, end);
    }
    struct hv_str whole = hv_buf_str(&text);
    if (came && at_end && stays_open(computing, line, count))
        whole.len -= end.len;
    *vec_push(&computing->splices) = (struct edit_splice){start, finish, hv_arena_str(computing->arena, whole)};
}

/* The hunk stands at the line `at`: one splice for each run of lines that go and come. */
static void place_hunk(struct computing *computing, const struct patch_hunk *hunk, size_t at)
{
    for (size_t i = 0; i < hunk->count;) {
        size_t run = i, gone = 0;
        while (run < hunk->count && hunk->lines[run].sign != ' ')
            gone += hunk->lines[run++].sign == '-';
        if (run > i)
            splice(computing, at, at + gone, hunk->lines + i, run - i);
        at += gone;
        i = run;
        while (i < hunk->count && hunk->lines[i].sign == ' ')
            i++, at++;
    }
}

/* ---- failures ---------------------------------------------------------------------------------------------------- */

static enum hv_code several(const size_t *places, size_t found, struct patch_failure *failure)
{
    failure->place = (struct edit_failure){.kind = EDIT_AMBIGUOUS, .of_hunk = true, .places = found};
    for (size_t i = 0; i < found && i < EDIT_LINES_SHOWN; i++)
        failure->place.lines[i] = places[i] + 1;
    return HV_ECONFLICT;
}

/* The lines stand elsewhere in the file than the hunk may be. */
static bool stands_elsewhere(const struct search *search, struct patch_failure *failure)
{
    struct search whole = {.lines = search->lines, .old = search->old, .count = search->count, .by_blanks = true};
    size_t place;
    if (!find_places(&whole, &place, 1))
        return false;
    failure->elsewhere = place + 1;
    failure->from = search->only_end && place >= search->from ? 0 : search->from + 1;
    return true;
}

/* Let the edit core say what is nearest, and in what it differs. */
static enum hv_code nowhere(struct computing *computing, const struct search *search, struct patch_failure *failure)
{
    if (stands_elsewhere(search, failure))
        return HV_ENOTFOUND;
    CLEANUP_BUF struct hv_buf old = {0};
    hv_buf_init(&old, EDIT_SIZE_MAX);
    for (size_t i = 0; i < search->count; i++) {
        hv_buf_add_str(&old, search->old[i]);
        hv_buf_add_byte(&old, '\n');
    }
    struct hv_str text = hv_arena_str(computing->arena, hv_buf_str(&old));
    const struct edit_request request = {.old_text = text, .new_text = HV_STR(" ")};
    struct edit edit;
    struct encoding encoding = {0};
    if (edit_compute(computing->arena, computing->lines.file, encoding, &request, &edit, &failure->place) == HV_OK)
        failure->place = (struct edit_failure){.kind = EDIT_NOT_FOUND,
                                               .first_line = edit.first_line,
                                               .last_line = edit.first_line + search->count - 1,
                                               .differs = edit.found_by & EDIT_BY_LINE_NUMBERS ? EDIT_DIFFERS_NUMBERS
                                                          : edit.found_by                      ? EDIT_DIFFERS_QUOTES
                                                                                               : EDIT_DIFFERS_TEXT,
                                               .lines_total = search->count};
    failure->place.kind = EDIT_NOT_FOUND;
    failure->place.of_hunk = true;
    return HV_ENOTFOUND;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static enum hv_code find_hunk(struct computing *computing, const struct patch_hunk *hunk, size_t from, size_t *place,
                              size_t *length, bool *by_blanks, struct patch_failure *failure)
{
    struct hv_str *old;
    if (!pass_anchors(&computing->lines, hunk, &from, &failure->text)) {
        failure->anchor = true;
        return HV_ENOTFOUND;
    }
    *length = old_lines(computing->arena, hunk, &old);
    if (!*length) { /* only new lines: behind the anchor, or at the end */
        *place = hunk->anchor_count && !hunk->at_end ? from : computing->lines.count;
        return HV_OK;
    }
    /* Models repeat the anchor as the first of the lines that stay. */
    if (hunk->anchor_count && hv_str_eq(hv_str_trim(old[0]), hv_str_trim(hunk->anchors[hunk->anchor_count - 1])) &&
        fits_at(&computing->lines, from - 1, old, *length, true))
        from--;
    struct search search = {
        .lines = &computing->lines, .old = old, .count = *length, .from = from, .only_end = hunk->at_end};
    size_t places[EDIT_LINES_SHOWN], found = find_places(&search, places, EDIT_LINES_SHOWN);
    if (!found) {
        search.by_blanks = true;
        found = find_places(&search, places, EDIT_LINES_SHOWN);
        *by_blanks |= found > 0;
    }
    *place = places[0];
    if (!found)
        return nowhere(computing, &search, failure);
    return found == 1 || hunk->anchor_count ? HV_OK : several(places, found, failure);
}

enum hv_code patch_compute(struct hv_arena *arena, struct hv_str file, const struct patch_file *update,
                           struct edit *edit, bool *by_blanks, struct patch_failure *failure)
{
    struct computing computing = {.arena = arena, .end = lines_dominant_end(file)};
    struct encoding encoding = encoding_detect_beginning(hv_str_slice(file, 0, 16));
    enum hv_code code = HV_OK;
    size_t from = 0;
    split(arena, file, encoding.kind == ENCODING_UTF8 ? encoding.mark : 0, &computing.lines);
    *failure = (struct patch_failure){0};
    *by_blanks = false;
    for (size_t i = 0; i < update->hunk_count && !code; i++) {
        size_t place = 0, length = 0;
        failure->hunk = i;
        code = find_hunk(&computing, &update->hunks[i], from, &place, &length, by_blanks, failure);
        if (code)
            break;
        place_hunk(&computing, &update->hunks[i], place);
        from = place + length;
    }
    *edit = (struct edit){.count = computing.splices.count, .size_after = file.len};
    edit->splices = hv_arena_array(arena, struct edit_splice, computing.splices.count);
    for (size_t i = 0; i < computing.splices.count; i++) {
        const struct edit_splice *each = &computing.splices.items[i];
        edit->splices[i] = *each;
        edit->size_after += each->replacement.len - (each->end - each->start);
    }
    vec_release(&computing.splices);
    if (!code && edit->size_after > EDIT_SIZE_MAX) {
        failure->place.kind = EDIT_TOO_LARGE;
        code = HV_ETOOBIG;
    }
    return code;
}
