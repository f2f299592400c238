import { posix } from "node:path";
import { type GenericSchema, parse } from "valibot";
import type { Dataset } from "../platform/contract/recommendation.ts";
import { ApiSchema } from "./api.ts";
import { AvroSchema } from "./avro.ts";
import { checkAuthorization, checkCors, checkKeys, checkReach } from "./checks/api.ts";
import { type Check, type Drafts, type FileKey, type Report, sound } from "./checks/drafts.ts";
import { checkEtl } from "./checks/etl.ts";
import { checkEventTypes } from "./checks/event-types.ts";
import { checkFilters } from "./checks/filters.ts";
import { checkHybridSearch } from "./checks/hybrid-search.ts";
import { checkModels } from "./checks/models.ts";
import { checkPlacementKeys, checkPlacements } from "./checks/placements.ts";
import {
  checkAlarms,
  checkArns,
  checkCapacity,
  checkRegion,
  checkRetention,
  checkRuntime,
  checkServices,
  servicesOf,
} from "./checks/project.ts";
import { checkRules } from "./checks/rules.ts";
import { checkSchemas } from "./checks/schemas.ts";
import { checkExcludedColumns, checkRecipes } from "./checks/solution.ts";
import { checkKeyRights, checkTemplateKeys } from "./checks/template-keys.ts";
import { WARNINGS } from "./checks/warnings.ts";
import type { Configuration, Recommendation, SearchGateway } from "./configuration.ts";
import { EtlSchema, type FileFormat, PLAIN_FILES } from "./etl.ts";
import { FiltersSchema } from "./filter.ts";
import { type HybridSearch, HybridSearchSchema } from "./hybrid-search.ts";
import { type Models, ModelsSchema } from "./model.ts";
import { PlacementsSchema } from "./placements.ts";
import { ConfigurationError } from "./problem.ts";
import { type Personalize, ProjectSchema } from "./project.ts";
import { type Parsing, Reader, type ReadText } from "./reader.ts";
import { RulesSchema } from "./rules.ts";
import { CampaignSchema, SolutionSchema } from "./solution.ts";
import { parseSynonymFile } from "./synonym-files.ts";
import type { Validated } from "./validate.ts";

const GATEWAY_NEEDS = "the search gateway, which vpc and opensearch of project.yaml enable, needs it";
const RECOMMENDATION_NEEDS = "the recommendation service, which personalize of project.yaml enables, needs it";

/** The file with the indexes' embeddings and their defaults. */
export const HYBRID_SEARCH = "hybrid_search.yaml";

/** The file that `relevance schema-generation` writes. */
const ETL = "etl/configure.json";

/** Keys of project.yaml that contain file paths. */
const FILE_KEYS = {
  user: "user_schema_file_path",
  item: "item_schema_file_path",
  interaction: "interaction_schema_file_path",
  etl: "etl_configure_file_path",
} as const satisfies Record<Dataset | "etl", keyof Personalize>;

/**
 * Parses and checks the texts of a configuration folder, by their paths in it (`api.yaml`, `schema/item_schema.json`).
 * Throws ConfigurationError with every problem of every file. `directory` is the folder's name in problems; `parsing` as
 * of {@link Reader}.
 */
export function parseConfiguration(
  files: Readonly<Record<string, string>>,
  directory = "conf",
  parsing?: Parsing,
): Configuration {
  const read: ReadText = (name) => (Object.hasOwn(files, name) ? files[name] : undefined);
  return readConfiguration(read, directory, Object.keys(files), parsing);
}

/** Files that a project may lack. A missing file is none of them, misnamed. */
const OPTIONAL: readonly string[] = ["recommendation.yaml", "rules.yaml"];

/** Does the same as parseConfiguration, but reads the texts through a function. `names` are the existing files. */
export function readConfiguration(
  read: ReadText,
  directory: string,
  names: readonly string[],
  parsing?: Parsing,
): Configuration {
  const others = names.filter((name) => !OPTIONAL.includes(name));
  const reader = new Reader(read, directory, others, parsing);
  if (!reader.has("project.yaml")) reader.reportAbsent("project.yaml", "it says what is deployed, and where");
  const project = reader.read("project.yaml", ProjectSchema);
  const services = servicesOf(project?.draft);

  const file = <Schema extends GenericSchema>(
    name: string,
    schema: Schema,
    needed: string | false,
    emptyMeans?: unknown,
  ) => {
    if (needed && !reader.has(name)) reader.reportAbsent(name, needed);
    return reader.read(name, schema, { emptyMeans, mayBeEmpty: !needed });
  };
  const gateway = services.searchGateway && GATEWAY_NEEDS;
  const recommendation = services.recommendation && RECOMMENDATION_NEEDS;
  const api = file("api.yaml", ApiSchema, gateway, {});
  const hybrid = file(HYBRID_SEARCH, HybridSearchSchema, gateway);
  // May be empty: all its sections are optional.
  const models = file("model.yaml", ModelsSchema, gateway, {});
  const solution = file("solution.yaml", SolutionSchema, recommendation);
  const campaign = file("campaign.yaml", CampaignSchema, recommendation);
  const filters = file("filter.yaml", FiltersSchema, recommendation);
  // May be absent or empty: a project without placements has the endpoints for users and items.
  const placements = file("recommendation.yaml", PlacementsSchema, false, {});

  // May be absent or empty: the gateway then reads no rules.
  const rules = file("rules.yaml", RulesSchema, false, {});

  const fileNames: Partial<Record<FileKey, string>> = {};
  const named = <Schema extends GenericSchema>(key: keyof typeof FILE_KEYS, schema: Schema) => {
    const written = project?.draft?.personalize?.[FILE_KEYS[key]];
    if (written === undefined) return undefined;
    const name = posix.normalize(written);
    fileNames[key] = name;
    if (reader.has(name)) return reader.read(name, schema);
    reader.report("project.yaml", ["personalize", FILE_KEYS[key]], absentFile(name, directory, reader));
    return undefined;
  };
  const user = named("user", AvroSchema("user"));
  const item = named("item", AvroSchema("item"));
  const interaction = named("interaction", AvroSchema("interaction"));
  const etl = named("etl", EtlSchema);

  const synonyms = readSynonyms(reader, hybrid?.draft);

  const parts = { project, api, solution, campaign, user, item, interaction, etl };
  const all = { ...parts, hybrid_search: hybrid, model: models, filter: filters, recommendation: placements, rules };
  const drafts: Drafts = Object.fromEntries(Object.entries(all).map(([key, part]) => [key, part?.draft]));
  const report: Report = (key, path, message) => reader.report(fileNames[key] ?? `${key}.yaml`, path, message);
  for (const check of CHECKS) check(drafts, report);
  const problems = reader.problems();
  if (problems.length > 0) throw new ConfigurationError(problems);
  // What is reported from here on is valid, and probably not meant.
  for (const check of WARNINGS) check(drafts, report);
  for (const [name, { length }] of Object.entries(synonyms)) {
    if (length === 0) reader.reportLine(name, 1, "has no rule, so searches get no synonyms of it");
  }

  const { vpc, opensearch, personalize } = whole(project);
  return {
    project: whole(project),
    api: api ? whole(api) : parse(ApiSchema, {}),
    searchGateway:
      vpc && opensearch
        ? ({
            vpc,
            opensearch,
            domainNameSystem: whole(api).domain_name_system ?? null,
            hybridQueries: whole(hybrid).hybrid_queries,
            templates: whole(hybrid).templates,
            experiments: whole(hybrid).experiments,
            synonyms,
            models: whole(models),
            rules: rules && whole(rules).rules,
          } satisfies SearchGateway)
        : undefined,
    recommendation:
      personalize &&
      ({
        personalize,
        solution: whole(solution),
        campaigns: whole(campaign).campaigns,
        filters: whole(filters).filters,
        schemas: { user: whole(user), item: whole(item), interaction: whole(interaction) },
        etl: whole(etl),
        placements: placements ? whole(placements).placements : [],
      } satisfies Recommendation),
    files: reader.texts,
    warnings: reader.problems(),
  };
}

/** Reads the files of synonyms that entries name. */
function readSynonyms(reader: Reader, hybrid: Drafts["hybrid_search"]): Record<string, string[]> {
  const rules: Record<string, string[]> = {};
  for (const [position, { synonyms }] of sound(hybrid?.hybrid_queries)) {
    for (const [index, { file }] of sound(synonyms?.files)) {
      if (file === undefined || Object.hasOwn(rules, file)) continue;
      const text = reader.readText(file);
      if (text === undefined && !reader.has(file)) {
        const path = ["hybrid_queries", position, "synonyms", "files", index, "file"];
        reader.report(HYBRID_SEARCH, path, `"${file}" does not exist in this folder`);
      }
      const parsed = parseSynonymFile(file, text ?? "");
      for (const { line, message } of parsed.problems) reader.reportLine(file, line, message);
      rules[file] = parsed.rules;
    }
  }
  return rules;
}

/** Parses and checks only hybrid_search.yaml. Its models need no section in model.yaml. Throws ConfigurationError. */
export function readHybridSearch(
  read: ReadText,
  directory: string,
  names: readonly string[],
): HybridSearch & { models: Models } {
  const reader = new Reader(read, directory, names);
  if (!reader.has(HYBRID_SEARCH)) reader.reportAbsent(HYBRID_SEARCH, "it says which indices have embeddings");
  const part = reader.read(HYBRID_SEARCH, HybridSearchSchema);
  checkHybridSearch({ hybrid_search: part?.draft }, (_, path, message) => reader.report(HYBRID_SEARCH, path, message));
  const models = reader.has("model.yaml") ? reader.read("model.yaml", ModelsSchema) : undefined;
  // Only model.yaml knows the dimension of this model.
  for (const [position, { embedding_mappings: mappings }] of sound(part?.draft?.hybrid_queries)) {
    for (const [index, { model_name }] of sound(mappings)) {
      if (model_name !== "ext_embed_bedrock" || models?.draft?.ext_embed_bedrock) continue;
      const path = ["hybrid_queries", position, "embedding_mappings", index, "model_name"];
      reader.report(HYBRID_SEARCH, path, `names ${model_name}, which needs its section in model.yaml: add it there`);
    }
  }
  if (reader.problems().length > 0) throw new ConfigurationError(reader.problems());
  return { ...whole(part), models: models === undefined ? {} : whole(models) };
}

/** Checks the texts of the three schemas and of the ETL configuration, by their paths. Throws ConfigurationError. */
export function checkSchemaTexts(
  files: Readonly<Record<string, string>>,
  paths: Readonly<Record<Dataset | "etl", string>>,
  directory: string,
): void {
  const reader = new Reader((name) => files[name], directory, Object.keys(files));
  const drafts: Drafts = {
    user: reader.read(paths.user, AvroSchema("user"))?.draft,
    item: reader.read(paths.item, AvroSchema("item"))?.draft,
    interaction: reader.read(paths.interaction, AvroSchema("interaction"))?.draft,
    etl: reader.read(paths.etl, EtlSchema)?.draft,
  };
  for (const check of [checkSchemas, checkEtl]) {
    check(drafts, (key, path, message) => reader.report(paths[key as keyof typeof paths], path, message));
  }
  if (reader.problems().length > 0) throw new ConfigurationError(reader.problems());
}

/** Reads the format of sample files from etl/configure.json, where `relevance schema-generation` writes it. */
export function readFileFormat(read: ReadText, directory: string): FileFormat {
  const reader = new Reader(read, directory, [ETL]);
  const etl = read(ETL) === undefined ? undefined : reader.read(ETL, EtlSchema);
  if (reader.problems().length > 0) throw new ConfigurationError(reader.problems());
  return etl?.output?.files ?? PLAIN_FILES;
}

/** Returns the value of a valid part. If no problem was reported, every requested part has one. */
function whole<T>(part: Validated<T> | undefined): T {
  if (part?.output === undefined) throw new Error("a part of the configuration is neither sound nor reported");
  return part.output;
}

function absentFile(name: string, directory: string, reader: Reader): string {
  const start = `${posix.normalize(directory).replace(/\/$/, "")}/`;
  if (name.startsWith(start) && reader.has(name.slice(start.length))) {
    return `names a file that does not exist: paths start at ${start}, so write ${name.slice(start.length)}`;
  }
  return `names ${start}${name}, which does not exist: relevance schema-generation writes it`;
}

/** Every check that compares several values. A schema checks each value by itself. */
const CHECKS: readonly Check[] = [
  checkServices,
  checkArns,
  checkAlarms,
  checkRetention,
  checkRuntime,
  checkCapacity,
  checkRegion,
  checkCors,
  checkReach,
  checkKeys,
  checkAuthorization,
  checkKeyRights,
  checkHybridSearch,
  checkTemplateKeys,
  checkRules,
  checkModels,
  checkRecipes,
  checkExcludedColumns,
  checkEventTypes,
  checkFilters,
  checkPlacements,
  checkPlacementKeys,
  checkSchemas,
  checkEtl,
];
