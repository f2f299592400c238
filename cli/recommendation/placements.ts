import type { Placement } from "../../lib/config/placements.ts";
import type { Names } from "../../lib/core/naming/names.ts";
import { PLACEMENTS, parsePlacements } from "../../lib/recommendation/placements/document.ts";
import { listKind, namedDocument } from "../documents.ts";
import type { Session } from "../session.ts";
import { openTarget } from "./target.ts";

/** The placements of the recommendation service. */
export const PLACEMENTS_KIND = listKind<Placement>({
  ...{ name: PLACEMENTS, one: "Placement", file: "recommendation.yaml", parse: parsePlacements },
  open: async (options, context) => {
    const { names, sdk, recommendation } = await openTarget(options, context);
    return { names, sdk, value: recommendation.placements, config: { recommendation } };
  },
});

const document = namedDocument(PLACEMENTS_KIND);

/** Returns notes for the plan on placements that `deploy` changes. Says whose version they replace. */
export async function placementNotes({ sdk, config }: Session, names: Names): Promise<string[]> {
  return config.recommendation ? document.notes(sdk, names, config.recommendation.placements) : [];
}

/** Puts the placements of the configuration into use at the end of a deployment. */
export async function synchronizePlacements(session: Session, names: Names): Promise<void> {
  const { recommendation } = session.config;
  if (recommendation) await document.synchronize(session, names, recommendation.placements);
}
