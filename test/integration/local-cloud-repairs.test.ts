import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import * as assert from "uvu/assert";
import { installCloud } from "../../packages/local-aws/cloud/install.ts";
import { ROOT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";

const test = suite("local cloud: repairs that fit moto, or say so");
const python = await installCloud({ dir: join(ROOT, ".local"), onProgress: console.error });
const env = {
  PATH: process.env.PATH,
  PYTHONPATH: join(ROOT, "packages/local-aws"),
  AWS_DEFAULT_REGION: "eu-west-1",
  CLOUD_NODE: "",
  CLOUD_FRONT_URL: "",
  CLOUD_WORK_DIR: "",
};

/** Runs lines of Python after an import, and returns the JSON that they print. */
async function run(imports: string, ...lines: string[]): Promise<Record<string, unknown>> {
  const code = ["import json", `from guarded_moto import patching${imports}`, ...lines].join("\n");
  const { stdout } = await promisify(execFile)(python, ["-c", code], { env });
  return JSON.parse(stdout);
}

/** Statements that a repair's mistake makes fail, each with its message. The last one leaves a broken moto. */
const REFUSED: Readonly<Record<string, [statement: string, message: string]>> = {
  "a name that moto no longer has": [
    "patching.replace(m.Queue, 'gone', None)",
    "moto has no moto.sqs.models.Queue.gone",
  ],
  "an addition that moto now has itself": [
    "patching.add(m.Queue, 'add_message', None)",
    "moto has its own moto.sqs.models.Queue.add_message now",
  ],
  "a repair without a reason": ["patching.repair(silent)", "the repair silent has no docstring"],
  "a repair that does not fit": ["patching.apply_all()", "the repair s3_delete_marker does not fit moto 5.2.5"],
  "a version of moto other than the pinned one": [
    "patching.MOTO_VERSION = '5.0.0'; patching.apply_all()",
    "written for moto 5.0.0, but 5.2.5 is installed",
  ],
};

const refusals = run(
  ", repairs_terraform",
  "import moto.sqs.models as m, moto.s3.models",
  "moto.s3.models.FakeDeleteMarker.dispose = None",
  "def silent(): pass",
  "messages = {}",
  ...Object.entries(REFUSED).flatMap(([name, [statement]]) => [
    `try: ${statement}`,
    `except patching.RepairError as error: messages[${JSON.stringify(name)}] = str(error)`,
  ]),
  "print(json.dumps(messages))",
);

for (const [name, [, message]] of Object.entries(REFUSED)) {
  test(`rejects ${name}`, async () => {
    assert.match(String((await refusals)[name]), message);
  });
}

/** Lines that set `found` in a process with all repairs, and its value. */
const REPAIRED: Readonly<Record<string, [lines: string[], found: unknown]>> = {
  "shares one client for a service among tasks of state machines": [
    [
      "from moto.stepfunctions.parser.asl.utils.boto_client import boto_client_for",
      "first, second = boto_client_for('eu-west-1', 'lambda'), boto_client_for('eu-west-1', 'lambda')",
      "found = [first is second, first.meta.endpoint_url.startswith('http://127.0.0.1:')]",
    ],
    [true, true],
  ],
  "parses a path of a state machine once": [
    [
      "from moto.stepfunctions.parser.asl.utils import json_path",
      "before = json_path.parse.cache_info().misses",
      "found = [json_path.extract_json('$.a.b', {'a': {'b': n}}) for n in range(3)]",
      "found.append(json_path.parse.cache_info().misses - before)",
    ],
    [0, 1, 2, 1],
  ],
  "parses the model of a service once": [
    [
      "import boto3",
      "from moto.core.utils import create_loader",
      "first, second = (boto3.Session()._session.get_component('data_loader') for _ in range(2))",
      "found = [first is second, create_loader() is create_loader()]",
    ],
    [true, true],
  ],
  "keeps messages for the retention period of their queue": [
    [
      "from moto.sqs.models import sqs_backends",
      "sqs = sqs_backends['123456789012']['eu-west-1']",
      "queue = sqs.create_queue('q', {}, MessageRetentionPeriod='60')",
      "for body in ('new', 'old'): sqs.send_message('q', body)",
      "queue.messages[1].sent_timestamp -= 60_000",
      "found = [message.body for message in sqs.receive_message('q', 10, 0, 30)]",
    ],
    ["new"],
  ],
  "can create roles while another request iterates over them": [
    [
      "from moto.iam.models import iam_backends",
      "backend = iam_backends['123456789012']['aws']",
      "create = lambda name: backend.create_role(name, '{}', '/', None, '', [], 3600)",
      "created = create('first')",
      "for role in backend.get_roles(): create(f'while-{role.name}-is-read')",
      "found = [role.name for role in backend.get_roles()]",
    ],
    ["first", "while-first-is-read"],
  ],
};

/** Serializes values of every kind that a table stores. */
const WRITTEN = [
  "from moto.core.serialize import JSONSerializer",
  "from moto.core.utils import get_service_model",
  "item = {'s': {'S': 'x'}, 'l': {'L': [{'N': '1'}, {'NULL': True}, {'BOOL': False}]}, 'bs': {'BS': [b'\\xff']}, 'e': {'M': {}}}",
  "item['m'] = {'M': {'deep': {'M': dict(item)}, 'b': {'B': b'\\x00'}, 'ss': {'SS': ['a', 'b']}, 'ns': {'NS': ['1']}}}",
  "operation = get_service_model('dynamodb').operation_model('GetItem')",
  "found = json.loads(JSONSerializer(operation).serialize({'Item': item})['body'])",
];

const repaired = run(
  ", repairs_states, repairs_models, repairs_queues, repairs_tables, repairs_threads",
  "patching.apply_all()",
  "results = {}",
  ...[
    ...Object.entries(REPAIRED).map(([name, [lines]]) => [name, lines] as const),
    ["written", WRITTEN] as const,
  ].flatMap(([name, lines]) => [...lines, `results[${JSON.stringify(name)}] = found`]),
  "print(json.dumps(results))",
);

for (const [name, [, expected]] of Object.entries(REPAIRED)) {
  test(name, async () => assert.equal((await repaired)[name], expected));
}

/** A process without one repair, and without modules that load EC2 before the repairs. */
const other = run(
  ", repairs_models, repairs_tables",
  "patching.apply_all(frozenset(['dynamodb_answers']))",
  ...WRITTEN,
  "from moto.utilities.utils import load_resource",
  "from moto.ec2.models.instance_types import INSTANCE_TYPES",
  "ec2 = [len(INSTANCE_TYPES), len(load_resource('ec2/resources/amis.json')) > 0]",
  "print(json.dumps({'written': found, 'ec2': ec2}))",
);

test("writes values of tables as moto does without the repair", async () => {
  const { written } = await repaired;
  assert.match(JSON.stringify(written), '"b":{"B":"AA=="}');
  assert.equal((await other).written, written);
});

test("reads no instance types of EC2, and everything else that moto has", async () => {
  assert.equal((await other).ec2, [0, true]);
});

test.run();
