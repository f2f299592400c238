import { join } from "node:path";
import * as v from "valibot";
import { table } from "../../lib/platform/table.ts";
import { defineCommand } from "../command.ts";
import { monthUnder } from "../costs/month.ts";
import { option } from "../options.ts";
import { monthlySum, sdkPrices } from "../plan/prices.ts";
import { openSession } from "../project.ts";

const FACTORS = { "": 1, k: 1e3, M: 1e6 } as const;

/** A count such as 800, 100k or 1.5M. */
const Count = v.pipe(
  v.string(),
  v.regex(/^\d{1,9}(\.\d{1,3})?[kM]?$/, "must be a number such as 800, 100k or 1.5M"),
  v.transform((text) => Number.parseFloat(text) * FACTORS[/[kM]?$/.exec(text)?.[0] as keyof typeof FACTORS]),
);

/** `relevance costs`: computes what a month costs under a load. */
export const command = defineCommand({
  example: "relevance costs --searches 1M --documents 2M --users 100k",
  json: true,
  options: {
    searches: option("--searches <number>", "searches of a month", Count, { default: "0" }),
    documents: option("--documents <number>", "documents written in a month", Count, { default: "0" }),
    users: option("--users <number>", "users of a month who get recommendations", Count, { default: "0" }),
  },
  run: async ({ conf, json, ...load }, context) => {
    const { config, env } = await openSession(conf, context);
    const { terminal } = context;
    const { sampleStacks } = await import("../../stacks/sample-stacks.ts");
    const month = monthUnder(config, sampleStacks(config), load);
    const region = config.project.aws.region_name;
    const reads = sdkPrices(region);
    const sum = env.AWS_ENDPOINT_URL
      ? undefined
      : await monthlySum(
          { after: month, before: { usage: [], without: [] } },
          { reads, file: join(".local", "prices", `${region}.json`), now: new Date() },
        );
    const amounts = new Map<string, number>();
    for (const { what, amount } of month.usage) amounts.set(what, (amounts.get(what) ?? 0) + amount);
    const parts = [...amounts].map(([what, amount]) => ({ what, amount, dollars: sum?.parts[what] }));
    const without = sum?.without ?? month.without;
    const [dollars, read] = [sum?.dollars, sum?.read];
    if (json) {
      terminal.printJson({ region, dollars, read, parts, without });
      return 0;
    }
    const shown = (value: number, digits = 2) => value.toLocaleString("en", { maximumFractionDigits: digits });
    terminal.print(
      table(
        ["a month of", "amount", "dollars"],
        parts.map((part) => [part.what, shown(part.amount), part.dollars === undefined ? "-" : shown(part.dollars)]),
      ),
    );
    const total = sum
      ? `$${shown(sum.dollars)} by AWS's price list for ${region}, read on ${sum.read}`
      : "no prices could be read";
    terminal.print(`\nIn all: ${total}. Without:\n${without.map((what) => `- ${what}`).join("\n")}`);
  },
});
