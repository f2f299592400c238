import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { metricOf } from "../../metrics/metric.ts";

const test = suite("metrics");
const GRADES = new Map([
  ["a", 3],
  ["b", 0],
]);

test("names have a measure and a depth from 1 to 9999", () => {
  assert.is(metricOf("ndcg@10")?.k, 10);
  assert.is(metricOf("map")?.k, undefined);
  for (const wrong of ["ndcg@0", "ndcg@-1", "ndcg@10000", "ndgc@10", "zero_hits@10", "constructor", ""]) {
    assert.is(metricOf(wrong), undefined, wrong);
  }
});

test("an empty ranking counts as a query without hits, and as 0 everywhere else", () => {
  assert.is(metricOf("zero_hits")?.of([], GRADES), 1);
  assert.is(metricOf("zero_hits")?.of(["x"], GRADES), 0);
  for (const name of ["ndcg@10", "mrr", "precision@5", "precision", "recall@5", "map", "judged@10"]) {
    assert.is(metricOf(name)?.of([], GRADES), 0, name);
  }
});

test("a query without relevant documents is 0, not a division by 0", () => {
  for (const name of ["ndcg", "mrr", "precision", "recall", "map"]) {
    assert.is(metricOf(name)?.of(["b", "x"], new Map([["b", 0]])), 0, name);
  }
});

test.run();
