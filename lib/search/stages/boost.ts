import * as v from "valibot";
import { objectSchema } from "../../platform/http/validate.ts";
import { Boost } from "../../settings/boost.ts";
import { pageStage } from "./kinds.ts";

/** Raises hits by their fields. */
export const boost = pageStage({
  name: "boost",
  request: {
    boost: v.pipe(
      v.nullish(objectSchema(Boost)),
      v.description("How fields of hits change their order; {} for not at all."),
    ),
  },
  entry: "boost",
  isWanted: ({ request, entry, effects }) =>
    (request.boost ?? effects.boostHits ?? entry.boost)?.factors?.length !== undefined,
  load: async () => (await import("./boost-hits.ts")).boostStage,
});
