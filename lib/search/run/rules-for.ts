import type { GatewayServices } from "../gateway/services.ts";
import { NO_RULES, type RulesRequest, type SearchRules } from "./rules.ts";

/** Returns the rules for a request. Loads what reads them only if there are any. */
export async function searchRules(
  services: Pick<GatewayServices, "rules" | "api" | "catalog" | "settings">,
  request: RulesRequest,
): Promise<SearchRules> {
  if (!services.rules && request.rule_set !== "draft") return NO_RULES;
  const { readRules } = await import("./read-rules.ts");
  return readRules(services, request);
}
