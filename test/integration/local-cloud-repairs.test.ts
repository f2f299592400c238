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

/** Returns what a few lines of Python print. */
async function run(...lines: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(python, ["-c", lines.join("\n")], { env });
  return stdout.trim();
}

/** Runs lines after all repairs of these modules. */
const repaired = (modules: string, ...lines: string[]) =>
  run(`from guarded_moto import patching, ${modules}`, "patching.apply_all()", ...lines);

/** Returns the message of the RepairError that a statement raises. */
const refusal = (imports: string, statement: string) =>
  run(
    imports,
    "from guarded_moto import patching",
    `try: ${statement}`,
    "except patching.RepairError as error: print(error)",
  );

test("rejects a version of moto other than the pinned one", async () => {
  const message = await refusal(
    "from guarded_moto import patching; patching.MOTO_VERSION = '5.0.0'",
    "patching.apply_all()",
  );
  assert.match(message, /written for moto 5\.0\.0, but 5\.2\.5 is installed/);
});

test("rejects a name that moto no longer has", async () => {
  const message = await refusal("import moto.sqs.models as m", "patching.replace(m.Queue, 'gone', None)");
  assert.is(message, "moto has no moto.sqs.models.Queue.gone");
});

test("rejects an addition that moto now has itself", async () => {
  const message = await refusal("import moto.sqs.models as m", "patching.add(m.Queue, 'add_message', None)");
  assert.match(message, "moto has its own moto.sqs.models.Queue.add_message now");
});

test("names a repair that does not fit", async () => {
  const message = await refusal(
    "import moto.s3.models as m; from guarded_moto import repairs_terraform; m.FakeDeleteMarker.dispose = None",
    "patching.apply_all()",
  );
  assert.match(message, "the repair s3_delete_marker does not fit moto 5.2.5");
});

test("rejects a repair without a reason", async () => {
  const message = await refusal("def silent(): pass", "patching.repair(silent)");
  assert.match(message, "the repair silent has no docstring");
});

test("shares one client for a service among tasks of state machines", async () => {
  const clients = "boto_client_for('eu-west-1', 'lambda'), boto_client_for('eu-west-1', 'lambda')";
  const printed = await repaired(
    "repairs_states",
    "from moto.stepfunctions.parser.asl.utils.boto_client import boto_client_for",
    `first, second = ${clients}`,
    "print(first is second, first.meta.endpoint_url)",
  );
  assert.match(printed, /^True http:\/\/127\.0\.0\.1:/);
});

test("parses a path of a state machine once", async () => {
  const printed = await repaired(
    "repairs_states",
    "from moto.stepfunctions.parser.asl.utils import json_path",
    "print([json_path.extract_json('$.a.b', {'a': {'b': n}}) for n in range(3)], json_path.parse.cache_info().misses)",
  );
  assert.is(printed, "[0, 1, 2] 1");
});

test("writes values of tables as moto does without the repair", async () => {
  const item =
    "{'s': {'S': 'x'}, 'l': {'L': [{'N': '1'}, {'NULL': True}, {'BOOL': False}]}, 'bs': {'BS': [b'\\xff']}, 'e': {'M': {}}}";
  const written = (without: string) =>
    run(
      "import json; from guarded_moto import patching, repairs_tables",
      `patching.apply_all(frozenset([${without}]))`,
      "from moto.core.serialize import JSONSerializer",
      "from moto.core.utils import get_service_model",
      `item = ${item}`,
      "item['m'] = {'M': {'deep': {'M': dict(item)}, 'b': {'B': b'\\x00'}, 'ss': {'SS': ['a', 'b']}, 'ns': {'NS': ['1']}}}",
      "operation = get_service_model('dynamodb').operation_model('GetItem')",
      "print(json.dumps(json.loads(JSONSerializer(operation).serialize({'Item': item})['body']), sort_keys=True))",
    );
  const repaired = await written("");
  assert.match(repaired, '"b": {"B": "AA=="}');
  assert.is(await written("'dynamodb_answers'"), repaired);
});

test("parses the model of a service once", async () => {
  const printed = await repaired(
    "repairs_models",
    "import boto3",
    "from moto.core.utils import create_loader",
    "first, second = (boto3.Session()._session.get_component('data_loader') for _ in range(2))",
    "print(first is second, create_loader() is create_loader())",
  );
  assert.is(printed, "True True");
});

test("reads no instance types of EC2, and everything else that moto has", async () => {
  const printed = await repaired(
    "repairs_models",
    "from moto.utilities.utils import load_resource",
    "from moto.ec2.models.instance_types import INSTANCE_TYPES",
    "print(len(INSTANCE_TYPES), len(load_resource('ec2/resources/amis.json')) > 0)",
  );
  assert.is(printed, "0 True");
});

test("keeps messages for the retention period of their queue", async () => {
  const received = await repaired(
    "repairs_queues",
    "from moto.sqs.models import sqs_backends",
    "sqs = sqs_backends['123456789012']['eu-west-1']",
    "queue = sqs.create_queue('q', {}, MessageRetentionPeriod='60')",
    "for body in ('new', 'old'): sqs.send_message('q', body)",
    "queue.messages[1].sent_timestamp -= 60_000",
    "print([message.body for message in sqs.receive_message('q', 10, 0, 30)])",
  );
  assert.is(received, "['new']");
});

test("can create roles while another request iterates over them", async () => {
  const created = await run(
    "from guarded_moto import patching, repairs_threads",
    "repairs_threads.iam_side_by_side()",
    "from moto.iam.models import iam_backends",
    "backend = iam_backends['123456789012']['aws']",
    "create = lambda name: backend.create_role(name, '{}', '/', None, '', [], 3600)",
    "create('first')",
    "[create(f'while-{role.name}-is-read') for role in backend.get_roles()]",
    "print(*(role.name for role in backend.get_roles()))",
  );
  assert.is(created, "first while-first-is-read");
});

test.run();
