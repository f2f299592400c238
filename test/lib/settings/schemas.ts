import type { GenericSchema } from "valibot";
import { ApiSchema } from "../../../lib/settings/api.ts";
import { AvroSchema } from "../../../lib/settings/avro.ts";
import { EtlSchema } from "../../../lib/settings/etl.ts";
import { FiltersSchema } from "../../../lib/settings/filter.ts";
import { HybridSearchSchema } from "../../../lib/settings/hybrid-search.ts";
import { ModelsSchema } from "../../../lib/settings/model.ts";
import { PlacementsSchema } from "../../../lib/settings/placements.ts";
import { ProjectSchema } from "../../../lib/settings/project.ts";
import { RulesSchema } from "../../../lib/settings/rules.ts";
import { CampaignSchema, SolutionSchema } from "../../../lib/settings/solution.ts";

/** Each file of the configuration, with its schema. */
export const SCHEMAS: readonly [file: string, schema: GenericSchema][] = [
  ["project.yaml", ProjectSchema],
  ["api.yaml", ApiSchema],
  ["hybrid_search.yaml", HybridSearchSchema],
  ["model.yaml", ModelsSchema],
  ["solution.yaml", SolutionSchema],
  ["campaign.yaml", CampaignSchema],
  ["filter.yaml", FiltersSchema],
  ["recommendation.yaml", PlacementsSchema],
  ["rules.yaml", RulesSchema],
  ["schema/user_schema.json", AvroSchema("user")],
  ["schema/item_schema.json", AvroSchema("item")],
  ["schema/interaction_schema.json", AvroSchema("interaction")],
  ["etl/configure.json", EtlSchema],
];
