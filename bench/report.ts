import type { Result, Row } from "./result.ts";

/** Returns the word for whether a row keeps its budget. */
export function verdict({ kept: isKept }: Row): string {
  if (isKept === undefined) return "no budget";
  return isKept ? "kept" : "MISSED";
}

/** The rows that a user decides by: a benchmark, how its row begins, and what the user would have without the product. */
const DECIDING: ReadonlyArray<readonly [benchmark: string, row: string, instead: string]> = [
  ["processor-time", "processor time of a search, compared", "the official client in a service of your own"],
  ["processor-time", "processor time of a raw call with an answer of 1 MB", "a pass-through by node:http"],
  ["http-path", "the whole HTTP path", "a direct call of the cluster"],
  ["hybrid", "hybrid search with", "the native hybrid query"],
  ["bulk", "bulk of 1,000 documents", "native _bulk"],
  ["cold-start", "cold start: import of the entry", "no function: a container that always runs"],
  ["bulk", "memory of api-router", "Node alone"],
  [
    "recommend",
    "recommend-items-to-user, compared with the bare Personalize call, 4 in parallel, item records kept",
    "the bare Personalize call",
  ],
  ["etl", "ETL, interactions a second a core, 100,000,000", "none measured"],
];

/** Returns the deciding rows that were measured, each with date, commit and load. */
function deciding(all: Readonly<Record<string, Result>>): string[] {
  return DECIDING.flatMap(([benchmark, start, instead]) => {
    const { date, commit = "", rows = [] } = all[benchmark] ?? {};
    const row = rows.find(({ what }) => what.startsWith(start));
    if (!row) return [];
    const load = /load [\d.]+ on \d+ processors/.exec(row.note)?.[0] ?? "";
    return [
      `| ${row.what} | ${instead} | ${row.reached} | ${row.budget}: ${verdict(row)} | ${date} | ${commit} | ${load} |`,
    ];
  });
}

/** Returns the text of bench/RESULTS.md. */
export function report(all: Readonly<Record<string, Result>>): string {
  const measured = Object.entries(all);
  const lines = [
    "# Benchmark results",
    "",
    "The rows to decide by; the rest of this page is an appendix by area. Figures of a busy machine are worse than yours: the",
    "ratios compare both sides in turns, and milliseconds are those of the machine.",
    "",
    "| what | what you would use instead | measured | budget | date | commit | load |",
    "|---|---|---|---|---|---|---|",
    ...deciding(all),
    "| dollars an hour at 10, 1,000 and 10,000 searches a second | a container behind a load balancer, and four other ways | [the table of sizing](../docs/reference/sizing.md#what-the-way-to-the-gateway-costs) | none | computed | | |",
    "",
    "## All rows",
    "",
    "Written by `make bench` from [results.json](results.json); do not edit. Client, gateway and servers share one machine and",
    "its processors. Each ratio compares both sides in one run, taking turns. [ENDED.md](ENDED.md) has the last figures of",
    "benchmarks that no longer run.",
    "",
    "| what | budget | measured | kept | how |",
    "|---|---|---|---|---|",
    ...measured.flatMap(([, { rows }]) =>
      rows.map((row) => `| ${row.what} | ${row.budget} | ${row.reached} | ${verdict(row)} | ${row.note} |`),
    ),
    "",
    "| benchmark | date | commit | machine |",
    "|---|---|---|---|",
    ...measured.map(([name, { date, commit = "", machine: on }]) => `| ${name} | ${date} | ${commit} | ${on} |`),
    ...measured.flatMap(([name, { rows }]) => {
      const details = rows.flatMap((row) => (row.details === undefined ? [] : ["", row.details]));
      return details.length > 0 ? ["", `## ${name}`, ...details] : [];
    }),
  ];
  return `${lines.join("\n")}\n`;
}
