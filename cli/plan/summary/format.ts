import type { Colors } from "../../terminal.ts";
import type { AttributeChange } from "./attributes.ts";
import type { Action } from "./plan-json.ts";
import type { MonthlySum, PlannedChange, PlanSummary, StackSummary } from "./summary.ts";

/** Attributes shown for one resource; the full plan lists all. */
const MAX_ATTRIBUTES = 8;

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
  if (summary.notes.length > 0) blocks.push(block("Notes", summary.notes, paint));
  blocks.push(paint.bold(summary.changes ? `Plan: ${counted(summary.counts)}.` : "Nothing to change."));
  return blocks.join("\n\n");
}

function block(heading: string, lines: readonly string[], paint: Colors): string {
  return [paint.bold(heading), ...lines.map((line) => `  ${line}`)].join("\n");
}

function formatStack({ stack, changes }: StackSummary, paint: Colors): string {
  if (changes.length === 0) return `${paint.bold(stack)}  no changes`;
  return [paint.bold(stack), ...changes.flatMap((change) => formatChange(change, paint))].join("\n");
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

function formatCosts(summary: PlanSummary): string[] {
  const sum = summary.monthlySum ? [formatSum(summary.monthlySum)] : [];
  return [...formatUnits(summary), ...sum];
}

/** Largest parts first. */
function formatSum({ dollars, parts, without, read }: MonthlySum): string {
  const sorted = Object.entries(parts).sort(([, a], [, b]) => b - a);
  const list = sorted.map(([what, part]) => `${what} ${money(part)}`).join(", ");
  const missing = without.length > 0 ? `; without ${without.join(", ")}` : "";
  return `about ${money(dollars)} a month in all, by the list prices of ${read}: ${list}${missing}`;
}

const money = (dollars: number) =>
  `$${dollars.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

function formatUnits({ idleCosts, interfaceEndpoints }: PlanSummary): string[] {
  const lines = idleCosts.map(({ what, names, amount, billed }) => {
    if (billed === "by the hour") return `${what}, ${billed}: ${names.map((name) => `${name} ${amount}`).join(", ")}`;
    return `${names.length} × ${what}, ${billed}`;
  });
  const { endpoints, interfaces } = interfaceEndpoints;
  if (endpoints === 0) return lines;
  return [...lines, `${endpoints} interface endpoints are billed as ${interfaces}, one per zone`];
}

/** Formats counts as "2 to create, 1 to change", without the zeros. */
function counted(counts: PlanSummary["counts"]): string {
  const parts = (Object.keys(WORDS) as Action[])
    .filter((action) => counts[action] > 0)
    .map((action) => `${counts[action]} ${WORDS[action]}`);
  return parts.length === 0 ? "only outputs of Terraform change" : parts.join(", ");
}
