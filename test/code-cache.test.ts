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
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

// Whether a cache was taken shows when the script is changed afterwards: V8 compares nothing but the length.

const asScripts = resolve(import.meta.dirname, "../scripts/as-scripts.mjs");
const runtime = resolve(import.meta.dirname, "../packages/errors/src/code-cache.ts");

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
export { Greeter, answer as default, described, fails as throws, late };

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
const ending = (end: string): string[] => readdirSync(inPlace("")).filter((file) => file.endsWith(end));
const caches = (): string[] => ending(".cache");
const script = (): string => inPlace(ending(".cjs")[0] ?? "none");

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
  const text = readFileSync(script(), "latin1");
  writeFileSync(script(), text.replace(`"taken"`, `"fresh"`), "latin1");
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
    write(
      "node_modules/@skein/errors/package.json",
      JSON.stringify({ exports: { "./code-cache": "./index.mjs" } }),
    );
    await build({
      entryPoints: [runtime],
      outfile: join(folder, "node_modules/@skein/errors/index.mjs"),
      format: "esm",
      platform: "node",
    });
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
      expect(ending(".cjs")).toEqual([expect.stringMatching(/^index\.\w{8}\.cjs$/)]);
      expect(ending(".map")).toEqual([`${ending(".cjs")[0]}.map`]);
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

  it("no cache is taken where none is wanted, and source maps of NODE_OPTIONS count (F4)", () =>
    inCopy(async () => {
      await withCache();
      for (const env of [{ SKEIN_CODE_CACHE: "off" }, { NODE_OPTIONS: "--enable-source-maps" }]) {
        expect(JSON.parse(await node([program], env))).toMatchObject({ answer: "fresh" });
      }
    }));

  it("a script is that of its module, wherever somebody else has one of its name (F4)", () =>
    inCopy(async () => {
      await withCache();
      write("elsewhere/index.cjs", "module.exports = () => ({ default: () => 'somebody else' });");
      write(
        "elsewhere/program.mjs",
        readFileSync(join(folder, program), "utf8").replace("./dist", "../dist"),
      );
      for (const flags of [[], ["--enable-source-maps"]]) {
        const importing = `import("${pathToFileURL(inPlace("index.js")).href}").then((m) => console.log(m.default()))`;
        const { stdout } = await promisify(execFile)(process.execPath, [...flags, "-e", importing], {
          cwd: join(folder, "elsewhere"),
          env: { ...process.env, NODE_OPTIONS: "" },
        });
        expect(stdout).toBe(flags.length === 0 ? "taken\n" : "fresh\n");
      }
    }));

  it("turning scripts once more is refused, and what a script can't say, too (F4)", () =>
    inCopy(async () => {
      const again = promisify(execFile)(process.execPath, [asScripts], { cwd: folder });
      await expect(again).rejects.toThrow(/scripts are there already/);
      const unfit: Readonly<Record<string, string>> = {
        "an export that changes":
          "let changing = 1;\nfunction change() { changing += 1; }\nexport { change, changing };",
        "an import of several lines":
          'import {\n  one } from "./small.js";\nconst two = one;\nexport { two };',
        "an escape would change": "const text = String.raw`ä`;\nexport { text };",
      };
      for (const [why, text] of Object.entries(unfit)) {
        rmSync(inPlace(""), { recursive: true });
        write("dist/node/small.js", FILES["dist/node/small.js"] ?? "");
        write("dist/node/index.js", `${"// filling\n".repeat(400)}${text}\n`);
        const turned = promisify(execFile)(process.execPath, [asScripts], { cwd: folder });
        await expect(turned).rejects.toThrow(why);
      }
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
      const { v8 } = process.versions;
      const place = script().replace(/cjs$/, `${v8}-${process.arch}.cache`);
      mkdirSync(join(place, "full"), { recursive: true });
      const printed = await node([program], { SKEIN_CODE_CACHE: "write" });
      expect(printed).toMatch(/"answer":"taken"[^]*SKEIN_CODE_CACHE: no code cache was left: EISDIR/);
      expect(readdirSync(inPlace("")).filter((file) => file.includes(".cache."))).toEqual([]);
    }));

  it("stack traces point into the script, and with source maps into the source (F4)", () =>
    inCopy(async () => {
      await withCache();
      expect(await traceOf()).toMatch(new RegExp(`at fails \\(.*index\\.\\w+\\.cjs:${LINE_OF_ERROR}:`));
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
          `import answer, { Greeter, late } from "./dist/node/index.js";
late().then(({ two }) => console.log(answer(), new Greeter().greet("Zoë"), two));\n`,
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
        expect(await node([`moved/to/another/place/bundle.${extension}`])).toBe("fresh Grüße, Zoë 😀 zwei\n");
      }
    }));
});
