import { ListTagsForResourceCommand, TagResourceCommand, UntagResourceCommand } from "@aws-sdk/client-personalize";
import { convergeCampaign, deleteCampaign } from "./campaign.ts";
import { convergeDataset, createSchema, deleteDataset, deleteSchema } from "./dataset.ts";
import { createDatasetGroup, createEventTracker, deleteDatasetGroup, deleteEventTracker } from "./dataset-group.ts";
import { createFilter, deleteFilter } from "./filter.ts";
import type { Managing } from "./managing.ts";
import { ManagerError, type Personalize, type Tags, tagList } from "./personalize.ts";
import type { ResourceInput, ResourceState, Terraform } from "./request.ts";

type Kind = ResourceInput["kind"];

/** How a kind of resource is managed. */
interface Manager<Input> {
  converge: (managing: Managing, input: Input, isNew: boolean) => Promise<ResourceState>;
  remove: (managing: Managing, input: Input) => Promise<void>;
  /** Whether it is deleted only if the input allows it: it holds data, or others depend on it. */
  isProtected?: true;
  /** Whether it would lose data when renamed. A schema with another name is created beside the old one. */
  isNameFixed?: true;
}

const MANAGERS: { [Name in Kind]: Manager<Extract<ResourceInput, { kind: Name }>> } = {
  dataset_group: { converge: createDatasetGroup, remove: deleteDatasetGroup, isProtected: true, isNameFixed: true },
  schema: {
    converge: createSchema,
    remove: (managing, { name }) => deleteSchema(managing, name, true),
    isProtected: true,
  },
  dataset: { converge: convergeDataset, remove: deleteDataset, isProtected: true, isNameFixed: true },
  event_tracker: { converge: createEventTracker, remove: deleteEventTracker, isProtected: true },
  filter: { converge: createFilter, remove: deleteFilter },
  campaign: { converge: convergeCampaign, remove: deleteCampaign, isNameFixed: true },
};

const wordOf = (kind: Kind) => kind.replace("_", " ");

/**
 * Brings one resource to its desired state, or removes it. Every action is idempotent and resumes what an earlier call
 * started. `before` is the input of the previous action, if there was one. Throws ManagerError or StillInProgress.
 */
export async function manage(
  managing: Managing,
  action: Terraform["action"],
  input: ResourceInput,
  before?: ResourceInput,
): Promise<ResourceState> {
  const { converge, remove, isProtected, isNameFixed } = MANAGERS[input.kind] as Manager<ResourceInput>;
  if (action === "delete") {
    if (isProtected && !input.deletable) {
      throw new ManagerError(
        `The ${wordOf(input.kind)} ${input.name} is protected, since its data would be gone with it. ` +
          "`relevance uninstall` removes it",
      );
    }
    await remove(managing, input);
    return { kind: input.kind, name: input.name, arn: null, status: "deleted" };
  }
  if (action === "update" && input.deletable && isProtected) {
    // Uninstall has started: recreate nothing and wait for nothing.
    return { kind: input.kind, name: input.name, arn: null, status: "may be deleted" };
  }
  if (before && before.kind === input.kind && before.name !== input.name && isNameFixed) {
    throw new ManagerError(
      `The ${wordOf(input.kind)} ${before.name} cannot be renamed to ${input.name}: its data would be gone. ` +
        "Keep project_name, or `relevance uninstall` and deploy again",
    );
  }
  const state = await converge(managing, input, action === "create");
  if (input.kind !== "schema" && state.arn !== null && before && before.kind !== "schema") {
    await retag(managing.personalize, state.arn, input.tags, before.tags);
  }
  return state;
}

/** Sets a resource's tags and removes those that only the previous input had. Leaves other tags alone. */
async function retag(personalize: Personalize, resourceArn: string, tags: Tags, before: Tags): Promise<void> {
  const { tags: present = [] } = await personalize.send(new ListTagsForResourceCommand({ resourceArn }));
  const now = new Map(present.map(({ tagKey, tagValue }) => [tagKey, tagValue]));
  const changed = Object.entries(tags).filter(([key, value]) => now.get(key) !== value);
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(tags, key) && now.has(key));
  if (changed.length > 0) {
    await personalize.send(new TagResourceCommand({ resourceArn, tags: tagList(Object.fromEntries(changed)) }));
  }
  if (gone.length > 0) await personalize.send(new UntagResourceCommand({ resourceArn, tagKeys: gone }));
}
