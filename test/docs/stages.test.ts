import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { openApiJson } from "../../build/reference.ts";
import { PAGE_STAGES, REWRITE_STAGES, SEARCH_STAGES } from "../../lib/platform/contract/search.ts";
import { whereIs } from "../../packages/lab/whereabouts/where.ts";
import type { OpenApi } from "../fixtures/bodies.ts";
import { suite } from "../suite.ts";

const test = suite("the stages of a page");

const STAGES = [...REWRITE_STAGES, ...PAGE_STAGES];

const guide = (name: string) => readFileSync(`docs/guides/${name}.md`, "utf8");

/** Returns the names in a text that are written as code. */
const named = (text: string | undefined) => [...(text ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);

test("are the names that the OpenAPI document allows, in answers and in degraded", () => {
  const { components }: OpenApi = JSON.parse(openApiJson());
  const enumOf = (schema: string, member: string) => components.schemas[schema]?.properties?.[member]?.enum;
  assert.equal(enumOf("StageReport", "name"), STAGES);
  assert.equal(enumOf("Degradation", "stage"), SEARCH_STAGES);
});

test("are in the guide of searches in their order", () => {
  const search = guide("search");
  const [, section = ""] = search.split("\n## From hits to a page\n");
  const [steps = ""] = section.split("\nThe window does not depend");
  assert.equal(
    named(steps).filter((name) => (STAGES as readonly string[]).includes(name)),
    STAGES,
  );
});

test("are steps of where a document is, in the console and the guide", async () => {
  const hits = ["a", "b"].map((_id) => ({ _id, _score: 1 }));
  const moves = [{ _id: "b", from: 3, to: 2 }];
  const answer = {
    search_response: { hits: { hits } },
    stages: PAGE_STAGES.map((name) => ({ name, failed: false, moves })),
  };
  const body = { index: "books", search_request: { query: { match_all: {} } } };
  const call = { path: "/application/search", body } as const;
  const steps = await whereIs(async () => answer, { call, document: "b" });
  const later = steps.filter(({ why }) => why === "Moved from 3 to 2.").map(({ name }) => name);
  assert.equal(later, [...PAGE_STAGES]);
  const row = /^.*\| from which place to which.*$/m.exec(guide("relevance"))?.[0];
  assert.equal(named(row), [...PAGE_STAGES]);
});

test.run();
