import { runTeardown } from "../recommendation/run-teardown.ts";
import { allowDeletion, requireSection } from "../remove/allow-deletion.ts";
import { removalCommand } from "../remove/remove-service.ts";

/** `relevance uninstall`: removes the recommendation service, but not the bucket and the parameters. */
export const command = removalCommand("relevance uninstall --destroy-infra false", {
  service: "recommendation",
  question: "This deletes users, items and models; events stay in the bucket. Remove all of these resources?",
  check: requireSection,
  beforeStack: async ({ name }, removal) => {
    if (name === "recommendation") await runTeardown(removal);
    return name === "personalization" && allowDeletion(removal);
  },
});
