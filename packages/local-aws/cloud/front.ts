import { mkdirSync, rmSync } from "node:fs";
import { devNull } from "node:os";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import { ACCOUNT_ID, REGION } from "./account.ts";
import { installCloud } from "./install.ts";
import { listen } from "./listener.ts";
import { type Moto, type MotoSettings, startMoto } from "./moto.ts";
import { type AfterCall, router, standInsByService } from "./router.ts";
import type { Control, StandIn } from "./stand-in.ts";

export interface CloudOptions extends MotoSettings {
  /** Folder in which moto is installed, once for all users of the folder. */
  dir: string;
  /** Folder for the code of functions and moto's log. Emptied first. Default: a folder in `dir` for this process. */
  workDir?: string;
  /** Default: a free port. */
  port?: number;
  /** Implementations of services that moto lacks. Two stand-ins for one service are an error. */
  standIns?: readonly StandIn[];
  /** Handle unsigned requests to their paths. */
  controls?: readonly Control[];
  /** Runs after each successful call to moto, before the caller gets the answer. */
  afterCall?: AfterCall;
  /** Called with progress messages for the user. */
  onProgress?: (line: string) => void;
}

export interface Cloud extends Omit<Moto, "url"> {
  /** The value for AWS_ENDPOINT_URL. */
  readonly endpoint: string;
  /** The URL of moto itself, bypassing the stand-ins. */
  readonly motoUrl: string;
  readonly region: string;
  readonly accountId: string;
  /** Environment variables that make a child process use this cloud instead of AWS. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Starts the local AWS endpoint: stand-ins and moto behind one URL. A request is routed by the service that it was
 * signed for. Installs moto first if necessary. moto exits with this process, however the process ends, and nothing
 * here keeps the process alive. Throws MissingTool (no Python) and LocalError (port taken, no network for the
 * installation, moto died).
 */
export async function startCloud(options: CloudOptions): Promise<Cloud> {
  const { dir, port, standIns = [], controls = [], afterCall, onProgress = () => {} } = options;
  const services = standInsByService(standIns);
  const python = await installCloud({ dir, onProgress });
  const started = performance.now();

  // moto needs the front's address for its functions, and the front needs moto's. So the front listens first and holds
  // requests back until moto is up.
  const starting = Promise.withResolvers<string>();
  starting.promise.catch(() => {});
  const front = await listen(port, router({ standIns: services, controls, motoUrl: starting.promise, afterCall }));
  try {
    const workDir = options.workDir ?? scratchFolder(dir, "moto");
    rmSync(workDir, { recursive: true, force: true });
    mkdirSync(workDir, { recursive: true });
    const { url, stop, ...moto } = await startMoto({ ...options, python, workDir, frontUrl: front.url });
    starting.resolve(url);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    onProgress(`the local AWS endpoint is up at ${front.url} after ${seconds} s`);
    return {
      ...moto,
      endpoint: front.url,
      motoUrl: url,
      region: REGION,
      accountId: ACCOUNT_ID,
      env: cloudEnvironment(front.url),
      async stop() {
        await front.close();
        await stop();
      },
    };
  } catch (error) {
    starting.reject(error);
    await front.close();
    throw error;
  }
}

/** Returns the environment variables that point the AWS SDKs, the AWS CLI and Terraform to the cloud at `endpoint`. */
export function cloudEnvironment(endpoint: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_EC2_METADATA_DISABLED: "true",
    // The user's profiles could add other credentials, endpoints or a role to assume.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    NO_PROXY: "127.0.0.1,localhost",
  };
}
