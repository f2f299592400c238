import * as v from "valibot";
import type { Account } from "../account.ts";
import { ARN, list, TAG_KEY, TAGS } from "../members.ts";
import type { Resource } from "../resources.ts";
import { ServiceError } from "../service-error.ts";
import { type Operation, operation } from "./operation.ts";

const MOST_TAGS = 50;

/** The operations on tags, the same for every resource but schemas. */
export const TAG_OPERATIONS: Readonly<Record<string, Operation>> = {
  TagResource: operation(
    v.object({ resourceArn: ARN, tags: v.nonOptional(TAGS) }),
    ({ resourceArn, tags }, account) => {
      const resource = tagged(account, resourceArn);
      resource.tags = {
        ...resource.tags,
        ...Object.fromEntries(tags.map(({ tagKey, tagValue }) => [tagKey, tagValue])),
      };
      account.changed();
      return {};
    },
  ),
  UntagResource: operation(
    v.object({ resourceArn: ARN, tagKeys: list(TAG_KEY, 200) }),
    ({ resourceArn, tagKeys }, account) => {
      const resource = tagged(account, resourceArn);
      resource.tags = Object.fromEntries(Object.entries(resource.tags).filter(([key]) => !tagKeys.includes(key)));
      account.changed();
      return {};
    },
  ),
  ListTagsForResource: operation(v.object({ resourceArn: ARN }), ({ resourceArn }, account) => ({
    tags: Object.entries(tagged(account, resourceArn).tags).map(([tagKey, tagValue]) => ({ tagKey, tagValue })),
  })),
};

/** Throws TooManyTagsException when a request's tags, with those that the resource has, are too many. */
export function requireTagRoom(input: unknown, account: Account): void {
  const { tags, resourceArn } = (input ?? {}) as { tags?: unknown; resourceArn?: unknown };
  if (!Array.isArray(tags)) return;
  const present = typeof resourceArn === "string" ? Object.keys(account.get(resourceArn)?.tags ?? {}) : [];
  const keys = new Set([...present, ...tags.map((tag: { tagKey?: string }) => tag?.tagKey)]);
  if (keys.size > MOST_TAGS) {
    throw new ServiceError(
      "TooManyTagsException",
      `A resource has at most ${MOST_TAGS} tags, these would be ${keys.size}.`,
    );
  }
}

function tagged(account: Account, arn: string): Resource {
  const resource = account.get(arn);
  if (!resource || resource.kind === "schema") {
    throw new ServiceError("ResourceNotFoundException", `Resource with ARN ${arn} does not exist or has no tags.`);
  }
  return resource;
}
