import * as assert from "uvu/assert";
import { parse } from "yaml";
import { formatPath, type Path } from "../../../lib/settings/problem.ts";
import type { Files } from "./example.ts";
import { keeping } from "./kept-parsing.ts";

const parsed = keeping((text) => parse(text) as unknown);

/** Returns the value of a key in the files of a configuration, which must have it. */
export function givenAt(files: Files, file: string, path: Path): unknown {
  const value = path.reduce<unknown>((current, step) => Reflect.get(Object(current), step), parsed(files[file] ?? ""));
  assert.is.not(value, undefined, `the full example lacks ${file} ${formatPath(path)}`);
  return value;
}
