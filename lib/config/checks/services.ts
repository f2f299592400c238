import { joinWords } from "../kinds.ts";
import type { Check, Drafts } from "./drafts.ts";

/**
 * The services that project.yaml is meant to enable. One of the gateway's two keys is enough; `checkServices` reports
 * the other as missing.
 */
export interface Services {
  searchGateway: boolean;
  recommendation: boolean;
}

/** Returns the services that the keys of project.yaml request, regardless of their values. */
export function servicesOf(project: Drafts["project"]): Services {
  const has = (key: string) => project !== undefined && Object.hasOwn(project, key);
  return { searchGateway: has("vpc") || has("opensearch"), recommendation: has("personalize") };
}

/** Checks that at least one service is enabled, and that the search gateway has all its keys. */
export const checkServices: Check = ({ project, api }, report) => {
  if (project === undefined) return;
  const { searchGateway, recommendation } = servicesOf(project);
  if (!searchGateway && !recommendation) {
    const gateway = `${joinWords(["vpc", "opensearch"], "and")} enable the search gateway`;
    report("project", [], `enables no service: ${gateway}, "personalize" the recommendation service`);
  }
  if (!searchGateway) return;
  for (const [missing, present] of [
    ["vpc", "opensearch"],
    ["opensearch", "vpc"],
  ] as const) {
    if (Object.hasOwn(project, missing)) continue;
    report("project", [missing], `is missing: the search gateway needs it beside ${present}`);
  }
  if (api !== undefined && !Object.hasOwn(api, "domain_name_system")) {
    const message = "is missing: the search gateway needs it (null leaves the API at its execute-api URL)";
    report("api", ["domain_name_system"], message);
  }
};
