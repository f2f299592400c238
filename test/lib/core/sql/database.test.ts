import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { type Database, identifier, literal, literals, withDatabase } from "../../../../lib/core/sql/database.ts";
import { suite } from "../../../suite.ts";

const test = suite("databases of DuckDB");

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

test("load no extension, and cannot be allowed to", async () => {
  assert.match(await failure("INSTALL httpfs"), "Permission Error");
  assert.match(await failure("SET enable_external_access = true"), "Invalid Input Error");
});

test("quote texts and names", async () => {
  const [row] = await withDatabase({ folder }, ({ rows }) =>
    rows(`SELECT ${literal("it's")} AS ${identifier('a "name"')}, ${literals(["'", "b"])}[1] AS first`),
  );
  assert.equal(row, { 'a "name"': "it's", first: "'" });
});

test.run();
