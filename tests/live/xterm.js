// A terminal without a screen (@xterm/headless), driven line by line: {"write": BASE64}, {"resize": [COLUMNS, ROWS]} or {"dump": true}
// on stdin; each is answered by a line {"said": BASE64, "lines": […]}: what the terminal says to the program, and for a dump
// scroll-back and screen as logical lines. Arguments: where node_modules lies, columns, rows.
const path = require("path");
const [, , folder, columns, rows] = process.argv;
const { Terminal } = require(path.join(folder, "node_modules", "@xterm/headless"));

const terminal = new Terminal({ cols: +columns, rows: +rows, scrollback: 100000, allowProposedApi: true });
let said = "";
terminal.onData((data) => (said += data));
terminal.onBinary((data) => (said += data));

function dump() {
  const buffer = terminal.buffer.active, lines = [];
  for (let i = 0; i < buffer.length; i++) {
    const line = buffer.getLine(i);
    const text = line.translateToString(!buffer.getLine(i + 1)?.isWrapped);
    if (line.isWrapped && lines.length) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  return lines;
}

function answer(lines) {
  process.stdout.write(JSON.stringify({ said: Buffer.from(said).toString("base64"), lines }) + "\n");
  said = "";
}

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const wanted = JSON.parse(line);
  if (wanted.resize) terminal.resize(...wanted.resize);
  terminal.write(Buffer.from(wanted.write || "", "base64"), () => answer(wanted.dump ? dump() : undefined));
});
