import { fuzzRecommendation } from "../fixtures/fuzz-recommendation.ts";

await fuzzRecommendation("generated bodies to the recommendation service", 60);
