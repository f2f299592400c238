import { ifThere } from "../../../lib/aws/errors.ts";
import type { DiscoveryClients } from "../clients.ts";
import { type SdkConfig, tagsOf } from "./config.ts";

/** Reads roles. */
export function iamReads(config: SdkConfig): Pick<DiscoveryClients, "role"> {
  return {
    async role(RoleName) {
      const { GetRoleCommand, IAMClient } = await import("@aws-sdk/client-iam");
      const answer = new IAMClient(config).send(new GetRoleCommand({ RoleName }));
      const found = (await ifThere(answer))?.Role;
      return found && { tags: tagsOf(found.Tags) };
    },
  };
}
