import { testPairs } from "../pairs/declare.ts";

await testPairs("all pairs of features", { search: { pairs: 200 }, write: { pairs: 200 } });
