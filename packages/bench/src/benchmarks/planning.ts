import { type Benchmark, figureOf, type Measured, type Row } from "../benchmark.ts";

/** Whole runs let the thread grow for as many turns as its code takes to be compiled; quick ones show younger code. */
const WHOLE = { warmUp: 3_000, samples: 300 };
const QUICK = { warmUp: 300, samples: 100 };

/** What a turn's look at its context costs where the context is as long as a thread. */
export const planning: Benchmark = {
  name: "planning",
  about:
    "planning what a context of 10,000 messages is to show, a few of them new: compaction, tool outputs, loops",
  async run({ sides, scale }) {
    const params = { length: 10_000, ...(scale.quick ? QUICK : WHOLE) };
    const measured = await sides("planning", params, { sides: ["skein", "floor"] });
    const fires = figureOf(measured, "fires").skein;
    const extract = figureOf(measured, "extract").skein;
    const foreign = figureOf(measured, "foreign").skein;
    return [
      {
        name: "planning at 10,000 messages, nothing fires",
        unit: "us",
        ...figureOf(measured, "idle"),
        budget: 50,
        note: `the middleware's hook, in a node of a graph with two tracks; a plan of a list that was made elsewhere takes ${(foreign ?? Number.NaN).toFixed(0)} us; the floor reads the id of every message`,
      },
      {
        name: "planning at 10,000 messages, a compaction fires",
        unit: "us",
        ...(fires === undefined ? {} : { skein: fires }),
        budget: 5_000,
        note: `without the summary; an extract of all of them takes ${((extract ?? Number.NaN) / 1_000).toFixed(0)} ms`,
      },
      ...shapingRows(await sides("shaping", params, { sides: ["skein"] })),
    ];
  },
};

const SHAPING: Readonly<Record<string, string>> = {
  compression: "compression",
  offloading: "offloading",
  clearing: "clearing",
  clearingInputs: "clearing with arguments",
  loops: "view of loops",
};

/** A view of loops fires with each new turn, so that nothing fires only in between. */
function shapingRows(measured: Measured): Row[] {
  return Object.entries(SHAPING).flatMap(([name, title]): Row[] => {
    const next = figureOf(measured, `${name} next`);
    const note = `the first plan after one that fires: ${(next.skein ?? Number.NaN).toFixed(0)} us`;
    return [
      {
        name: `${title} at 10,000 messages, nothing fires`,
        unit: "us",
        ...(name === "loops" ? next : figureOf(measured, `${name} idle`)),
        budget: 50,
      },
      {
        name: `${title} at 10,000 messages, fires`,
        unit: "us",
        ...figureOf(measured, `${name} fires`),
        budget: 5_000,
        ...(name === "loops" ? {} : { note }),
      },
    ];
  });
}
