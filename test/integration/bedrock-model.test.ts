// A Bedrock text embedding model by its id: from model.yaml to the request that Bedrock gets, and its permission.
import * as assert from "uvu/assert";
import { gatewaySettings } from "../../build/settings-files.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { createModelStandIns } from "../../packages/local-models/stand-ins.ts";
import { sharedCloud } from "../fixtures/cloud.ts";
import { type Change, configuration } from "../fixtures/configurations/configurations.ts";
import { setAwsEndpoint, startGateway } from "../fixtures/gateway.ts";
import { serveStandIns } from "../fixtures/stand-in-server.ts";
import { statementsOf } from "../stacks/iam.ts";
import { synth } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("a Bedrock model by its id");

const cloud = await sharedCloud();
const names = namesOf({ project: "all-options", account: "123456789012", region: "eu-west-1" });
const MODELS = "arn:aws:bedrock:eu-west-1::foundation-model";

/** A model of each of Bedrock's two request formats, and an inference profile, mostly with unusual dimensions. */
const CASES: ReadonlyArray<
  [model_id: string, dimension: number, body: Record<string, unknown>, resources: readonly string[]]
> = [
  [
    "amazon.titan-embed-text-v2:0",
    256,
    { inputText: "relevance", dimensions: 256, normalize: true },
    [`${MODELS}/amazon.titan-embed-text-v2:0`],
  ],
  [
    "cohere.embed-multilingual-v3",
    1024,
    { texts: ["relevance"], input_type: "search_document", truncate: "END" },
    [`${MODELS}/cohere.embed-multilingual-v3`],
  ],
  [
    "eu.cohere.embed-v4:0",
    512,
    {
      texts: ["relevance"],
      input_type: "search_document",
      truncate: "RIGHT",
      output_dimension: 512,
      embedding_types: ["float"],
    },
    [
      "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.cohere.embed-v4:0",
      "arn:aws:bedrock:*::foundation-model/cohere.embed-v4:0",
    ],
  ],
];

for (const [model_id, dimension, body, resources] of CASES) {
  const embedding_mappings = [{ embedding_field: "vector", model_name: "ext_embed_bedrock", src_fields: ["title"] }];
  const changes: readonly Change[] = [
    ["model.yaml", ["ext_embed_bedrock"], { model_id, dimension, query_concurrency: 4 }],
    ["hybrid_search.yaml", [], { hybrid_queries: [{ index: "books", embedding_mappings }] }],
  ];

  test(`asks ${model_id} for vectors of ${dimension} dimensions`, async () => {
    const config = configuration("all-options", changes);
    const { models } = gatewaySettings(config, { names });
    assert.ok(config.searchGateway);
    const standIns = await createModelStandIns({
      modelOfEndpoint: () => undefined,
      models: config.searchGateway.models,
    });
    const requests: unknown[] = [];
    const server = await serveStandIns(
      [
        {
          ...standIns,
          handle(request) {
            requests.push([decodeURIComponent(request.path), JSON.parse(request.body.toString())]);
            return standIns.handle(request);
          },
        },
      ],
      cloud,
    );
    setAwsEndpoint(server.url, cloud);
    const gateway = await startGateway({ node: "http://127.0.0.1:9", settings: { models } });
    try {
      const [, model] = (await gateway.probe()) as object[];
      assert.equal(model, { kind: "model", name: "ext_embed_bedrock", state: "works" });
      assert.equal(requests, [[`/model/${model_id}/invoke`, body]]);
    } finally {
      await gateway.stop();
      await server.stop();
    }
  });

  test(`lets api-router invoke only ${model_id} on Bedrock`, () => {
    const stack = synth("search-gateway", { config: configuration("all-options", changes) });
    const allowed = statementsOf(stack, "api-router-role").filter(({ Action }) =>
      [Action].flat().some((action) => /^(bedrock:|\*)/.test(action)),
    );
    assert.equal(
      allowed.map(({ Effect, Action, Resource }) => [Effect, Action, Resource]),
      [["Allow", ["bedrock:InvokeModel"], resources]],
    );
  });
}

test.run();
