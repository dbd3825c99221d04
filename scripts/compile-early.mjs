// V8 compiles a function when it is first called, one by one, and that is half of what the first run of a
// process takes. In parentheses, a function is compiled with its file. This puts those of a package's main
// file into parentheses that a first run calls, as a run shows: node scripts/compile-early.mjs, in a package
// that has just been built. Methods have no place for parentheses: they become functions that their class
// defines on its prototype, as the language does.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = join(process.cwd(), "dist", "node");
const core = join(folder, readdirSync(folder).find((file) => /^core-.*\.js$/.test(file)) ?? "core");
const importGraph = () => import(pathToFileURL(join(folder, "index.js")).href);

async function firstRun({ Annotation, StateGraph, START, END }) {
  const State = Annotation.Root({
    count: Annotation({ reducer: (left, right) => left + right, default: () => 0 }),
    last: Annotation(),
  });
  const graph = new StateGraph(State)
    .addNode("left", () => ({ count: 1, last: "left" }))
    .addNode("right", async () => ({ count: 1, last: "right" }))
    .addEdge(START, "left")
    .addEdge("left", "right")
    .addConditionalEdges("right", ({ count }) => (count < 4 ? "left" : END), ["left", END])
    .compile();
  const { count } = await graph.invoke({ count: 0 });
  if (count !== 4) throw new Error(`the first run counted ${count} steps instead of 4`);
}

/** Functions of the main file that the first run calls, and importing does not: [start, end] in its text. */
async function calledFirst() {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const url = pathToFileURL(core).href;
  const called = async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const { functions = [] } = result.find((script) => script.url === url) ?? {};
    return functions.map(({ ranges }) => ranges[0]).filter(({ count }) => count > 0);
  };
  const graph = await importGraph();
  const before = new Set((await called()).map(({ startOffset }) => startOffset));
  await firstRun(graph);
  const ranges = (await called()).filter(({ startOffset }) => !before.has(startOffset));
  session.disconnect();
  return ranges.map(({ startOffset, endOffset }) => [startOffset, endOffset]);
}

const FUNCTION = /^(async )?function(\*?) ([\w$]+)(?=\()/;
const METHOD = /^(static )?(async )?(\*?)([\w$]+)(?=\()/;

/** A function of the file's top level, compiled with it; undefined for others. */
function earlyFunction(source, before) {
  const head = before === "" ? FUNCTION.exec(source) : null;
  if (head === null) return undefined;
  const [all, async = "", star, name] = head;
  return `const ${name} = (${async}function${star}${source.slice(all.length)});`;
}

/**
 * A method of a class at the top level, compiled with it; undefined for others, among them those that use
 * `super` or are private, which no function can replace. In an object it gets its name, for stack traces.
 */
function earlyMethod(source, before) {
  const head = before === "\t" && !/\bsuper\b/.test(source) ? METHOD.exec(source) : null;
  if (head === null || ["constructor", "function"].includes(head[4])) return undefined;
  const [all, isStatic, async = "", star, name] = head;
  const made = `{ "${name}": (${async}function${star}${source.slice(all.length)}) }["${name}"]`;
  const target = isStatic ? "this" : "this.prototype";
  return `static { Object.defineProperty(${target}, "${name}", { writable: true, configurable: true, value: ${made} }); }`;
}

/** Lines stay where they are, so the source map holds. `const`: what uses one before its time throws at import. */
function compiledEarly(text, ranges) {
  const pieces = [];
  let at = 0;
  let count = 0;
  for (const [start, end] of ranges.toSorted(([left], [right]) => left - right)) {
    const source = text.slice(start, end);
    const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
    const early = start < at ? undefined : (earlyFunction(source, before) ?? earlyMethod(source, before));
    if (early === undefined) continue;
    pieces.push(text.slice(at, start), early);
    at = end;
    count += 1;
  }
  return { text: [...pieces, text.slice(at)].join(""), count };
}

if (process.argv[2] === "--check") await firstRun(await importGraph());
else {
  const { text, count } = compiledEarly(readFileSync(core, "utf8"), await calledFirst());
  if (count === 0) throw new Error(`${core}: no function was found that a first run calls`);
  writeFileSync(core, text);
  execFileSync(process.execPath, [fileURLToPath(import.meta.url), "--check"], { stdio: "inherit" });
  console.log(`${count} functions are compiled with their file`);
}
