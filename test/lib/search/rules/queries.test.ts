import * as assert from "uvu/assert";
import { type Effects, NO_EFFECTS } from "../../../../lib/search/rules/effects.ts";
import { withEffects } from "../../../../lib/search/rules/queries.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/rules/queries");

const RED = { term: { color: "red" } };
const NEW = { term: { isNew: true } };
const OLD = { term: { old: true } };
const MATCH = { match: { title: "lamp" } };
const effects = (some: Partial<Effects>): Effects => ({ ...NO_EFFECTS, ...some });

test("leaves a query alone without effects", () => {
  assert.is(withEffects(MATCH, NO_EFFECTS), MATCH);
});

test("adds filters, hidden documents and factors around a query", () => {
  assert.equal(
    withEffects(
      MATCH,
      effects({ hiddenIds: ["a"], hidden: [OLD], filters: [RED], weights: [{ filter: NEW, weight: 2 }] }),
    ),
    {
      bool: {
        must: [
          {
            function_score: {
              query: MATCH,
              functions: [{ filter: NEW, weight: 2 }],
              score_mode: "multiply",
              boost_mode: "multiply",
            },
          },
        ],
        filter: [RED],
        must_not: [{ ids: { values: ["a"] } }, OLD],
      },
    },
  );
});

test("adds filters to a knn query that has one, wherever it scores", () => {
  const knn = (filter?: object) => ({ knn: { v: { vector: [1], k: 5, ...(filter && { filter }) } } });
  const [inner] = (withEffects(knn(NEW), effects({ filters: [RED] })) as { bool: { must: object[] } }).bool.must;
  assert.equal(inner, knn({ bool: { filter: [NEW, RED] } }));
  assert.equal((withEffects(knn(), effects({ filters: [RED] })) as { bool: { must: object[] } }).bool.must, [knn()]);
  const within = { bool: { should: [MATCH, knn(NEW)] } };
  const [changed] = (withEffects(within, effects({ filters: [RED] })) as { bool: { must: object[] } }).bool.must;
  assert.equal(changed, { bool: { should: [MATCH, inner] } });
});

test("changes each subquery of a hybrid query, which nothing can stand around", () => {
  const wrapped = withEffects(MATCH, effects({ hiddenIds: ["a"] }));
  const hybrid = { queries: [MATCH, MATCH], pagination_depth: 9 };
  assert.equal(withEffects({ hybrid }, effects({ hiddenIds: ["a"] })), {
    hybrid: { queries: [wrapped, wrapped], pagination_depth: 9 },
  });
});

test.run();
