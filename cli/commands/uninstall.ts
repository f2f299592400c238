import { runTeardown } from "../recommendation/run-teardown.ts";
import { allowDeletion, requireSection } from "../remove/allow-deletion.ts";
import { removalCommand } from "../remove/remove-service.ts";

/** `relevance uninstall`: removes the recommendation service. The bucket and the parameters always stay. */
export const uninstall = removalCommand("relevance uninstall --destroy-infra false", {
  service: "recommendation",
  question: "Users, items and models will be lost; events stay in the bucket. Remove all of this?",
  check: requireSection,
  beforeStack: async ({ name }, removal) => {
    if (name === "recommendation") await runTeardown(removal);
    return name === "personalization" && allowDeletion(removal);
  },
});
