/*
 * trace_html.c: the trace as one page of HTML. See trace.h.
 *
 * The page holds no script at all and forbids any by its content policy, so nothing that a journal holds can run;
 * besides, every byte of text goes through put_text. Since the page is written in one pass, what is only known at the
 * end of a section (its length, its sums) stands at its end and is moved up by the style sheet: bars are placed by
 * calc() from custom properties, whose divisor a <style> after the section sets.
 */
#include "base/clock.h"
#include "base/utf8.h"
#include "journal/trace_inner.h"

#include <inttypes.h>

static const char page_head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\"><title>helve trace</title>\n<style>\n"
    ":root{color-scheme:light dark;--model:#7c9cf5;--first:#c3d1fb;--hook:#d9a13b;--permission:#d45d8a;--waits:#bbb;"
    "--runs:#4aa564;--error:#d0453e;--line:#8884;--zoom:1}\n"
    "body{font:14px/1.4 system-ui,sans-serif;margin:1rem;display:flex;flex-direction:column}\n"
    "header{order:-3}.legend{order:-2;margin:.5rem 0;display:flex;gap:1rem;flex-wrap:wrap;align-items:center}\n"
    "h1{font-size:1.2rem;margin:0}h2{font-size:1rem;order:-1;margin:1.2rem 0 .2rem;position:sticky;left:0}\n"
    "section{display:flex;flex-direction:column;overflow-x:auto;--total:1}\n"
    ".row{border-top:1px solid var(--line);min-width:max-content}\n"
    "summary,.plain{display:flex;align-items:center;list-style:none;cursor:pointer}\n"
    ".plain{cursor:default}summary::-webkit-details-marker{display:none}\n"
    "summary:hover,.plain:hover{background:var(--line)}\n"
    ".label{position:sticky;left:0;z-index:1;width:26rem;flex:none;white-space:nowrap;overflow:hidden;"
    "text-overflow:ellipsis;padding:.1rem .5rem;background:Canvas;unicode-bidi:isolate}\n"
    ".label b{font-weight:600}.error b{color:var(--error)}.time{float:right;padding-left:.5rem;opacity:.7}\n"
    ".lane{position:relative;height:1.3rem;flex:none;width:calc((100vw - 30rem)*var(--zoom));"
    "background:repeating-linear-gradient(90deg,var(--line) 0 1px,#0000 1px 10%)}\n"
    ".lane i{position:absolute;top:.2rem;height:.9rem;border-radius:2px;left:calc(100%*var(--s)/var(--total));"
    "width:max(2px,calc(100%*var(--d)/var(--total)));background:var(--runs)}\n"
    ".lane .life{top:.6rem;height:.1rem;background:var(--waits)}.lane .model{background:var(--model)}\n"
    ".lane .first{background:var(--first)}.lane .hook{background:var(--hook)}\n"
    ".lane .permission{background:var(--permission)}.lane .waits{background:var(--waits)}\n"
    ".lane .mark{background:CanvasText}.error .lane .runs{background:var(--error)}\n"
    ".legend "
    "i{display:inline-block;width:1.2rem;height:.8rem;border-radius:2px;margin-right:.3rem;vertical-align:middle}\n"
    ".details{margin:.3rem .5rem 1rem 1.5rem;max-width:calc(100vw - 5rem);position:sticky;left:1.5rem}\n"
    ".details h3{font-size:.85rem;margin:.5rem 0 .1rem;opacity:.7}\n"
    "pre{margin:0;padding:.4rem;max-height:24rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere;"
    "background:#8881;unicode-bidi:isolate}\n"
    "table{border-collapse:collapse}td,th{text-align:left;padding:0 .8rem 0 0;font-weight:normal}\n";

static const unsigned zooms[] = {1, 2, 4, 8, 16, 32, 64};

/* ---- pieces -------------------------------------------------------------------------------------------------- */

static void put(struct trace_writer *writer, const char *markup)
{
    hv_buf_add_cstr(&writer->buf, markup);
}

/* Characters that turn the direction of what follows could make a text look like another one. */
static bool turns_direction(uint32_t code_point)
{
    return (code_point >= 0x202a && code_point <= 0x202e) || (code_point >= 0x2066 && code_point <= 0x2069);
}

static bool is_control(uint32_t code_point)
{
    return (code_point < 0x20 && code_point != '\n' && code_point != '\t') ||
           (code_point >= 0x7f && code_point <= 0x9f);
}

/* Any text, so that it can stand between tags and within quoted attributes. */
static void put_text(struct trace_writer *writer, struct hv_str text)
{
    struct hv_buf *buf = &writer->buf;
    for (size_t at = 0; at < text.len;) {
        uint32_t c;
        size_t len = utf8_decode(text, at, &c);
        switch (c) {
        case '&': hv_buf_add_cstr(buf, "&amp;"); break;
        case '<': hv_buf_add_cstr(buf, "&lt;"); break;
        case '>': hv_buf_add_cstr(buf, "&gt;"); break;
        case '"': hv_buf_add_cstr(buf, "&quot;"); break;
        case '\'': hv_buf_add_cstr(buf, "&#39;"); break;
        case '\r': break;
        case UTF8_INVALID: hv_buf_add_cstr(buf, UTF8_REPLACEMENT); break;
        default:
            if (is_control(c) || turns_direction(c))
                hv_buf_addf(buf, "\xe2\x9f\xa8U+%04" PRIX32 "\xe2\x9f\xa9", c);
            else
                hv_buf_add(buf, text.ptr + at, len);
        }
        at += len;
    }
}

static void put_duration(struct trace_writer *writer, uint64_t ns)
{
    double ms = (double)ns / (double)CLOCK_MILLISECOND;
    if (ms < 1000)
        hv_buf_addf(&writer->buf, ms < 10 ? "%.2f ms" : "%.0f ms", ms);
    else if (ms < 120000)
        hv_buf_addf(&writer->buf, "%.2f s", ms / 1000);
    else
        hv_buf_addf(&writer->buf, "%.0f min %02.0f s", (double)(uint64_t)(ms / 60000),
                    (double)((uint64_t)(ms / 1000) % 60));
}

/* A bar from start to end on the section's line. Its tooltip names it. */
static void put_bar(struct trace_writer *writer, const struct trace_section *section, const char *kind, uint64_t start,
                    uint64_t end, struct hv_str text)
{
    uint64_t from = start > section->start ? start - section->start : 0;
    uint64_t length = end > start ? end - start : 0;
    hv_buf_addf(&writer->buf, "<i class=\"%s\" style=\"--s:%.3f;--d:%.3f\" title=\"%s ", kind,
                (double)from / (double)CLOCK_MILLISECOND, (double)length / (double)CLOCK_MILLISECOND, kind);
    put_duration(writer, length);
    if (text.len > 0) {
        put(writer, ": ");
        put_text(writer, text);
    }
    put(writer, "\"></i>");
}

static void put_label(struct trace_writer *writer, struct hv_str name, struct hv_str key, uint64_t duration)
{
    put(writer, "<span class=\"label\">");
    if (duration > 0) {
        put(writer, "<span class=\"time\">");
        put_duration(writer, duration);
        put(writer, "</span>");
    }
    put(writer, "<b>");
    put_text(writer, name);
    put(writer, "</b> ");
    put_text(writer, key);
    put(writer, "</span><span class=\"lane\">");
}

static void put_detail(struct trace_writer *writer, const char *title, struct hv_str text)
{
    if (!text.ptr)
        return;
    hv_buf_addf(&writer->buf, "<h3>%s</h3><pre>", title);
    put_text(writer, text);
    put(writer, "</pre>");
}

/* ---- the form ------------------------------------------------------------------------------------------------ */

static void begin(struct trace_writer *writer)
{
    put(writer, page_head);
    for (size_t i = 0; i < sizeof zooms / sizeof *zooms; i++)
        hv_buf_addf(&writer->buf, "body:has(#z%u:checked){--zoom:%u}", zooms[i], zooms[i]);
    put(writer, "\n</style></head><body>\n<div class=\"legend\">"
                "<span><i style=\"background:var(--first)\"></i>until the first byte</span>"
                "<span><i style=\"background:var(--model)\"></i>model stream</span>"
                "<span><i style=\"background:var(--hook)\"></i>hook</span>"
                "<span><i style=\"background:var(--permission)\"></i>waits for permission</span>"
                "<span><i style=\"background:var(--waits)\"></i>waits for other calls</span>"
                "<span><i style=\"background:var(--runs)\"></i>runs</span>"
                "<span><i style=\"background:var(--error)\"></i>ended with an error</span><span>zoom:");
    for (size_t i = 0; i < sizeof zooms / sizeof *zooms; i++)
        hv_buf_addf(&writer->buf, " <label><input type=\"radio\" name=\"zoom\" id=\"z%u\"%s>%u</label>", zooms[i],
                    zooms[i] == 1 ? " checked" : "", zooms[i]);
    put(writer, "</span></div>\n");
}

static void section_begin(struct trace_writer *writer, const struct trace_section *section)
{
    hv_buf_addf(&writer->buf, "<section id=\"s%" PRIu64 "\">\n", section->number);
}

static void put_response(struct trace_writer *writer, const struct trace_section *section,
                         const struct trace_response *response)
{
    uint64_t first = response->first_byte ? response->first_byte : response->end;
    put(writer, "<details class=\"row\"><summary>");
    put_label(writer, HV_STR("model"), response->model, response->end - response->start);
    put_bar(writer, section, "first", response->start, first, HV_STR("until the first byte"));
    if (response->first_byte)
        put_bar(writer, section, "model", first, response->end, response->stop);
    put(writer, "</span></summary><div class=\"details\">");
    put_detail(writer, "ended", response->ended ? response->stop : HV_STR("no end was recorded"));
    put_detail(writer, "data", response->details);
    put(writer, "</div></details>\n");
}

static uint64_t run_time(const struct trace_call *call)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < call->span_count; i++)
        if (call->spans[i].kind == TRACE_RUN)
            sum += call->spans[i].end - call->spans[i].start;
    return sum;
}

static void put_times(struct trace_writer *writer, const struct trace_call *call)
{
    put(writer, "<h3>times</h3><table>");
    for (size_t i = 0; i < call->span_count; i++) {
        const struct trace_span *span = &call->spans[i];
        hv_buf_addf(&writer->buf, "<tr><td>%s</td><td>", trace_kind_name(span->kind));
        put_duration(writer, span->end - span->start);
        put(writer, "</td><td>");
        put_text(writer, span->text);
        put(writer, "</td></tr>");
    }
    put(writer, "</table>");
}

static void put_call(struct trace_writer *writer, const struct trace_section *section, const struct trace_call *call)
{
    bool bad = call->result.ptr && !call->ok;
    hv_buf_addf(&writer->buf, "<details class=\"row%s\"><summary>", bad ? " error" : "");
    put_label(writer, call->tool, call->key, run_time(call));
    put_bar(writer, section, "life", call->start, call->end, call->summary);
    for (size_t i = 0; i < call->span_count; i++)
        put_bar(writer, section, trace_kind_name(call->spans[i].kind), call->spans[i].start, call->spans[i].end,
                call->spans[i].text);
    put(writer, "</span></summary><div class=\"details\">");
    put_detail(writer, "call", call->id);
    put_detail(writer, "input", call->input);
    put_detail(writer, "decision", call->decision);
    put_detail(writer, "asked", call->question);
    put_times(writer, call);
    put_detail(writer, "summary", call->summary);
    put_detail(writer, "result", call->result.ptr ? call->result : HV_STR("no result was recorded"));
    put(writer, "</div></details>\n");
}

static void put_mark(struct trace_writer *writer, const struct trace_section *section, const struct trace_mark *mark)
{
    put(writer, "<details class=\"row\"><summary>");
    put_label(writer, mark->name.len > 0 ? mark->name : hv_str_from(mark->kind), mark->text, mark->end - mark->start);
    bool hook = hv_str_is(HV_STR("hook"), mark->kind);
    put_bar(writer, section, hook ? "hook" : "mark", mark->start, hook ? mark->end : mark->start, mark->text);
    put(writer, "</span></summary><div class=\"details\">");
    put_detail(writer, mark->kind, mark->text);
    put(writer, "</div></details>\n");
}

static void put_sum(struct trace_writer *writer, const char *name, uint64_t ns)
{
    if (ns == 0)
        return;
    hv_buf_addf(&writer->buf, " · %s ", name);
    put_duration(writer, ns);
}

static void put_sums(struct trace_writer *writer, const struct trace_sums *sums)
{
    hv_buf_addf(&writer->buf, " · %" PRIu64 " request%s · %" PRIu64 " call%s", sums->requests,
                sums->requests == 1 ? "" : "s", sums->calls, sums->calls == 1 ? "" : "s");
    if (sums->failed > 0)
        hv_buf_addf(&writer->buf, ", %" PRIu64 " with an error", sums->failed);
    put_sum(writer, "model", sums->model_ns);
    put_sum(writer, "tools", sums->tool_ns);
    put_sum(writer, "of these behind the stream", sums->hidden_ns);
    put_sum(writer, "permission", sums->person_ns);
    put_sum(writer, "hooks", sums->hook_ns);
}

static void section_end(struct trace_writer *writer, const struct trace_section *section)
{
    uint64_t length = section->end - section->start;
    if (section->sums.omitted > 0)
        hv_buf_addf(&writer->buf,
                    "<div class=\"row\">%" PRIu64
                    " more calls are left out of this page; --format chrome shows all</div>\n",
                    section->sums.omitted);
    hv_buf_addf(&writer->buf, "<h2>Turn %" PRIu64 " · ", section->number);
    put_duration(writer, length);
    put_sums(writer, &section->sums);
    hv_buf_addf(&writer->buf, "</h2></section>\n<style>#s%" PRIu64 "{--total:%.3f}</style>\n", section->number,
                length > 1000 ? (double)length / (double)CLOCK_MILLISECOND : 0.001);
}

static void put_faults(struct trace_writer *writer, const struct journal_faults *faults)
{
    if (faults->bad_lines > 0) {
        hv_buf_addf(&writer->buf, "<p>%" PRIu64 " lines of the journal could not be read (first: line %" PRIu64 ", ",
                    faults->bad_lines, faults->first_bad_line);
        put_text(writer, hv_str_from(faults->first.message));
        put(writer, ").</p>");
    }
    if (faults->torn)
        put(writer, "<p>The journal ends within a line: its writer was cut off.</p>");
    if (faults->read_errno)
        put(writer, "<p>Reading the journal failed before its end.</p>");
}

static void end(struct trace_writer *writer, const struct trace_summary *summary)
{
    put(writer, "<header><h1>Session ");
    put_text(writer, summary->id);
    put(writer, "</h1><p>");
    put_text(writer, summary->directory);
    put(writer, " · ");
    put_text(writer, summary->model);
    hv_buf_addf(&writer->buf, " · %" PRIu64 " events · ", summary->events);
    put_duration(writer, summary->end);
    put_sums(writer, &summary->sums);
    put(writer, "</p>");
    put_faults(writer, summary->faults);
    put(writer, "</header>\n</body></html>\n");
}

enum hv_code trace_write_html(struct journal_reader *reader, const struct trace_output *output, struct hv_error *err)
{
    static const struct trace_form form = {
        .begin = begin,
        .section_begin = section_begin,
        .response = put_response,
        .call = put_call,
        .mark = put_mark,
        .section_end = section_end,
        .end = end,
        .calls_max = TRACE_CALLS_MAX,
    };
    struct trace_writer writer = {.output = output};
    return trace_write(reader, &form, &writer, err);
}
