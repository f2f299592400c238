import * as v from "valibot";
import { integer, section } from "./kinds.ts";

const Settings = (kind: string) =>
  section(
    {
      min_provisioned_tps: integer(1, undefined, "Requests per second that are always provisioned, and billed."),
    },
    `Campaign of ${kind}.`,
  );

/** conf/campaign.yaml */
export const CampaignSchema = section(
  {
    campaigns: section(
      {
        user_personalization: v.optional(Settings("user_personalization")),
        similar_items: v.optional(Settings("similar_items")),
        personalized_ranking: v.optional(Settings("personalized_ranking")),
      },
      "One entry per recipe of solution.yaml.",
    ),
  },
  "Campaigns, which answer requests.",
);

/** conf/campaign.yaml */
export type Campaign = v.InferOutput<typeof CampaignSchema>;
