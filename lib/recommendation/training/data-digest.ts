import { createHash } from "node:crypto";
import type { ObjectStore } from "../../aws/object-store.ts";
import { schemaHash } from "../etl/plan.ts";
import { readFile, runKeys } from "../etl/run-files.ts";
import type { Manifest } from "../etl/tasks.ts";
import { RunPlan } from "../etl/tasks.ts";

/** The most bytes of users and items to read and compare. Larger data always counts as changed. */
const MOST_BYTES = 2 * 1_024 ** 3;

/**
 * Returns a short digest of the data that a run imports. Two runs over the same events, users and items in the same
 * mode have the same digest. A training that is started again uses it to find what the earlier run made.
 */
export async function dataDigest(manifest: Manifest, store: ObjectStore): Promise<string> {
  const keys = runKeys(manifest.run);
  const { definitions, groups } = await readFile(store, keys.plan, RunPlan);
  const hash = createHash("sha256");
  hash.update(JSON.stringify([manifest.mode, schemaHash(definitions), manifest.interaction.rows, groups]));
  const files = [...manifest.user.files, ...manifest.item.files];
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > MOST_BYTES) hash.update(manifest.run);
  else {
    for (const { key } of files) {
      hash.update(key.slice(keys.root.length));
      const content = await store.read(key);
      if (!content) throw new Error(`${key} is in the manifest of ${manifest.run}, but not in the bucket`);
      for await (const chunk of content) hash.update(chunk);
    }
  }
  return hash.digest("hex").slice(0, 16);
}
