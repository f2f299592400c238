import { removalCommand } from "../remove/remove-service.ts";

/** `relevance destroy`: removes the search gateway, but not the bucket and the parameters. */
export const command = removalCommand("relevance destroy --destroy-infra true", {
  service: "search-gateway",
  question: "Remove all of these resources?",
  notice: "AWS can take 45 minutes to delete the functions' network interfaces.",
});
