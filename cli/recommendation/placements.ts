import { isDeepStrictEqual } from "node:util";
import type { Placement } from "../../lib/config/placements.ts";
import type { Names } from "../../lib/core/naming/names.ts";
import { PLACEMENTS, parsePlacements } from "../../lib/recommendation/placements/document.ts";
import { type DocumentKind, documentNotes, openDocument, synchronizeDocument } from "../documents.ts";
import type { Session } from "../session.ts";
import { settingChanges } from "../setting-changes.ts";

/** The document of placements. */
export const placementDocument: DocumentKind<readonly Placement[]> = {
  name: PLACEMENTS,
  source: "recommendation.yaml",
  none: [],
  parse: parsePlacements,
  contentOf: (placements) => ({ placements }),
  changes: placementChanges,
};

/** Describes each placement that changes, in one line. */
export function placementChanges(before: readonly Placement[], after: readonly Placement[]): string[] {
  const old = new Map(before.map((placement) => [placement.name, placement]));
  const kept = new Set(after.map(({ name }) => name));
  return [
    ...after.flatMap((placement) => {
      const earlier = old.get(placement.name);
      if (isDeepStrictEqual(earlier, placement)) return [];
      return [`Placement ${placement.name}: ${earlier ? settingChanges(earlier, placement).join("; ") : "new"}`];
    }),
    ...before.flatMap(({ name }) => (kept.has(name) ? [] : [`Placement ${name}: removed`])),
  ];
}

/** Returns notes for the plan on placements that `deploy` changes. */
export async function placementNotes({ sdk, config }: Session, names: Names): Promise<string[]> {
  if (!config.recommendation) return [];
  const document = await openDocument(placementDocument, sdk, names);
  return documentNotes(placementDocument, document, config.recommendation.placements);
}

/** Puts the placements of the configuration into use at the end of a deployment. */
export async function synchronizePlacements(session: Session, names: Names): Promise<void> {
  const { recommendation } = session.config;
  if (!recommendation) return;
  const document = await openDocument(placementDocument, session.sdk, names);
  await synchronizeDocument(placementDocument, document, session, recommendation.placements);
}
