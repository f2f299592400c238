/** Words that people search for, by the guide or reference page that they look for. They count for its first section. */
export const KEYWORDS: Readonly<Record<string, string>> = {
  access:
    "api key, permission, security, 403 forbidden, IAM, authorizer, JWT login, CORS, rate limit, throttle, 429 too many requests, rotate a key, private API, WAF",
  agents: "MCP, model context protocol, LLM, chatbot, assistant",
  bulk: "index documents, write, upload, import, insert, update, delete a document, embeddings",
  configuration: "YAML, settings, options, validate",
  console: "compare searches, user interface, UI, judge by hand",
  costs: "cost, price, bill, monthly, per month, cheaper, save money, expensive",
  "csv-to-recommendations": "MovieLens, public data set, first training, walkthrough",
  data: "CSV, schema, GDPR, privacy, delete a user, forget a person, retention, personal data, what is stored",
  deploy: "deployment, Terraform, install on AWS, upgrade, rollback, roll back, state, permissions",
  experiments: "A/B test, ab test, variant, split traffic",
  filters: "filter recommendations, exclude purchased, exclude items",
  indexes: "reindex, rebuild, alias, mapping change, schema change, zero downtime",
  leaving: "leave, migrate away, lock-in, exit, stop using",
  "local-stack": "run locally, laptop, offline, demo, docker, requirements, prerequisites, Node version, Java",
  models:
    "embedding model, languages, German, French, multilingual, vector, Bedrock, SageMaker, Titan, Cohere, sparse, dense, change the model",
  monitoring: "alarm, alert, dashboard, CloudWatch, metrics, logs, SLA, SLO, debug an error",
  passages: "long documents, chunk, chunking, split text, highlight a passage",
  pipeline: "CI/CD, GitHub Actions, GitLab, pull request, approve a plan",
  plan: "review changes, dry run, diff, what would change",
  platform: "security review, compliance, encryption, KMS, availability, disaster recovery",
  project: "install, npm package, init, new project, upgrade the package",
  "raw-backend": "native API, OpenSearch client, proxy, Dev Tools, passthrough",
  recommendations:
    "similar products, recommend, personalize, promote, promotion, popular items, also bought, placement, cold start",
  "reference/sizing": "capacity, scale, throughput, latency, requests per second, how many instances, performance",
  relevance: "measure quality, nDCG, judgments, evaluate, tune weights, precision, recall, relevance score",
  "request-log":
    "search analytics, clicks, click tracking, Athena, zero results, queries without hits, popular searches",
  rerank: "reranking, cross-encoder, reorder",
  rules:
    "merchandising, pin a product, hide a product, bury, boost, banner, redirect, landing page, campaign, seasonal, start date",
  search:
    "hybrid search, facets, sort by price, price filter, paging, pagination, highlight, query, semantic search, vector search, weights, personalize results, partial answer, degraded, timeout",
  shop: "shop page, frontend, React, storefront, InstantSearch, example page",
  start: "getting started, tutorial, quick start, my own data, first steps, CSV file",
  suggest:
    "did you mean, typo, misspelling, spelling mistake, spell check, autocomplete, autosuggest, type ahead, completion",
  synonyms: "synonym, equivalent words, thesaurus, abbreviations",
  teardown: "remove, uninstall, destroy, delete everything, clean up, restore, recover, backup",
  tokens: "JWT, multi-tenant, tenant, signed token, per user filter, document-level security",
  training: "train a model, retrain every day, schedule, cron, Personalize recipe, metric gate, campaign update",
};

/** Fields of a section in the index, and how much a word in them counts. */
export const FIELD_WEIGHTS = { title: 4, text: 2, titles: 1, keywords: 6 };

/** A section of a page in the index; `titles` are the headings above its own. */
interface Section {
  id: string;
  titles: string[];
  [field: string]: unknown;
}

/** Returns a field of a section. Runs in the generator, beside KEYWORDS. */
export function fieldOf(section: Section, field: string): unknown {
  if (field !== "keywords") return section[field];
  const page = /^\/(?:guides\/)?([\w/-]+)\.html/.exec(section.id)?.[1];
  return page === undefined || section.titles.length > 0 ? "" : KEYWORDS[page];
}

/** Returns a word as it is indexed and searched, or null for a letter and for a word that every page has. Also runs in the browser, on its own. */
export function searchTerm(word: string): string | null {
  const term = word.toLowerCase();
  return /^(.|an|and|are|as|at|be|by|can|do|does|for|from|how|in|is|it|my|not|of|on|or|that|the|to|what|when|which|with|you|your)$/.test(
    term,
  )
    ? null
    : term;
}

/** Returns how far words may differ from the one that was typed: short ones not at all. Also runs in the browser. */
export const fuzziness = (term: string): number | false => (term.length > 5 ? 0.2 : false);

/** Returns the weight of a section by its page: guides and sizing, which people ask for, stand above the rest. Also runs in the browser. */
export function pageWeight(id: string): number {
  if (/^\/(guides\/|reference\/sizing\.)/.test(id)) return id.includes("#") ? 1 : 1.5;
  return /^\/(reference|clients|architecture)/.test(id) ? 0.2 : 0.05;
}
