// V8 compiles a function when it is first called, one by one, and that is half of what the first run of a
// process takes. In parentheses, a function is compiled with its file. This puts those functions into
// parentheses that a first run calls, as a run shows: node scripts/compile-early.mjs, in a package that has
// just been built. Its `first-run.mjs` says what a first run is, and which files it is about. In the build for
// Node, methods too, which have no place for parentheses: they become functions that their class defines on
// its prototype, as the language does. A bundler could not leave such a class out, so not for the other build.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const dist = join(process.cwd(), "dist");
const inDist = (file) => pathToFileURL(join(dist, file)).href;
const { entries, files, firstRun } = await import(pathToFileURL(join(process.cwd(), "first-run.mjs")).href);

const imported = () => Promise.all(entries.map((entry) => import(inDist(entry))));
const nameOf = (url) => relative(dist, fileURLToPath(url)).split(sep).join("/");

const keyOf = ({ file, startOffset }) => `${file}:${startOffset}`;

/** Functions that the first run calls, and importing does not, by their file: [start, end] in its text. */
async function calledFirst() {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const called = async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return result
      .filter(({ url }) => url.startsWith(inDist("")) && files.test(nameOf(url)))
      .flatMap(({ url, functions }) => functions.map(({ ranges }) => ({ file: nameOf(url), ...ranges[0] })))
      .filter(({ count }) => count > 0);
  };
  const modules = await imported();
  const before = new Set((await called()).map(keyOf));
  await firstRun(modules);
  const ranges = new Map();
  for (const range of await called()) {
    if (before.has(keyOf(range))) continue;
    const { file, startOffset, endOffset } = range;
    ranges.set(file, [...(ranges.get(file) ?? []), [startOffset, endOffset]]);
  }
  session.disconnect();
  return ranges;
}

const FUNCTION = /^(async )?function(\*?) ([\w$]+)(?=\()/;
const CLASS = /^(?:(?:var|let|const) [\w$]+ = )?class\b/;
const METHOD = /^(static )?(async )?(\*?)([\w$]+)(?=\()/;

/** Functions that a file uses before their time, as a `function` may be and a `const` may not. */
const hoisted = new Set();

/** A function of the file's top level, compiled with it; undefined for others. */
function earlyFunction(source, before) {
  const head = before === "" ? FUNCTION.exec(source) : null;
  if (head === null || hoisted.has(head[3])) return undefined;
  const [all, async = "", star, name] = head;
  return `const ${name} = (${async}function${star}${source.slice(all.length)});`;
}

/**
 * A method of a class at the top level, compiled with it; undefined for others, among them those that use
 * `super` or are private, which no function can replace. In an object it gets its name, for stack traces.
 */
function earlyMethod(source, before, isInClass) {
  const isMember = isInClass && before === "\t" && !/\bsuper\b/.test(source);
  const head = isMember ? METHOD.exec(source) : null;
  if (head === null || ["constructor", "function"].includes(head[4])) return undefined;
  const [all, isStatic, async = "", star, name] = head;
  const made = `{ "${name}": (${async}function${star}${source.slice(all.length)}) }["${name}"]`;
  const target = isStatic ? "this" : "this.prototype";
  return `static { Object.defineProperty(${target}, "${name}", { writable: true, configurable: true, value: ${made} }); }`;
}

/** The line that opens what stands around a place of the file, at its top level. */
function openAround(text, place) {
  let end = text.lastIndexOf("\n", place - 1);
  while (end > 0) {
    const start = text.lastIndexOf("\n", end - 1) + 1;
    const line = text.slice(start, end);
    if (/^[^\s}]/.test(line)) return line;
    end = start - 1;
  }
  return "";
}

/** Lines stay where they are, so the source map holds. `const`: what uses one before its time throws at import. */
function compiledEarly(text, ranges, forNode) {
  const pieces = [];
  let at = 0;
  let count = 0;
  for (const [start, end] of ranges.toSorted(([left], [right]) => left - right)) {
    const source = text.slice(start, end);
    const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
    if (start < at) continue;
    const isInClass = forNode && CLASS.test(openAround(text, start));
    const early = earlyFunction(source, before) ?? earlyMethod(source, before, isInClass);
    if (early === undefined) continue;
    pieces.push(text.slice(at, start), early);
    at = end;
    count += 1;
  }
  return { text: [...pieces, text.slice(at)].join(""), count };
}

function write(texts, ranges) {
  let all = 0;
  for (const [file, called] of ranges) {
    const { text, count } = compiledEarly(texts.get(file), called, file.startsWith("node/"));
    writeFileSync(join(dist, file), text);
    all += count;
  }
  if (all === 0) throw new Error(`${process.cwd()}: no function was found that a first run calls`);
  return all;
}

/** The name of a function that is used before its time; undefined when everything runs as it did. */
function usedBeforeItsTime(ranges) {
  const check = [fileURLToPath(import.meta.url), "--check", ...ranges.keys()];
  const { status, stderr } = spawnSync(process.execPath, check, { encoding: "utf8" });
  if (status === 0) return undefined;
  const name = /ReferenceError: Cannot access '([\w$]+)' before initialization/.exec(stderr)?.[1];
  if (name === undefined || hoisted.has(name)) throw new Error(stderr);
  return name;
}

if (process.argv[2] === "--check") {
  for (const file of process.argv.slice(3)) await import(inDist(file));
  await firstRun(await imported());
} else {
  const ranges = await calledFirst();
  const texts = new Map([...ranges.keys()].map((file) => [file, readFileSync(join(dist, file), "utf8")]));
  let count = write(texts, ranges);
  for (let name = usedBeforeItsTime(ranges); name !== undefined; name = usedBeforeItsTime(ranges)) {
    hoisted.add(name);
    count = write(texts, ranges);
  }
  console.log(`${count} functions are compiled with their file`);
}
