import * as assert from "uvu/assert";
import { personalizeManagerPolicy } from "../../../functions/personalize-manager/policy.ts";
import { suite } from "../../suite.ts";

const test = suite("personalize-manager policy");

const arn = (path: string) => `arn:aws:personalize:eu-west-1:123456789012:${path}`;
const statements = personalizeManagerPolicy({
  project: "shop",
  region: "eu-west-1",
  resource: arn,
  parameters: ["parameters/filters/*"],
  trainingTable: "training",
  key: "key",
  logGroup: "logs",
});

test("has no wildcard action, and any resource only for lists and tags, which have no resource-level permissions", () => {
  assert.not(statements.some(({ actions }) => actions.some((action) => action.includes("*"))));
  const open = statements.filter(({ resources }) => resources.includes("*")).flatMap(({ actions }) => actions);
  assert.ok(open.every((action) => /^personalize:(List\w+|(Unt|T)agResource)$/.test(action)));
});

test("removes only resources of its project, except event trackers, whose ARNs contain no name", () => {
  const kinds = "user|item|interaction|user-personalization|similar-items|personalized-ranking";
  const removing = statements.filter(({ actions }) => actions.some((action) => /:Delete(?!Parameter)/.test(action)));
  const others = removing
    .flatMap(({ resources }) => resources)
    .filter((resource) => !new RegExp(`:[a-z-]+/shop(/\\*|-(${kinds})(-\\*)?)?$`).test(resource));
  // Filters have any name.
  assert.equal(others, [arn("event-tracker/*"), arn("filter/shop-*")]);
});

test("only reads the decisions of training", () => {
  const table = statements.filter(({ resources }) => resources.includes("training")).flatMap(({ actions }) => actions);
  assert.equal(table, ["dynamodb:GetItem"]);
});

test.run();
