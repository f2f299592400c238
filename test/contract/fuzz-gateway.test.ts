import { MANY } from "../fixtures/fuzz.ts";
import { fuzzGateway } from "../fixtures/fuzz-gateway.ts";

await fuzzGateway(`${MANY} generated bodies to each endpoint of the gateway`, MANY);
