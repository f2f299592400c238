import type { Check } from "./drafts.ts";

/** Checks that the ways to reach the APIs go together. */
export const checkReach: Check = ({ api }, report) => {
  if (api === undefined) return;
  for (const name of ["domain_name_system", "recommendation_domain_name"] as const) {
    if (api.private_api && api[name]) {
      report("api", ["private_api"], `cannot be combined with ${name}: a private API has no host name of its own`);
    }
  }
  if (api.execute_api_url === false && !api.domain_name_system && !api.recommendation_domain_name) {
    report("api", ["execute_api_url"], "is false, but no API has a host name: nothing could call them");
  }
};
