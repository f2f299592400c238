// The stacks in other partitions of AWS, whose ARNs and host names are written differently.
import * as assert from "uvu/assert";
import { stackNames } from "../../stacks/input.ts";
import type { Change } from "../fixtures/configurations/configurations.ts";
import { fullConfiguration } from "../fixtures/configurations/every-option.ts";
import { suite } from "../suite.ts";
import { synth } from "./support.ts";

const test = suite("stacks: partitions");

/** The partitions without the model server's image have endpoints of one's own. */
const withoutImages = (text: string, partition: string) =>
  partition === "aws-iso" && /^dense_large_en_v1_5:/m.test(text)
    ? "dense_large_en_v1_5:\n  endpoint_name: shop-dense\nsparse_v3:\n  endpoint_name: shop-sparse\n"
    : text;

/** Without what needs Personalize. */
const ALONE: Change[] = [
  ["project.yaml", ["personalize"], undefined],
  ["api.yaml", ["personalized_ranking"], undefined],
];

for (const { region, partition, suffix, changes } of [
  { region: "cn-north-1", partition: "aws-cn", suffix: "amazonaws.com.cn" },
  { region: "us-gov-west-1", partition: "aws-us-gov", suffix: "amazonaws.com", changes: ALONE },
  { region: "us-iso-east-1", partition: "aws-iso", suffix: "c2s.ic.gov", changes: ALONE },
  { region: "eu-central-1", partition: "aws", suffix: "amazonaws.com" },
]) {
  test(`writes each ARN and host name as in ${region}`, () => {
    const rewrite = (text: string) =>
      withoutImages(text, partition)
        .replaceAll("arn:aws:", `arn:${partition}:`)
        .replaceAll("eu-west-1.es.amazonaws.com", `${region}.es.${suffix}`)
        .replaceAll("eu-west-1", region);
    const config = fullConfiguration("both services", rewrite, changes);
    for (const name of stackNames(config)) {
      const { text } = synth(name, { config });
      assert.equal(
        [...text.matchAll(/arn:(aws[\w-]*):[\w:/.-]*/g)].flatMap(([arn, found]) => (found === partition ? [] : arn)),
        [],
        name,
      );
      // Names of services in trust policies are the same everywhere; those with a region are host names.
      assert.equal(
        [...text.matchAll(/[\w.-]*\bamazonaws\.com[\w.]*/g)].flatMap(([host]) =>
          host.includes(`.${region}.`) && !host.endsWith(`.${suffix}`) ? host : [],
        ),
        [],
        name,
      );
      assert.not.match(text, /eu-west-1/, name);
    }
  });
}

test.run();
