/** Preloaded with BINDINGS=FOLDER: the stacks import the bindings of Terraform as that folder's package.json says. */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const parentURL = pathToFileURL(join(process.env.BINDINGS ?? "", "package.json")).href;
registerHooks({
  resolve: (specifier, context, next) =>
    /^(#aws\/|#cdktf\b|constructs$)/.test(specifier)
      ? next(specifier, { ...context, parentURL })
      : next(specifier, context),
});
