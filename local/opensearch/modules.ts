import { writeFileSync } from "node:fs";
import { join } from "node:path";

interface Module {
  name: string;
  classname: string;
  /** A module whose classes it uses. */
  extends?: string;
  policy?: string;
}

/**
 * The modules of 2.19 that come as bare jars. The classes have other names in 3.x (PainlessModulePlugin, …): a wrong
 * one stops the server at start.
 */
const MODULES: readonly Module[] = [
  {
    name: "lang-painless",
    classname: "org.opensearch.painless.PainlessPlugin",
    // It compiles scripts to classes; without these the first script fails.
    policy: `grant {
  permission java.lang.RuntimePermission "createClassLoader";
  permission java.lang.RuntimePermission "getClassLoader";
};
`,
  },
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
];

/** Writes what the server wants beside each module's jar and the published jars lack. `home`: the server's folder. */
export function writeModuleDescriptors(home: string, version: string): void {
  for (const module of MODULES) {
    const folder = join(home, "modules", module.name);
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
    if (module.policy) writeFileSync(join(folder, "plugin-security.policy"), module.policy);
  }
}
