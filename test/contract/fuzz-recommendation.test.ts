import { MANY } from "../fixtures/fuzz.ts";
import { fuzzRecommendation } from "../fixtures/fuzz-recommendation.ts";

await fuzzRecommendation(`${MANY} generated bodies to each endpoint of the recommendation service`, MANY);
