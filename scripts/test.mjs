// npm test | npm run test:data [FOLDER] | npm run test:long
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { bin, build, install, root, run, say } from "./steps.mjs";

const [kind = "unit", folder] = process.argv.slice(2);
const env = { SKEIN_TESTS: kind };

if (kind === "data") {
  const data =
    folder === undefined ? join(root, "../shared/data") : resolve(process.env.INIT_CWD ?? root, folder);
  if (!isAbsolute(data) || !existsSync(data)) {
    say(`no folder ${data}; give the folder with the recorded conversations: npm run test:data -- FOLDER`);
    process.exit(2);
  }
  env.SKEIN_DATA = data;
}

await install();
if (kind === "unit") {
  await run("lint", bin("oxlint"), ["--deny-warnings"]);
  await run("format", bin("oxfmt"), ["--check"], { quiet: true });
}
const report = join(root, "node_modules", ".skein", `vitest-${kind}.json`);
mkdirSync(join(report, ".."), { recursive: true });
// what a release looks like takes a build, which no test needs
if (kind === "long") await packages();
await run(
  `tests (${kind})`,
  bin("vitest"),
  ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`],
  { env },
);
if (kind === "unit") await types();
const { numPassedTests: passed, numFailedTests: failed } = JSON.parse(readFileSync(report, "utf8"));
process.stdout.write(`${passed} passed, ${failed} failed\n`);

/** TypeScript 7 takes a quarter of the time; the tests of types and of the docs' programs use 5, as users may. */
function types() {
  const compiler = join(root, "node_modules/typescript-native/bin/tsc");
  return run("types", process.execPath, [compiler, "--noEmit", "--singleThreaded"]);
}

async function packages() {
  await build([]);
  await run("packages (publint, attw)", process.execPath, [join(root, "scripts/check-packages.mjs")]);
}
