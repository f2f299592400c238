import type { Colors } from "../../terminal.ts";
import type { AttributeChange } from "./attributes.ts";
import type { IdleCost } from "./idle-costs.ts";
import type { Action } from "./plan-json.ts";
import type { PlannedChange, PlanSummary, StackSummary } from "./summary.ts";

/** The file beside the full plans with the notes that stand. */
export const NOTES_FILE = "notes.txt";

/** Kinds of resources shown for a new stack; the full plan lists all resources. */
const MAX_KINDS = 6;

/** Characters shown of a note that stands. */
const MAX_SUBJECT = 60;

/** Attributes shown for one resource; the full plan lists all. */
const MAX_ATTRIBUTES = 8;

/** Stands before costs without prices, so that a reader does not look for dollars. */
const NO_PRICES = "amounts without prices, since AWS lists none for a local cloud, China and GovCloud:";

const SIGNS: Readonly<Record<Action, string>> = {
  create: "+",
  update: "~",
  replace: "±",
  delete: "-",
  forget: ".",
  import: "←",
};

const WORDS: Readonly<Record<Action, string>> = {
  create: "to create",
  update: "to change",
  replace: "to replace",
  delete: "to delete",
  forget: "to forget",
  import: "to adopt",
};

const COLORS = {
  create: "green",
  update: "yellow",
  replace: "red",
  delete: "red",
  forget: "dim",
  import: "cyan",
} as const satisfies Readonly<Record<Action, keyof Colors>>;

/** Formats the summary as text, without a trailing newline. */
export function formatSummary(summary: PlanSummary, paint: Colors): string {
  const blocks = summary.stacks.map((stack) => formatStack(stack, paint));
  const warnings = formatWarnings(summary);
  if (warnings.length > 0)
    blocks.push(
      block(
        "Warnings",
        warnings.map((line) => paint.red(line)),
        paint,
      ),
    );
  const costs = formatCosts(summary);
  if (costs.length > 0) blocks.push(block("Costs while idle, once applied", costs, paint));
  const notes = formatNotes(summary);
  if (notes.length > 0) blocks.push(block("Notes", notes, paint));
  blocks.push(paint.bold(summary.changes ? `Plan: ${counted(summary.counts)}.` : "Nothing to change."));
  return blocks.join("\n\n");
}

function block(heading: string, lines: readonly string[], paint: Colors): string {
  return [paint.bold(heading), ...lines.map((line) => `  ${line}`)].join("\n");
}

/** The notes on this plan, and a line with the first words of those that stand. */
function formatNotes({ notes, standing }: PlanSummary): string[] {
  if (standing.length === 0) return notes;
  const subjects = new Set(standing.map((note) => note.split(/[:,]/, 1)[0]?.slice(0, MAX_SUBJECT)));
  return [...notes, `As before, in ${NOTES_FILE} of the full plans: ${[...subjects].join("; ")}`];
}

function formatStack({ stack, changes, isNew }: StackSummary, paint: Colors): string {
  if (changes.length === 0) return `${paint.bold(stack)}  no changes`;
  if (isNew) {
    const text = `new: ${kindsOf(changes)}; ${stack}.txt of the full plans lists them`;
    return `${paint.bold(stack)}  ${paint.green(text)}`;
  }
  return [paint.bold(stack), ...changes.flatMap((change) => formatChange(change, paint))].join("\n");
}

/** Counts resources and their commonest kinds: "3 to create (2 iam_role, 1 lambda_function)". */
function kindsOf(changes: readonly PlannedChange[]): string {
  const counts = new Map<string, number>();
  for (const { address } of changes) {
    const kind = address.split(".", 1)[0]?.replace(/^aws_/, "") ?? "";
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  const others = sorted.slice(MAX_KINDS).reduce((sum, [, count]) => sum + count, 0);
  const shown = sorted.slice(0, MAX_KINDS).map(([kind, count]) => `${count} ${kind}`);
  return `${changes.length} to create (${[...shown, ...(others > 0 ? [`${others} others`] : [])].join(", ")})`;
}

function formatChange({ address, action, attributes }: PlannedChange, paint: Colors): string[] {
  const hidden = attributes.length - MAX_ATTRIBUTES;
  const shown = hidden > 1 ? attributes.slice(0, MAX_ATTRIBUTES) : attributes;
  return [
    `  ${paint[COLORS[action]](`${SIGNS[action]} ${address}`)}`,
    ...shown.map((attribute) => `      ${formatAttribute(attribute, paint)}`),
    ...(hidden > 1 ? [`      ${paint.dim(`and ${hidden} more`)}`] : []),
  ];
}

function formatAttribute({ path, before, after, forcesReplacement }: AttributeChange, paint: Colors): string {
  const values = `${before ?? "(none)"} → ${after ?? "(none)"}`;
  return `${path}: ${paint.dim(values)}${forcesReplacement ? paint.red("  forces replacement") : ""}`;
}

function formatWarnings({ stacks }: PlanSummary): string[] {
  return stacks.flatMap(({ changes }) =>
    changes.flatMap(({ address, action, risk }) =>
      risk ? [`${address} is ${action === "replace" ? "replaced" : "deleted"}: ${risk.effect}`] : [],
    ),
  );
}

/** One amount with its parts, each as before → after where it changes. */
function formatCosts({ idleCosts, idleCostsBefore, monthlySum }: PlanSummary): string[] {
  const isFirst = idleCostsBefore.length === 0;
  const shown = (before: string, after: string) => (isFirst || before === after ? after : `${before} → ${after}`);
  const dollars = (what: string) => {
    const [before, after] = [monthlySum?.before.parts[what], monthlySum?.parts[what]];
    return before === undefined && after === undefined ? "" : ` ${shown(money(before ?? 0), money(after ?? 0))}`;
  };
  const kinds = new Map([...idleCosts, ...idleCostsBefore].map(({ what, billed }) => [what, billed]));
  const parts = [...kinds].map(([what, billed]) => {
    const [before = [], after = []] = [idleCostsBefore, idleCosts].map((all) => all.filter((one) => one.what === what));
    if (billed === "by the hour") return `${what}${dollars(what)}, ${billed}: ${shown(listOf(before), listOf(after))}`;
    return `${shown(countOf(before), countOf(after))} × ${what}${dollars(what)}, ${billed}`;
  });
  if (!monthlySum) return parts.length > 0 ? [NO_PRICES, ...parts] : [];
  const { before, without, read, byPage } = monthlySum;
  const pages = byPage.length > 0 ? ` (of us-east-1 for ${byPage.join(", ")})` : "";
  const missing = without.length > 0 ? `, without ${without.join(", ")}` : "";
  const sum = shown(money(before.dollars), money(monthlySum.dollars));
  return [`about ${sum} a month in all, by the list prices of ${read}${pages}${missing}:`, ...parts];
}

const money = (dollars: number) =>
  `$${dollars.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

const listOf = (costs: readonly IdleCost[]) =>
  costs.flatMap(({ names, amount }) => names.map((name) => `${name} ${amount}`)).join(", ") || "none";

const countOf = (costs: readonly IdleCost[]) => String(costs.reduce((sum, { names }) => sum + names.length, 0));

/** Formats counts as "2 to create, 1 to change", without the zeros. */
function counted(counts: PlanSummary["counts"]): string {
  const parts = (Object.keys(WORDS) as Action[])
    .filter((action) => counts[action] > 0)
    .map((action) => `${counts[action]} ${WORDS[action]}`);
  return parts.length === 0 ? "only outputs of Terraform change" : parts.join(", ");
}
