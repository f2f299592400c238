import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { BuildError } from "./error.ts";
import { buildFunctions } from "./functions.ts";

const HELP = `Bundles functions for Lambda: dist/functions/<name>/ and dist/functions/<name>.zip

  make build                    every function
  make build ARGS=api-router    one of them
  --out DIR                     where to write (default dist/functions)
`;

/** Builds what the arguments say and prints a line a function; gives the exit code. */
async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { out: { type: "string", default: "dist/functions" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const built = await buildFunctions({
    outdir: values.out,
    ...(positionals.length > 0 && { functions: positionals }),
  });
  for (const [name, { zip, dir, sha256 }] of Object.entries(built)) {
    const entry = statSync(`${dir}/index.mjs`).size;
    console.log(`${name.padEnd(20)} ${kilobytes(statSync(zip).size)} zip ${kilobytes(entry)} entry  ${sha256}`);
  }
  return 0;
}

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(0).padStart(6)} kB`;

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const expected = error instanceof BuildError;
  const usage = (error as { code?: string }).code?.startsWith("ERR_PARSE_ARGS") ?? false;
  console.error(expected || usage ? (error as Error).message : error);
  process.exitCode = usage ? 2 : 1;
}
