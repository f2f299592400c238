// A missing resource gives the service's own error in its protocol, never moto's HTML page with status 500.
import {
  APIGatewayClient,
  CreateRestApiCommand,
  DeleteRestApiCommand,
  DeleteUsagePlanKeyCommand,
  GetBasePathMappingsCommand,
  GetDeploymentCommand,
} from "@aws-sdk/client-api-gateway";
import * as assert from "uvu/assert";
import { callJson } from "../../packages/local-aws/test/cloud/raw-api.ts";
import { clientOptions, sharedCloud } from "../fixtures/cloud.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: resources that do not exist");
const cloud = await sharedCloud();
const apiGateway = new APIGatewayClient(clientOptions(cloud));

/** Returns the HTTP status and name of the error of a call. */
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => "none",
    (error) => `${error.$metadata?.httpStatusCode} ${error.name}`,
  );

test("API Gateway: a missing deployment of an API is a NotFoundException", async () => {
  const { id: restApiId } = await apiGateway.send(new CreateRestApiCommand({ name: "half-removed" }));
  const call = apiGateway.send(new GetDeploymentCommand({ restApiId, deploymentId: "absent" }));
  assert.is(await errorOf(call), "404 NotFoundException");
});

test("API Gateway: a missing API, domain name or usage plan key is a NotFoundException", async () => {
  const calls = [
    apiGateway.send(new DeleteRestApiCommand({ restApiId: "absent" })),
    apiGateway.send(new GetBasePathMappingsCommand({ domainName: "absent.example.com" })),
    apiGateway.send(new DeleteUsagePlanKeyCommand({ usagePlanId: "absent", keyId: "absent" })),
  ];
  assert.equal(
    await Promise.all(calls.map(errorOf)),
    calls.map(() => "404 NotFoundException"),
  );
});

test("a service with the JSON protocol answers in JSON", async () => {
  const error = await callJson(cloud, "kms", "TrentService.ListGrants", { KeyId: "absent" }).catch(String);
  assert.match(String(error), "NotFoundException");
  assert.not.match(String(error), "<!doctype");
});

test.run();
