import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { destinationOf } from "../../cloud/router.ts";

const test = suite("local cloud: routing of requests");

const signed = (scope: string) =>
  `AWS4-HMAC-SHA256 Credential=test/20000101/${scope}/aws4_request, SignedHeaders=host, Signature=0`;
const service = (scope: string, url = "/") => destinationOf({ url, authorization: signed(scope) })?.service;

test("routes a request to the service and region of its signature", () => {
  const destination = destinationOf({ url: "/", authorization: signed("eu-west-1/personalize") });
  assert.equal(destination, { service: "personalize", region: "eu-west-1" });
});

test("routes a presigned request to the service in its query", () => {
  const url = "/bucket/key?X-Amz-Credential=test%2F20000101%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Signature=0";
  assert.equal(destinationOf({ url, authorization: undefined }), { service: "s3", region: "eu-west-1" });
});

test("accepts an access key with a slash", () => {
  const authorization = "AWS4-HMAC-SHA256 Credential=a/b/20000101/eu-west-1/sqs/aws4_request, SignedHeaders=host";
  assert.is(destinationOf({ url: "/", authorization })?.service, "sqs");
});

for (const authorization of [
  undefined,
  "",
  "Basic dGVzdA==",
  "Bearer x",
  "AWS4-HMAC-SHA256 Credential=test/eu-west-1",
]) {
  test(`finds no destination for authorization ${authorization}`, () => {
    assert.is(destinationOf({ url: "/", authorization }), undefined);
  });
}

test("tells SageMaker's runtime from its control plane", () => {
  assert.is(service("eu-west-1/sagemaker"), "sagemaker");
  assert.is(service("eu-west-1/sagemaker", "/endpoints/model/invocations"), "sagemaker-runtime");
  assert.is(service("eu-west-1/sagemaker", "/endpoints/model/invocations?x=1"), "sagemaker-runtime");
});

test("tells Bedrock's runtime from its control plane", () => {
  assert.is(service("eu-west-1/bedrock", "/foundation-models"), "bedrock");
  assert.is(service("eu-west-1/bedrock", "/model/cohere.embed-english-v3/invoke"), "bedrock-runtime");
});

test("leaves a similar path of another service with that service", () => {
  assert.is(service("eu-west-1/s3", "/endpoints/model/invocations"), "s3");
});

test.run();
