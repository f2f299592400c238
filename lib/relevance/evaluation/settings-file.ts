import * as v from "valibot";

const Native = v.record(v.string(), v.unknown());

const HybridSettings = v.strictObject({
  weights: v.optional(v.array(v.number())),
  normalization: v.optional(v.string()),
  combination: v.optional(v.string()),
});

const SettingsEntry = v.pipe(
  v.strictObject({
    name: v.pipe(v.string(), v.nonEmpty("must not be empty")),
    template: v.optional(Native),
    settings: v.optional(HybridSettings, {}),
    search_request: v.optional(Native),
    personalization_weight: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  }),
  v.check(
    ({ search_request, template }) => search_request === undefined || template === undefined,
    "has both a template and a search_request: keep one",
  ),
);

/** A file of settings to compare, for `relevance evaluate`. The first entry of `settings` is the baseline. */
export const SettingsFile = v.pipe(
  v.strictObject({
    index: v.pipe(v.string(), v.nonEmpty("must not be empty")),
    template: v.optional(Native),
    settings: v.pipe(v.array(SettingsEntry), v.minLength(1, "needs at least one entry")),
  }),
  v.check(
    ({ settings }) => new Set(settings.map(({ name }) => name)).size === settings.length,
    "settings must have different names",
  ),
  v.check(
    ({ template, settings }) =>
      settings.every((entry) => entry.search_request !== undefined || (entry.template ?? template) !== undefined),
    "every entry of settings needs a template or a search_request; one template for all stands beside index",
  ),
);
export type SettingsFile = v.InferOutput<typeof SettingsFile>;
export type Setting = SettingsFile["settings"][number];
