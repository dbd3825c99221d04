import { isQuick, note, paceSeen, waitUntilQuick } from "./pace.ts";
import { type Answer, ANSWER, type Job, type Measure } from "./protocol.ts";

/** Loaded one at a time, so that no measurement pays for the imports of another. */
const measures: Readonly<Record<string, () => Promise<Measure>>> = {
  supersteps: async () => (await import("./measure/supersteps.ts")).supersteps,
  coldStart: async () => (await import("./measure/supersteps.ts")).coldStart,
  wide: async () => (await import("./measure/wide.ts")).wide,
  inFlight: async () => (await import("./measure/supersteps.ts")).inFlight,
  sends: async () => (await import("./measure/sends.ts")).sends,
  sendsGrowth: async () => (await import("./measure/sends.ts")).sendsGrowth,
  chat: async () => (await import("./measure/chat.ts")).chat,
  resume: async () => (await import("./measure/chat.ts")).resume,
  addMessage: async () => (await import("./measure/reducer.ts")).addMessage,
  codec: async () => (await import("./measure/codec.ts")).codec,
  tokens: async () => (await import("./measure/streaming.ts")).tokens,
  agentTurn: async () => (await import("./measure/agent.ts")).agentTurn,
  planning: async () => (await import("./measure/planning.ts")).planning,
  shaping: async () => (await import("./measure/shaping.ts")).shaping,
  promptCache: async () => (await import("./measure/prompt-cache.ts")).promptCache,
  agentPeerTurn: async () => (await import("./measure/agent-peers.ts")).agentPeerTurn,
  agentThread: async () => (await import("./measure/agent-thread.ts")).agentThread,
  importTime: async () => (await import("./measure/imports.ts")).importTime,
};

const job = JSON.parse(process.argv[2] ?? "{}") as Job;
const load = measures[job.measure];
if (load === undefined) throw new Error(`there is no measurement "${job.measure}"`);
/** Measured once in a process. */
const ONCE: ReadonlySet<string> = new Set(["coldStart", "importTime", "resume"]);

const measure = await load();
note({ quickest: job.quickest ?? Number.POSITIVE_INFINITY });
const whole = ONCE.has(job.measure);
if (whole) await waitUntilQuick();
const before = whole && isQuick();
const figures = await measure(job.side, job.params);
if (whole) note(before && isQuick() ? { counted: 1 } : { aside: 1, mixed: 1 });
const answer: Answer = { figures, pace: paceSeen(), whole };
process.stdout.write(`${ANSWER}${JSON.stringify(answer)}\n`);
