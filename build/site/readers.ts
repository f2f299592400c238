/** Reading order of a role. */
export interface Reader {
  name: string;
  /** The role's work, as the home page describes it. */
  about: string;
  /** Names of guides. */
  guides: readonly string[];
}

/** Everybody who reads the site, and in which order. Each guide is in one list at least. */
export const READERS: readonly Reader[] = [
  {
    name: "Developers",
    about: "Call the APIs from an application: write, search, recommend.",
    guides: [
      "start",
      "local-stack",
      "bulk",
      "search",
      "recommendations",
      "rerank",
      "passages",
      "suggest",
      "shop",
      "agents",
      "access",
      "tokens",
      "raw-backend",
      "indexes",
    ],
  },
  {
    name: "Platform teams",
    about: "Deploy both services into your account, watch them, and know what they cost.",
    guides: [
      "project",
      "configuration",
      "deploy",
      "pipeline",
      "plan",
      "access",
      "tokens",
      "platform",
      "models",
      "monitoring",
      "request-log",
      "data",
      "costs",
      "teardown",
      "leaving",
    ],
  },
  {
    name: "Relevance engineers",
    about: "Measure what people find, tune it, and train models.",
    guides: [
      "console",
      "relevance",
      "experiments",
      "synonyms",
      "csv-to-recommendations",
      "training",
      "filters",
      "request-log",
    ],
  },
  {
    name: "Merchandisers",
    about: "Pin, hide, promote and recommend, without a deployment.",
    guides: ["rules", "synonyms", "suggest", "recommendations", "console"],
  },
];
