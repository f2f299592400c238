import { defineCommand } from "../command.ts";
import { allowDeletion, requireSection } from "../deploy/allow-deletion.ts";
import { defineRemoval, REMOVAL_OPTIONS, removeService } from "../deploy/remove-service.ts";
import { openSession } from "../deploy/session.ts";
import { runTeardown } from "../recommendation/run-teardown.ts";

/** `relevance uninstall`: removes the recommendation service. The bucket and the parameters always stay. */
export const uninstall = defineCommand({
  example: "relevance uninstall --destroy-infra false",
  define: defineRemoval,
  options: REMOVAL_OPTIONS,
  run: ({ conf, destroyInfra, yes }, context) =>
    removeService(openSession(conf, context), {
      service: "recommendation",
      destroyInfra,
      yes,
      question: "Users, items and models will be lost; events stay in the bucket. Remove all of this?",
      check: requireSection,
      beforeStack: async ({ name }, removal) => {
        if (name === "recommendation") await runTeardown(removal);
        return name === "personalization" && allowDeletion(removal);
      },
    }),
});
