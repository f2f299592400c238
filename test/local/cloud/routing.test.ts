import * as assert from "uvu/assert";
import { destinationOf } from "../../../local/cloud/routing.ts";
import { suite } from "../../suite.ts";

const test = suite("local cloud: where a request goes");

const signed = (scope: string) =>
  `AWS4-HMAC-SHA256 Credential=test/20000101/${scope}/aws4_request, SignedHeaders=host, Signature=0`;
const service = (scope: string, url = "/") => destinationOf({ url, authorization: signed(scope) })?.service;

test("to the service and region of its signature", () => {
  const destination = destinationOf({ url: "/", authorization: signed("eu-west-1/personalize") });
  assert.equal(destination, { service: "personalize", region: "eu-west-1" });
});

test("to the service of a presigned query", () => {
  const url = "/bucket/key?X-Amz-Credential=test%2F20000101%2Feu-west-1%2Fs3%2Faws4_request&X-Amz-Signature=0";
  assert.equal(destinationOf({ url, authorization: undefined }), { service: "s3", region: "eu-west-1" });
});

test("an access key with a slash does not confuse it", () => {
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
  test(`nowhere known with authorization ${authorization}`, () => {
    assert.is(destinationOf({ url: "/", authorization }), undefined);
  });
}

test("the runtime of SageMaker is not its control plane", () => {
  assert.is(service("eu-west-1/sagemaker"), "sagemaker");
  assert.is(service("eu-west-1/sagemaker", "/endpoints/model/invocations"), "sagemaker-runtime");
  assert.is(service("eu-west-1/sagemaker", "/endpoints/model/invocations?x=1"), "sagemaker-runtime");
});

test("the runtime of Bedrock is not its control plane", () => {
  assert.is(service("eu-west-1/bedrock", "/foundation-models"), "bedrock");
  assert.is(service("eu-west-1/bedrock", "/model/cohere.embed-english-v3/invoke"), "bedrock-runtime");
});

test("another service's path like that stays with its service", () => {
  assert.is(service("eu-west-1/s3", "/endpoints/model/invocations"), "s3");
});

test.run();
