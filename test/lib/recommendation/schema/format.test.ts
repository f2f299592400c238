import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import type { Dataset } from "../../../../lib/platform/contract/recommendation.ts";
import { readRows } from "../../../../lib/recommendation/schema/rows.ts";
import { type FileFormat, PLAIN_FILES } from "../../../../lib/settings/etl.ts";
import { suite } from "../../../suite.ts";
import { problems } from "./files.ts";

const test = suite("formats of sample files");

const folder = mkdtempSync(join(tmpdir(), "formats-"));
test.after(() => rmSync(folder, { recursive: true }));

const to = (renames: Record<string, string>, dataset?: Dataset): FileFormat["renames"] =>
  Object.entries(renames).map(([from, name]) => ({ ...(dataset && { dataset }), from, ...(name && { to: name }) }));

const RATED = { USER_ID: "1", ITEM_ID: "1193", EVENT_VALUE: "5", TIMESTAMP: "978300760", EVENT_TYPE: "rating" };
const EVENT = { USER_ID: "u1", ITEM_ID: "i1", TIMESTAMP: "1241478537" };

/** The file, how it is read, and the first record. */
const CASES: Record<string, [Dataset, name: string, text: string, Partial<FileFormat>, Record<string, unknown>]> = {
  "MovieLens, with :: and without a header": [
    "interaction",
    "ratings.dat",
    "1::1193::5::978300760\n1::661::3::978302109\n",
    {
      separator: "::",
      renames: to({ 1: "USER_ID", 2: "ITEM_ID", 3: "EVENT_VALUE", 4: "TIMESTAMP" }, "interaction"),
      event_type: "rating",
    },
    RATED,
  ],
  "quotes as ordinary characters, and columns without a name left out": [
    "item",
    "movies.dat",
    '1193::"Crocodile" Dundee (1986)::Comedy\n',
    { separator: "::", renames: to({ 1: "ITEM_ID", 2: "TITLE" }, "item") },
    { ITEM_ID: "1193", TITLE: '"Crocodile" Dundee (1986)' },
  ],
  "Online Retail, with American dates and a column that is left out": [
    "interaction",
    "retail.csv",
    'InvoiceNo,StockCode,Description,InvoiceDate,CustomerID\n536365,85123A,"HOLDER, WHITE",12/1/2010 8:26,17850\n',
    {
      renames: to({
        InvoiceNo: "SESSION_ID",
        StockCode: "ITEM_ID",
        Description: "",
        InvoiceDate: "TIMESTAMP",
        CustomerID: "USER_ID",
      }),
      event_type: "purchase",
      timestamp_format: "M/d/yyyy H:mm",
    },
    { SESSION_ID: "536365", ITEM_ID: "85123A", TIMESTAMP: "1291191960", USER_ID: "17850", EVENT_TYPE: "purchase" },
  ],
  "Last.fm, with tabs, ISO dates and no header": [
    "interaction",
    "plays.tsv",
    'u1\t2009-05-04T23:08:57Z\ta\tDeep Dish\ti1\t"Fuck Me, I Am Famous\n',
    { separator: "\t", renames: to({ 1: "USER_ID", 2: "TIMESTAMP", 5: "ITEM_ID" }), timestamp_format: "iso" },
    EVENT,
  ],
  "milliseconds in JSON, and columns of its own": [
    "interaction",
    "events.json",
    '[{"userId": "u1", "ITEM_ID": "i1", "TIMESTAMP": 1241478537999, "price": 2.50}]',
    { renames: to({ userId: "USER_ID", price: "PRICE" }), timestamp_format: "x" },
    { ...EVENT, PRICE: 2.5 },
  ],
  "an event type that the file has": [
    "interaction",
    "typed.csv",
    "USER_ID,ITEM_ID,TIMESTAMP,EVENT_TYPE\nu1,i1,1241478537,view\n",
    { event_type: "purchase" },
    { ...EVENT, EVENT_TYPE: "view" },
  ],
  "a day that does not exist as it is": [
    "interaction",
    "february.csv",
    "USER_ID,ITEM_ID,TIMESTAMP\nu1,i1,31.02.2022\n",
    { timestamp_format: "dd.MM.yyyy" },
    { ...EVENT, TIMESTAMP: "31.02.2022" },
  ],
  "a rename of another file's column as it is": [
    "item",
    "items.csv",
    "ITEM_ID,name\ni1,A\n",
    { renames: to({ name: "NAME" }, "user") },
    { ITEM_ID: "i1", name: "A" },
  ],
};
for (const [what, [dataset, name, text, format, expected]] of Object.entries(CASES)) {
  test(`read ${what}`, async () => {
    writeFileSync(join(folder, name), text);
    const { rows } = await readRows(dataset, join(folder, name), { ...PLAIN_FILES, ...format });
    for await (const { values } of rows) {
      assert.equal(Object.fromEntries(values), expected);
      break;
    }
  });
}

test("name a column to rename that no file has", async () => {
  assert.equal(await problems({ format: { renames: to({ TITEL: "NAME" }) } }), [
    '--rename: no sample file has the column "TITEL": did you mean "TITLE"?',
  ]);
});

test.run();
