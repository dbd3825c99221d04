import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

// Whether a cache was taken shows when the script is changed afterwards: V8 compares nothing but the length.

const asScripts = resolve(import.meta.dirname, "../scripts/as-scripts.mjs");

/** All forms of imports, names and exports that our builds have; long enough to be worth a script. */
const LIBRARY = `import standard, { one as first, two } from "./small.js";
import * as all from "./small.js";
import { sep } from "node:path";
import "./effect.js";
//#region src/library.ts
const PATTERN = /[ä-ü]+/u;
const late = () => import("./small.js");
var Greeter = class Greeter {
	static count = 0;
	#word = "Grüße";
	greet(name) {
		Greeter.count += 1;
		return \`\${this.#word}, \${name} 😀\`;
	}
};
function answer() {
	return "taken";
}
async function described() {
	const { two: again } = await late();
	return {
		imported: [standard, first, two, all.one, again, sep, globalThis.effect],
		here: import.meta.url.endsWith("/dist/node/index.js"),
		text: [new Greeter().greet("Zoë"), PATTERN.exec("a-äöü")?.[0], described.name, Greeter.name],
		strict: (function() { return this === undefined; })(),
		answer: answer()
	};
}
function fails() {
	throw new Error("as it should");
}
//#endregion
${"// filling\n".repeat(400)}
export { Greeter, answer as default, described, fails as throws };

//# sourceMappingURL=index.js.map`;

const LINE_OF_ERROR = LIBRARY.split("\n").findIndex((text) => text.includes("as it should")) + 1;

/** The source map knows one place: the error is on line 7 of the source. */
const FILES: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    name: "sample",
    type: "module",
    exports: { import: { module: "./plain.js", node: "./dist/node/index.js" } },
  }),
  "dist/node/small.js": `const one = 1;\nconst two = "zwei";\nexport { one, two, one as default };\n`,
  "dist/node/effect.js": `globalThis.effect = "ran";\n`,
  "dist/node/index.js": LIBRARY,
  "dist/node/index.js.map": JSON.stringify({
    version: 3,
    file: "index.js",
    sources: ["../../src/library.ts"],
    names: [],
    mappings: `${";".repeat(LINE_OF_ERROR - 1)}CAMC`,
  }),
};

let folder: string;
let program: string;
const inPlace = (name: string): string => join(folder, "dist/node", name);
const caches = (): string[] => readdirSync(inPlace("")).filter((file) => file.endsWith(".cache"));

async function node(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: "", ...env },
  });
  return `${stdout}${stderr}`;
}

const described = async (...args: string[]): Promise<unknown> => JSON.parse(await node([...args, program]));
const answers = async (...args: string[]): Promise<unknown> =>
  ((await described(...args)) as { answer: string }).answer;

const traceOf = (...args: string[]): Promise<string> =>
  node([...args, "failing.mjs"]).catch(({ stderr }: { stderr: string }) => stderr);

function write(file: string, text: string): void {
  mkdirSync(join(folder, file, ".."), { recursive: true });
  writeFileSync(join(folder, file), text);
}

/** A sample whose cache says "taken" and whose script says "fresh". */
async function withCache(): Promise<void> {
  await node([program], { SKEIN_CODE_CACHE: "write" });
  const script = readFileSync(inPlace("index.cjs"), "latin1");
  writeFileSync(inPlace("index.cjs"), script.replace(`"taken"`, `"fresh"`), "latin1");
}

describe("the code cache of the build for Node", () => {
  let before: unknown;
  let original: string;

  beforeAll(async () => {
    original = mkdtempSync(join(tmpdir(), "skein-scripts-"));
    folder = original;
    for (const [file, text] of Object.entries(FILES)) write(file, text);
    write(
      "program.mjs",
      `import { described } from "./dist/node/index.js";\nconsole.log(JSON.stringify(await described()));\n`,
    );
    write("failing.mjs", `import { throws } from "./dist/node/index.js";\nthrows();\n`);
    program = "program.mjs";
    before = await described();
    await promisify(execFile)(process.execPath, [asScripts], { cwd: folder });
  });
  afterAll(() => rmSync(original, { recursive: true, force: true }));

  /** Every test has files of its own. */
  async function inCopy(run: () => Promise<void>): Promise<void> {
    folder = mkdtempSync(join(tmpdir(), "skein-scripts-"));
    try {
      cpSync(original, folder, { recursive: true });
      await run();
    } finally {
      rmSync(folder, { recursive: true, force: true });
      folder = original;
    }
  }

  it("a module is the same as a script: without a cache, writing one and with it (F4)", () =>
    inCopy(async () => {
      expect(readdirSync(inPlace(""))).toContain("index.cjs");
      expect(before).toMatchObject({ here: true, strict: true, answer: "taken" });
      expect(await described()).toEqual(before);
      expect(caches()).toEqual([]);
      expect(JSON.parse(await node([program], { SKEIN_CODE_CACHE: "write" }))).toEqual(before);
      expect(caches()).toHaveLength(1);
      expect(await described()).toEqual(before);
      expect(caches()).toHaveLength(1);
    }));

  it("a cache is taken, and only by the V8 and flags that wrote it (F4)", () =>
    inCopy(async () => {
      await withCache();
      expect(await answers()).toBe("taken");
      expect(await answers("--stack-size=900")).toBe("fresh");
    }));

  it("a cache that is torn is as none (F4)", () =>
    inCopy(async () => {
      await withCache();
      const [cache] = caches();
      truncateSync(inPlace(cache ?? ""), 500);
      expect(await answers()).toBe("fresh");
    }));

  it("a cache that can't be written is a warning, and the program ends as it does (F4)", () =>
    inCopy(async () => {
      // a folder in its place: root may write wherever it likes
      const name = /`\$\{filename\}(\.\w+\.)/.exec(readFileSync(inPlace("index.js"), "utf8"))?.[1];
      const { v8 } = process.versions;
      mkdirSync(inPlace(`index.cjs${name}${v8}-${process.arch}.cache/full`), { recursive: true });
      const printed = await node([program], { SKEIN_CODE_CACHE: "write" });
      expect(printed).toMatch(/"answer":"taken"[^]*SKEIN_CODE_CACHE: no code cache was left: EISDIR/);
    }));

  it("stack traces point into the script, and with source maps into the source (F4)", () =>
    inCopy(async () => {
      await withCache();
      expect(await traceOf()).toMatch(new RegExp(`at fails \\(.*index\\.cjs:${LINE_OF_ERROR}:`));
      expect(await traceOf("--enable-source-maps")).toMatch(/src\/library\.ts:7:/);
    }));

  it("another realm, as a test runner's, has its own instance (F4)", () =>
    inCopy(async () => {
      await withCache();
      write(
        "realm.mjs",
        `import { readFileSync } from "node:fs";
import { createContext, SourceTextModule, SyntheticModule } from "node:vm";
const context = createContext({ process, URL, console });
const link = async (specifier) => {
  const names = await import(specifier.startsWith(".") ? new URL(specifier, new URL("./dist/node/", import.meta.url)).href : specifier);
  return new SyntheticModule(Object.keys(names), function () { for (const name of Object.keys(names)) this.setExport(name, names[name]); }, { context });
};
const file = new URL("./dist/node/index.js", import.meta.url);
const module = new SourceTextModule(readFileSync(file, "utf8"), { context, initializeImportMeta: (meta) => { meta.url = file.href; } });
await module.link(link);
await module.evaluate();
console.log(module.namespace.default());
`,
      );
      expect(await node(["--experimental-vm-modules", "--no-warnings", "realm.mjs"])).toBe("fresh\n");
    }));

  it("a bundler that takes the build for Node has the script in its bundle (F4)", () =>
    inCopy(async () => {
      await withCache();
      for (const format of ["esm", "cjs"] as const) {
        const extension = format === "esm" ? "mjs" : "cjs";
        const outfile = join(folder, `bundle/bundle.${extension}`);
        write(
          "entry.js",
          `import answer, { Greeter } from "./dist/node/index.js";\nconsole.log(answer(), new Greeter().greet("Zoë"));\n`,
        );
        await build({
          entryPoints: [join(folder, "entry.js")],
          outfile,
          bundle: true,
          platform: "node",
          format,
          logLevel: "silent",
        });
        rmSync(join(folder, "moved"), { recursive: true, force: true });
        cpSync(join(folder, "bundle"), join(folder, "moved/to/another/place"), { recursive: true });
        expect(await node([`moved/to/another/place/bundle.${extension}`])).toBe("fresh Grüße, Zoë 😀\n");
      }
    }));
});
