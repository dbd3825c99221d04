// Before a package is packed: builds it and all that practise with it, from whatever is in the tree.
import { build, say } from "./steps.mjs";

if (!process.env.npm_config_user_agent?.startsWith("pnpm/")) {
  say(
    "pack with pnpm (npx pnpm pack, npx pnpm publish): other clients leave workspace:* and catalog: in the manifest, which nobody can install",
  );
  process.exit(1);
}
// what practises needs all of them
if (!(await build("./packages/*"))) {
  say("there is no code cache of this build, which would be published without one");
  process.exit(1);
}
