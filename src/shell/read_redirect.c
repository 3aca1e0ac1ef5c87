/* read_redirect.c: redirections and the bodies of here-documents. bash(1), "REDIRECTION". */
#include "shell/read.h"

bool read_at_redirect(const struct reader *reader)
{
    int byte = read_peek(reader, 0), next = read_peek(reader, 1);
    return ((byte == '<' || byte == '>') && next != '(') || (byte == '&' && next == '>');
}

bool read_descriptor(struct reader *reader, int *descriptor, struct hv_str *variable)
{
    enum { DIGITS_MAX = 9 };
    size_t length = 0;
    int byte, value = 0;
    *variable = (struct hv_str){0};
    *descriptor = -1;
    if (read_peek(reader, 0) == '{') {
        length = read_identifier(reader->source.text, reader->source.at + 1);
        byte = read_peek(reader, length + 2);
        if (!length || read_peek(reader, length + 1) != '}' || (byte != '<' && byte != '>') ||
            read_peek(reader, length + 3) == '(')
            return false;
        *variable = read_slice(reader, reader->source.at + 1, reader->source.at + 1 + length);
        reader->source.at += length + 2;
        return true;
    }
    for (; (byte = read_peek(reader, length)) >= '0' && byte <= '9' && length <= DIGITS_MAX; length++)
        value = length < DIGITS_MAX ? value * 10 + (byte - '0') : value;
    if (!length || length > DIGITS_MAX || (byte != '<' && byte != '>') || read_peek(reader, length + 1) == '(')
        return false;
    *descriptor = value;
    reader->source.at += length;
    return true;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static const struct operator
{
    const char *text;
    enum shell_redirect_kind kind;
    int descriptor;
    bool document, strip_tabs;
}
operators[] = {
    /* the longer before the shorter */
    {"&>>", SHELL_REDIRECT_BOTH_APPEND, 1, false, false}, {"&>", SHELL_REDIRECT_BOTH, 1, false, false},
    {"<<<", SHELL_REDIRECT_HERE_STRING, 0, false, false}, {"<<-", SHELL_REDIRECT_HERE, 0, true, true},
    {"<<", SHELL_REDIRECT_HERE, 0, true, false},          {"<&", SHELL_REDIRECT_DUPLICATE, 0, false, false},
    {"<>", SHELL_REDIRECT_READ_WRITE, 0, false, false},   {"<", SHELL_REDIRECT_READ, 0, false, false},
    {">>", SHELL_REDIRECT_APPEND, 1, false, false},       {">&", SHELL_REDIRECT_DUPLICATE, 1, false, false},
    {">|", SHELL_REDIRECT_WRITE, 1, false, false},        {">", SHELL_REDIRECT_WRITE, 1, false, false},
};

static const struct operator* read_operator(struct reader *reader)
{
    struct hv_str rest = hv_str_slice(reader->source.text, reader->source.at, SIZE_MAX);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (*operators[i].text != *rest.ptr || !hv_str_starts(rest, hv_str_from(operators[i].text)))
            continue;
        reader->source.at += strlen(operators[i].text);
        return &operators[i];
    }
    return NULL;
}

/* The delimiter of a here-document: only quotes are removed. */
static bool await_document(struct reader *reader, size_t node, size_t index, const struct operator* operator,
                           const struct raw_word * word)
{
    enum { DOCUMENTS_MAX = 16 }; /* bash's own bound */
    if (reader->documents.count >= DOCUMENTS_MAX)
        return read_stop(reader, "more here-documents than bash takes at once");
    struct hv_buf out;
    struct pending_document document = {.node = node, .redirect = index, .strip_tabs = operator->strip_tabs };
    document.literal = word->quoted;
    hv_buf_init(&out, SHELL_SCRIPT_MAX);
    for (size_t i = 0; i < word->count; i++) {
        if (word->parts[i].kind != PART_TEXT) {
            hv_buf_release(&out);
            return read_stop(reader, "an expansion in the delimiter of a here-document");
        }
        hv_buf_add_str(&out, word->parts[i].text);
    }
    document.delimiter = hv_arena_str(reader->arena, hv_buf_str(&out));
    hv_buf_release(&out);
    if (hv_str_find_byte(document.delimiter, '\n', 0) != SIZE_MAX || word->joined ||
        hv_str_starts(word->text, HV_STR("$")))
        return read_stop(reader, "a delimiter of a here-document that is not plain");
    *vec_push(&reader->documents) = document;
    return true;
}

/* Behind >& bash takes a "-" alone, whatever follows it, and digits before another operator. 0: neither. */
static size_t descriptor_length(const struct reader *reader)
{
    size_t digits = 0;
    if (read_peek(reader, 0) == '-')
        return 1;
    while (read_peek(reader, digits) >= '0' && read_peek(reader, digits) <= '9')
        digits++;
    return read_peek(reader, digits) == '<' || read_peek(reader, digits) == '>' ? digits : 0;
}

static bool read_target(struct reader *reader, bool duplicate, struct raw_word *word)
{
    if (read_peek(reader, 0) == '\\' && read_peek(reader, 1) == '\n')
        return read_stop(reader, "a continued line right behind an operator of redirection");
    if (!read_blanks(reader))
        return false;
    size_t length = duplicate ? descriptor_length(reader) : 0;
    if (!length)
        return read_word(reader, WORD_PLAIN, word);
    size_t base = reader->parts.count;
    *word = (struct raw_word){.text = read_slice(reader, reader->source.at, reader->source.at + length)};
    read_add_text(reader, word->text, false);
    word->parts = read_take_parts(reader, base, &word->count);
    reader->source.at += length;
    return true;
}

bool read_redirect(struct reader *reader, size_t node, size_t index, int descriptor, struct hv_str variable)
{
    const struct operator* operator= read_operator(reader);
    struct raw_redirect redirect = {.descriptor = descriptor, .variable = variable};
    if (!operator)
        return read_stop(reader, "an operator of redirection that bash does not know");
    redirect.kind = operator->kind;
    if (descriptor < 0 && !variable.ptr)
        redirect.descriptor = operator->descriptor;
    if (!read_target(reader, operator->kind == SHELL_REDIRECT_DUPLICATE, &redirect.target))
        return false;
    if (operator->document && !await_document(reader, node, index, operator, & redirect.target))
        return false;
    *vec_push(&reader->redirects) = redirect;
    return true;
}

/* ---- here-documents ---------------------------------------------------------------------------------------------- */

/* One line of a body, without its newline: continued lines are joined in *line (else a view). False at the end. */
static bool next_line(struct reader *reader, const struct pending_document *document, struct hv_buf *joined,
                      struct hv_str *line)
{
    struct source *source = &reader->source;
    hv_buf_clear(joined);
    for (;;) {
        size_t from = source->at, end = hv_str_find_byte(source->text, '\n', from), slashes = 0;
        if (from >= source->text.len) {
            *line = hv_buf_str(joined);
            return joined->len > 0;
        }
        *line = hv_str_slice(source->text, from, end);
        source->at = end == SIZE_MAX ? source->text.len : end + 1;
        while (slashes < line->len && line->ptr[line->len - 1 - slashes] == '\\')
            slashes++;
        bool continued = !document->literal && slashes % 2 && end != SIZE_MAX;
        if (!continued && !joined->len)
            return true;
        hv_buf_add(joined, line->ptr, line->len - continued);
        if (!continued) {
            *line = hv_buf_str(joined);
            return true;
        }
    }
}

/* The end of the script closes a body, too: bash warns, and ends its last line. */
static bool ends_with_script(struct reader *reader, size_t from, struct hv_buf *body, bool *copied)
{
    struct hv_str text = reader->source.text;
    char last = text.len > from ? text.ptr[text.len - 1] : '\n';
    if (reader->reason || reader->place_flags & SHELL_IN_SUBSTITUTION || reader->source.copied || last == '\\')
        return false;
    if (last != '\n') {
        hv_buf_add_byte(body, '\n');
        *copied = true;
    }
    reader->open_document = true;
    return true;
}

/* The text of a body. A view while no byte of it had to be left out; *copied says so. */
static bool read_body(struct reader *reader, const struct pending_document *document, struct hv_buf *body, bool *copied,
                      struct hv_str *view)
{
    size_t from = reader->source.at, end = from;
    struct hv_buf joined;
    struct hv_str line;
    bool found = false;
    hv_buf_init(&joined, SHELL_SCRIPT_MAX);
    *copied = false;
    for (; !reader->reason && next_line(reader, document, &joined, &line); end = reader->source.at) {
        *copied |= line.ptr == joined.data;
        while (document->strip_tabs && line.len && *line.ptr == '\t') {
            line = hv_str_slice(line, 1, SIZE_MAX);
            *copied = true;
        }
        if ((found = hv_str_eq(line, document->delimiter)))
            break;
        if (reader->depth && hv_str_starts(line, document->delimiter) && hv_str_find_byte(line, ')', 0) != SIZE_MAX)
            read_stop(reader, "a here-document that ends within a substitution");
        hv_buf_add_str(body, line);
        if (reader->source.text.ptr[reader->source.at - 1] == '\n')
            hv_buf_add_byte(body, '\n');
    }
    hv_buf_release(&joined);
    *view = read_slice(reader, from, end);
    found = found || ends_with_script(reader, from, body, copied);
    return found || read_stop(reader, "a here-document is not closed");
}

static bool read_document(struct reader *reader, const struct pending_document *document)
{
    struct hv_buf body;
    struct hv_str view;
    bool copied;
    size_t from = reader->source.at;
    hv_buf_init(&body, SHELL_SCRIPT_MAX);
    bool good = read_body(reader, document, &body, &copied, &view);
    if (good && copied)
        view = hv_arena_str(reader->arena, hv_buf_str(&body));
    hv_buf_release(&body);
    if (!good)
        return false;
    struct raw_word word = {.text = view, .quoted = true};
    struct node node = reader->nodes.items[document->node];
    if (document->literal) {
        size_t base = reader->parts.count;
        read_add_text(reader, view, true);
        word.parts = read_take_parts(reader, base, &word.count);
    } else {
        struct source source = {.text = view, .offset = reader->source.offset, .copied = copied};
        source.copied |= reader->source.copied;
        source.offset += reader->source.copied ? 0 : from;
        uint32_t parent = reader->parent;
        unsigned flags = reader->place_flags;
        reader->parent = (uint32_t)document->node;
        reader->place_flags = node.place & ~(unsigned)SHELL_IN_PIPELINE;
        if (!read_here_body(reader, source, &word))
            return false;
        reader->parent = parent;
        reader->place_flags = flags;
    }
    reader->nodes.items[document->node].redirects[document->redirect].target = word;
    return true;
}

bool read_documents(struct reader *reader)
{
    /* The bodies may hold substitutions with here-documents of their own. */
    size_t count = reader->documents.count;
    struct pending_document *documents = hv_arena_alloc(reader->arena, count * sizeof *documents);
    memcpy(documents, reader->documents.items, count * sizeof *documents);
    reader->documents.count = 0;
    for (size_t i = 0; i < count; i++)
        if (!reader->nodes.items[documents[i].node].finished || !read_document(reader, &documents[i]))
            return read_stop(reader, "a here-document in the midst of a command");
    return true;
}
