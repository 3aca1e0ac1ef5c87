/* list.c: which models a server has. See model.h. */
#include "model/provider.h"

#include "base/cleanup.h"
#include "loop/loop.h"
#include "net/http.h"

enum { LIST_MAX = 4 << 20, NAMES_MAX = 2000, NAME_BYTES_MAX = 256 };

struct list_request {
    struct loop *loop;
    struct hv_buf body;
    int status;
    enum hv_code code;
    struct hv_error err;
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

static void list_on_end(void *user, enum hv_code code, const struct hv_error *err)
{
    struct list_request *request = user;
    request->code = code;
    if (code != HV_OK)
        request->err = *err;
    loop_stop(request->loop);
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

/* {"data":[{"id":"name"},…]}, as both services write it; other servers imitate it. */
static enum hv_code list_read(struct hv_str body, struct hv_arena *arena, struct hv_str **names, size_t *count,
                              struct hv_error *err)
{
    const struct hv_json *answer;
    enum hv_code code = hv_json_parse(arena, body, HV_JSON_REPAIR_SURROGATES | HV_JSON_REPAIR_UTF8, &answer, err);
    const struct hv_json *data = code == HV_OK ? hv_json_get(answer, "data") : NULL;
    if (hv_json_type_of(data) != HV_JSON_ARRAY)
        return hv_fail(err, HV_EUNSUPPORTED, "the server's list of models cannot be read");
    struct hv_str *found = hv_arena_array(arena, struct hv_str, NAMES_MAX);
    hv_json_each(entry, data)
    {
        struct hv_str name = hv_json_get_string(entry, "id");
        if (name.len > 0 && name.len <= NAME_BYTES_MAX && *count < NAMES_MAX)
            found[(*count)++] = name;
    }
    *names = found;
    return HV_OK;
}

static enum hv_code list_judge(const struct list_request *request, struct hv_error *err)
{
    if (request->code != HV_OK) {
        *err = request->err;
        return request->code;
    }
    if (request->status == 401 || request->status == 403)
        return hv_fail(err, HV_EACCES, "the server refused the key (HTTP %d)", request->status);
    if (request->status < 200 || request->status > 299)
        return hv_fail(err, HV_EUNSUPPORTED, "the server gave no list of models (HTTP %d)", request->status);
    return HV_OK;
}

enum hv_code model_list(struct model *model, uint64_t timeout_ms, struct hv_arena *arena, struct hv_str **names,
                        size_t *count, struct hv_error *err)
{
    struct list_request list = {.loop = model->loop};
    struct http_transfer *transfer;
    *count = 0;
    *names = NULL;
    if (model->recording)
        return hv_fail(err, HV_EUNSUPPORTED, "a recording has no list of models");
    enum hv_code code = model_client(model, err);
    if (code != HV_OK)
        return code;
    struct http_request request = {
        .url = list_url(model, arena),
        .headers = model->headers.items,
        .header_count = model->headers.count,
        .connect_timeout_ms = timeout_ms,
        .total_timeout_ms = timeout_ms,
        .max_body = LIST_MAX,
    };
    struct http_handlers handlers = {
        .on_status = list_on_status, .on_body = list_on_body, .on_end = list_on_end, .user = &list};
    hv_buf_init(&list.body, LIST_MAX);
    code = http_send(model->client, &request, &handlers, &transfer, err);
    if (code == HV_OK) {
        loop_run(model->loop);
        code = list_judge(&list, err);
    }
    if (code == HV_OK)
        code = list_read(hv_buf_str(&list.body), arena, names, count, err);
    hv_buf_release(&list.body);
    return code;
}
