import { removalCommand } from "../remove/remove-service.ts";

/** `relevance destroy`: removes the search gateway. The bucket and the parameters always stay. */
export const destroy = removalCommand("relevance destroy --destroy-infra true", {
  service: "search-gateway",
  question: "Remove all of this?",
  notice: "Deleting the functions' network interfaces can take AWS 45 minutes.",
});
