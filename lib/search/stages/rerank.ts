import * as v from "valibot";
import { objectSchema } from "../../platform/http/validate.ts";
import { Rerank } from "../../settings/stage-values.ts";
import { pageStage } from "./kinds.ts";

/** Orders the best hits by a model that reads them with the query. */
export const rerank = pageStage({
  name: "rerank",
  request: {
    rerank: v.pipe(
      v.nullish(objectSchema(Rerank)),
      v.description(
        "Reranks the hits by the model that the index has in hybrid_search.yaml, also where that does so only for requests that ask.",
      ),
    ),
  },
  entry: "rerank",
  isWanted: ({ request, entry }) => (request.rerank ?? entry.rerank) != null,
  load: async () => (await import("./rerank-hits.ts")).rerankStage,
});
