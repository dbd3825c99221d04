// npm start: set up, build, run the `skein` command with the arguments given.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { build, install, root } from "./steps.mjs";

await install();
// less than a second: it had nothing to do
await build(["--filter=@skein/cli..."], { patience: 1_000 });

const child = spawn(process.execPath, [join(root, "apps/cli/dist/main.js"), ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
});
// Ctrl-C belongs to the child, which leaves a thread that resumes; we only pass on how it ended.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT") child.kill(signal);
  });
}
child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
