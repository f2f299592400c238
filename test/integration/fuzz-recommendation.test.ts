import { BODIES } from "../fixtures/fuzz.ts";
import { fuzzRecommendation } from "../fixtures/fuzz-recommendation.ts";

await fuzzRecommendation("generated bodies to the recommendation service", BODIES);
