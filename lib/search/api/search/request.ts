import * as v from "valibot";
import { objectSchema } from "../../../core/http/object-schema.ts";

/** One index, alias, list or pattern; what else is wrong with a name the cluster says itself. */
export const IndexExpression = v.pipe(
  v.string(),
  v.nonEmpty("must not be empty"),
  v.maxLength(1_024, "must have at most 1,024 characters"),
  v.check(
    (name) => name.split(",").every((part) => !part.startsWith("_")),
    "must not start with _: that is an operation of the cluster, not an index",
  ),
  v.check((name) => !/[/\\\s?#%]/.test(name) && !name.includes(".."), "must not hold a slash, blank, ?, # or %"),
);

export const NativeBody = v.pipe(
  objectSchema(v.looseObject({})),
  v.description("Belongs to the cluster: what is in it is not looked at here."),
);

export const BusinessRules = v.strictObject({
  is_personalized_enabled: v.optional(v.boolean(), false),
  personalization_weight: v.optional(
    v.pipe(v.number(), v.minValue(0, "must be in [0, 1]"), v.maxValue(1, "must be in [0, 1]")),
  ),
});

/** Fields that search and hybrid search share. */
export const commonFields = {
  user_id: v.optional(v.nullable(v.pipe(v.string(), v.nonEmpty("must not be empty"))), null),
  business_rules: v.optional(objectSchema(BusinessRules), {}),
  is_logging_enable: v.optional(v.boolean(), true),
};

export const SearchRequest = v.strictObject({
  index: IndexExpression,
  search_request: NativeBody,
  ...commonFields,
});
export type SearchRequest = v.InferOutput<typeof SearchRequest>;
export type CommonFields = Pick<SearchRequest, "user_id" | "business_rules" | "is_logging_enable">;
