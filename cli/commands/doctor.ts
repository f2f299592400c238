import { defineCommand } from "../command.ts";
import { findTerraform } from "../terraform/binary.ts";

/** `relevance doctor`: checks all programs that the tool needs, and says how to install what is missing. */
export const command = defineCommand({
  example: "relevance doctor",
  options: {},
  run: async (_, { terminal, env }) => {
    const { findingsOf, localChecks } = await import("../../packages/local/dev/tools.ts");
    const { devOptions } = await import("../../packages/local/dev/options.ts");
    const options = devOptions([], env);
    const findings = await findingsOf([
      ...(options ? localChecks(options) : []),
      ["Terraform", "terraform", async () => version(await findTerraform(env))],
    ]);
    const { green, red } = terminal.colors;
    for (const { name, found, problem } of findings) {
      const mark = problem === undefined ? green("ok     ") : red("missing");
      terminal.print(`${mark} ${name.padEnd(11)} ${(found ?? problem ?? "").replaceAll("\n", `\n${" ".repeat(20)}`)}`);
    }
    const missing = findings.filter(({ problem }) => problem !== undefined);
    if (missing.length === 0) return 0;
    terminal.note(
      `\n${missing.length} missing. \`relevance dev\` needs all but Terraform, which \`relevance plan\` and \`relevance deploy\` need.`,
    );
    return 1;
  },
});

const version = ({ product, version }: Awaited<ReturnType<typeof findTerraform>>) => `${product} ${version}`;
