import type { Fault as ModelFault } from "../../local/embeddings/control.ts";
import { type Fault as AwsFault, awsError } from "../../test/functions/recommendation-api/aws-front.ts";
import type { DayWorld } from "./world.ts";

/** One fault. The caller decides how long it lasts, and awaits what each step returns. */
export interface DayFault {
  name: string;
  begin(world: DayWorld): unknown;
  end(world: DayWorld): unknown;
}

const CUT_EVERY_MS = 1_500;

const network = (target: keyof DayWorld["proxies"], what: string): DayFault[] => {
  let cutting: NodeJS.Timeout | undefined;
  return [
    {
      name: `connections to ${what} cut every ${CUT_EVERY_MS / 1_000} s`,
      begin({ proxies }) {
        cutting = setInterval(() => proxies[target].cut(), CUT_EVERY_MS);
      },
      end: () => clearInterval(cutting),
    },
    {
      name: `connections to ${what} refused`,
      begin: ({ proxies }) => proxies[target].refuse(),
      end: ({ proxies }) => proxies[target].pass(),
    },
    {
      name: `connections to ${what} stalled, then cut`,
      begin: ({ proxies }) => proxies[target].stall(),
      async end({ proxies }) {
        proxies[target].cut();
        await proxies[target].pass();
      },
    },
    {
      name: `every packet to and from ${what} 0.4 s late`,
      begin: ({ proxies }) => proxies[target].slow(400),
      end: ({ proxies }) => proxies[target].pass(),
    },
  ];
};

const model = (name: string, faults: readonly ModelFault[]): DayFault => ({
  name: `models: ${name}`,
  begin({ models }) {
    for (const one of ["dense_large_en_v1_5", "sparse_v3"] as const) models.control.setFaults(one, faults);
  },
  end: ({ models }) => models.control.reset(),
});

const aws = (name: string, services: readonly string[], fault: () => AwsFault): DayFault => ({
  name,
  begin({ world }) {
    for (const service of services) world.front.faults.set(service, fault());
  },
  end({ world }) {
    for (const service of services) world.front.faults.delete(service);
  },
});

/** Applies the fault to two of three calls. */
const mostly = (status: number, type: string) => (): AwsFault => {
  let calls = 0;
  return () => (++calls % 3 === 0 ? undefined : awsError(status, type));
};

const never = (): AwsFault => () => new Promise(() => undefined);

const paused: DayFault[] = [
  {
    name: "the cluster's process paused",
    begin: ({ cluster }) => cluster.signal("SIGSTOP"),
    end: ({ cluster }) => cluster.signal("SIGCONT"),
  },
  {
    name: "moto's process paused",
    begin: ({ motoPid }) => void process.kill(motoPid, "SIGSTOP"),
    end: ({ motoPid }) => void process.kill(motoPid, "SIGCONT"),
  },
];

const clusterKilled: DayFault = {
  name: "the cluster killed with SIGKILL and started again",
  begin: ({ cluster }) => cluster.kill(),
  end: ({ cluster }) => cluster.start(),
};

/** Faults for the first sixth of the day only: they start a new process, whose memory is another one. */
export const SERVING_FAULTS: readonly DayFault[] = [
  {
    name: "the gateway's process killed with SIGKILL and started again",
    begin: ({ gateway }) => gateway.killAndRestart(),
    end: () => undefined,
  },
  {
    name: "the recommendation service's process killed with SIGKILL and started again",
    begin: ({ recommendation }) => recommendation.killAndRestart(),
    end: () => undefined,
  },
];

/** Faults in turn, one a minute. */
export const FAULTS: readonly DayFault[] = [
  ...network("cluster", "the cluster"),
  clusterKilled,
  model("every second call throttled", [{ kind: "throttle", every: 2 }]),
  ...network("aws", "AWS"),
  model("two seconds slower", [{ kind: "delay", ms: 2_000 }]),
  aws("Firehose and DynamoDB throttle", ["firehose", "dynamodb"], mostly(400, "ThrottlingException")),
  ...paused,
  ...network("models", "the models"),
  model("no answer", [{ kind: "hang" }]),
  aws("Personalize unavailable", ["personalize"], mostly(503, "ServiceUnavailable")),
  model("vectors of NaN", [{ kind: "nan", every: 2 }]),
  aws("Personalize never answers", ["personalize"], never),
  aws("Firehose refuses access", ["firehose"], () => () => awsError(400, "AccessDeniedException")),
  aws("DynamoDB never answers", ["dynamodb"], never),
];
