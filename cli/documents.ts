import { type DocumentKind, openDocument } from "../lib/platform/aws/documents.ts";
import { CONFIGURED_PLACEMENTS } from "../lib/recommendation/placements/configured.ts";
import { CONFIGURED_RULES } from "../lib/search/rules/configured.ts";
import { CONFIGURED_SYNONYMS } from "../lib/search/synonyms/configured.ts";
import type { Configuration } from "../lib/settings/configuration.ts";
import type { Project } from "./project.ts";

/** The deployment of a document. */
interface DeployedDocument {
  /** Returns notes for the plan on what `deploy` changes. Says whose version it replaces. */
  notes(project: Project): Promise<string[]>;
  /** Puts the document of the configuration into use. */
  synchronize(project: Project): Promise<void>;
}

/** Returns what a deployment does with a document, if `configuredIn` finds one in the configuration. */
function deployed<Value>(
  kind: DocumentKind<Value>,
  configuredIn: (config: Configuration) => Value | undefined,
): DeployedDocument {
  const open = ({ sdk, names }: Project) => openDocument(kind, { sdk, bucket: names.bucket() });
  return {
    async notes(project) {
      const value = configuredIn(project.config);
      if (value === undefined) return [];
      const latest = await open(project).read();
      const changes = kind.changesOf(latest?.value ?? kind.none, value);
      if (changes.length === 0 || !latest) return changes;
      const { version, written_by } = latest.version;
      return [...changes, `Version ${version} of the ${kind.name}, which deploy replaces, is by ${written_by}`];
    },
    async synchronize(project) {
      const value = configuredIn(project.config);
      if (value === undefined) return;
      const { version, changes } = await open(project).write(value);
      for (const change of changes) project.terminal.note(`  ${change}`);
      if (changes.length > 0) project.terminal.note(`  ${kind.name}: version ${version.version}`);
    },
  };
}

export const { notes: ruleNotes, synchronize: synchronizeRules } = deployed(
  CONFIGURED_RULES,
  ({ searchGateway }) => searchGateway?.rules,
);

// Without synonyms there is no document; one of earlier deployments stays, and nothing reads it.
export const { notes: synonymNotes, synchronize: synchronizeSynonyms } = deployed(CONFIGURED_SYNONYMS, (config) =>
  Object.keys(config.searchGateway?.synonyms ?? {}).length > 0 ? CONFIGURED_SYNONYMS.configured(config) : undefined,
);

export const { notes: placementNotes, synchronize: synchronizePlacements } = deployed(
  CONFIGURED_PLACEMENTS,
  ({ recommendation }) => recommendation?.placements,
);
