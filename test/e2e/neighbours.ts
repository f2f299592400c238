import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { type Change, configurationFiles } from "../fixtures/configurations/configurations.ts";
import { changesIn, type Step } from "../infrastructure/deployment/world.ts";
import { commandsOf, curl } from "./newcomer.ts";

/** The folder of `make deploy LOCAL=1`, after the shipped configuration was deployed from it. */
interface Deployed {
  folder: string;
  /** A name of an index that nobody else uses. */
  index: string;
  /** Runs make, and fails the test unless it succeeds. */
  succeeds(...args: string[]): Promise<{ out: string; err: string }>;
  /** Runs make. */
  make(...args: string[]): Promise<{ out: string; err: string; code: number | null }>;
}

interface Neighbour {
  conf: string;
  changes: readonly Change[];
  url: string;
  key: string;
}

const DNS: Change = ["api.yaml", ["domain_name_system"], null];

/** Another project in the same VPC, and the first project in another region, each with a search gateway alone. */
export function neighbours({ folder, index, succeeds, make }: Deployed) {
  const bedrock = { query_concurrency: 4, query_timeout_ms: 3000, document_timeout_ms: 20000, document_concurrency: 4 };
  const mapping = (embedding_field: string, model_name: string) => ({
    embedding_field,
    model_name,
    src_fields: ["text"],
  });
  const forum: Neighbour = {
    conf: "conf.forum",
    changes: [
      ["project.yaml", ["project_name"], "forum"],
      DNS,
      // Its endpoint of SageMaker is that of the first project, its endpoint of Bedrock its own.
      ["model.yaml", ["dense_large_en_v1_5"], { initial_instance_count: 1, instance_type: "ml.c6i.2xlarge" }],
      ["model.yaml", ["ext_embed_english_v3"], bedrock],
      [
        "hybrid_search.yaml",
        ["hybrid_queries"],
        [
          {
            index,
            embedding_mappings: [mapping("dense", "dense_large_en_v1_5"), mapping("hosted", "ext_embed_english_v3")],
          },
        ],
      ],
    ],
    url: "",
    key: "",
  };
  const abroad: Neighbour = {
    conf: "conf.us",
    changes: [
      ["project.yaml", ["project_name"], "my-project"],
      ["project.yaml", ["aws", "region_name"], "us-east-1"],
      DNS,
    ],
    url: "",
    key: "",
  };
  const write = ({ conf, changes }: Neighbour) => {
    mkdirSync(join(folder, conf), { recursive: true });
    const files = configurationFiles("minimal", changes);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, conf, name), text);
  };
  const deploy = async (one: Neighbour) => {
    const { out } = await succeeds("deploy", "LOCAL=1", `CONF=${one.conf}`, "ARGS=--yes");
    const [, url = "", key = ""] = /^search-gateway\n {2}URL {6}(\S+)\n {2}API key {2}(\S+)/m.exec(out) ?? [];
    Object.assign(one, { url, key });
    return out;
  };
  const destroy = (one: Neighbour) =>
    succeeds("destroy", "LOCAL=1", `CONF=${one.conf}`, "DESTROY_INFRA=true", "ARGS=--yes");
  let search = "";

  async function answers({ url, key }: Neighbour): Promise<void> {
    const answer = await fetch(`${url}/raw-backend/`, { headers: { "x-api-key": key } });
    assert.is(answer.status, 200, url);
  }

  async function forumAnswers(): Promise<void> {
    await answers(forum);
    const answer = curl(search);
    assert.equal([answer.search_response?.hits.hits.length, answer.degraded], [1, undefined], JSON.stringify(answer));
  }

  return {
    /** Declares the tests that deploy them. */
    deployed(step: Step): void {
      step("another project in the VPC makes only the endpoint that is missing there", async () => {
        write(forum);
        const out = await deploy(forum);
        const plans = globSync(join(folder, ".local/deployment/dist/plans/forum.*/*.txt"));
        const created = plans.flatMap(
          (file) => readFileSync(file, "utf8").match(/aws_vpc_endpoint\.\S+ will be/g) ?? [],
        );
        assert.equal(created, ["aws_vpc_endpoint.endpoint-bedrock-runtime will be"]);
        const [create, store, , hybrid = ""] = commandsOf(out);
        assert.is(curl(create).acknowledged, true);
        assert.is(curl(store?.replace('"bulk_request"', '"refresh":true,"bulk_request"')).index_response.errors, false);
        search = hybrid;
        await forumAnswers();
      });

      step("the same project in another region is another deployment", async () => {
        write(abroad);
        await deploy(abroad);
        assert.match(abroad.url, ".us-east-1/");
        await answers(abroad);
      });
    },
    /** Requires that the first project's shared infrastructure cannot be removed while the other one uses it. */
    async keepsEndpoints(): Promise<void> {
      const { err, code } = await make("destroy", "LOCAL=1", "DESTROY_INFRA=true", "ARGS=--yes");
      assert.match(err, /would remove interface endpoints of vpc-\w+, which forum may use/);
      // That of make.
      assert.is(code, 2);
    },
    /**
     * Requires that both answer after the first project was removed, and removes the other project. Its own endpoint goes,
     * although the infrastructure of the first one is still there.
     */
    async removeProject(): Promise<void> {
      await forumAnswers();
      await answers(abroad);
      const { out } = await destroy(forum);
      assert.ok(changesIn(out).includes("- aws_vpc_endpoint.endpoint-bedrock-runtime"), out);
    },
    /** Requires that the other region answers, and removes the deployment there. */
    async removeRegion(): Promise<{ err: string }> {
      await answers(abroad);
      return destroy(abroad);
    },
  };
}
