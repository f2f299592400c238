import { joinWords } from "../kinds.ts";
import { isMapping } from "../shape.ts";
import type { Check } from "./drafts.ts";

/** Which services a project.yaml means to enable. A half of the gateway's pair counts: the other half is then missing. */
export interface Services {
  searchGateway: boolean;
  recommendation: boolean;
}

/** The services that the keys of project.yaml ask for, whatever their values are. */
export function servicesOf(project: unknown): Services {
  const has = (key: string) => isMapping(project) && Object.hasOwn(project, key);
  return { searchGateway: has("vpc") || has("opensearch"), recommendation: has("personalize") };
}

/** A service is enabled, and whole. */
export function checkServices(raw: unknown): Check {
  return ({ api }, report) => {
    const { searchGateway, recommendation } = servicesOf(raw);
    if (!isMapping(raw)) return;
    if (!searchGateway && !recommendation) {
      const message = `enables no service: ${joinWords(["vpc", "opensearch"], "and")} enable the search gateway, "personalize" the recommendation service`;
      report("project", [], message);
    }
    if (!searchGateway) return;
    for (const [missing, present] of [
      ["vpc", "opensearch"],
      ["opensearch", "vpc"],
    ] as const) {
      if (Object.hasOwn(raw, missing)) continue;
      report("project", [missing], `is missing: the search gateway needs it beside ${present}`);
    }
    if (api !== undefined && !Object.hasOwn(api, "domain_name_system")) {
      const message = "is missing: the search gateway needs it (null leaves the API at its execute-api URL)";
      report("api", ["domain_name_system"], message);
    }
  };
}
