import { readFileSync } from "node:fs";
import { join } from "node:path";
import { failureKind } from "../../lib/aws/errors.ts";
import { PACKAGE_FOLDER } from "../../lib/core/folders.ts";
import type { Names } from "../../lib/core/naming/names.ts";
import { readParameter } from "../discovery/sdk/parameters.ts";
import { SERVICE_NAMES } from "../services.ts";
import type { Session } from "../session.ts";
import { toolVersion } from "../version.ts";

/**
 * Returns notes on what another version of this tool deployed: the first sentences of what the changelog says about upgrading
 * from there. Reads the version that `deploy` records; whoever may not read it gets no notes.
 */
export async function upgradeNotes({ sdk }: Pick<Session, "sdk">, names: Names): Promise<string[]> {
  const recorded: (string | undefined)[] = await Promise.all(
    SERVICE_NAMES.map((service) => readParameter(sdk, names.serviceParameter(service, "version"))),
  ).catch((error: unknown) => {
    if (failureKind(error) === "denied") return [];
    throw error;
  });
  const deployed = [...new Set(recorded.filter((version) => version !== undefined))];
  const changelog = readFileSync(join(PACKAGE_FOLDER, "CHANGELOG.md"), "utf8");
  return deployed.flatMap((version) => notesBetween(version, toolVersion(), changelog));
}

/** Returns the notes for a deployment by version `now` over one by version `before`. */
export function notesBetween(before: string, now: string, changelog: string): string[] {
  if (before === now) return [];
  const sections = changelog.split(/^## /m).slice(1);
  const at = sections.findIndex((section) => versionOf(section) === before);
  if (at < 0) {
    return [`Version ${before} of relevance deployed this, which is newer than this one, ${now}, or unknown to it`];
  }
  const news = sections.slice(0, at).reverse();
  return [
    `Version ${before} of relevance deployed this; this is ${now}. CHANGELOG.md has what changed`,
    ...news.flatMap((section) => upgrading(section).map((line) => `Upgrading to ${versionOf(section)}: ${line}`)),
  ];
}

const versionOf = (section: string) => /^\[?([^\s\]]+)/.exec(section)?.[1];

/** Returns the first sentence of each point under "Upgrading", without Markdown. */
function upgrading(section: string): string[] {
  const points = section.split(/^### /m).find((part) => part.startsWith("Upgrading\n")) ?? "";
  return points
    .split(/^- /m)
    .slice(1)
    .map((point) => point.replaceAll(/\s+/g, " ").replaceAll("**", "").trim())
    .map((point) => /^.*?[.:;](?= |$)/.exec(point)?.[0].slice(0, -1) ?? point);
}
