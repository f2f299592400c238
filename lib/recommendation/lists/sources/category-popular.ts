import type { Test } from "../candidates/candidates.ts";
import { valuesOf } from "../candidates/item-record.ts";
import type { ListRequest } from "../candidates/request.ts";
import { popular } from "./popular.ts";

/** The most popular items of the categories that the page is about. */
export const categoryPopular = {
  ...popular,
  async testOf(
    request: ListRequest,
    { column }: { column: string },
    report: (error: unknown) => void,
  ): Promise<Test | undefined> {
    const categories = await categoriesOf(request, column, report);
    if (categories.size === 0) return undefined;
    return (_, record) => [...valuesOf(record, column)].some((value) => categories.has(value));
  },
};

async function categoriesOf(
  { category, seedRecords, seeds }: ListRequest,
  column: string,
  report: (error: unknown) => void,
): Promise<ReadonlySet<string>> {
  if (category != null) return new Set([category]);
  if (seeds.length === 0) return new Set();
  const { records, failure } = await seedRecords();
  if (failure) report(failure.cause);
  return new Set([...records.values()].flatMap((record) => [...valuesOf(record, column)]));
}
