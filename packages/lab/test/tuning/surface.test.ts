import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import type { Collection } from "../../tuning/collection.ts";
import { surfaceSvg } from "../../tuning/surface.ts";

const test = suite("the heat map of a tuning");

/** A metric that is best at these weights of the first two of three subqueries. */
const peakAt = (x: number, y: number): Collection => ({
  queries: 1,
  subqueries: 3,
  values: ({ weights }) => Float64Array.of(1 - Math.hypot((weights?.[0] ?? 0) - x, (weights?.[1] ?? 0) - y)),
  computed: () => 0,
});

test("frames the best cell, also when the best settings of all lie elsewhere", () => {
  const best = { weights: [0.05, 0.9, 0.05], normalization: "min_max", combination: "arithmetic_mean" } as const;
  const svg = surfaceSvg(peakAt(0.3, 0.5), { ...best, candidates: 100, k: null }, "ndcg@10");
  const rects = [...svg.matchAll(/<rect [^>]*>/g)].map(([rect]) => rect);
  const [, frame] = /x="(\d+)"/.exec(rects.find((rect) => rect.includes('fill="none"')) ?? "") ?? [];
  const darkest = rects.find((rect) => /hsl\(212 65% 35%\)/.test(rect)) ?? "";
  assert.is(frame, /x="(\d+)"/.exec(darkest)?.[1]);
  assert.match(darkest, `x="${frame}"`);
});

test.run();
