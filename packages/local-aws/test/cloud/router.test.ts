import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { destinationOf } from "../../cloud/router.ts";

const test = suite("local cloud: routing of requests");

const signed = (scope: string) =>
  `AWS4-HMAC-SHA256 Credential=test/20000101/${scope}/aws4_request, SignedHeaders=host, Signature=0`;
const PRESIGNED = "/bucket/key?X-Amz-Credential=test%2F20000101%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Signature=0";

for (const [what, url, authorization, service] of [
  ["the service of its signature", "/", signed("eu-west-1/personalize"), "personalize"],
  ["the service of a presigned query", PRESIGNED, undefined, "s3"],
  ["its service although the access key has a slash", "/", signed("eu-west-1/sqs").replace("test", "a/b"), "sqs"],
  ["SageMaker's control plane", "/", signed("eu-west-1/sagemaker"), "sagemaker"],
  ["SageMaker's runtime", "/endpoints/model/invocations?x=1", signed("eu-west-1/sagemaker"), "sagemaker-runtime"],
  ["Bedrock's control plane", "/foundation-models", signed("eu-west-1/bedrock"), "bedrock"],
  ["Bedrock's runtime", "/model/cohere.embed-english-v3/invoke", signed("eu-west-1/bedrock"), "bedrock-runtime"],
  ["another service whose path is similar", "/endpoints/model/invocations", signed("eu-west-1/s3"), "s3"],
] as const) {
  test(`routes a request to ${what}`, () => {
    assert.equal(destinationOf({ url, authorization }), { service, region: "eu-west-1" });
  });
}

test("finds no destination without a signature of AWS", () => {
  for (const authorization of [
    undefined,
    "",
    "Basic dGVzdA==",
    "Bearer x",
    "AWS4-HMAC-SHA256 Credential=test/eu-west-1",
  ])
    assert.is(destinationOf({ url: "/", authorization }), undefined);
});

test.run();
