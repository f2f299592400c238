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

test("finds a literal path", () => {
  assert.equal(match("/application/search"), { resource: "/application/search", pathParameters: null });
});

test("returns the value of {proxy+} with slashes and percent signs unchanged", () => {
  const found = match("/raw-backend/books/_doc/a%2Fb");
  assert.equal(found, { resource: "/raw-backend/{proxy+}", pathParameters: { proxy: "books/_doc/a%2Fb" } });
});

test("prefers a literal segment to a parameter, and a parameter to {proxy+}", () => {
  assert.is(match("/items/new")?.resource, "/items/new");
  assert.equal(match("/items/7"), { resource: "/items/{id}", pathParameters: { id: "7" } });
  assert.equal(match("/items/7/similar"), { resource: "/items/{id}/similar", pathParameters: { id: "7" } });
  assert.is(match("/items/7/other")?.resource, "/items/{proxy+}");
});

test("maps unknown paths to the router", () => {
  assert.equal(match("/nothing/here"), { resource: "/{proxy+}", pathParameters: { proxy: "nothing/here" } });
  assert.equal(match("/raw-backend/"), { resource: "/{proxy+}", pathParameters: { proxy: "raw-backend/" } });
});

test("has no resource for the root or for something that is not a path", () => {
  assert.equal([match("/"), match("*")], [undefined, undefined]);
});

test.run();
