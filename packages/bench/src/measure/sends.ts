import type { Figures, Params } from "../protocol.ts";
import { numberOf } from "../protocol.ts";
import { loadEngine, type Side } from "../sides.ts";
import { median, sample } from "../stats.ts";

/**
 * Milliseconds of one run that fans out to `width` Sends and sums their results, and the peak memory of as
 * many runs as the slowest side makes: the garbage of hundreds, which the fast ones need to be warm, is no
 * matter of the engine.
 */
export async function sends(side: Side, params: Params): Promise<Figures> {
  const width = numberOf(params, "width");
  const once = side === "floor" ? floor(width) : await engine(side, width);
  const [runs, warmUp] = [numberOf(params, "runs"), numberOf(params, "warmUp")];
  const before = process.memoryUsage().rss;
  let made = 0;
  let peak = 0;
  const act = async (): Promise<void> => {
    await once();
    made += 1;
    if (made === runs + warmUp) peak = process.resourceUsage().maxRSS * 1024;
  };
  const samples = await sample(runs, warmUp, act);
  return { total: median(samples), megabytes: Math.max(0, peak - before) / 2 ** 20 };
}

/** Sends of a sample, whether in one run or in many: collecting their garbage then falls into both alike. */
const A_SAMPLE = 10_000;

/**
 * The exponent with which a run's time grows from 1,000 Sends to 10,000: 1 is linear, 2 quadratic. Samples of
 * both stand in turn in one process, because the host's pace changes by the minute.
 */
export async function sendsGrowth(side: Side, params: Params): Promise<Figures> {
  const runOf = async (width: number): Promise<() => Promise<void>> => {
    const once = side === "floor" ? floor(width) : await engine(side, width);
    return async () => {
      for (let sent = 0; sent < A_SAMPLE; sent += width) await once();
    };
  };
  const [thousands, tenThousand] = [await runOf(1_000), await runOf(A_SAMPLE)];
  const few: number[] = [];
  const many: number[] = [];
  const [rounds, warmUp] = [numberOf(params, "rounds"), numberOf(params, "warmUp")];
  await sample(1, warmUp, async () => {
    await thousands();
    await tenThousand();
  });
  for (let round = 0; round < rounds; round += 1) {
    few.push(median(await sample(1, 0, thousands, { least: 0 })));
    many.push(median(await sample(1, 0, tenThousand, { least: 0 })));
  }
  return { exponent: 1 + Math.log10(median(many) / median(few)) };
}

async function engine(side: "skein" | "langgraph", width: number): Promise<() => Promise<void>> {
  const lg = await loadEngine(side);
  const State = lg.Annotation.Root({
    sum: lg.Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
  });
  const items = Array.from({ length: width }, (_, item) => item);
  const graph = new lg.StateGraph(State)
    .addNode("work", (input: { item: number }) => ({ sum: input.item }))
    .addConditionalEdges(lg.START, () => items.map((item) => new lg.Send("work", { item })), ["work"])
    .compile();
  return async () => {
    const { sum } = await graph.invoke({ sum: 0 });
    if (sum !== (width * (width - 1)) / 2) throw new Error(`${side} lost Sends: ${sum}`);
  };
}

const work = async (input: { item: number }): Promise<{ sum: number }> => ({ sum: input.item });

function floor(width: number): () => Promise<void> {
  const items = Array.from({ length: width }, (_, item) => item);
  return async () => {
    const results = await Promise.all(items.map((item) => work({ item })));
    let sum = 0;
    for (const result of results) sum += result.sum;
    if (sum !== (width * (width - 1)) / 2) throw new Error("lost Sends");
  };
}
