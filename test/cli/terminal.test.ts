import * as assert from "uvu/assert";
import { reportError } from "../../cli/report-error.ts";
import { createTerminal } from "../../cli/terminal.ts";
import { createProgress } from "../../lib/recommendation/upload/upload-file.ts";
import { parseConfiguration } from "../../lib/settings/parse.ts";
import { suite } from "../suite.ts";

const test = suite("what a terminal is sent");

/** Hides what stands before it, sets the title of the window, moves the cursor, ends a line early, turns text around. */
const HOSTILE = [
  "\u001b[8m",
  "\u001b]0;title\u0007",
  "\u009b2J",
  "a\rb",
  "\u202eevil\u202c",
  "\u2066x\u2069",
  "\u0000\u007f",
];
const OBEYED = /(?!\t|\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

const parsing = async (yaml: string) => parseConfiguration({ "project.yaml": yaml });

const OWN = ["\u001b[1m", "\u001b[22m", "\u001b[31m", "\u001b[39m"];

function streams({ isTTY = true, noColor = false } = {}) {
  const written = { out: "", err: "" };
  const stream = (name: "out" | "err") => ({ isTTY, write: (text: string) => (written[name] += text) });
  return { written, terminal: createTerminal(stream("out"), stream("err"), noColor) };
}

test("control sequences of others are shown instead of obeyed, in results and in notes", () => {
  const { written, terminal } = streams();
  for (const text of HOSTILE) {
    terminal.print(`name: ${text}`);
    terminal.note(`name: ${text}`);
  }
  for (const text of [written.out, written.err]) {
    assert.not.match(text, OBEYED);
    assert.match(text, "name: \\u001b[8m\nname: \\u001b]0;title\\u0007\n");
    assert.match(text, "\\u202eevil\\u202c");
  }
});

test("keys of a YAML file cannot change the report of their problems", async () => {
  for (const isTTY of [true, false]) {
    const { written, terminal } = streams({ isTTY });
    const yaml = HOSTILE.map((text) => `${JSON.stringify(text)}: 1\n`).join("");
    const error = await parsing(yaml).catch((thrown: unknown) => thrown);
    assert.is(await reportError(error, ["validate"], terminal), 2);
    assert.match(written.err, "\\u001b[8m");
    assert.not.match(
      OWN.reduce((text, code) => text.replaceAll(code, ""), written.err),
      OBEYED,
    );
  }
});

test("our own colours and the line of a progress bar stay, and none without colours", () => {
  const { written, terminal } = streams();
  terminal.print(terminal.colors.red(`a ${terminal.colors.bold("b")}`));
  assert.is(written.out, "\u001b[31ma \u001b[1mb\u001b[22m\u001b[39m\n");
  const progress = createProgress({ isTerminal: true, note: terminal.note }, "users", 2);
  progress(1);
  progress(2);
  assert.is(written.err.split("\u001b[1A\u001b[2K").length, 2);
  const plain = streams({ noColor: true });
  plain.terminal.note("\u001b[31mred");
  assert.is(plain.written.err, "\\u001b[31mred\n");
});

test("JSON keeps its values, and a result for another program every byte", () => {
  const { written, terminal } = streams({ isTTY: false });
  terminal.printJson(HOSTILE);
  assert.not.match(written.out, OBEYED);
  assert.equal(JSON.parse(written.out), HOSTILE);
  for (const text of HOSTILE) terminal.print(text);
  assert.ok(written.out.endsWith(HOSTILE.map((text) => `${text}\n`).join("")));
});

test("progress without a terminal has its first line, one each five seconds, and its last", () => {
  const lines: string[] = [];
  let now = 0;
  const progress = createProgress({ isTerminal: false, note: (line) => lines.push(line) }, "users", 4, () => now);
  for (const [at, time] of [10_000, 14_999, 15_000, 15_001].entries()) {
    now = time;
    progress(at + 1);
  }
  assert.equal(
    lines.map((line) => line.split(",")[0]),
    ["users: 1 of 4", "users: 3 of 4", "users: 4 of 4"],
  );
});

test.run();
