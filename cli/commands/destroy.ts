import { defineCommand } from "../command.ts";
import { defineRemoval, REMOVAL_OPTIONS, removeService } from "../deploy/remove-service.ts";
import { openSession } from "../deploy/session.ts";

/** `relevance destroy`: removes the search gateway. The bucket and the parameters always stay. */
export const destroy = defineCommand({
  example: "relevance destroy --destroy-infra true",
  define: defineRemoval,
  options: REMOVAL_OPTIONS,
  run: ({ conf, destroyInfra, yes }, context) =>
    removeService(openSession(conf, context), {
      service: "search-gateway",
      destroyInfra,
      yes,
      question: "Remove all of this?",
      notice: "Deleting the functions' network interfaces can take AWS 45 minutes.",
    }),
});
