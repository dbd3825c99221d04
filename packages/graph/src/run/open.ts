import type { BaseCheckpointSaver, CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import type { Awaitable } from "@skein/checkpointer";
import { GraphError } from "@skein/errors";
import { Snapshot, type Version } from "../engine/snapshot.ts";
import { CheckpointClock } from "../ids/checkpoint-id.ts";
import { isStateful } from "../ids/namespace.ts";
import type { Program } from "../program/program.ts";
import { configBase } from "../task/task-config.ts";
import type { ConfigBase, Resume } from "../task/runtime.ts";
import { reasonOf, RunAbort, unlessAborted } from "./abort.ts";
import { admissionOf } from "./admission.ts";
import { othersWait } from "./breathe.ts";
import { callTask } from "./calls.ts";
import { changeSetsOf, openChangeSets } from "./change-set-session.ts";
import { decodePending } from "./codec.ts";
import { writeChunk } from "./custom.ts";
import { handbackOf } from "./handback.ts";
import { openContract } from "./contract-session.ts";
import { giveBack } from "./give-back.ts";
import { Journal } from "./journal.ts";
import { claimAround, inheritedBy, type Run, type RunOptions } from "./run.ts";
import type { Address, OpenHow, Session } from "./storage.ts";
import { andThen } from "../channels/and-then.ts";

/** Opens a run: takes the thread, loads what a step needs, and stands ready for the input. */
export function openRun(options: RunOptions): Awaitable<Run> {
  const { signal } = options;
  if (signal?.aborted) throw reasonOf(signal);
  const open = () => unlessAborted(openSession(options), signal, (late) => late?.release());
  const opened = admissionOf(options)?.admit(options, open) ?? open();
  return andThen(opened, (session) => begun(options, session));
}

/** The run; if what is stored cannot be read, the thread is given back first. */
function begun(options: RunOptions, session: Session | undefined): Awaitable<Run> {
  try {
    return assemble(options, session);
  } catch (error) {
    return giveBack(session).then(() => {
      throw error;
    });
  }
}

function openSession(options: RunOptions): Awaitable<Session | undefined> {
  const { parent, namespace } = options;
  const above = parent && isStateful(namespace) ? storedAbove(options) : undefined;
  return andThen(above, () => openPlace(options));
}

/**
 * A graph that keeps its state is not to be ahead of its callers: would a step before it not be stored, it
 * would be run again, on a state that has it already. Undefined when nothing is on its way.
 */
function storedAbove({ parent }: RunOptions): Promise<unknown> | undefined {
  const waiting: Promise<void>[] = [];
  for (let run = inheritedBy(parent); run !== undefined; run = inheritedBy(run.options.parent)) {
    const through = run.journal?.through();
    if (through !== undefined) waiting.push(through);
  }
  return waiting.length === 0 ? undefined : Promise.all(waiting);
}

function openPlace(options: RunOptions): Awaitable<Session | undefined> {
  const { saver, threadId, namespace, checkpointId, program, parent } = options;
  if (saver === undefined || threadId === undefined) return undefined;
  const address: Address = { threadId, namespace, checkpointId, given: options.config };
  const caller = inheritedBy(parent);
  const under = claimAround(options);
  const taking = under === undefined ? { claim: options.onConflict, crowded: othersWait() } : { under };
  const how = isAnotherAttempt(options) ? { ...taking, anew: true } : taking;
  const replay = checkpointId === undefined ? caller?.replay : undefined;
  if (!replay?.isFirstVisit(namespace)) return openAt(saver, program, address, how);
  return replay.find(saver, address).then((found) => {
    const anew = found === undefined;
    return openAt(saver, program, { ...address, checkpointId: found }, { ...how, anew });
  });
}

/** What the attempt before has left there is not what this one begins with. */
function isAnotherAttempt({ parent, namespace }: RunOptions): boolean {
  return parent !== undefined && parent.attempt > 1 && !isStateful(namespace);
}

/** Opens a place in a saver, by its change sets if it has them. */
export function openAt(
  saver: BaseCheckpointSaver,
  program: Program,
  address: Address,
  how: Omit<OpenHow, "isLazy" | "program">,
): Awaitable<Session> {
  const sets = changeSetsOf(saver);
  if (sets === undefined) return openContract(saver, program, address, how.anew);
  const isLazy = (name: string): boolean => program.channels.get(name)?.lazy === true;
  return openChangeSets(saver, sets, address, { program, isLazy, ...how });
}

/** A snapshot of what a session found. */
export function snapshotOf(
  program: RunOptions["program"],
  session: Session | undefined,
  clock: CheckpointClock,
): Snapshot {
  const stored = session?.stored;
  const step = (stored?.metadata.step ?? -2) + 1;
  const nextVersion =
    session === undefined ? increment : (current: Version | undefined) => session.nextVersion(current);
  return new Snapshot(program, {
    checkpointId: stored?.id ?? clock.next(step - 1),
    step,
    versions: stored?.versions ?? {},
    seen: stored?.seen ?? {},
    restore: (name, definition) => session?.restore(name, definition),
    nextVersion,
  });
}

function increment(current: Version | undefined): Version {
  return typeof current === "number" ? current + 1 : 1;
}

/** @throws GraphError when the call names a state that the thread does not have */
function assertFound(options: RunOptions, { stored }: Session): void {
  const { checkpointId, namespace, parent, threadId } = options;
  if (checkpointId === undefined || parent !== undefined || stored !== undefined) return;
  throw new GraphError(
    "UNKNOWN_CHECKPOINT",
    `Thread "${threadId}" has no checkpoint "${checkpointId}". Leave out checkpoint_id to go on with the newest.`,
    { details: { threadId, namespace, checkpointId } },
  );
}

function assemble(options: RunOptions, session: Session | undefined): Run {
  if (session !== undefined) assertFound(options, session);
  // one for all graphs of a run: by their ids it is told which checkpoint of one graph was there when another's was made
  const clock = inheritedBy(options.parent)?.clock ?? new CheckpointClock();
  for (const id of [session?.headId, session?.stored?.id]) if (id !== undefined) clock.passed(id);
  const snapshot = snapshotOf(options.program, session, clock);
  const abort = new RunAbort();
  let base: ConfigBase | undefined;
  const pending = pendingOf(session, snapshot);
  const { config, namespace } = options;
  const caller = options.isNode ? inheritedBy(options.parent)?.options.program : undefined;
  const handback = caller && handbackOf(options.program, caller);
  // a getter would be shorter, but gives each run a hidden class of its own, which keeps it from being collected early
  const inherited: { run: Run | undefined } = { run: undefined };
  const run: Run = {
    options,
    snapshot,
    session,
    journal: session && new Journal(session, snapshot, options.durability, handback !== undefined),
    clock,
    abort,
    scope: {
      program: options.program,
      snapshot,
      namespace,
      threadId: options.threadId,
      runId: options.runId,
      base: () => (base ??= configBase({ namespace, ...config })),
      abort,
      persistent: canResume(options, session),
      asksAnew: asksAnew(options, session),
      resume: NO_RESUME,
      callbacks: options.callbacks,
      inherited,
      write: (chunk, at) => writeChunk(run, chunk, at),
      callTask: (task, node, args) => callTask(run, task, node, args),
    },
    listener: options.listener,
    observer: options.listener?.onlyResult ? undefined : options.listener,
    handback,
    stop: snapshot.step + options.recursionLimit + 1,
    parentId: session?.stored?.parentId,
    pending,
    metadata: session?.stored?.metadata ?? { source: "input", step: -2, parents: {} },
    status: "running",
    resuming: false,
    replaying: isReplaying(options),
    tasks: [],
    calls: undefined,
    question: undefined,
    lost: undefined,
    replay: inheritedBy(options.parent)?.replay,
    stoppedAt: undefined,
    caching: [],
  };
  inherited.run = run;
  const { claim } = session ?? {};
  // a graph that a task called works under its caller's claim
  if (claim !== undefined && claimAround(options) !== claim) {
    const lose = (reason: Error): void => {
      run.lost = reason;
      abort.abort(reason);
    };
    // a literal assigned to a property is allocated among the old, and would keep the run from being collected early
    claim.onLost = lose;
  }
  return run;
}

/** Whether a checkpoint was named, be it one within a subgraph. */
function isReplaying({ checkpointId, parent, config }: RunOptions): boolean {
  return (
    checkpointId !== undefined || (parent === undefined && config.configurable["checkpoint_id"] !== undefined)
  );
}

/** A graph that is not stored is resumed with the task that called it, from its start. */
function canResume({ saver, parent }: RunOptions, session: Session | undefined): boolean {
  return session !== undefined || saver !== undefined || inheritedBy(parent)?.scope.persistent === true;
}

/** Questions are named after the checkpoints of the graphs around them. */
function asksAnew({ parent }: RunOptions, session: Session | undefined): boolean {
  if (session === undefined || parent?.scope.asksAnew) return true;
  return parent !== undefined && isBranch(session.stored?.metadata);
}

/** Whether the thread has gone on from the checkpoint that was opened. */
export function isBehind({ session, snapshot }: Run): boolean {
  return session?.stored !== undefined && session.headId !== snapshot.checkpointId;
}

/** Whether a state was made of an older one: by somebody who edited it, or who went back to it. */
export function isBranch(metadata: CheckpointMetadata | undefined): boolean {
  return metadata?.source === "update" || metadata?.source === "fork";
}

/** Writes that wait under the checkpoint, decoded. */
export function pendingOf(session: Session | undefined, snapshot: Snapshot): Run["pending"] {
  return (session?.stored?.pendingWrites ?? []).map(([task, channel, value]): Run["pending"][number] => [
    task,
    channel,
    decodePending(channel, value, snapshot),
  ]);
}

const NO_RESUME: Resume = { single: undefined, map: undefined, byTask: new Map() };
