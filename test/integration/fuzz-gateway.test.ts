import { BODIES } from "../fixtures/fuzz.ts";
import { fuzzGateway } from "../fixtures/fuzz-gateway.ts";

await fuzzGateway("generated bodies to the gateway", BODIES);
