/* list.c: which models a server has. See model.h. */
#include "model/provider.h"

#include "base/cleanup.h"
#include "loop/loop.h"
#include "net/http.h"

enum { LIST_MAX = 4 << 20, NAMES_MAX = 2000, NAME_BYTES_MAX = 256 };

struct list_request {
    struct hv_arena *arena; /* of the names */
    struct hv_buf body;
    int status;
    model_on_list *on_done;
    void *user;
};

static void list_on_status(void *user, int status, const struct http_headers *headers)
{
    (void)headers;
    ((struct list_request *)user)->status = status;
}

static void list_on_body(void *user, struct hv_str bytes)
{
    hv_buf_add_str(&((struct list_request *)user)->body, bytes);
}

/* "https://host/v1/messages?x" → "https://host/v1/models?x" */
static struct hv_str list_url(const struct model *model, struct hv_arena *arena)
{
    size_t question = hv_str_find_byte(model->url, '?', 0);
    struct hv_str query = question == SIZE_MAX ? (struct hv_str){0} : hv_str_slice(model->url, question, SIZE_MAX);
    struct hv_str base = hv_str_slice(model->url, 0, question), path = hv_str_from(model->provider->path);
    if (hv_str_ends(base, path))
        base.len -= path.len;
    return hv_arena_format(arena, "%.*s/models%.*s", HV_STR_ARG(base), HV_STR_ARG(query));
}

static enum hv_code fail_unlisted(struct hv_error *err, const char *message)
{
    hv_fail(err, HV_EUNSUPPORTED, "%s", message);
    hv_error_hint(err, "check the base URL; without a list, a model can still be named by --model PROVIDER:NAME");
    return HV_EUNSUPPORTED;
}

/* {"data":[{"id":"name"},…]}, as both services write it; other servers imitate it. */
static enum hv_code list_read(struct hv_str body, struct hv_arena *arena, struct hv_str **names, size_t *count,
                              struct hv_error *err)
{
    const struct hv_json *answer;
    enum hv_code code = hv_json_parse(arena, body, HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8, &answer, err);
    const struct hv_json *data = code == HV_OK ? hv_json_get(answer, "data") : NULL;
    if (hv_json_type_of(data) != HV_JSON_ARRAY)
        return fail_unlisted(err, "the server's list of models cannot be read");
    struct hv_str *found = hv_arena_array(arena, struct hv_str, NAMES_MAX);
    hv_json_each(entry, data)
    {
        struct hv_str name = hv_json_get_string(entry, "id");
        if (name.len > 0 && name.len <= NAME_BYTES_MAX && *count < NAMES_MAX)
            found[(*count)++] = hv_arena_str(arena, name); /* the body goes */
    }
    *names = found;
    return HV_OK;
}

static enum hv_code list_judge(int status, struct hv_error *err)
{
    char message[80];
    if (status == 401 || status == 403) {
        hv_fail(err, HV_EACCES, "the server refused the key (HTTP %d)", status);
        hv_error_hint(err, "check the key, and whether the base URL is that of its service");
        return HV_EACCES;
    }
    if (status >= 200 && status <= 299)
        return HV_OK;
    snprintf(message, sizeof message, "the server gave no list of models (HTTP %d)", status);
    return fail_unlisted(err, message);
}

static void list_on_end(void *user, enum hv_code code, const struct hv_error *err)
{
    struct list_request *list = user;
    struct hv_str *names = NULL;
    struct hv_error reason = {0};
    size_t count = 0;
    if (code != HV_OK)
        reason = *err;
    else
        code = list_judge(list->status, &reason);
    if (code == HV_OK)
        code = list_read(hv_buf_str(&list->body), list->arena, &names, &count, &reason);
    list->on_done(list->user, code, names, count, &reason);
    hv_buf_release(&list->body);
    free(list);
}

enum hv_code list_begin(struct model *model, uint64_t timeout_ms, struct hv_arena *arena, model_on_list *on_done,
                        void *user, struct http_transfer **out, struct hv_error *err)
{
    if (model->recording)
        return fail_unlisted(err, "a recording has no list of models");
    enum hv_code code = model_client(model, err);
    if (code != HV_OK)
        return code;
    struct list_request *list = hv_calloc(1, sizeof *list);
    *list = (struct list_request){.arena = arena, .on_done = on_done, .user = user};
    hv_buf_init(&list->body, LIST_MAX);
    struct http_request request = {
        .url = list_url(model, arena),
        .headers = model->headers.items,
        .header_count = model->headers.count,
        .connect_timeout_ms = timeout_ms,
        .total_timeout_ms = timeout_ms,
        .max_body = LIST_MAX,
    };
    struct http_handlers handlers = {
        .on_status = list_on_status, .on_body = list_on_body, .on_end = list_on_end, .user = list};
    code = http_send(model->client, &request, &handlers, out, err);
    if (code != HV_OK) {
        hv_buf_release(&list->body);
        free(list);
    }
    return code;
}

enum hv_code model_list_begin(struct model *model, uint64_t timeout_ms, struct hv_arena *arena, model_on_list *on_done,
                              void *user, struct hv_error *err)
{
    struct http_transfer *transfer;
    return list_begin(model, timeout_ms, arena, on_done, user, &transfer, err);
}

bool model_list_has(const struct hv_str *names, size_t count, struct hv_str name)
{
    for (size_t i = 0; i < count; i++)
        if (hv_str_eq(names[i], name))
            return true;
    return false;
}

/* ---- the same, waited for ------------------------------------------------------------------------------------ */

struct list_wait {
    struct loop *loop;
    enum hv_code code;
    struct hv_str *names;
    size_t count;
    struct hv_error err;
};

static void list_waited(void *user, enum hv_code code, struct hv_str *names, size_t count, const struct hv_error *err)
{
    struct list_wait *wait = user;
    wait->code = code;
    wait->names = names;
    wait->count = count;
    wait->err = *err;
    loop_stop(wait->loop);
}

enum hv_code model_list(struct model *model, uint64_t timeout_ms, struct hv_arena *arena, struct hv_str **names,
                        size_t *count, struct hv_error *err)
{
    struct list_wait wait = {.loop = model->loop};
    struct http_transfer *transfer;
    *count = 0;
    *names = NULL;
    enum hv_code code = list_begin(model, timeout_ms, arena, list_waited, &wait, &transfer, err);
    if (code != HV_OK)
        return code;
    loop_run(model->loop);
    *names = wait.names;
    *count = wait.count;
    *err = wait.err;
    return wait.code;
}

struct hv_str model_list_text(struct hv_arena *arena, const struct hv_str *names, size_t count)
{
    enum { TOLD_MAX = 12 };
    struct hv_str text = {0};
    for (size_t i = 0; i < count && i < TOLD_MAX; i++)
        text = hv_arena_format(arena, "%.*s%s%.*s", HV_STR_ARG(text), i ? ", " : "", HV_STR_ARG(names[i]));
    return count > TOLD_MAX ? hv_arena_format(arena, "%.*s, …", HV_STR_ARG(text)) : text;
}
