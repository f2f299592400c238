import * as v from "valibot";
import { manage } from "../../../../lib/personalize/resources/manage.ts";
import type { PointerStore } from "../../../../lib/personalize/resources/managing.ts";
import { personalizeOf } from "../../../../lib/personalize/resources/personalize.ts";
import { ResourceInput, type ResourceInputGiven } from "../../../../lib/personalize/resources/request.ts";
import type { RecipeKind } from "../../../../lib/platform/contract/recommendation.ts";
import { namesOf } from "../../../../lib/platform/naming/names.ts";
import { ACCOUNT, REGION, startPersonalize } from "../../../../packages/local-personalize/test/harness.ts";
import { asRole } from "./as-role.ts";

/** Parameters in memory. */
export function memoryPointers(): PointerStore & { values: Map<string, string> } {
  const values = new Map<string, string>();
  return {
    values,
    read: async (name) => values.get(name),
    async write(name, value) {
      values.set(name, value);
    },
    async remove(name) {
      values.delete(name);
    },
  };
}

/**
 * The manager over the stand-in, whose clock only moves while the manager waits: by what it waits. `looks` bounds the
 * waits of an invocation, as the 280 s do. `meanwhile` is what others do after each.
 */
export async function managed(project = "shop") {
  const harness = await startPersonalize();
  const names = namesOf({ project, account: ACCOUNT, region: REGION });
  const pointers = memoryPointers();
  const versions = new Map<RecipeKind, string>();
  const personalize = personalizeOf(harness.personalize, { wait: async () => {} });
  return {
    harness,
    standIn: harness.standIn,
    settle: harness.settle,
    stop: harness.stop,
    personalize,
    names,
    pointers,
    versions,
    apply(
      action: "create" | "update" | "delete",
      input: ResourceInputGiven,
      {
        before,
        looks = 1_000,
        meanwhile,
      }: { before?: ResourceInputGiven; looks?: number; meanwhile?: () => Promise<unknown> } = {},
    ) {
      let left = looks;
      const patience = {
        remaining: () => left * 1_000 + 1,
        intervalMs: 1_000,
        async wait(ms: number) {
          left -= 1;
          await harness.standIn.control.advance(ms);
          await meanwhile?.();
        },
      };
      return manage(
        {
          personalize: asRole(personalize, "personalize-manager", names),
          pointers,
          names,
          patience,
          versionFor: async (recipe) => versions.get(recipe),
        },
        action,
        v.parse(ResourceInput, input),
        before && v.parse(ResourceInput, before),
      );
    },
  };
}

export type Managed = Awaited<ReturnType<typeof managed>>;

/** Returns the name and message of the error that work ends with. */
export async function failureOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no error",
    (error: Error) => `${error.name}: ${error.message}`,
  );
}
