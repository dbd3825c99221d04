// Before a package is packed: builds it and what it stands on, from whatever is in the tree.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, say } from "./steps.mjs";

if (!process.env.npm_config_user_agent?.startsWith("pnpm/")) {
  say(
    "pack with pnpm (npx pnpm pack, npx pnpm publish): other clients leave workspace:* and catalog: in the manifest, which nobody can install",
  );
  process.exit(1);
}
const { name } = JSON.parse(readFileSync(join(process.cwd(), "package.json"), "utf8"));
await build([`--filter=${name}`]);
