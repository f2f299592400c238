import { testPairs } from "../pairs/declare.ts";

await testPairs("pairs of features: a slice", { search: { pairs: 20 }, write: { pairs: 20 } });
