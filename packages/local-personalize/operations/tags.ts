import * as v from "valibot";
import { type Account, withTags } from "../account.ts";
import { ARN, list, TAG_KEY, TAGS } from "../members.ts";
import type { Resource } from "../resources.ts";
import { ServiceError } from "../service-error.ts";
import { type Operation, operation } from "./operation.ts";

/** The operations on tags, the same for every resource except schemas, which have none. */
export const TAG_OPERATIONS: Readonly<Record<string, Operation>> = {
  TagResource: operation(
    v.strictObject({ resourceArn: ARN, tags: v.nonOptional(TAGS) }),
    ({ resourceArn, tags }, account) => {
      const resource = tagged(account, resourceArn);
      resource.tags = withTags(resource.tags, tags);
      account.changed();
      return {};
    },
  ),
  UntagResource: operation(
    v.strictObject({ resourceArn: ARN, tagKeys: list(TAG_KEY, 200) }),
    ({ resourceArn, tagKeys }, account) => {
      const resource = tagged(account, resourceArn);
      resource.tags = Object.fromEntries(Object.entries(resource.tags).filter(([key]) => !tagKeys.includes(key)));
      account.changed();
      return {};
    },
  ),
  ListTagsForResource: operation(v.strictObject({ resourceArn: ARN }), ({ resourceArn }, account) => ({
    tags: Object.entries(tagged(account, resourceArn).tags).map(([tagKey, tagValue]) => ({ tagKey, tagValue })),
  })),
};

function tagged(account: Account, arn: string): Resource {
  const resource = account.get(arn);
  if (!resource || resource.kind === "schema") {
    throw new ServiceError("ResourceNotFoundException", `Resource with ARN ${arn} does not exist or has no tags.`);
  }
  return resource;
}
