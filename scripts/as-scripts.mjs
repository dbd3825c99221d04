// V8 takes what it compiled before (a code cache) for scripts, and Node 20 has no way to hand it one for a
// module. So this turns the modules of a package's dist/node that are worth it into a script each, a function
// of what the module imports that returns what it exports, and a small module that runs it. Run in a package
// that has just been built: node scripts/as-scripts.mjs
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { init, parse } from "es-module-lexer";

/** Characters; reading the second file takes as long as compiling the functions of a smaller one. */
const WORTH_IT = 4_000;
const NAMES = /^import\s*(?:([\w$]+)\s*,?)?\s*(?:\{([^}]*)\}|\*\s*as\s+([\w$]+))?\s*from\s*["']/;

/** The text between two offsets is replaced; lines stay where they are, so the source map holds. */
function replaced(text, changes) {
  let at = 0;
  let made = "";
  for (const { from, to, by } of changes.toSorted((left, right) => left.from - right.from)) {
    made += text.slice(at, from) + by;
    at = to;
  }
  return made + text.slice(at);
}

const localName = (pair) =>
  pair
    .trim()
    .split(/\s+as\s+/)
    .at(-1);

/** Local names that an import statement makes; none for one that only runs a module. */
function importedNames(statement) {
  if (/^import\s*["']/.test(statement)) return [];
  const [, standard, list = "", namespace] = NAMES.exec(statement) ?? unknown(statement);
  return [standard, namespace, ...list.split(",").map(localName)].filter(Boolean);
}

function unknown(statement) {
  throw new Error(`this statement is of no known form: ${statement}`);
}

/** The one statement that exports, as rolldown writes it at the end of a file. */
function exportStatement(text) {
  const from = text.lastIndexOf("\nexport {") + 1;
  const to = text.indexOf("};", from) + 2;
  return from === 0 || to === 1 ? undefined : { from, to };
}

/** Plain ASCII is read as Latin-1, in a third of the time. In strings and patterns an escape is the same. */
const plain = (text) =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** The parts of a module; undefined for one that hands on what others export, which is none to compile. */
function partsOf(text) {
  const [imports, exports] = parse(text);
  const exporting = exportStatement(text);
  // a file of nothing but exports of others' has no function to compile
  if (exporting === undefined || !/^(?:async )?(?:function|class|const|let|var) /m.test(text))
    return undefined;
  const statements = [];
  const changes = [];
  for (const { ss, se, d } of imports) {
    if (d === -1) {
      statements.push(text.slice(ss, se));
      changes.push({ from: ss, to: se, by: "" });
    } else changes.push(d === -2 ? { from: ss, to: se, by: "$meta" } : { from: ss, to: d, by: "$import" });
  }
  const made = exports.map(({ n, ln }) => `${n}: ${ln}`).join(", ");
  changes.push({ ...exporting, by: `return { ${made} };` });
  return {
    body: plain(replaced(text, changes)),
    statements,
    names: ["$import", "$meta", ...statements.flatMap(importedNames)],
    exports: exports.map(({ n }) => n),
  };
}

/** @returns the two files' texts, the script's without its map */
export function asScript(text, name) {
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  const { body, statements, names, exports } = parts;
  const source = body.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n").trimEnd();
  // in parentheses it is compiled at once, and not read twice
  const script = `module.exports = (function (${names.join(", ")}) { "use strict"; ${source}\n});\n`;
  return { script, module: runner({ name, statements, names, exports, digest: digestOf(script) }) };
}

const digestOf = (text) => createHash("sha256").update(text).digest("hex").slice(0, 8);

/**
 * The module that runs a script, with the code cache if there is one for this very V8. Where others have work to
 * do, the script is an ordinary CommonJS module: a bundler, which sees `require` and leaves no file; a test
 * runner, whose realm has classes of its own; source maps; Node's own compile cache. A process that is told to
 * leaves the cache of what it ran when it ends.
 */
function runner({ name, statements, names, exports, digest }) {
  return `${statements.map((statement) => `${statement};`).join("\n")}
import { readFileSync as $read, renameSync as $rename, writeFileSync as $write } from "node:fs";
import $Module from "node:module";
import $process from "node:process";
import { fileURLToPath as $pathOf } from "node:url";
import { Script as $Script } from "node:vm";
const $writes = $process.env["SKEIN_CODE_CACHE"] === "write";
function $ordinary() {
	try {
		return require("./${name}.cjs");
	} catch {
		return $Module.createRequire(import.meta.url)("./${name}.cjs");
	}
}
function $fileIfAny(file) {
	try {
		return $read(file);
	} catch {
		return undefined;
	}
}
const $others = () => $process.versions.bun || $process.sourceMapsEnabled || new $Script("Object").runInThisContext() !== Object;
// V8 keeps with a function that its baseline compiler had it, and who takes the cache compiles it at once
function $leaving() {
	const { setFlagsFromString } = $Module.createRequire(import.meta.url)("node:v8");
	setFlagsFromString("--no-sparkplug");
	const scripts = new Map();
	$process.once("exit", () => {
		setFlagsFromString("--sparkplug");
		for (const [cache, script] of scripts) {
			const part = \`\${cache}.\${$process.pid}\`;
			try {
				$write(part, script.createCachedData());
				$rename(part, cache);
			} catch (error) {
				console.warn(\`SKEIN_CODE_CACHE: no code cache was left: \${error.message}\`);
			}
		}
	});
	return scripts;
}
// one listener for the scripts of all packages
const $leave = (script, cache) => void ($process[Symbol.for("skein.code-cache")] ??= $leaving()).set(cache, script);
function $load() {
	let filename;
	try {
		filename = $pathOf(new URL("./${name}.cjs", import.meta.url));
	} catch {
		return $ordinary();
	}
	const text = $fileIfAny(filename)?.latin1Slice();
	if (text === undefined || $others()) return $ordinary();
	const cache = \`\${filename}.${digest}.\${$process.versions.v8}-\${$process.arch}.cache\`;
	const cachedData = $writes ? undefined : $fileIfAny(cache);
	if (cachedData === undefined && !$writes && $Module.getCompileCacheDir?.()) return $ordinary();
	const script = new $Script(\`(function (module) { \${text}\\n})\`, { filename, cachedData });
	const module = { exports: undefined };
	script.runInThisContext()(module);
	if ($writes) $leave(script, cache);
	return module.exports;
}
const $made = $load()(${["(file) => import(file)", "import.meta", ...names.slice(2)].join(", ")});
${exports.map((exported, index) => `const $${index} = $made.${exported};`).join("\n")}
export { ${exports.map((exported, index) => `$${index} as ${exported}`).join(", ")} };
`;
}

function turn(file) {
  const text = readFileSync(file, "utf8");
  const name = basename(file, ".js");
  const made = text.length < WORTH_IT ? undefined : asScript(text, name);
  if (made === undefined) return 0;
  const script = file.replace(/\.js$/, ".cjs");
  const map = JSON.parse(readFileSync(`${file}.map`, "utf8"));
  writeFileSync(`${script}.map`, JSON.stringify({ ...map, file: `${name}.cjs` }));
  writeFileSync(script, `${made.script}//# sourceMappingURL=${name}.cjs.map\n`);
  writeFileSync(file, made.module);
  return 1;
}

async function main() {
  await init;
  const folder = join(process.cwd(), "dist", "node");
  const files = readdirSync(folder, { recursive: true })
    .filter((file) => file.endsWith(".js"))
    .map((file) => join(folder, file));
  let count = 0;
  for (const file of files) count += turn(file);
  // what uses an import before its time throws here, and not at a user's
  for (const file of files) await import(pathToFileURL(file).href);
  console.log(`${count} modules are scripts`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main();
