import { execFileSync } from "node:child_process";
import * as assert from "uvu/assert";
import { shellWord } from "../../../lib/platform/shell-word.ts";
import { suite } from "../../suite.ts";

const test = suite("words of a shell");

test("plain words stay as they are, and a shell reads all others as they were", () => {
  assert.is(shellWord("../my-search_2"), "../my-search_2");
  const odd = ["my shop", "it's", '"$HOME"', "a`id`b", "a\\b", "~", "*", "a;b&c|d", "(a)", "#a", "new\nline", "ü", ""];
  const script = `printf '%s\\0' ${odd.map(shellWord).join(" ")}`;
  assert.equal(execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1), odd);
});

test.run();
