import { checkAlarms } from "./alarms.ts";
import { checkArns } from "./arns.ts";
import { checkAuthorization } from "./authorization.ts";
import { checkCapacity } from "./capacity.ts";
import { checkExcludedColumns } from "./columns.ts";
import { checkCors } from "./cors.ts";
import type { Check } from "./drafts.ts";
import { checkEtl } from "./etl.ts";
import { checkFilters } from "./filters.ts";
import { checkHybridSearch } from "./hybrid-search.ts";
import { checkKeys } from "./keys.ts";
import { checkModels } from "./models.ts";
import { checkReach } from "./reach.ts";
import { checkRecipes } from "./recipes.ts";
import { checkRetention } from "./retention.ts";
import { checkSchemas } from "./schemas.ts";
import { checkServices } from "./services.ts";

/** Every check that compares several values. A schema checks each value by itself. */
export const CHECKS: readonly Check[] = [
  checkServices,
  checkArns,
  checkAlarms,
  checkRetention,
  checkCapacity,
  checkCors,
  checkReach,
  checkKeys,
  checkAuthorization,
  checkHybridSearch,
  checkModels,
  checkRecipes,
  checkExcludedColumns,
  checkFilters,
  checkSchemas,
  checkEtl,
];
