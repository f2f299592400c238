import { joinWords } from "../kinds.ts";
import type { Check, Drafts } from "./drafts.ts";

/** Which services a project.yaml means to enable. A half of the gateway's pair counts: the other half is then missing. */
export interface Services {
  searchGateway: boolean;
  recommendation: boolean;
}

/** The services that the keys of project.yaml ask for, whatever their values are. */
export function servicesOf(project: Drafts["project"]): Services {
  const has = (key: string) => project !== undefined && Object.hasOwn(project, key);
  return { searchGateway: has("vpc") || has("opensearch"), recommendation: has("personalize") };
}

/** A service is enabled, and whole. */
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
