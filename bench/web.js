// web.js: what bench/web asks of Node: each page through linkedom, readability and turndown, the way tools do it that fetch
// pages for models. Prints a line of JSON a page: its Markdown, and the milliseconds of the best of three rounds.
"use strict";
const fs = require("fs"), path = require("path");
const modules = path.join(process.argv[2], "node_modules");
const { parseHTML } = require(path.join(modules, "linkedom"));
const { Readability } = require(path.join(modules, "@mozilla", "readability"));
const Turndown = require(path.join(modules, "turndown"));
const turndown = new Turndown({ headingStyle: "atx", codeBlockStyle: "fenced" });
turndown.keep(["table"]);

function convert(html) {
  const { document } = parseHTML(html);
  const article = new Readability(document).parse();
  const content = article ? article.content : html;
  return { content, markdown: turndown.turndown(content) };
}

for (const name of process.argv.slice(3)) {
  const html = fs.readFileSync(name, "utf8");
  let best = Infinity, made;
  for (let round = 0; round < 3; round++) {
    const start = process.hrtime.bigint();
    made = convert(html);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e6);
  }
  const count = (pattern) => (made.content.match(pattern) || []).length;
  console.log(JSON.stringify({ name, ms: best, headings: count(/<h[1-6][ >]/g), code: count(/<pre[ >]/g), cells: count(/<t[dh][ >]/g), links: count(/<a [^>]*href/g) }));
}
