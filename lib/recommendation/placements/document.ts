import * as v from "valibot";
import { type Placement, PlacementsSchema } from "../../settings/placements.ts";

/** The name of the document that holds the placements in use. */
export const PLACEMENTS = "placements";

/** Returns the placements of a document, with the defaults of this version. Throws if it is not one of placements. */
export const parsePlacements = (content: unknown): readonly Placement[] =>
  v.parse(PlacementsSchema, content).placements;
