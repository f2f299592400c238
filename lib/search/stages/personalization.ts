import * as v from "valibot";
import { FilterValues, RequestContext } from "../../personalize/runtime/request-members.ts";
import { PERSONALIZATIONS } from "../../platform/contract/recommendation.ts";
import { objectSchema, recordSchema } from "../../platform/http/validate.ts";
import { numeric } from "../../settings/kinds.ts";
import { pageStage } from "./kinds.ts";

/** Whether the user's profile influences the order. */
export const Personalization = v.picklist(PERSONALIZATIONS);

export const BusinessRules = v.strictObject({
  is_personalized_enabled: v.pipe(
    v.nullish(v.boolean(), false),
    v.description("Whether the hits are re-ranked for `user_id`. Default: false."),
  ),
  personalization_weight: v.nullish(
    numeric(0, 1, "Share of the personal order in the result. Default: the configured weight."),
  ),
  personalization_context: v.nullish(recordSchema(RequestContext)),
  personalization_filter_values: v.nullish(recordSchema(FilterValues)),
});

/** Ranks the best hits for the user who searches. */
export const personalization = pageStage({
  name: "personalization",
  request: {
    business_rules: v.nullish(objectSchema(BusinessRules), {}),
    personalization: v.pipe(
      v.nullish(Personalization),
      v.description("`none`: the order uses nothing that is known about the user. Default: `profile`."),
    ),
  },
  pageMembers: { personalization: "schema", "business_rules.is_personalized_enabled": "schema" },
  isWanted: ({ request }) => request.business_rules.is_personalized_enabled,
  load: async () => (await import("./rank-for-user.ts")).personalStage,
});
