import { failureKind, reasonOf } from "../../aws/errors.ts";
import { ApiError } from "../../core/http/error.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import { type FilterRecord, itemTest } from "../../personalize/filters/evaluate.ts";
import { everyCondition, type Filter, parseFilter } from "../../personalize/filters/parser.ts";
import { fieldsOf, fieldValue } from "../records/layout.ts";
import type { Profile, ProfileDataset } from "../records/profile.ts";
import type { RecommendationServices } from "../service/services.ts";
import { CampaignFailure } from "./ask-campaign.ts";
import { checkPlaceholders, type FilterChoice } from "./filter-choice.ts";
import type { Selection } from "./item-list.ts";

/**
 * Returns the popular items of the last ETL. If there are none, throws the error for the client: `not_trained` before
 * the first training and ETL, otherwise the one that matches the campaign's failure.
 */
export async function popularItemsInstead(
  services: RecommendationServices,
  failure: CampaignFailure,
  deadline: Deadline,
): Promise<readonly string[]> {
  let popular: readonly string[] | undefined;
  try {
    popular = await services.popularItems(deadline);
  } catch (error) {
    const both = new CampaignFailure(failureKind(error), reasonOf("the list of popular items", error), {
      cause: error,
    });
    throw nothingAnswers(both, `${failure.message}, and ${both.message}`);
  }
  if (popular) return popular;
  if (failure.kind === "none") {
    throw new ApiError(
      "not_trained",
      `${sentence(failure.message)}, and there are no popular items before the first training: upload data, then run \`relevance train\`.`,
      { cause: failure },
    );
  }
  throw nothingAnswers(failure, `${failure.message}, and there is no list of popular items yet`);
}

function nothingAnswers(failure: CampaignFailure, text: string): ApiError {
  const options = { cause: failure };
  switch (failure.kind) {
    case "throttled":
      return new ApiError("throttled", `${sentence(text)}.`, { ...options, headers: { "retry-after": "1" } });
    case "timeout":
      return new ApiError("timeout", `${sentence(text)}.`, options);
    default:
      return new ApiError("upstream_unavailable", `${sentence(text)}.`, options);
  }
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A filter that the API applies itself, because no campaign can. */
export interface OwnFilter {
  passes: NonNullable<Selection["passes"]>;
  /** How it differs from Personalize's filter, as a message for the client. Undefined if it does not. */
  shortcoming: string | undefined;
}

/**
 * Turns the filter of a request into a test of item records. The API does not store the user's past events, so it
 * evaluates conditions on them as for a user without any. Throws `upstream_unavailable` if the user record that the
 * filter needs cannot be read.
 */
export async function ownFilter(
  services: RecommendationServices,
  choice: FilterChoice,
  about: { userId?: string; item?: Profile | undefined },
  deadline: Deadline,
): Promise<OwnFilter> {
  checkPlaceholders(choice);
  const filter = parseFilter(choice.filter.expression);
  const currentUser = about.userId === undefined ? undefined : await user(services, filter, about.userId, deadline);
  const toItem = filterRecord(services, "item");
  const toUser = filterRecord(services, "user");
  const test = itemTest(filter, {
    values: choice.values,
    interactions: [],
    currentUser: currentUser && toUser(currentUser),
    currentItem: about.item && toItem(about.item),
  });
  return {
    passes: (id, record) => test(id, toItem(record)),
    shortcoming: reads(filter, "Interactions") ? "the filter's conditions on past events did not apply" : undefined,
  };
}

async function user(
  { records }: RecommendationServices,
  filter: Filter,
  id: string,
  deadline: Deadline,
): Promise<Profile | undefined> {
  if (!reads(filter, "CurrentUser")) return undefined;
  const { records: found, unread, failure } = await records.read("user", [id], deadline);
  if (!unread.has(id)) return found.get(id);
  throw new ApiError("upstream_unavailable", `The filter cannot be applied: ${failure?.reason}.`, {
    cause: failure?.cause,
  });
}

function reads(filter: Filter, dataset: "Interactions" | "CurrentUser"): boolean {
  return [...everyCondition(filter)].some(({ condition }) => condition.field.dataset === dataset);
}

/** Returns a function that maps a stored record to the schema's fields, which filters use. */
function filterRecord(
  { settings: { definitions } }: RecommendationServices,
  dataset: ProfileDataset,
): (record: Profile) => FilterRecord {
  const fields = fieldsOf(definitions.schemas[dataset], definitions.etl[dataset]);
  return (record) => Object.fromEntries(fields.map((field) => [field.name, fieldValue(field, record)]));
}
