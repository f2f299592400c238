import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Module {
  /** The class without "org.opensearch." at the beginning. */
  plugin: string;
  /** A module whose classes this one uses. */
  extends?: string;
  /** Permissions for the Java security manager, which 2.19 uses. */
  policy?: readonly string[];
}

const PAINLESS = "lang-painless";

/**
 * The modules of 2.19 that are published only as jars. In 3.x the classes have other names (`PainlessModulePlugin`),
 * and the server does not start with a wrong name. The policies are those of the server's own distribution.
 */
const MODULES: Readonly<Record<string, Module>> = {
  [PAINLESS]: {
    plugin: "painless.PainlessPlugin",
    policy: ['java.lang.RuntimePermission "createClassLoader"', 'java.lang.RuntimePermission "getClassLoader"'],
  },
  "lang-mustache": {
    plugin: "script.mustache.MustachePlugin",
    policy: ['java.lang.RuntimePermission "accessDeclaredMembers"'],
  },
  reindex: {
    plugin: "index.reindex.ReindexPlugin",
    policy: ['java.net.SocketPermission "*", "connect"', 'java.net.NetPermission "getProxySelector"'],
  },
  "ingest-common": { plugin: "ingest.common.IngestCommonPlugin", extends: PAINLESS },
  "rank-eval": { plugin: "index.rankeval.RankEvalPlugin" },
  "mapper-extras": { plugin: "index.mapper.MapperExtrasPlugin" },
  "search-pipeline-common": {
    plugin: "search.pipeline.common.SearchPipelineCommonModulePlugin",
    extends: PAINLESS,
  },
  "analysis-common": { plugin: "analysis.common.CommonAnalysisPlugin", extends: PAINLESS },
  "parent-join": { plugin: "join.ParentJoinPlugin" },
  percolator: { plugin: "percolator.PercolatorPlugin" },
  geo: { plugin: "geo.GeoModulePlugin" },
  "aggs-matrix-stats": { plugin: "search.aggregations.matrix.MatrixAggregationPlugin" },
};

/** Writes the descriptor and the security policy that the server requires for each module. `home` is its folder. */
export function writeModuleDescriptors(home: string, version: string): void {
  for (const [name, { plugin, extends: parent = "", policy }] of Object.entries(MODULES)) {
    const folder = join(home, "modules", name);
    mkdirSync(folder, { recursive: true });
    const properties = {
      description: name,
      version,
      name,
      classname: `org.opensearch.${plugin}`,
      "java.version": "11",
      "opensearch.version": version,
      "custom.foldername": "",
      "extended.plugins": parent,
      "has.native.controller": "false",
    };
    const lines = Object.entries(properties).map(([key, value]) => `${key}=${value}\n`);
    writeFileSync(join(folder, "plugin-descriptor.properties"), lines.join(""));
    if (!policy) continue;
    const permissions = policy.map((one) => `  permission ${one};\n`).join("");
    writeFileSync(join(folder, "plugin-security.policy"), `grant {\n${permissions}};\n`);
  }
}
