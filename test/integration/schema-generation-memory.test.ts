import { execFile } from "node:child_process";
import { closeSync, openSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";

const test = suite("relevance schema-generation: memory");

const BYTES = 100_000_000;
const HEAP_MB = 64;
/** Limit of the whole process, which took 245, of which DuckDB takes 70. Either file, kept as bytes, would add 95. */
const RESIDENT_MB = 300;

const folder = scratchFolder(TEST_OUTPUT, "schema-memory");
const users = join(folder, "users.csv");
const items = join(folder, "items.json");
const interactions = join(folder, "interactions.csv");
test.after(() => rmSync(folder, { recursive: true }));

/** Writes rows until the file has about `BYTES`. Returns how many. */
function write(file: string, start: string, row: (index: number) => string, end: string): number {
  const descriptor = openSync(file, "w");
  let bytes = writeSync(descriptor, start);
  let rows = 0;
  while (bytes < BYTES) {
    let block = "";
    for (; block.length < 1_000_000; rows += 1) block += row(rows);
    bytes += writeSync(descriptor, block);
  }
  writeSync(descriptor, end);
  closeSync(descriptor);
  return rows;
}

/** Returns a different text for each row, so that a program that keeps distinct values would keep them all. */
const text = (index: number) => `n${index} ${"salt harbour storm sail lighthouse ".repeat(25)}`;

const item = (index: number) =>
  JSON.stringify({
    ITEM_ID: `i${index}`,
    TITLE: text(index),
    CATEGORIES: `c${index % 40}|c${index % 7}`,
    PRICE: index / 4,
  });

/** Runs in the process before the CLI. Prints the peak memory of the process when it ends, in KiB. */
const PRINT_PEAK = `data:text/javascript,process.on("exit",()=>console.error("peak",process.resourceUsage().maxRSS))`;

test(`reads a CSV file and a JSON array of ${BYTES / 1e6} MB each with a heap of ${HEAP_MB} MB`, async () => {
  writeFileSync(users, "USER_ID,GENDER\nu1,F\nu2,F\n");
  const itemRows = write(items, "[\n", (index) => `${index === 0 ? "" : ",\n"}${item(index)}`, "\n]\n");
  const header = "USER_ID,ITEM_ID,EVENT_TYPE,TIMESTAMP,REFERRER\n";
  const event = (index: number) => `u${index},i${index},view,${1_740_000_000 + index},"${text(index)}"\n`;
  const eventRows = write(interactions, header, event, "");
  assert.ok([items, interactions].every((file) => statSync(file).size >= BYTES));

  const files = ["--user", users, "--item", items, "--interaction", interactions, "--textual-fields", "TITLE"];
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [
      `--max-old-space-size=${HEAP_MB}`,
      `--import=${PRINT_PEAK}`,
      "cli/main.ts",
      ...["schema-generation", "--conf", join(folder, "conf"), ...files, "--json"],
    ],
    { timeout: 600_000 },
  );
  assert.equal(JSON.parse(stdout).rows, { user: 2, item: itemRows, interaction: eventRows });
  const peak = Number(/^peak (\d+)$/m.exec(stderr)?.[1]) / 1_024;
  assert.ok(peak < RESIDENT_MB, `the process took ${Math.round(peak)} MB`);
});

test.run();
