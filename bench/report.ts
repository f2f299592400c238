import type { Result, Row } from "./result.ts";

/** Returns the word for whether a row keeps its budget. */
export function verdict({ kept: isKept }: Row): string {
  if (isKept === undefined) return "no budget";
  return isKept ? "kept" : "MISSED";
}

/** Returns the text of bench/RESULTS.md. */
export function report(all: Readonly<Record<string, Result>>): string {
  const measured = Object.entries(all);
  const lines = [
    "# Benchmark results",
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
    "| benchmark | date | machine |",
    "|---|---|---|",
    ...measured.map(([name, { date, machine: on }]) => `| ${name} | ${date} | ${on} |`),
    ...measured.flatMap(([name, { rows }]) => {
      const details = rows.flatMap((row) => (row.details === undefined ? [] : ["", row.details]));
      return details.length > 0 ? ["", `## ${name}`, ...details] : [];
    }),
  ];
  return `${lines.join("\n")}\n`;
}
