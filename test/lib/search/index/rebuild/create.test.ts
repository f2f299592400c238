import * as assert from "uvu/assert";
import { describe } from "../../../../../lib/search/index/rebuild/create.ts";
import type { RunCalls } from "../../../../../lib/search/index/rebuild/run-calls.ts";
import { suite } from "../../../../suite.ts";

const test = suite("the index that a run works on");

/** Describes what the cluster answers about `books`. */
const described = (answer: Record<string, unknown>) =>
  describe({ json: async () => answer } as unknown as RunCalls, "books").catch((error: Error) => error.message);

const index = (uuid: string) => ({ settings: { "index.uuid": uuid }, mappings: { properties: {} } });

test("is the only one behind the name", async () => {
  const { settings, mappings } = index("u1");
  assert.equal(await described({ "books-1": index("u1") }), { name: "books-1", uuid: "u1", settings, mappings });
});

test("is none if the name stands for several or for nothing", async () => {
  const several = await described({ "books-1": index("u1"), "books-2": index("u2") });
  assert.is(several, "books stands for books-1, books-2: name the index to rebuild");
  assert.match(String(await described({})), "name the index to rebuild");
  assert.is(await described({ error: {}, status: 404 }), "There is no index or alias books");
});

test.run();
