import type { FallbackList } from "../../../settings/placements.ts";
import type { Test } from "../candidates/candidates.ts";
import type { ListRequest } from "../candidates/request.ts";
import { builtIn } from "./built-in.ts";
import { categoryPopular } from "./category-popular.ts";
import { items } from "./items.ts";
import { newest } from "./newest.ts";
import { popular } from "./popular.ts";

/** A list that exists before the request, with its settings in the fallback chain. */
export interface StoredList<Settings> {
  /** Name of the store in messages. */
  upstream: string;
  /** Returns the ids, best first; undefined before the first training. Throws if they cannot be read. */
  read(request: ListRequest, settings: Settings): Promise<readonly string[] | undefined>;
  /** Returns the test of the list's items; undefined if the list has no items for this request. */
  testOf?(request: ListRequest, settings: Settings, report: (error: unknown) => void): Promise<Test | undefined>;
}

/** The lists of fallback chains, by the name in recommendation.yaml. */
export const STORED_LISTS: {
  readonly [Name in FallbackList["list"]]: StoredList<Extract<FallbackList, { list: Name }>>;
} = { built_in: builtIn, popular, category_popular: categoryPopular, newest, items };
