// files.js: what bench/files asks of Node: a request is a line of JSON, and so is its answer. Numbered lines of a file,
// of a large one by a stream; an edit by a file beside it and a rename; no checks, no state, no permissions.
"use strict";
const fs = require("fs");
const readline = require("readline");
const WHOLE_MAX = 64 << 20;

function numbered(lines, first) {
  return lines.map((line, index) => String(first + index).padStart(6) + "\t" + line).join("\n");
}

function readWhole(path, offset, limit) {
  const lines = fs.readFileSync(path, "utf8").split("\n");
  return numbered(lines.slice(offset - 1, offset - 1 + limit), offset);
}

function readRange(path, offset, limit) {
  const file = fs.openSync(path), piece = Buffer.allocUnsafe(1 << 20), kept = [];
  let line = 1;
  for (let got; line < offset + limit && (got = fs.readSync(file, piece)) > 0;) {
    let from = 0;
    for (let at; line < offset && (at = piece.subarray(0, got).indexOf(10, from)) >= 0; line++) from = at + 1;
    if (line < offset) continue;
    kept.push(Buffer.from(piece.subarray(from, got)));
    for (let at = from; line < offset + limit && (at = piece.subarray(0, got).indexOf(10, at)) >= 0; at++) line++;
  }
  fs.closeSync(file);
  return numbered(Buffer.concat(kept).toString("utf8").split("\n").slice(0, limit), offset);
}

function answer(request) {
  if (request.what === "read") {
    const large = fs.statSync(request.path).size > WHOLE_MAX;
    return { text: (large ? readRange : readWhole)(request.path, request.offset, request.limit) };
  }
  if (request.what === "many") return { texts: request.paths.map((path) => readWhole(path, 1, 2000)) };
  const text = fs.readFileSync(request.path, "utf8"), at = text.indexOf(request.old);
  if (at < 0 || text.indexOf(request.old, at + 1) >= 0) return { error: "not found, or not once" };
  fs.writeFileSync(request.path + ".new", text.slice(0, at) + request.new + text.slice(at + request.old.length));
  fs.renameSync(request.path + ".new", request.path);
  return { text: "done" };
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n");
});
