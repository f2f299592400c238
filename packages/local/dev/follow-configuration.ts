import { join, relative } from "node:path";
import { visible } from "@relevance/lib/platform/visible.ts";
import { ConfigurationError } from "@relevance/lib/settings/problem.ts";
import { LocalError } from "@relevance/processes/error.ts";
import type { Stack } from "./stack.ts";
import type { Claim, DevState } from "./state-file.ts";
import { type ConfigurationFiles, versionOf, watchConfiguration } from "./watch-configuration.ts";

interface FollowOptions {
  stack: Pick<Stack, "state" | "reload">;
  claim: Pick<Claim, "publish">;
  /** The configuration folder, and its files as the stack started with them. */
  conf: string;
  files: ConfigurationFiles;
  say: (line: string) => void;
}

/** Publishes the stack's state, now and after each change of its configuration, which it reloads. Returns what ends this. */
export function followConfiguration({ stack, claim, conf, files, say }: FollowOptions): () => void {
  let state: DevState = { ...stack.state, configuration: { folder: conf, version: versionOf(files) } };
  claim.publish(state);
  let last = Promise.resolve();
  const reload = async (changed: readonly string[], now: ConfigurationFiles) => {
    const names = changed.map((file) => relative("", join(conf, file))).join(", ");
    const configuration = { folder: conf, version: versionOf(now) };
    try {
      const { keys } = await stack.reload();
      state = { ...state, keys, configuration };
      const other = changed.includes("api.yaml") && state.recommendation ? "; the recommendation service does not" : "";
      say(`${names} changed: the gateway uses it now${other}`);
    } catch (error) {
      const problem = [LocalError, ConfigurationError].some((kind) => error instanceof kind) ? error : String(error);
      const message = visible(problem instanceof Error ? problem.message : String(problem));
      state = { ...state, configuration: { ...configuration, problem: message } };
      say(`${names} changed, and the gateway does not use it: ${message}`);
    }
    claim.publish(state);
  };
  return watchConfiguration(conf, files, (changed, now) => {
    last = last.then(() => reload(changed, now));
  });
}
