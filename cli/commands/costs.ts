import { join } from "node:path";
import * as v from "valibot";
import { table } from "../../lib/platform/table.ts";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { defineCommand } from "../command.ts";
import { monthUnder } from "../costs/month.ts";
import { option } from "../options.ts";
import { PUBLIC_DAY } from "../plan/list-prices.ts";
import { monthlySum, type PriceReads, sdkPrices } from "../plan/prices.ts";
import type { MonthlyUsage } from "../plan/summary/usage.ts";
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
    before: option("--before <folder>", "another configuration, to compare with", v.optional(v.string())),
  },
  run: async ({ conf, json, before, ...load }, context) => {
    const { config, env } = await openSession(conf, context);
    const { terminal } = context;
    const { sampleStacks } = await import("../../stacks/sample-stacks.ts");
    const month = monthUnder(config, sampleStacks(config), load);
    const other = before === undefined ? undefined : loadConfiguration(before);
    const earlier = other ? monthUnder(other, sampleStacks(other), load) : { usage: [], without: [] };
    const region = config.project.aws.region_name;
    // A local cloud has no prices.
    const reads: PriceReads = env.AWS_ENDPOINT_URL ? () => Promise.reject(new Error("no prices")) : sdkPrices(region);
    const sum = await monthlySum(
      { after: month, before: earlier },
      { reads, file: join(".local", "prices", `${region}.json`), now: new Date() },
    );
    const [amounts, amountsBefore] = [amountsOf(month.usage), amountsOf(earlier.usage)];
    const parts = [...new Set([...amounts.keys(), ...amountsBefore.keys()])].map((what) => ({
      ...{ what, amount: amounts.get(what) ?? 0, dollars: sum?.parts[what] },
      ...(other && { before: { amount: amountsBefore.get(what) ?? 0, dollars: sum?.before.parts[what] } }),
    }));
    const without = sum?.without ?? month.without;
    const { dollars, read, byPage } = sum ?? {};
    if (json) {
      const total = other && { before: sum?.before.dollars };
      terminal.printJson({ region, dollars, ...total, read, parts, by_page: byPage, without });
      return 0;
    }
    const shown = (value: number, digits = 2) => value.toLocaleString("en", { maximumFractionDigits: digits });
    const changed = (before: string, after: string) => (!other || before === after ? after : `${before} → ${after}`);
    const price = (value: number | undefined) => (value === undefined ? "-" : shown(value));
    terminal.print(
      table(
        ["a month of", "amount", "dollars"],
        parts.map((part) => [
          part.what,
          changed(shown(part.before?.amount ?? 0), shown(part.amount)),
          changed(price(part.before?.dollars ?? 0), price(part.dollars)),
        ]),
      ),
    );
    const pages = `public prices of us-east-1, put together on ${PUBLIC_DAY}`;
    const isByPageAlone = Object.keys(sum?.parts ?? {}).every((what) => byPage?.includes(what));
    const list = `AWS's price list for ${region}, read on ${read}, and by ${pages} for ${byPage?.join(", ") || "nothing"}`;
    const source = isByPageAlone ? pages : list;
    const total = `$${changed(shown(sum?.before.dollars ?? 0), shown(dollars ?? 0))}`;
    terminal.print(`\nIn all: ${total} by ${source}. Without:\n${without.map((what) => `- ${what}`).join("\n")}`);
  },
});

function amountsOf(usage: readonly MonthlyUsage[]): Map<string, number> {
  const amounts = new Map<string, number>();
  for (const { what, amount } of usage) amounts.set(what, (amounts.get(what) ?? 0) + amount);
  return amounts;
}
