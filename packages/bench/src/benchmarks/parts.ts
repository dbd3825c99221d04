import { type BundleSize, bundleSize, LARGEST } from "../../../graph/test/support/bundle-size.ts";
import { type Benchmark, figureOf, type Row } from "../benchmark.ts";

export const reducer: Benchmark = {
  name: "add-messages",
  about: "one message appended to a list of 10,000 with ids",
  async run({ sides, scale }) {
    const row = figureOf(
      await sides("addMessage", { length: 10_000, samples: scale.quick ? 100 : 500 }),
      "perCall",
    );
    return [
      { name: "addMessages, 10,000 + 1", unit: "us", ...row, budget: 100, aim: 20, langgraphThen: 2_500 },
    ];
  },
};

export const codec: Benchmark = {
  name: "codec",
  about: "a message of 400 characters to stored bytes and back",
  async run({ sides, scale }) {
    const measured = await sides("codec", { messages: 1_000, rounds: scale.quick ? 10 : 30 });
    const [write, read] = [figureOf(measured, "write"), figureOf(measured, "read")];
    const budgets = { budget: 4, aim: 2 };
    return [
      { name: "codec, write a message", unit: "us", ...write, ...budgets, langgraphThen: 7.7 },
      { name: "codec, read a message", unit: "us", ...read, ...budgets, langgraphThen: 37.6 },
    ];
  },
};

export const tokens: Benchmark = {
  name: "tokens",
  about: "a model's tokens through the messages stream, less the model alone",
  async run({ sides, scale }) {
    const { floor, ...shares } = figureOf(
      await sides("tokens", { chunks: 1_000, samples: scale.quick ? 15 : 45 }),
      "perChunk",
    );
    return [
      {
        name: "token streaming, the engine's share",
        unit: "us",
        ...shares,
        budget: 3,
        aim: 1.5,
        langgraphThen: 20,
        note: `the model alone takes ${floor?.toFixed(1)} us a token`,
      },
    ];
  },
};

export const imports: Benchmark = {
  name: "import",
  about: "import beyond @langchain/core/messages",
  async run({ sides, scale }) {
    const rows: Row[] = [];
    for (const contract of [false, true]) {
      const options = { rounds: scale.quick ? 3 : 7, sides: ["skein", "langgraph"] } as const;
      const measured = await sides("importTime", { contract }, options);
      rows.push({
        name: `import beyond @langchain/${contract ? "langgraph-checkpoint" : "core/messages"}`,
        unit: "ms",
        ...figureOf(measured, "total"),
        ...(contract ? {} : { budget: 40, aim: 20, langgraphThen: 200 }),
        note: "as published",
      });
    }
    return rows;
  },
};

export const webBundle: Benchmark = {
  name: "bundle",
  about: "what a page loads for a StateGraph, without @langchain/core",
  async run() {
    const [skein, langgraph] = [await kilobytesOf("@skein/graph"), await kilobytesOf("@langchain/langgraph")];
    const later = `ours with what it may load later: ${skein.all.toFixed(1)}, theirs: ${langgraph.all.toFixed(1)}`;
    const name = "web bundle of StateGraph, minified, gzipped";
    return [
      {
        name,
        unit: "KB",
        skein: skein.atOnce,
        langgraph: langgraph.atOnce,
        budget: LARGEST.atOnce / 1_000,
        aim: 60,
        note: later,
      },
    ];
  },
};

export const types: Benchmark = {
  name: "types",
  about: "what a graph of 30 fields and 40 nodes costs the type checker",
  async run() {
    const skein = await typeCost("@skein/graph");
    const langgraph = await typeCost("@langchain/langgraph");
    const name = "types, 30 fields and 40 nodes";
    return [{ name, unit: "instantiations", skein, langgraph, budget: 5_000, aim: 3_000 }];
  },
};

async function typeCost(engine: string): Promise<number> {
  // TypeScript takes a second to load, of every run and of --help
  const { checkTypes, wideProgram } = await import("../../../graph/test/support/type-cost.ts");
  return checkTypes(wideProgram(engine), import.meta.dirname).instantiations;
}

async function kilobytesOf(engine: string): Promise<BundleSize> {
  const program = `export { StateGraph, Annotation, START, END } from "${engine}/web";`;
  const { atOnce, all } = await bundleSize(program, import.meta.dirname);
  return { atOnce: atOnce / 1_000, all: all / 1_000 };
}
