import { resolve } from "node:path";
import { shellWord } from "../../lib/platform/shell-word.ts";
import { defineCommand } from "../command.ts";
import { createProject } from "../init/create.ts";
import { argument, filled } from "../options.ts";

/** `relevance init`: creates a project that uses this package. */
export const command = defineCommand({
  example: "relevance init my-search",
  options: { folder: argument("<folder>", "the project's folder; `.` for this one", filled("needs a name")) },
  run: async ({ folder }, { terminal }) => {
    await createProject(folder);
    terminal.print(
      `Created a project in ${folder}: conf/ for AWS, conf.local/ for this machine, a Makefile, and pipelines for`,
    );
    terminal.print("GitHub and GitLab. Next:\n");
    if (folder !== ".") terminal.print(`  cd ${shellWord(folder)}`);
    for (const line of ["npm install", "npx relevance dev"]) terminal.print(`  ${line}`);
    const { spaceProblem } = await import("../../packages/local/opensearch/start.ts");
    const problem = spaceProblem(resolve(folder));
    if (problem !== undefined) terminal.note(`\n${problem} before \`relevance dev\``);
  },
});
