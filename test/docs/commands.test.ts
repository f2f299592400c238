// The commands of the guides exist, with these options.
import { globSync, readFileSync } from "node:fs";
import { Command } from "commander";
import * as assert from "uvu/assert";
import { commandIn, loadCommand } from "../../cli/commands.ts";
import { suite } from "../suite.ts";

const test = suite("commands in the guides");

/** Returns the commands of the code blocks of a page, each as words. */
function commandsIn(page: string): string[][] {
  const blocks = [...page.matchAll(/^ *```[a-z]*\n([\s\S]*?)^ *```/gm)].map(([, text = ""]) => text);
  return blocks.flatMap((text) =>
    [...text.replaceAll("\\\n", " ").matchAll(/^\s*(?:- run: )?(?:npx )?relevance ([^#\n]*)/gm)].map(([, rest = ""]) =>
      (rest.split(/[|>&;]/)[0] ?? "").trim().split(/\s+/),
    ),
  );
}

async function problemOf(words: readonly string[]): Promise<string | undefined> {
  const name = commandIn(words);
  if (name === undefined) return words[0]?.startsWith("-") || words[0] === "…" ? undefined : "there is no such command";
  const command = new Command();
  (await loadCommand(name)).define(command);
  const known = command.options.flatMap(({ long, short }) => [long, short]);
  const unknown = words.filter((word) => /^--?[a-z]/.test(word)).map((word) => word.split("=")[0] ?? "");
  return unknown.filter((option) => option !== "--help" && !known.includes(option)).join(", ") || undefined;
}

for (const file of ["README.md", ...globSync("docs/guides/*.md")].sort()) {
  test(`${file} names commands and options that exist`, async () => {
    const problems: string[] = [];
    for (const words of commandsIn(readFileSync(file, "utf8"))) {
      const problem = await problemOf(words);
      if (problem) problems.push(`relevance ${words.join(" ")}: ${problem}`);
    }
    assert.equal(problems, []);
  });
}

test("finds commands and options that do not exist", async () => {
  const page =
    "```\nnpx relevance deploy --approved-digset x   # no\nrelevance depoly\n      - run: npx relevance plan --markdwon > x\n```\n";
  const found = await Promise.all(commandsIn(page).map(problemOf));
  assert.equal(found, ["--approved-digset", "there is no such command", "--markdwon"]);
});

test.run();
