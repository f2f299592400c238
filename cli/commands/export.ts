import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../lib/platform/failure.ts";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { defineCommand } from "../command.ts";
import { NotNative, nativePipeline, nativeTemplate } from "../gateway/native-templates.ts";
import { filled, option } from "../options.ts";

/** `relevance export`: writes templates and settings of hybrid search as the cluster's own. Calls nothing. */
export const command = defineCommand({
  example: "relevance export --out native",
  options: { out: option("--out <dir>", "folder to write to", filled("needs a folder")) },
  run: async ({ conf, out }, { terminal }) => {
    const { searchGateway } = loadConfiguration(conf);
    if (!searchGateway)
      throw new UsageError("project.yaml does not enable the search gateway, so there is no template");
    const write = (folder: string, name: string, text: string) => {
      mkdirSync(join(out, folder), { recursive: true });
      const file = join(out, folder, `${name}.json`);
      writeFileSync(file, `${text}\n`);
      return file;
    };
    for (const template of searchGateway.templates) {
      try {
        const file = write("templates", template.name, JSON.stringify(nativeTemplate(template), undefined, 2));
        terminal.print(`PUT _scripts/${template.name}  ${file}`);
      } catch (error) {
        if (!(error instanceof NotNative)) throw error;
        terminal.note(
          `The template ${template.name} is not written, because search templates cannot say it: ${error.message}`,
        );
      }
    }
    for (const entry of searchGateway.hybridQueries) {
      const name = entry.index.replace(/\*$/, "").replaceAll(/[^\w-]/g, "_") || "all";
      terminal.print(`PUT _search/pipeline/${name}  ${write("pipelines", name, nativePipeline(entry))}`);
    }
  },
});
