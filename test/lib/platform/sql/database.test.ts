import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { type Database, identifier, literal, literals, withDatabase } from "../../../../lib/platform/sql/database.ts";
import { suite } from "../../../suite.ts";

const test = suite("DuckDB databases");

const folder = mkdtempSync(join(tmpdir(), "database-"));
const outside = join(folder, "outside.csv");
writeFileSync(outside, "a\n1\n");
test.after(() => rmSync(folder, { recursive: true }));

const failure = (statement: string, files: string[] = []) =>
  withDatabase({ folder, files }, (database) => database.run(statement)).then(
    () => "no failure",
    (error: Error) => error.message,
  );

test("read and write files of their own folder, which is removed at the end", async () => {
  const used = await withDatabase({ folder }, async (database: Database) => {
    const file = literal(join(database.folder, "a.csv"));
    assert.is(await database.run(`COPY (SELECT 1 AS a) TO ${file}`), 1);
    assert.equal(await database.rows(`SELECT a::INTEGER AS a FROM read_csv(${file})`), [{ a: 1 }]);
    return database.folder;
  });
  assert.not(existsSync(used));
});

test("read no other file, unless it is named", async () => {
  const read = `FROM read_csv(${literal(outside)})`;
  assert.match(await failure(read), "Permission Error");
  assert.is(await failure(read, [outside]), "no failure");
});

test("load no extension, and cannot be configured to", async () => {
  assert.match(await failure("INSTALL httpfs"), "Permission Error");
  assert.match(await failure("SET enable_external_access = true"), "Invalid Input Error");
});

test("accept rows from the program, more than fit into memory, with the types of their columns", async () => {
  const count = 20_000;
  const found = await withDatabase({ folder }, async ({ run, fill, rows }) => {
    await run("CREATE TABLE a (id BIGINT, name VARCHAR); CREATE TABLE b (id VARCHAR)");
    const last = await fill("a", (addA) =>
      fill("b", async (addB) => {
        for (let id = 0; id < count; id += 1) addA(id, id % 2 ? null : "it's\u0000\n");
        addB("9007199254740993");
        return count - 1;
      }),
    );
    return rows(`SELECT count(*)::INT AS rows, count(name)::INT AS named, max(id)::INT = ${last} AS whole,
      min(name) AS name, (SELECT id FROM b) AS large FROM a`);
  });
  assert.equal(found, [
    { rows: count, named: count / 2, whole: true, name: "it's\u0000\n", large: "9007199254740993" },
  ]);
});

test("keep the rows that were added before a failure, and pass it on", async () => {
  const [row, message] = await withDatabase({ folder }, async ({ run, fill, rows }) => {
    await run("CREATE TABLE a (id BIGINT)");
    const failed = await fill("a", async (add) => {
      add(1);
      throw new Error("no more");
    }).catch((error: Error) => error.message);
    return [(await rows("SELECT count(*)::INT AS rows FROM a"))[0], failed];
  });
  assert.equal([row, message], [{ rows: 1 }, "no more"]);
});

test("quote texts and names", async () => {
  const [row] = await withDatabase({ folder }, ({ rows }) =>
    rows(`SELECT ${literal("it's")} AS ${identifier('a "name"')}, ${literals(["'", "b"])}[1] AS first`),
  );
  assert.equal(row, { 'a "name"': "it's", first: "'" });
});

test.run();
