import * as v from "valibot";
import { defineCommand } from "../command.ts";
import { flag, option } from "../options.ts";

/** `relevance dev`: runs the local stack. docs/guides/local-stack.md describes its variables, such as PORT=. */
export const command = defineCommand({
  example: "PORT=8080 relevance dev --no-demo",
  conf: "conf.local",
  options: {
    demo: flag("--no-demo", "start empty"),
    rebuildDemo: flag("--rebuild-demo", "create the demo index again"),
    resetRecommendation: flag("--reset-recommendation", "delete users, items, events and trained models"),
    standIns: flag("--stand-ins", "hash words instead of using small real models, a download of 72 MB"),
    dir: option("--dir <dir>", "folder for data and state", v.string(), { default: ".local" }),
  },
  run: async ({ conf, demo, rebuildDemo, resetRecommendation, standIns, dir }, { env }) => {
    const { runDev } = await import("../../packages/local/dev/run.ts");
    const { exitWhenWritten } = await import("../../packages/processes/exit.ts");
    const flags = [
      ...(demo ? [] : ["--no-demo"]),
      ...(rebuildDemo ? ["--rebuild-demo"] : []),
      ...(resetRecommendation ? ["--reset-recommendation"] : []),
      ...(standIns ? ["--stand-ins"] : []),
    ];
    const exitCode = await runDev([...flags, "--conf", conf, "--dir", dir], env);
    // Also ends servers that are still starting.
    return exitWhenWritten(exitCode);
  },
});
