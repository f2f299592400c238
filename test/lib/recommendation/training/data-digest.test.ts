import * as assert from "uvu/assert";
import { dataDigest } from "../../../../lib/recommendation/training/data-digest.ts";
import { suite } from "../../../suite.ts";
import { event, ITEM, readManifest, USER, world } from "../etl/run.ts";

const test = suite("digest of a run's data");

type World = ReturnType<typeof world>;

const newWorld = () => {
  const made = world();
  made.events("2025-03-01", "a", [event("1"), event("2")]);
  return made;
};

async function digestOf(of: World, run: string, input: { mode?: string } = {}): Promise<string> {
  await of.run(run, input);
  const manifest = await readManifest(of.store, run);
  assert.ok(manifest);
  return dataDigest(manifest, of.store);
}

test("is the same for two runs over the same data", async () => {
  const same = newWorld();
  assert.is(await digestOf(same, "one"), await digestOf(same, "two"));
});

test("changes with more events, another user, another item and another mode", async () => {
  const before = await digestOf(newWorld(), "one");
  const changes: ((of: World) => void)[] = [
    (of) => of.events("2025-03-02", "b", [event("3")]),
    (of) => of.records.user.push({ ...USER, USER_ID: "U2" }),
    (of) => of.records.item.splice(0, 1, { ...ITEM, AUTHOR: "Bea" }),
  ];
  const digests = await Promise.all(
    changes.map((change) => {
      const changed = newWorld();
      change(changed);
      return digestOf(changed, "one");
    }),
  );
  digests.push(await digestOf(newWorld(), "one", { mode: "update_dataset_group" }));
  assert.is(new Set([before, ...digests]).size, 5);
});

test.run();
