import { createHash } from "node:crypto";
import type { Configuration } from "../../lib/settings/configuration.ts";
import type { Planned } from "./planned.ts";
import type { Prepared } from "./prepare.ts";

/** Inputs of a digest besides the stacks' plans. */
interface Covered {
  config: Pick<Configuration, "files" | "project">;
  prepared: Pick<Prepared, "discovery" | "functions">;
}

/**
 * Returns a digest of everything that a deployment would change: two plans with the same digest make the same changes,
 * whichever machine made them and however the state got there. It covers sensitive values too, but only their hash.
 */
export function planDigest({ config, prepared }: Covered, { stacks }: Pick<Planned, "stacks">): string {
  const { account, region } = prepared.discovery;
  const changes = stacks.map(({ stack, plan }) => [
    stack.name,
    (plan.resource_changes ?? [])
      .filter(({ mode, change }) => mode === "managed" && (isChange(change) || change.importing !== undefined))
      .map(({ address, change }) => {
        const { actions, before, after, after_unknown, importing } = change;
        return { address, actions, before, after, after_unknown, importing: importing?.id };
      })
      .sort((a, b) => (a.address < b.address ? -1 : 1)),
    Object.entries(plan.output_changes ?? {})
      .filter(([, change]) => isChange(change))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
  const place = [config.project.project_name, account, region];
  const text = JSON.stringify(sorted([place, config.files, prepared.functions, changes]));
  return createHash("sha256").update(text).digest("hex");
}

const isChange = ({ actions }: { actions: readonly string[] }) => actions.some((one) => one !== "no-op");

/** Returns a value with the members of its objects in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, one]) => [key, sorted(one)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
