import { setTimeout as sleep } from "node:timers/promises";
import { failureKind } from "../../lib/platform/aws/errors.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import type { SdkConfig } from "../discovery/sdk/config.ts";
import type { Terminal } from "../terminal.ts";

/** One query of Athena. */
interface Query {
  sql: string;
  database: string;
  /** Where Athena writes the result. */
  output: string;
}

/** Asks Athena. Throws the SDK's errors. */
export interface Athena {
  /** Starts a query and returns its id. */
  start(query: Query): Promise<string>;
  /** Returns how far a query is, as in `SUCCEEDED`, and why it failed. */
  look(id: string): Promise<{ state: string; reason: string }>;
}

const INTERVAL_MS = 500;
const MOST_ROUNDS = 120;

/**
 * Asks Athena for one row of the request log, with the deployer's permissions, and reports the outcome. Returns whether it
 * can be asked. A missing permission to ask is no failure of the service.
 */
export async function probeRequestLog(
  terminal: Terminal,
  names: Names,
  athena: Athena,
  pause: (ms: number) => Promise<unknown> = (ms) => sleep(ms),
): Promise<boolean> {
  const { green, yellow } = terminal.noteColors;
  const table = `${names.glueDatabase()}.${names.glueTable("search_logs")}`;
  terminal.note(`Querying one row of the request log in Athena, ${table}`);
  try {
    const id = await athena.start({
      // One day, so that it costs next to nothing.
      sql: `SELECT query_id FROM ${names.glueTable("search_logs")} WHERE day = current_date LIMIT 1`,
      database: names.glueDatabase(),
      output: `s3://${names.bucket()}/${PREFIXES.athena}`,
    });
    const { state, reason } = await ended(athena, id, pause);
    if (state === "SUCCEEDED") {
      terminal.note(green("  the request log: works"));
      return true;
    }
    terminal.note(yellow(`  the request log: ${state} with ${reason}\n    ${ADVICE}`));
    return false;
  } catch (error) {
    const denied = failureKind(error) === "denied";
    const why = denied ? `the credentials may not call Athena: ${(error as Error).message}` : String(error);
    terminal.note(yellow(`  Not checked whether the request log can be queried: ${why}`));
    return denied;
  }
}

const ADVICE =
  "Searches work, but nobody can query the request log. If Lake Formation governs the account's catalog, grant it SELECT on the table; " +
  "otherwise see the reason.";

async function ended(athena: Athena, id: string, pause: (ms: number) => Promise<unknown>) {
  for (let round = 0; ; round += 1) {
    const found = await athena.look(id);
    if (!/^(QUEUED|RUNNING)$/.test(found.state)) return found;
    if (round === MOST_ROUNDS) return { ...found, reason: "no result for a minute" };
    await pause(INTERVAL_MS);
  }
}

/** Asks Athena over the AWS SDK, in the account's primary workgroup. */
export async function sdkAthena(sdk: SdkConfig): Promise<Athena> {
  const { AthenaClient, GetQueryExecutionCommand, StartQueryExecutionCommand } = await import("@aws-sdk/client-athena");
  const client = new AthenaClient(sdk);
  return {
    async start({ sql, database, output }) {
      const { QueryExecutionId = "" } = await client.send(
        new StartQueryExecutionCommand({
          QueryString: sql,
          QueryExecutionContext: { Database: database },
          ResultConfiguration: { OutputLocation: output },
          WorkGroup: "primary",
        }),
      );
      return QueryExecutionId;
    },
    async look(id) {
      const { QueryExecution } = await client.send(new GetQueryExecutionCommand({ QueryExecutionId: id }));
      const { State: state = "UNKNOWN", StateChangeReason: reason = "no reason" } = QueryExecution?.Status ?? {};
      return { state, reason };
    },
  };
}
