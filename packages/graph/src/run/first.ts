import type { Awaitable } from "@skein/checkpointer";
import { apply, type Contribution } from "../engine/apply.ts";
import { catchUp } from "../engine/catch-up.ts";
import { plan } from "../engine/plan.ts";
import { consultLogs, postedInput, prepareWrites } from "../engine/prepare.ts";
import { EmptyInputError, InvalidUpdateError } from "../errors/errors.ts";
import { isStateful } from "../ids/namespace.ts";
import { INPUT, INTERRUPT, RESUME, START, TASKS } from "../ids/names.ts";
import { Command, isCommand, targetsOf, updatesOf } from "../program/command.ts";
import type { Program, Write } from "../program/program.ts";
import { go } from "../program/writes.ts";
import { unlessAborted } from "./abort.ts";
import { answersById, askedBefore, assertResumable, resumeOf } from "./answers.ts";
import { without } from "./codec.ts";
import { applyCommand, takeWrites } from "./commands.ts";
import { commitStep } from "./commit.ts";
import { isBehind, isBranch } from "./open.ts";
import { recallWrites } from "./recall.ts";
import { Replay } from "./replay.ts";
import { inheritedBy, type Run, storedAround } from "./run.ts";
import { RESUMING } from "../task/config.ts";
import type { TaskRuntime } from "../task/runtime.ts";
import { andThen } from "../channels/and-then.ts";

/**
 * What a call begins with: a new input, a command, or going on where the thread stands. Afterwards
 * the next step can be planned.
 */
export function begin(run: Run): Awaitable<void> {
  // the log of a thread is its root graph's
  const caught = run.options.parent === undefined ? catchUp(run.snapshot) : undefined;
  if (caught === undefined) return beginCall(run);
  return andThen(unlessAborted(caught, run.options.signal), () => beginCall(run));
}

function beginCall(run: Run): Awaitable<void> {
  const { input } = run.options;
  if (!isCommand(input)) return start(run, undefined, undefined);
  const map = answersById(input);
  return acceptCommand(run, input, map).then(() => start(run, input, map));
}

function start(
  run: Run,
  command: Command | undefined,
  map: Record<string, unknown> | undefined,
): Awaitable<void> {
  applyCommand(run.snapshot, run.pending, command === undefined || command.resume !== undefined);
  const traveling = isTraveling(run, command);
  if (traveling) run.pending = run.pending.filter(([, channel]) => channel !== RESUME);
  run.resuming = isResuming(run, command);
  run.scope.resume = resumeOf(run, map, command?.resume !== undefined);
  const origin = isBranch(run.metadata) ? run.parentId : undefined;
  const begun =
    run.resuming || command !== undefined ? goOn(run, traveling, command !== undefined) : takeInput(run);
  if (!traveling || run.options.parent !== undefined) return begun;
  const replay = (): void => {
    run.replay = new Replay(replayedId(run, origin));
  };
  return begun === undefined ? replay() : begun.then(replay);
}

/** The checkpoint that is run again: the one that was copied for it, or from which somebody edited. */
function replayedId({ metadata, parentId, snapshot }: Run, origin: string | undefined): string {
  return (isBranch(metadata) ? (origin ?? parentId) : undefined) ?? snapshot.checkpointId;
}

/**
 * Whether what is written under the checkpoint would be read as part of the branch that has gone on from
 * it: a saver of the contract replays deltas from all that stands there.
 */
function sharesDeltas(run: Run): boolean {
  const { session, snapshot } = run;
  return session?.count !== undefined && snapshot.program.replayed !== undefined && isBehind(run);
}

/** Whether the call goes on with what the thread has, instead of starting with an input. */
function isResuming(run: Run, command: Command | undefined): boolean {
  if (run.snapshot.version === undefined) return false;
  const { input, parent, config } = run.options;
  // a graph that begins with an old state of its own is called with an input, as it was then
  const isReplayed = run.replay !== undefined && !isNamed(run);
  if (storedAround(parent)?.resuming && !isReplayed && hasBegun(run, parent as TaskRuntime)) return true;
  if (parent !== undefined && parent.attempt > 1 && isOfTask(run, parent)) return true;
  if (parent === undefined && config.configurable[RESUMING] === true) return true;
  return input === null || input === undefined || command?.resume !== undefined;
}

/** Whether the task called this graph before, or what the graph keeps from call to call was left half done. */
function hasBegun(run: Run, parent: TaskRuntime): boolean {
  const { namespace } = run.options;
  if (!isStateful(namespace) || isNamed(run) || isOfTask(run, parent)) return true;
  return plan(run.snapshot, namespace).length > 0;
}

/** Whether the task's attempt before has made what the thread has: what a graph keeps from call to call may be older. */
function isOfTask({ metadata }: Run, { scope }: TaskRuntime): boolean {
  return metadata.parents[scope.namespace] === scope.snapshot.checkpointId;
}

/** Going back: an old checkpoint is run again, which starts a branch. */
function isTraveling(run: Run, command: Command | undefined): boolean {
  if (!run.replaying) return false;
  if (run.options.parent !== undefined) return isNamed(run);
  const named = run.options.config.configurable["checkpoint_id"];
  const atHead = named === run.session?.headId && !isBranch(run.metadata);
  return !(command?.resume !== undefined || atHead);
}

/** Whether the caller named a checkpoint of this very graph. */
const isNamed = ({ options }: Run): boolean => options.checkpointId !== undefined;

async function acceptCommand(
  run: Run,
  command: Command,
  map: Record<string, unknown> | undefined,
): Promise<void> {
  if (command.graph === Command.PARENT) throw new InvalidUpdateError("There is no parent graph.");
  if (command.resume !== undefined) assertResumable(run, map);
  const writes: Write[] = [];
  for (const target of targetsOf(command)) go(run.options.program, { name: START }, target, writes);
  if (command.resume !== undefined && map === undefined) writes.push([RESUME, command.resume]);
  const { program } = run.options;
  const updates = updatesOf(command);
  for (const [key, value] of updates) {
    const parsed = await parseKey(program, key, value);
    const slot = run.snapshot.slot(key);
    // Sends are what goto has (I10)
    if (slot === undefined || !program.channels.has(key) || key === TASKS) continue;
    run.snapshot.assertDirect(slot);
    await unlessAborted(consultLogs(run.snapshot, [[key, parsed]]), run.options.signal);
    writes.push([key, slot.channel.prepare(parsed, "input")]);
  }
  // one that goes to END only, or updates what there is not, goes on where the thread stands
  if (targetsOf(command).length === 0 && command.resume === undefined && updates.length === 0)
    throw new EmptyInputError("Received an empty Command as input.");
  // also when this process dies in the next step, the answer is not lost; a new thread has nothing to keep it under
  const isStored = run.snapshot.version !== undefined && !(isTraveling(run, command) && sharesDeltas(run));
  const outputs = takeWrites(run, writes, askedBefore(run, command, map));
  if (isStored) await run.journal?.record(outputs);
}

async function goOn(run: Run, traveling: boolean, byCommand: boolean): Promise<void> {
  const { snapshot } = run;
  if (run.handback !== undefined) await recallWrites(run);
  markSeen(run);
  if (traveling && (!isBranch(run.metadata) || sharesDeltas(run))) {
    run.pending = run.pending.filter(([, channel]) => channel !== INTERRUPT);
    await commitStep(run, "fork", []);
  }
  if (!run.resuming && byCommand) await commitStep(run, "input", []);
  // unknown: whatever is newer than what its nodes saw is to run
  snapshot.updated = undefined;
  run.listener?.on({ type: "state", tasks: "all" }, run);
}

/** Breakpoints stop at states that nobody has seen yet; this one was seen. */
function markSeen(run: Run): void {
  const seen = run.snapshot.seenOf(INTERRUPT);
  for (const [name, version] of Object.entries(run.snapshot.sourceVersions)) seen.set(name, version);
  for (const slot of run.snapshot.slots()) if (slot.version !== undefined) seen.set(slot.name, slot.version);
  run.snapshot.seenChanged.add(INTERRUPT);
}

function takeInput(run: Run): Awaitable<void> {
  const { input, program, parent } = run.options;
  if (input === null || input === undefined) {
    if (parent === undefined) {
      throw new EmptyInputError(
        "Received no input, and the thread has nothing to go on with. Pass an object with keys of the state.",
      );
    }
    return undefined;
  }
  return andThen(parseInput(program, input), (parsed) => storable(run, parsed));
}

/** An input is stored as it was given, except for what was erased. */
function storable(run: Run, input: unknown): Awaitable<void> {
  if (run.options.program.takesInput !== undefined || typeof input !== "object" || input === null)
    return applyInput(run, input);
  const consulted = consultLogs(run.snapshot, Object.entries(input));
  const take = (): Awaitable<void> => applyInput(run, postedInput(run.snapshot, input));
  return andThen(unlessAborted(consulted, run.options.signal), take);
}

function applyInput(run: Run, input: unknown): Awaitable<void> {
  const { snapshot, options } = run;
  // a new input gives up what the thread still had to do
  const abandoned = snapshot.version === undefined ? [] : plan(snapshot, options.namespace);
  run.pending = [];
  const contributions: Contribution[] = [];
  for (const { node, triggers } of abandoned) contributions.push({ name: node.name, triggers, writes: [] });
  contributions.push({ name: INPUT, triggers: [], writes: inputWrites(run, input) });
  apply(snapshot, contributions);
  return commitStep(run, "input", [], options.program.nodes.get(START)?.branches.length === 0);
}

function inputWrites({ snapshot, options }: Run, input: unknown): readonly Write[] {
  const { takesInput } = options.program;
  return takesInput === undefined
    ? [[START, known(options, input)]]
    : prepareWrites(snapshot, takesInput(input), "input");
}

/** A graph is handed the state around it: keys that are not tracked there, and unknown here, are not stored. */
function known({ program, parent }: Run["options"], input: unknown): unknown {
  const around = inheritedBy(parent)?.options.program.channels;
  if (around === undefined || !program.nodes.has(START)) return input;
  return without(input, (key) => around.get(key)?.tracked === false && !program.channels.has(key));
}

/** Validates an input, key by key, and fills in what a plain zod object has as defaults. */
function parseInput(program: Program, input: unknown): Awaitable<unknown> {
  if (program.parseInput === undefined || typeof input !== "object" || input === null) return input;
  const given = input as Readonly<Record<string, unknown>>;
  const entries: (readonly [key: string, value: unknown])[] = [];
  // one after another; waits only for what takes time
  const turn = (before: Awaitable<unknown>, key: string): Awaitable<unknown> =>
    andThen(before, () =>
      andThen(parseKey(program, key, given[key]), (value) => {
        if (value !== undefined || Object.hasOwn(given, key)) entries.push([key, value]);
      }),
    );
  const keys = new Set([...Object.keys(given), ...program.inputDefaults.keys()]);
  return andThen([...keys].reduce(turn, undefined), () => Object.fromEntries(entries));
}

/** What is given as undefined is absent. */
function parseKey({ parseInput: parse, inputDefaults }: Program, key: string, value: unknown): unknown {
  const make = value === undefined && inputDefaults.get(key);
  return make ? make() : parse ? parse(key, value) : value;
}
