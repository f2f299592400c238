import { mkdirSync, rmSync } from "node:fs";
import { devNull } from "node:os";
import type { LocalError } from "../process/error.ts";
import { scratchFolder } from "../process/scratch.ts";
import { installCloud } from "./install.ts";
import { type Listener, listen } from "./listener.ts";
import { type Moto, startMoto } from "./moto.ts";
import { router, standInsByService } from "./router.ts";
import type { Control, StandIn } from "./stand-in.ts";

/** The region and account of everything local. */
export const REGION = "eu-west-1";
export const ACCOUNT_ID = "123456789012";

export interface CloudOptions {
  /** Where moto is installed, once for all that use it. */
  dir: string;
  /** Gets the code of functions and moto's log; default: a folder of `dir` for this process. Emptied first. */
  workDir?: string;
  /** Default: a free one. */
  port?: number;
  /** Serve what moto does not; two for one service are refused. */
  standIns?: readonly StandIn[];
  /** Answer unsigned requests to their paths. */
  controls?: readonly Control[];
  /** The Node.js that runs functions; default: this one. */
  node?: string;
  /** Repairs to leave out: to see what moto does by itself. */
  withoutRepairs?: readonly string[];
  /** Seconds that a Wait state of a state machine lasts at most. Default: as long as it says. */
  longestWaitSeconds?: number;
  /** Seconds that functions are given at most, by name, whatever their timeouts. */
  shortCalls?: Readonly<Record<string, number>>;
  /** A line for the user, now and then. */
  onProgress?: (line: string) => void;
}

export interface Cloud {
  /** What AWS_ENDPOINT_URL is set to. */
  readonly endpoint: string;
  /** moto itself, past the stand-ins. */
  readonly motoUrl: string;
  readonly region: string;
  readonly accountId: string;
  /** What a child process needs to find this cloud in place of AWS. */
  readonly env: Readonly<Record<string, string>>;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves, with the reason, when moto ends without having been stopped. */
  readonly died: Promise<LocalError>;
  stop(): Promise<void>;
}

/**
 * Starts the local AWS endpoint: stand-ins and moto behind one URL, told apart by what a request was signed for. moto
 * is installed first if need be, and ends with this process, however that ends; neither keeps the process alive.
 * Throws MissingTool (no Python) and LocalError (port taken, no network for the installation, moto died).
 */
export async function startCloud(options: CloudOptions): Promise<Cloud> {
  const {
    dir,
    port,
    standIns = [],
    controls = [],
    node = process.execPath,
    withoutRepairs = [],
    longestWaitSeconds,
  } = options;
  const { shortCalls = {}, onProgress = () => {} } = options;
  const services = standInsByService(standIns);
  const python = await installCloud({ dir, onProgress });
  const started = performance.now();

  // Functions are told the front's address and the front moto's: the front listens first, and holds requests back.
  const moto = Promise.withResolvers<Moto>();
  const motoUrl = moto.promise.then(({ url }) => url);
  motoUrl.catch(() => {});
  const front = await listen(port, router({ standIns: services, controls, motoUrl }));
  try {
    const workDir = options.workDir ?? scratchFolder(dir, "moto");
    rmSync(workDir, { recursive: true, force: true });
    mkdirSync(workDir, { recursive: true });
    moto.resolve(
      await startMoto({
        python,
        workDir,
        node,
        frontUrl: front.url,
        withoutRepairs,
        shortCalls,
        ...(longestWaitSeconds !== undefined && { longestWaitSeconds }),
      }),
    );
  } catch (error) {
    moto.reject(error);
    await front.close();
    throw error;
  }
  onProgress(
    `the local AWS endpoint is up at ${front.url} after ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
  return describe(front, await moto.promise);
}

function describe(front: Listener, moto: Moto): Cloud {
  return {
    endpoint: front.url,
    motoUrl: moto.url,
    region: REGION,
    accountId: ACCOUNT_ID,
    env: cloudEnvironment(front.url),
    pid: moto.pid,
    logFile: moto.logFile,
    died: moto.died,
    async stop() {
      await front.close();
      await moto.stop();
    },
  };
}

/** The variables that lead any AWS SDK, the command line tool and Terraform to the local cloud at `endpoint`. */
export function cloudEnvironment(endpoint: string): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_EC2_METADATA_DISABLED: "true",
    // Profiles of the user could bring other credentials, endpoints or a role to assume.
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    NO_PROXY: "127.0.0.1,localhost",
  };
}
