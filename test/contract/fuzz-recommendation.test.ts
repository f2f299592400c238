import { fuzzRecommendation } from "../fixtures/fuzz-recommendation.ts";

await fuzzRecommendation("thousands of generated bodies to the recommendation service", 550);
