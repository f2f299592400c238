import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { RECIPE_KINDS, type RecipeKind } from "../../lib/platform/contract/recommendation.ts";
import { parseJson } from "../../lib/platform/json/values.ts";
import { recipeOf } from "../../lib/settings/campaign-settings.ts";
import type { Recommendation } from "../../lib/settings/configuration.ts";
import type { Project } from "../project.ts";
import { PUBLIC_DAY, PUBLIC_PRICES } from "./list-prices.ts";
import type { Planned } from "./planned.ts";
import type { Time } from "./summary/plan-json.ts";
import type { MonthlySum } from "./summary/summary.ts";
import { type MonthlyUsage, monthlyUsage } from "./summary/usage.ts";

/** One product of AWS's price list. */
export interface Product {
  /** With the region's prefix, such as "EUW1-Host:ml.c6i.2xlarge". */
  usageType: string;
  /** Dollars for the first unit. */
  dollars: number;
}

/** Reads the products of a service in a region whose usage type contains a text. Throws the SDK's errors. */
export type PriceReads = (service: string, usage: string) => Promise<Product[]>;

const Stored = v.object({
  /** By service and usage; null where the list has no price. */
  prices: v.record(v.string(), v.nullable(v.object({ dollars: v.number(), read: v.string() }))),
});
type Stored = v.InferOutput<typeof Stored>;

/** Prices are read again after so many days. */
const KEPT_DAYS = 30;
const DAY_MS = 86_400_000;
/** Milliseconds that a plan waits for an answer. */
const ASKING_MS = 10_000;

/**
 * Returns what a month costs by AWS's list prices, before and after the apply; undefined if nothing has a price. Prices of
 * the region are kept in a file, with the day of each. Where none can be had, those of AWS's pages for us-east-1 stand in.
 */
export async function monthlySum(
  usages: Readonly<Record<Time, ReturnType<typeof monthlyUsage>>>,
  { reads, file, now }: { reads: PriceReads; file: string; now: Date },
): Promise<MonthlySum | undefined> {
  const stored = await readStored(file);
  let failed = false;
  const fresh: Stored = { prices: {} };
  for (const { service, usage } of [...usages.after.usage, ...usages.before.usage]) {
    const key = `${service} ${usage}`;
    if (service === undefined || key in fresh.prices) continue;
    const known = stored.prices[key];
    const current = known && now.getTime() - new Date(known.read).getTime() < KEPT_DAYS * DAY_MS;
    if (current) fresh.prices[key] = known;
    else if (!failed) {
      try {
        fresh.prices[key] = priceOf(await reads(service, usage), usage, now);
      } catch {
        // Without permission or a way to AWS, no other price can be read either. Old ones are better than none.
        failed = true;
      }
    }
    if (failed && known) fresh.prices[key] = known;
  }
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify({ prices: { ...stored.prices, ...fresh.prices } }, undefined, 2));
  const after = summed(usages.after, fresh);
  const { dollars = 0, parts = {} } = summed(usages.before, fresh) ?? {};
  return after && { ...after, before: { dollars, parts } };
}

function summed(
  { usage, without }: ReturnType<typeof monthlyUsage>,
  { prices }: Stored,
): Omit<MonthlySum, "before"> | undefined {
  const priceFor = ({ service, usage }: MonthlyUsage) => {
    const [own, listed] = [prices[`${service} ${usage}`], PUBLIC_PRICES[usage]];
    if (own) return { ...own, isPublic: false };
    return listed === undefined ? undefined : { dollars: listed, read: PUBLIC_DAY, isPublic: true };
  };
  const priced = usage.flatMap((one) => {
    const price = priceFor(one);
    return price ? [{ ...price, what: one.what, dollars: one.amount * price.dollars }] : [];
  });
  if (priced.length === 0) return undefined;
  const parts: Record<string, number> = {};
  for (const { what, dollars } of priced) parts[what] = (parts[what] ?? 0) + dollars;
  const unpriced = usage.filter((one) => priceFor(one) === undefined).map(({ what }) => what);
  return {
    dollars: Object.values(parts).reduce((sum, one) => sum + one, 0),
    parts,
    without: [...new Set([...unpriced, ...without])],
    byPage: [...new Set(priced.flatMap(({ what, isPublic }) => (isPublic ? [what] : [])))],
    // The oldest price decides how old the sum is.
    read: priced.map(({ read }) => read).sort()[0] ?? "",
  };
}

/** The region's prefix of a usage type: "EUW1-", "eu-west-1-", or nothing in us-east-1. */
const PREFIX = /^([A-Z]{2,4}\d?-|[a-z]{2}(-[a-z]+)+-\d-)?$/;

/** Returns the price of exactly this usage; null if there is none, or several that differ. */
function priceOf(products: readonly Product[], usage: string, now: Date): Stored["prices"][string] {
  const exact = products.filter(
    ({ usageType }) => usageType.endsWith(usage) && PREFIX.test(usageType.slice(0, -usage.length)),
  );
  const [dollars, ...others] = new Set(exact.map((one) => one.dollars).filter((price) => price > 0));
  if (dollars === undefined || others.length > 0) return null;
  return { dollars, read: now.toISOString().slice(0, 10) };
}

async function readStored(file: string): Promise<Stored> {
  const text = await readFile(file, "utf8").catch(() => "");
  const { success, output } = v.safeParse(Stored, parseJson(text));
  return success ? output : { prices: {} };
}

/** The regions that answer requests for prices. Source: Price List API, "Finding services and products". */
const ENDPOINT_REGION = (region: string) =>
  region.startsWith("eu-") ? "eu-central-1" : region.startsWith("ap-") ? "ap-south-1" : "us-east-1";

const Terms = v.object({
  product: v.object({ attributes: v.object({ usagetype: v.string() }) }),
  terms: v.object({
    OnDemand: v.record(
      v.string(),
      v.object({
        priceDimensions: v.record(
          v.string(),
          v.object({ beginRange: v.optional(v.string(), "0"), pricePerUnit: v.object({ USD: v.string() }) }),
        ),
      }),
    ),
  }),
});

/** Reads AWS's Price List API. */
export function sdkPrices(region: string): PriceReads {
  return async (ServiceCode, usage) => {
    const { GetProductsCommand, PricingClient } = await import("@aws-sdk/client-pricing");
    const client = new PricingClient({ region: ENDPOINT_REGION(region), maxAttempts: 2 });
    const Filters = [
      { Type: "TERM_MATCH" as const, Field: "regionCode", Value: region },
      { Type: "CONTAINS" as const, Field: "usagetype", Value: usage },
    ];
    const command = new GetProductsCommand({ ServiceCode, Filters, MaxResults: 100 });
    const { PriceList = [] } = await client.send(command, { abortSignal: AbortSignal.timeout(ASKING_MS) });
    return productsOf(PriceList);
  };
}

/** Returns the products of an answer. Leaves out those without a price for the first unit. */
export function productsOf(list: readonly unknown[]): Product[] {
  return list.flatMap((text) => {
    const { success, output } = v.safeParse(Terms, typeof text === "string" ? parseJson(text) : text);
    if (!success) return [];
    const dimensions = Object.values(output.terms.OnDemand).flatMap((term) => Object.values(term.priceDimensions));
    const first = dimensions.find(({ beginRange }) => Number(beginRange) === 0);
    const usageType = output.product.attributes.usagetype;
    return first ? [{ usageType, dollars: Number(first.pricePerUnit.USD) }] : [];
  });
}

/** Returns the kinds whose recipe is of the second version. */
export const newRecipes = (recommendation: Recommendation | undefined): RecipeKind[] =>
  RECIPE_KINDS.filter(
    (kind) => recommendation?.solution.recipes[kind] && recipeOf(recommendation, kind).name.endsWith("-v2"),
  );

/** Adds the sum of a month to the summary of a plan, where prices can be had. */
export async function addMonthlySum({ env, sdk, config }: Project, { stacks, summary }: Planned): Promise<void> {
  // The prices of a local cloud mean nothing; China has its own list, and GovCloud none.
  if (env.AWS_ENDPOINT_URL || /^(cn|us-gov|us-iso)/.test(config.project.aws.region_name)) return;
  const plans = stacks.map(({ plan }) => plan);
  const kinds = newRecipes(config.recommendation);
  const usages = { before: monthlyUsage(plans, "before", kinds), after: monthlyUsage(plans, "after", kinds) };
  const file = join(".local", "prices", `${sdk.region}.json`);
  const sum = await monthlySum(usages, { reads: sdkPrices(sdk.region), file, now: new Date() });
  if (sum) summary.monthlySum = sum;
}
