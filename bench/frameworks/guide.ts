import { join } from "node:path";

/** What a program may be asked to do, in the order of the table's columns. */
export const STEPS = ["create", "write", "read", "keyword", "vector", "recreate", "delete"] as const;

/** What a program calls: the cluster itself, or the gateway with a key. */
export const TARGETS = ["cluster", "printed", "recommended", "indexes"] as const;

export type Target = (typeof TARGETS)[number];

/** What one program could do, on one version of OpenSearch: the error of each step, or null. */
export interface Run {
  program: string;
  target: Target;
  version: string;
  steps: Partial<Record<string, string | null>>;
}

/** The last run of all programs, as results.json keeps it. */
export interface Results {
  date: string;
  titles: Record<string, string>;
  /** Why programs could not run, by their names. */
  notRun: Record<string, string>;
  runs: Run[];
}

export const GUIDE = join(import.meta.dirname, "../../docs/reference/frameworks.md");

const [START, END] = ["<!-- frameworks: written by make bench ARGS=frameworks -->", "<!-- end of frameworks -->"];

const KEY_NAMES: Readonly<Record<Target, string>> = {
  cluster: "the cluster itself",
  printed: "the printed key",
  recommended: "a `recommended` key",
  indexes: "a `recommended` key with `indexes`",
};

/** Returns the guide with the table of the results between its marks. */
export function withTable(guide: string, results: Results): string {
  const [start, end] = [guide.indexOf(START), guide.indexOf(END)];
  if (start === -1 || end < start) throw new Error(`the guide lacks the marks ${START} and ${END}`);
  return `${guide.slice(0, start + START.length)}\n\n${table(results)}\n\n${guide.slice(end)}`;
}

function table({ titles, notRun, runs }: Results): string {
  const failures: string[] = [];
  const rows = Object.entries(titles).map(([program, title]) => {
    const own = runs.filter((run) => run.program === program);
    const cells = STEPS.map((step) => {
      if (notRun[program] !== undefined) return "not run";
      const played = own.filter(({ steps }) => steps[step] !== undefined);
      if (played.length === 0) return "";
      const failed = played.filter(({ steps }) => steps[step] !== null);
      if (failed.length === 0) return "yes";
      failures.push(...explain(title, step, failed));
      return failed.length === played.length ? "no" : "partly";
    });
    return `| ${title} | ${cells.join(" | ")} |`;
  });
  const versions = [...new Set(runs.map(({ version }) => version))].sort();
  return [
    `With OpenSearch ${versions.join(" and ")}:`,
    "",
    `| program | ${STEPS.join(" | ")} |`,
    `|---|${STEPS.map(() => "---|").join("")}`,
    ...rows,
    ...(failures.length > 0 ? ["", ...failures] : []),
    ...Object.entries(notRun).map(([program, reason]) => `\n${titles[program]} was not run: ${reason}`),
  ].join("\n");
}

/** Returns a line for each error, with the targets and versions where it occurs. */
function explain(title: string, step: string, failed: readonly Run[]): string[] {
  const byError = Map.groupBy(failed, ({ steps }) => reasonIn(steps[step] ?? ""));
  return [...byError].map(([error, runs]) => {
    const targets = TARGETS.flatMap((target) => {
      const versions = runs.filter((run) => run.target === target).map(({ version }) => version);
      return versions.length === 0 ? [] : [`${KEY_NAMES[target]} (${versions.join(", ")})`];
    });
    return `- ${title}, ${step}: not with ${targets.join(", ")}: \`${error.replaceAll("`", "'").replaceAll("|", "\\|")}\``;
  });
}

/** Returns the gateway's reason from a client's error, or the beginning of the error. */
function reasonIn(error: string): string {
  const text = error
    .replaceAll("\\", "")
    .replace(/frameworks-[\w-]+/g, "<index>")
    .replace(/\s+/g, " ");
  const [, rule, reason] = /The rule "([\w-]+)" refuses this call of the key \w+: (.*?)\. The key may/.exec(text) ?? [];
  return rule === undefined ? text.slice(0, 160) : `${rule}: ${reason}`;
}
