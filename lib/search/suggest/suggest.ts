import type { Degradation } from "../../platform/http/degradation.ts";
import { ApiError } from "../../platform/http/error.ts";
import type { JsonCall, Reply } from "../../platform/http/event.ts";
import type { ApiOptions } from "../../platform/http/middleware.ts";
import { invalidRequest } from "../../platform/http/validate.ts";
import { degradedMetric } from "../../platform/telemetry/emf.ts";
import { requireIndex } from "../access/names.ts";
import type { GatewaySettings } from "../gateway/settings.ts";
import type { Cluster } from "../opensearch/cluster.ts";
import { type Suggested, suggestionsFor } from "./ask.ts";
import type { SuggestRequest } from "./request.ts";
import { suggestedFrom, titlesAloneBecause } from "./sources.ts";
import { holdsAny } from "./texts.ts";
import { withinToken } from "./within-token.ts";

interface SuggestTools {
  settings: GatewaySettings;
  cluster: Cluster;
  api: Pick<ApiOptions, "log">;
}

/**
 * Returns the handler of `POST /application/suggest`. The index must be named as in its entry: through another name,
 * such as an alias with a filter, a key might see fewer documents than the suggestions reveal.
 */
export function suggest({ settings, cluster, api }: SuggestTools): (call: JsonCall<SuggestRequest>) => Promise<Reply> {
  const entries = new Map(settings.indexes.map(({ index, suggest }) => [index, suggest]));
  const tests = new Map(settings.indexes.map(({ index, suggest }) => [index, holdsAny(suggest?.never ?? [])]));
  const titlesAlone = titlesAloneBecause(settings.logging);
  return async ({ body: { index, text, size }, caller, deadline }) => {
    requireIndex(caller, index);
    const entry = entries.get(index);
    if (!entry) {
      const message = "is no entry of hybrid_search.yaml with `suggest`: name the index as the entry does";
      throw invalidRequest([{ path: "index", message }]);
    }
    const bounds = withinToken(entry, suggestedFrom(entry, settings.logging), caller.token?.filters);
    const { sources } = bounds;
    const isNever = tests.get(index) ?? (() => false);
    const degraded: Degradation[] = [];
    let suggestions: Suggested[] = [];
    if (sources.length > 0 && text.trim() !== "") {
      suggestions = await suggestionsFor({ cluster, deadline, index, text, size, bounds, isNever }).catch((error) => {
        if (!(error instanceof ApiError) || error.code !== "index_not_found") throw error;
        degraded.push(NOT_BUILT);
        return [];
      });
    }
    for (const line of degradedMetric(settings.project, degraded)) api.log(line);
    const left = entry.searches && titlesAlone;
    const left_out = [...(left === undefined ? [] : [{ source: "searches", reason: left }]), ...bounds.leftOut];
    return {
      status: 200,
      headers: degraded.length > 0 ? { "x-degraded": "suggestions" } : {},
      body: JSON.stringify({
        ...{ index, text, size, suggestions, sources },
        ...(left_out.length > 0 && { left_out }),
        ...(degraded.length > 0 && { degraded }),
      }),
    };
  };
}

const NOT_BUILT: Degradation = {
  stage: "suggestions",
  target: "suggestions",
  reason: "no run has made suggestions of this index yet",
  effect: "there are none",
};
