// npm run bench -- [options]: see packages/bench.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build, install, root } from "./steps.mjs";

await install();
// what users load is measured
await build(["--filter=./packages/*"], { patience: 1_000 });
const { status } = spawnSync(
  process.execPath,
  ["--import", "tsx", "--conditions=@skein/source", "src/main.ts", ...process.argv.slice(2)],
  { cwd: join(root, "packages/bench"), stdio: "inherit" },
);
process.exit(status ?? 1);
