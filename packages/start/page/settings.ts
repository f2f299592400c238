/** Searched and displayed fields of the page, as dotted paths. */
export interface PageSettings {
  url: string;
  key: string;
  index: string;
  /** Names of the templates. */
  words: string;
  meaning: string;
  title: string;
  text?: string;
  image?: string;
  price?: string;
  link?: string;
  facets: readonly Facet[];
}

export interface Facet {
  label: string;
  /** The name of the template's parameter and aggregation. */
  parameter: string;
  kind: "values" | "range";
}
