import { type ExperimentReport, FEWEST_USERS, MEASURES, SOUGHT_CHANGE } from "./report.ts";

/** Returns the verdict of a report in sentences: first what makes it worthless, then each variant, then what is missing. */
export function verdictLines(report: ExperimentReport): string[] {
  const { variants, split, mixedUsers, anonymousSearches, usersNeeded, metric } = report;
  const lines: string[] = [];
  if (!split.isAsConfigured) {
    const counts = variants.map(({ name, users }) => `${name} ${users}`).join(", ");
    lines.push(
      `Do not trust this report: the users (${counts}) are not split as configured (p = ${split.p.toExponential(1)}). ` +
        "Changed shares during the period cause this, and so do lost searches of one variant.",
    );
  }
  lines.push(...report.outcomes.map(({ variant }) => sentenceOf(report, variant)));
  const few = variants.filter(({ users }) => users < FEWEST_USERS).map(({ name }) => name);
  if (few.length > 0)
    lines.push(`Fewer than ${FEWEST_USERS} users in ${few.join(", ")}: the intervals are unreliable.`);
  if (usersNeeded !== null) {
    lines.push(
      `To find a relative difference of ${100 * SOUGHT_CHANGE} % in ${metric} four times out of five, each variant needs ` +
        `${usersNeeded} users.`,
    );
  }
  if (mixedUsers > 0) lines.push(`Left out: ${mixedUsers} users who were in several variants.`);
  if (anonymousSearches > 0) lines.push(`Left out: ${anonymousSearches} searches whose user the log does not name.`);
  return lines;
}

function sentenceOf({ variants, outcomes, metric }: ExperimentReport, name: string): string {
  const baseline = variants[0]?.name ?? "";
  const outcome = outcomes.find(({ variant }) => variant === name)?.outcome;
  const difference = variants.find((variant) => variant.name === name)?.measures[metric].difference;
  const digits = metric === "milliseconds" ? 1 : 4;
  const shown = (value = Number.NaN) => `${value > 0 ? "+" : ""}${value.toFixed(digits)}`;
  const numbers = `${shown(difference?.value)} (95 % interval ${shown(difference?.low)} to ${shown(difference?.high)})`;
  const what = `${metric} (${MEASURES[metric].says})`;
  if (outcome === "no difference") {
    return `${name} and ${baseline} do not differ in ${what} by more than chance explains: ${numbers}.`;
  }
  return `${name} is ${outcome} than ${baseline} in ${what}: ${numbers}.`;
}
