import { testPairs } from "../pairs/declare.ts";

// Those that follow the ones of integration/pairs; `make bench ARGS=pairs` plays all.
const slice = { pairs: 40, after: 20 };

await testPairs("pairs of features: a larger slice", { search: slice, write: slice });
