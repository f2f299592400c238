import * as v from "valibot";
import { objectSchema } from "../../platform/http/validate.ts";
import { Variety } from "../../settings/stage-values.ts";
import { pageStage } from "./kinds.ts";

/** Moves similar hits apart. */
export const variety = pageStage({
  name: "variety",
  request: {
    variety: v.pipe(
      v.nullish(objectSchema(Variety)),
      v.description(
        "How similar hits are moved apart, in place of what the index has in hybrid_search.yaml; {} for not at all.",
      ),
    ),
  },
  entry: "variety",
  isWanted: ({ request, entry }) => (request.variety ?? entry.variety) != null,
  load: async () => (await import("./vary-hits.ts")).varietyStage,
});
