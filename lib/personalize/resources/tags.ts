import { ListTagsForResourceCommand, TagResourceCommand, UntagResourceCommand } from "@aws-sdk/client-personalize";
import type { Personalize } from "./personalize.ts";

type Tags = Readonly<Record<string, string>>;

/** Returns tags in the form that create operations accept. */
export function tagList(tags: Tags): { tagKey: string; tagValue: string }[] {
  return Object.entries(tags).map(([tagKey, tagValue]) => ({ tagKey, tagValue }));
}

/** Sets a resource's tags and removes those that only the previous input had. Leaves other tags alone. */
export async function retag(personalize: Personalize, resourceArn: string, tags: Tags, before: Tags): Promise<void> {
  const { tags: present = [] } = await personalize.send(new ListTagsForResourceCommand({ resourceArn }));
  const now = new Map(present.map(({ tagKey, tagValue }) => [tagKey, tagValue]));
  const changed = Object.entries(tags).filter(([key, value]) => now.get(key) !== value);
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(tags, key) && now.has(key));
  if (changed.length > 0) {
    await personalize.send(new TagResourceCommand({ resourceArn, tags: tagList(Object.fromEntries(changed)) }));
  }
  if (gone.length > 0) await personalize.send(new UntagResourceCommand({ resourceArn, tagKeys: gone }));
}
