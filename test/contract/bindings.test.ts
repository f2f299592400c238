import * as assert from "uvu/assert";
import { BINDINGS, differences, isChecked } from "../bindings/bindings.ts";
import { suite } from "../suite.ts";

const test = suite("other bindings of Terraform");

// Installing them takes a while: what `make bench ARGS=bindings` compared and nobody changed since is not compared again.
for (const name of BINDINGS) {
  test(`${name}: the stacks have its types, and it writes the same JSON`, () => {
    if (!isChecked()) assert.equal(differences(name), []);
  });
}

test.run();
