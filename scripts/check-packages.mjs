// Packs every public package as a release does and asks publint and attw whether others can import it.
import { createPackageFromTarballData, checkPackage } from "@arethetypeswrong/core";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { declarationProblems } from "./declarations.mjs";
import { bin, root } from "./steps.mjs";

const packages = readdirSync(join(root, "packages"))
  .map((name) => join(root, "packages", name))
  .map((dir) => ({ dir, manifest: JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) }))
  .filter(({ manifest }) => !manifest.private);

const tarballs = mkdtempSync(join(tmpdir(), "skein-pack-"));
const declared = await declarationProblems(packages);
for (const line of declared) console.error(line);
let problems = declared.length;
for (const { dir, manifest } of packages) {
  const { name, version } = manifest;
  execFileSync(bin("pnpm"), ["pack", "--pack-destination", tarballs], {
    cwd: dir,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  const tarball = readFileSync(join(tarballs, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`));
  const lint = await publint({
    pack: { tarball: tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.byteLength) },
    strict: true,
  });
  const found = lint.messages.map((message) => `publint: ${formatMessage(message, manifest)}`);
  const types = await checkPackage(createPackageFromTarballData(tarball));
  // A subpath export cannot be resolved by Node 10's algorithm, which no supported Node uses.
  const wrong = (types.problems ?? []).filter((problem) => problem.resolutionKind !== "node10");
  found.push(
    ...wrong.map(
      (problem) => `attw: ${problem.kind} ${problem.entrypoint ?? ""} ${problem.resolutionKind ?? ""}`,
    ),
  );
  for (const line of found) console.error(`${manifest.name}: ${line}`);
  problems += found.length;
}
rmSync(tarballs, { recursive: true });
console.error(`${packages.length} packages checked, ${problems} problems`);
process.exit(problems === 0 ? 0 : 1);
