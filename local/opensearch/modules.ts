import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Module {
  name: string;
  classname: string;
  /** A module whose classes this one uses. */
  extends?: string;
  /** Permissions for the Java security manager, which 2.19 uses. */
  policy?: readonly string[];
}

/**
 * The modules of 2.19 that are published only as jars. In 3.x the classes have other names (`PainlessModulePlugin`),
 * and the server does not start with a wrong name. The policies are those of the server's own distribution.
 */
const MODULES: readonly Module[] = [
  {
    name: "lang-painless",
    classname: "org.opensearch.painless.PainlessPlugin",
    policy: [
      'permission java.lang.RuntimePermission "createClassLoader";',
      'permission java.lang.RuntimePermission "getClassLoader";',
    ],
  },
  {
    name: "lang-mustache",
    classname: "org.opensearch.script.mustache.MustachePlugin",
    policy: ['permission java.lang.RuntimePermission "accessDeclaredMembers";'],
  },
  {
    name: "reindex",
    classname: "org.opensearch.index.reindex.ReindexPlugin",
    policy: [
      'permission java.net.SocketPermission "*", "connect";',
      'permission java.net.NetPermission "getProxySelector";',
    ],
  },
  { name: "ingest-common", classname: "org.opensearch.ingest.common.IngestCommonPlugin", extends: "lang-painless" },
  { name: "rank-eval", classname: "org.opensearch.index.rankeval.RankEvalPlugin" },
  { name: "mapper-extras", classname: "org.opensearch.index.mapper.MapperExtrasPlugin" },
  {
    name: "search-pipeline-common",
    classname: "org.opensearch.search.pipeline.common.SearchPipelineCommonModulePlugin",
    extends: "lang-painless",
  },
  {
    name: "analysis-common",
    classname: "org.opensearch.analysis.common.CommonAnalysisPlugin",
    extends: "lang-painless",
  },
  { name: "parent-join", classname: "org.opensearch.join.ParentJoinPlugin" },
  { name: "percolator", classname: "org.opensearch.percolator.PercolatorPlugin" },
  { name: "geo", classname: "org.opensearch.geo.GeoModulePlugin" },
  {
    name: "aggs-matrix-stats",
    classname: "org.opensearch.search.aggregations.matrix.MatrixAggregationPlugin",
  },
];

/** Writes the descriptor and the security policy that the server requires for each module. `home` is its folder. */
export function writeModuleDescriptors(home: string, version: string): void {
  for (const module of MODULES) {
    const folder = join(home, "modules", module.name);
    mkdirSync(folder, { recursive: true });
    const properties = {
      description: module.name,
      version,
      name: module.name,
      classname: module.classname,
      "java.version": "11",
      "opensearch.version": version,
      "custom.foldername": "",
      "extended.plugins": module.extends ?? "",
      "has.native.controller": "false",
    };
    const lines = Object.entries(properties).map(([key, value]) => `${key}=${value}\n`);
    writeFileSync(join(folder, "plugin-descriptor.properties"), lines.join(""));
    if (module.policy) {
      writeFileSync(join(folder, "plugin-security.policy"), `grant {\n  ${module.policy.join("\n  ")}\n};\n`);
    }
  }
}
