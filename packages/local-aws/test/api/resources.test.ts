import type { Route } from "@relevance/lib/platform/http/route.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { createMatcher } from "../../api/resources.ts";

const test = suite("resources of the local API");

const route = (path: string): Route => ({
  methods: ["GET"],
  path,
  family: "f",
  access: [],
  summary: "",
  description: "",
});
const PATHS = [
  "/items/{proxy+}",
  "/items/{id}",
  "/items/{id}/similar",
  "/items/new",
  "/application/search",
  "/raw-backend/{proxy+}",
];
const match = createMatcher(PATHS.map(route));

for (const [what, path, resource, pathParameters] of [
  ["a literal path", "/application/search", "/application/search", null],
  [
    "slashes and percent signs of {proxy+}",
    "/raw-backend/a/_doc/b%2Fc",
    "/raw-backend/{proxy+}",
    { proxy: "a/_doc/b%2Fc" },
  ],
  ["a literal segment rather than a parameter", "/items/new", "/items/new", null],
  ["a parameter rather than {proxy+}", "/items/7", "/items/{id}", { id: "7" }],
  ["a path behind a parameter", "/items/7/similar", "/items/{id}/similar", { id: "7" }],
  ["{proxy+} for any other end", "/items/7/other", "/items/{proxy+}", { proxy: "7/other" }],
  ["the router for unknown paths", "/nothing/here", "/{proxy+}", { proxy: "nothing/here" }],
  ["the router for an empty {proxy+}", "/raw-backend/", "/{proxy+}", { proxy: "raw-backend/" }],
] as const) {
  test(`finds ${what}`, () => assert.equal(match(path), { resource, pathParameters }));
}

test("has no resource for the root or for something that is not a path", () => {
  assert.equal([match("/"), match("*")], [undefined, undefined]);
});

test.run();
