import { ListTagsForResourceCommand, TagResourceCommand, UntagResourceCommand } from "@aws-sdk/client-personalize";
import { convergeCampaign, deleteCampaign } from "./campaign.ts";
import { convergeDataset, createSchema, deleteDataset, deleteSchema } from "./dataset.ts";
import { createDatasetGroup, createEventTracker, deleteDatasetGroup, deleteEventTracker } from "./dataset-group.ts";
import { createFilter, deleteFilter } from "./filter.ts";
import type { Managing } from "./managing.ts";
import { ManagerError, type Personalize, type Tags, tagList } from "./personalize.ts";
import type { ResourceInput, ResourceState, Terraform } from "./request.ts";

/** Kinds that are deleted only if the input allows it: they hold data, or others depend on them. */
const PROTECTED: readonly ResourceInput["kind"][] = ["dataset_group", "schema", "dataset", "event_tracker"];

const wordOf = (kind: ResourceInput["kind"]) => kind.replace("_", " ");

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
  if (action === "delete") {
    if (PROTECTED.includes(input.kind) && !input.deletable) {
      throw new ManagerError(
        `The ${wordOf(input.kind)} ${input.name} is protected, since its data would be gone with it. ` +
          "`relevance uninstall` removes it",
      );
    }
    await remove(managing, input);
    return { kind: input.kind, name: input.name, arn: null, status: "deleted" };
  }
  if (action === "update" && input.deletable && PROTECTED.includes(input.kind)) {
    // Uninstall has started: recreate nothing and wait for nothing.
    return { kind: input.kind, name: input.name, arn: null, status: "may be deleted" };
  }
  if (before && before.kind === input.kind && before.name !== input.name && FIXED.includes(input.kind)) {
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

/** Kinds that would lose data when renamed. A schema with another name is created beside the old one. */
const FIXED: readonly ResourceInput["kind"][] = ["dataset_group", "dataset", "campaign"];

function converge(managing: Managing, input: ResourceInput, isNew: boolean): Promise<ResourceState> {
  switch (input.kind) {
    case "dataset_group":
      return createDatasetGroup(managing, input, isNew);
    case "schema":
      return createSchema(managing, input);
    case "dataset":
      return convergeDataset(managing, input);
    case "event_tracker":
      return createEventTracker(managing, input);
    case "filter":
      return createFilter(managing, input);
    case "campaign":
      return convergeCampaign(managing, input);
  }
}

function remove(managing: Managing, input: ResourceInput): Promise<void> {
  switch (input.kind) {
    case "dataset_group":
      return deleteDatasetGroup(managing, input);
    case "schema":
      return deleteSchema(managing, input.name, true);
    case "dataset":
      return deleteDataset(managing, input);
    case "event_tracker":
      return deleteEventTracker(managing, input);
    case "filter":
      return deleteFilter(managing, input);
    case "campaign":
      return deleteCampaign(managing, input);
  }
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
