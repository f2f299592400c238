import { fuzzGateway } from "../fixtures/fuzz-gateway.ts";

await fuzzGateway("generated bodies to the gateway", 60);
