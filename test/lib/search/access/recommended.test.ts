import * as assert from "uvu/assert";
import { nativeRefusal } from "../../../../lib/search/access/native.ts";
import { queryRefusal } from "../../../../lib/search/access/query.ts";
import { rightsOf } from "../../../../lib/search/access/rights.ts";
import { suite } from "../../../suite.ts";
import { callOf } from "./native-call.ts";

const test = suite("recommended calls");

/** Returns the rule that refuses a call without a body to a recommended key, with patterns or without. */
const ruleOf = (target: string, indexes?: string[]) =>
  nativeRefusal({ name: "k", endpoints: ["raw-backend"], ...(indexes && { indexes }) }, callOf(target), {
    recommended: true,
    added: [],
  })?.rule;

test("clients may write documents in each of the cluster's ways, with the method that it takes", () => {
  for (const target of [
    "POST /shop/_doc",
    "PUT /shop/_doc/1",
    "POST /shop/_doc/1",
    "PUT /shop/_create/1",
    "POST /shop/_create/1",
    "POST /shop/_bulk",
    "PUT /_bulk",
    "DELETE /shop/_doc/1",
  ]) {
    assert.is(ruleOf(target), undefined, target);
  }
  for (const target of ["PUT /shop/_doc", "POST /shop", "GET /shop/_create/1"])
    assert.is(ruleOf(target), "endpoint", target);
});

test("clients may search in each of the cluster's ways, with both methods that it takes for a body", () => {
  for (const path of [
    "_search",
    "_msearch",
    "_count",
    "_validate/query",
    "_explain/1",
    "_field_caps",
    "_rank_eval",
    "_termvectors",
    "_termvectors/1",
    "_mtermvectors",
    "_mget",
    "_analyze",
    "_refresh",
  ]) {
    for (const method of ["GET", "POST"]) assert.is(ruleOf(`${method} /shop/${path}`), undefined, `${method} ${path}`);
    assert.is(ruleOf(`DELETE /shop/${path}`), "endpoint", path);
  }
});

test("clients may ask what they ask by themselves of the indexes that a key names, and of no others", () => {
  for (const path of [
    "_alias/shop",
    "_cluster/health/shop",
    "_cat/indices/shop",
    "_cat/count/shop",
    "shop/_alias",
    "shop",
  ]) {
    assert.is(ruleOf(`GET /${path}`, ["shop"]), undefined, path);
    assert.is(ruleOf(`GET /${path}`, ["other"]), "index", path);
  }
});

test("parameters that hide indexes, or change them, are for keys without patterns", () => {
  for (const parameter of ["pipeline=p", "search_pipeline=p", "scroll=1m"]) {
    assert.is(ruleOf(`GET /shop/_search?${parameter}`), undefined, parameter);
    assert.is(ruleOf(`GET /shop/_search?${parameter}`, ["shop"]), "parameter", parameter);
  }
  assert.is(ruleOf("GET /shop/_search?routing=a", ["shop"]), undefined);
});

test("from alone may be over the limit of a window", () => {
  const rights = rightsOf({ limits: { window: 50 } });
  assert.is(queryRefusal({ from: 51 }, rights)?.rule, "limit");
  assert.is(queryRefusal({ from: 1 }, rights), undefined);
});

test.run();
