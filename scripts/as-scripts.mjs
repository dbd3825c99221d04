// V8 takes what it compiled before (a code cache) for scripts, and Node 20 has no way to hand it one for a
// module. So this turns the modules of a package's dist/node that are worth it into a script each, a function
// of what the module imports that returns what it exports, and a small module that runs it
// (@skein/errors/code-cache). Run in a package that has just been built: node scripts/as-scripts.mjs
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { init, parse } from "es-module-lexer";

/** Characters; reading the second file takes as long as compiling the functions of a smaller one. */
const WORTH_IT = 4_000;
const NAMES = /^import\s*(?:([\w$]+)\s*,?)?\s*(?:\{([^}]*)\}|\*\s*as\s+([\w$]+))?\s*from\s*["']/;

/** Ends the build: what a script can't say as its module does. */
function refuse(what, text) {
  throw new Error(`as-scripts: ${what}: ${text.slice(0, 200)}`);
}

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
  const found = NAMES.exec(statement) ?? refuse("an import of no known form", statement);
  const [, standard, list = "", namespace] = found;
  return [standard, namespace, ...list.split(",").map(localName)].filter(Boolean);
}

/** The one statement that exports, as rolldown writes it at the end of a file. */
function exportStatement(text) {
  const from = text.lastIndexOf("\nexport {") + 1;
  const to = text.indexOf("};", from) + 2;
  return from === 0 || to === 1 ? undefined : { from, to };
}

/** V8 reads plain ASCII fastest. In strings and patterns an escape is the same; elsewhere there is none to write. */
function plain(text) {
  const raw = /\\[^\0-\x7f]|\braw`[^`]*[^\0-\x7f]/.exec(text);
  if (raw !== null) refuse("a text that an escape would change", text.slice(raw.index));
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** What is done about the imports of a module: statements and `import()` stay in the small module. */
function importsOf(text, imports) {
  const [statements, later, changes] = [[], [], []];
  for (const { ss, se, d, n } of imports) {
    const said = text.slice(ss, se);
    if (d >= 0 && n === undefined) {
      // of what is known only then
      changes.push({ from: ss, to: d, by: "$import" });
      continue;
    }
    if (said.includes("\n")) refuse("an import of several lines", said);
    if (d === -1) {
      statements.push(said);
      changes.push({ from: ss, to: se, by: "" });
    } else if (d === -2) changes.push({ from: ss, to: se, by: "$meta" });
    else {
      // written out, so that bundlers see it
      changes.push({ from: ss, to: se, by: `$import${later.length}()` });
      later.push(`() => ${said}`);
    }
  }
  return { statements, later, changes };
}

/** The parts of a module; undefined for one that hands on what others export, which is none to compile. */
function partsOf(text) {
  const [imports, exports] = parse(text);
  const exporting = exportStatement(text);
  if (exporting === undefined || !/^(?:async )?(?:function|class|const|let|var) /m.test(text))
    return undefined;
  for (const { ln } of exports) {
    if (new RegExp(`^let ${ln?.replaceAll("$", "\\$")}\\b`, "m").test(text))
      refuse("an export that changes", ln);
  }
  const { statements, later, changes } = importsOf(text, imports);
  const made = exports.map(({ n, ln }) => `${n}: ${ln}`).join(", ");
  changes.push({ ...exporting, by: `return { ${made} };` });
  return {
    body: plain(replaced(text, changes)),
    statements,
    later,
    names: statements.flatMap(importedNames),
    exports: exports.map(({ n }) => n),
  };
}

/** The script, without its map, and the module that runs it. */
function asScript(text, name) {
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  const { body, statements, later, names, exports } = parts;
  const source = body.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n").trimEnd();
  const parameters = [...later.map((_, index) => `$import${index}`), "$import", "$meta", ...names].join(", ");
  const values = [...later, "(file) => import(/* @vite-ignore */ file)", "import.meta", ...names];
  // in parentheses it is compiled at once, and not read twice
  const script = `module.exports = (function (${parameters}) { "use strict"; ${source}\n});\n`;
  const digest = createHash("sha256").update(script).digest("hex").slice(0, 8);
  const file = `${name}.${digest}.cjs`;
  const module = `${statements.map((statement) => `${statement};`).join("\n")}
import { scriptOf as $scriptOf } from "@skein/errors/code-cache";
const $made = $scriptOf(import.meta.url, "./${file}", Object, () => require("./${file}"))(${values.join(", ")});
${exports.map((exported, index) => `const $${index} = $made.${exported};`).join("\n")}
export { ${exports.map((exported, index) => `$${index} as ${exported}`).join(", ")} };
`;
  return { script, module, file };
}

function turn(path) {
  const text = readFileSync(path, "utf8");
  const made = text.length < WORTH_IT ? undefined : asScript(text, basename(path, ".js"));
  if (made === undefined) return 0;
  const { script, module, file } = made;
  const map = JSON.parse(readFileSync(`${path}.map`, "utf8"));
  rmSync(`${path}.map`);
  writeFileSync(join(path, "..", `${file}.map`), JSON.stringify({ ...map, file }));
  writeFileSync(join(path, "..", file), `${script}//# sourceMappingURL=${file}.map\n`);
  writeFileSync(path, module);
  return 1;
}

await init;
const folder = join(process.cwd(), "dist", "node");
const all = readdirSync(folder, { recursive: true }).map((file) => join(folder, file));
const modules = all.filter((file) => file.endsWith(".js"));
const turned = all.find((file) => file.endsWith(".cjs"));
if (turned !== undefined) refuse("scripts are there already; build anew first", turned);
let count = 0;
for (const file of modules) count += turn(file);
// what uses an import before its time throws here, and not at a user's
for (const file of modules) await import(pathToFileURL(file).href);
console.log(`${count} modules are scripts`);
