/* test_markdown.c: blocks of pages and what becomes of them; what is left out; rows of what was meant and what came. */
#include "html/convert.h"

#include "base/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

struct row {
    const char *html, *markdown;
};

static void check_rows(const struct row *rows, size_t count, bool raw)
{
    const struct html_options options = {.base_url = HV_STR("https://e.org/d/p"), .raw = raw};
    for (size_t i = 0; i < count; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf out = {.max = HTML_OUTPUT_MAX};
        struct html_page page;
        struct hv_error err;
        assert_int_equal(html_to_markdown(hv_str_from(rows[i].html), &options, &arena, &out, &page, &err), HV_OK);
        struct hv_str got = hv_str_trim(hv_buf_str(&out));
        if (!hv_str_is(got, rows[i].markdown))
            fail_msg("%s\n--- meant\n%s\n--- got\n%.*s", rows[i].html, rows[i].markdown, HV_STR_ARG(got));
    }
}
#define CHECK_ROWS(rows, raw) check_rows(rows, sizeof(rows) / sizeof *(rows), raw)

static void headings(void **state)
{
    static const struct row rows[] = {
        {"<h1>A</h1><h2>B</h2><h3>C</h3>", "# A\n\n## B\n\n### C"},
        {"<h4>A</h4><h5>B</h5><h6>C</h6><h7>D</h7>", "#### A\n\n##### B\n\n###### C\n\nD"},
        {"<h1>\n  two\n  lines\n</h1>text", "# two lines\n\ntext"},
        {"<h2>a <em>b</em> <code>c</code> <a href=/x>d</a></h2>", "## a b `c` [d](https://e.org/x)"},
        {"<h2>a<br>b</h2>", "## a b"},
        {"<h2></h2>x", "x"},
        {"<h1>1. x</h1>", "# 1. x"},
        {"<blockquote><h2>A</h2>b</blockquote>", "> ## A\n>\n> b"},
    };
    (void)state;
    CHECK_ROWS(rows, false);
}

static void lists(void **state)
{
    static const struct row rows[] = {
        {"<ul><li>a</li><li>b</li></ul>", "- a\n- b"},
        {"<ol><li>a<li>b<li value=7>c<li>d</ol>", "1. a\n2. b\n7. c\n8. d"},
        {"<ul><li>a<ol><li>b<ul><li>c</ul></ol><li>d</ul>", "- a\n  1. b\n     - c\n- d"},
        {"<ul><li><p>a</p><p>b</p></li><li>c</ul>", "- a\n\n  b\n\n- c"},
        {"<ul><li>a<blockquote>q</blockquote></ul>", "- a\n\n  > q"},
        {"<ol><li>a<pre><code>x\ny</code></pre><li>b</ol>", "1. a\n\n   ```\n   x\n   y\n   ```\n\n2. b"},
        {"<ul><li></li><li>b</ul>", "- b"},
        {"<ul><li><input type=checkbox>a<li><input type=checkbox checked>b</ul>", "- [ ] a\n- [x] b"},
        {"<dl><dt>t</dt><dd>d</dd><dt>u<dd><p>e</p><p>f</p></dl>", "t\n: d\n\nu\n\n: e\n\n  f"},
    };
    (void)state;
    CHECK_ROWS(rows, false);
}

static void tables(void **state)
{
    static const struct row rows[] = {
        {"<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
         "| A | B |\n| --- | --- |\n| 1 | 2 |"},
        {"<table><tr><th>A<th>B<tr><td colspan=2>w<tr><td>x<td>y</table>",
         "| A | B |\n| --- | --- |\n| w |  |\n| x | y |"},
        {"<table><tr><th>A<th>B<tr><td rowspan=2>k<td>1<tr><td>2</table>",
         "| A | B |\n| --- | --- |\n| k | 1 |\n| k | 2 |"},
        {"<table><tr><th>A<th>B<tr><td>a|b<br>c<td>d</table>", "| A | B |\n| --- | --- |\n| a\\|b<br>c | d |"},
        {"<table><tr><td>one<tr><td>column</table>", "one\n\ncolumn"},
        {"<table><caption>Cap</caption><tr><th>A<th>B<tr><td>1<td>2</table>",
         "Cap\n\n| A | B |\n| --- | --- |\n| 1 | 2 |"},
        {"<table><tr><th>A<th>B<tr><td><code>x</code><td><a href=y>z</a></table>",
         "| A | B |\n| --- | --- |\n| `x` | [z](https://e.org/d/y) |"},
        {"<table role=presentation><tr><td>a<td>b</table>", "a\n\nb"},
    };
    (void)state;
    CHECK_ROWS(rows, false);
}

static void code(void **state)
{
    static const struct row rows[] = {
        {"<pre><code class=\"language-py\">a\n  b\n</code></pre>", "```py\na\n  b\n```"},
        {"<pre lang=c class=lang-c>x</pre>", "```c\nx\n```"},
        {"<div class=\"highlight highlight-source-js\"><pre>x</pre></div>", "```js\nx\n```"},
        {"<pre class=\"brush: sql\">x</pre>", "```sql\nx\n```"},
        {"<pre><code>a &lt; b &amp;&amp; c</code></pre>", "```\na < b && c\n```"},
        {"<pre>```\nx</pre>", "````\n```\nx\n````"},
        {"<pre><span class=lineno>1</span>x</pre>", "```\nx\n```"},
        {"<p>a <code>b_c*</code> <kbd>d</kbd></p>", "a `b_c*` `d`"},
        {"<code>``</code>", "``` `` ```"},
    };
    (void)state;
    CHECK_ROWS(rows, false);
}

static void other_blocks(void **state)
{
    static const struct row rows[] = {
        {"<details><summary>Sum</summary><p>body</p></details>", "**Sum**\n\nbody"},
        {"<figure><img src=/a.png alt=A><figcaption>Cap <b>x</b></figcaption></figure>",
         "![A](https://e.org/a.png)\n\n*Cap **x***"},
        {"<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"},
        {"a<hr>b", "a\n\n---\n\nb"},
        {"<p>a<br>b<br><br>c</p>", "a  \nb\n\nc"},
        {"<img srcset='/s.png 1x, /l.png 2x' alt=S>", "![S](https://e.org/s.png)"},
        {"<a href='//x.org/y?a=1&amp;b=2'>z</a>", "[z](https://x.org/y?a=1&b=2)"},
        {"<p>*a* _b_ `c` \\d [e] #f", "\\*a\\* \\_b\\_ \\`c\\` \\d [e] #f"},
        {"<p>snake_case 2 * 3", "snake_case 2 * 3"},
        {"<b>a</b><i>b</i><s>c</s>", "**a***b*~~c~~"},
    };
    (void)state;
    CHECK_ROWS(rows, false);
}

static void boilerplate(void **state)
{
    static const struct row rows[] = {
        {"<nav>n</nav><p>x</p><footer>f</footer><aside>a</aside>", "x"},
        {"<div class='sidebar big'>s</div><div id=toc>t</div><div role=navigation>n</div><p>x", "x"},
        {"<div class=sidebars>kept</div>", "kept"},
        {"<p hidden>h</p><p aria-hidden=true>h</p><p style='DISPLAY : none'>h</p><p>x", "x"},
        {"<script>a<b</script><style>p{}</style><noscript>n</noscript><template>t</template><svg><text>s</text></svg>x",
         "x"},
        {"<!-- <p>c</p> -->x<!--[if IE]>y<![endif]-->", "x"},
        {"<article><aside>kept</aside><p>x</article>", "kept\n\nx"},
        {"<form><button>b</button><select><option>o</select><label>l</label></form>x", "l\n\nx"},
    };
    static const struct row raw_rows[] = {
        {"<nav>n</nav><p>x</p><footer>f</footer>", "n\n\nx\n\nf"},
        {"<p hidden>h</p><div class=sidebar>s</div>x", "h\n\ns\n\nx"},
        {"<script>no</script>x", "x"},
    };
    (void)state;
    CHECK_ROWS(rows, false);
    CHECK_ROWS(raw_rows, true);
}

/* No such page takes long, and none more than its text is kept of. */
static void odd_pages_end(void **state)
{
    static const struct {
        const char *before, *again, *after;
        size_t times;
    } rows[] = {
        {"<p title=\"", "x", "\">after", 4 << 20},
        {"<p ", "a b=1 ", ">after", 400000},
        {"", "<b>", "after", 100000},
        {"", "<div>", "after", 100000},
        {"<!--", "x - >", "-->after", 1 << 20},
        {"<script>", "a<b'\"</p>", "</script>after", 1 << 19},
        {"", "<ul><li>", "after", 50000},
        {"<a href='", "x", "'>after</a>", 4 << 20},
        {"<img src='data:image/png;base64,", "A", "'>after", 4 << 20},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf html = {.max = 64 << 20}, out = {.max = HTML_OUTPUT_MAX};
        const struct html_options options = {.base_url = HV_STR("https://e.org/")};
        struct html_page page;
        struct hv_error err;
        hv_buf_add_cstr(&html, rows[i].before);
        for (size_t count = 0; count < rows[i].times; count++)
            hv_buf_add_cstr(&html, rows[i].again);
        hv_buf_add_cstr(&html, rows[i].after);
        assert_int_equal(html_to_markdown(hv_buf_str(&html), &options, &arena, &out, &page, &err), HV_OK);
        assert_true(hv_str_find(hv_buf_str(&out), HV_STR("after"), 0) != SIZE_MAX);
    }
}

/* The most memory that this process has had. */
static size_t peak_bytes(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (size_t)usage.ru_maxrss * 1024;
}

static void depth_costs_no_memory(void **state)
{
#ifdef __SANITIZE_ADDRESS__ /* where it would take a minute and a half */
    enum { PAGE = 30 << 20, ROOM = 20 << 20 };
#else
    enum { PAGE = 100 << 20, ROOM = 20 << 20 };
#endif
    static const struct {
        const char *again, *after;
        size_t bytes;
        const char *end;
    } rows[] = {
        {"<div>", "after", PAGE, "after"},
        {"<nav>", "</nav>after", PAGE / 10, ""},
        {"<b>x", "after", PAGE / 10, "after"},
        {"<ul><li>", "after<br>more", PAGE / 10, "more"},
        {"<table><tr><td>", "</td></tr></table>after", PAGE / 10, "after"},
        {"<blockquote><pre>", "after", PAGE / 10, "after"},
        {"<div></b><i></u>", "<script>no</script>after", PAGE / 10, "after"},
        {"<span><a href=/x>", "<style>no</style>after", PAGE / 10, "after"},
    };
    (void)state;
    char *bytes = malloc(PAGE + 64);
    memset(bytes, ' ', PAGE + 64);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CLEANUP_ARENA struct hv_arena arena = {0};
        CLEANUP_BUF struct hv_buf out = {.max = HTML_OUTPUT_MAX};
        const struct html_options options = {.base_url = HV_STR("https://e.org/")};
        struct html_page page;
        struct hv_error err;
        size_t step = strlen(rows[i].again), len = 0, before = peak_bytes();
        for (; len + step <= rows[i].bytes; len += step)
            memcpy(bytes + len, rows[i].again, step);
        memcpy(bytes + len, rows[i].after, strlen(rows[i].after));
        len += strlen(rows[i].after);
        if (html_to_markdown(hv_str_of(bytes, len), &options, &arena, &out, &page, &err) != HV_OK)
            fail_msg("%s: %s", rows[i].again, err.message);
        struct hv_str text = hv_buf_str(&out),
                      tail = hv_str_slice(text, text.len > 8192 ? text.len - 8192 : 0, text.len);
        if (hv_str_find(tail, hv_str_from(rows[i].end), 0) == SIZE_MAX)
            fail_msg("%s: no \"%s\" at the end, but %.*s", rows[i].again, rows[i].end, HV_STR_ARG(tail));
        size_t above = peak_bytes() - before;
#ifndef __SANITIZE_ADDRESS__
        if (above > ROOM + out.capacity)
            fail_msg("%s: %zu bytes more than the page", rows[i].again, above);
#endif
        (void)above;
    }
    free(bytes);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_costs_no_memory),
        cmocka_unit_test(headings),
        cmocka_unit_test(lists),
        cmocka_unit_test(tables),
        cmocka_unit_test(code),
        cmocka_unit_test(other_blocks),
        cmocka_unit_test(boilerplate),
        cmocka_unit_test(odd_pages_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
