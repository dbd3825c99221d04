import type { BaseCheckpointSaver, CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import type { Awaitable, Claim } from "@skein/checkpointer";
import { GraphError } from "@skein/errors";
import { apply, type Contribution } from "../engine/apply.ts";
import { catchUp } from "../engine/catch-up.ts";
import { plan } from "../engine/plan.ts";
import { consultLogs, prepareWrites } from "../engine/prepare.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { inTaskOrder } from "../engine/task.ts";
import { InvalidUpdateError } from "../errors/errors.ts";
import { CheckpointClock } from "../ids/checkpoint-id.ts";
import { COPY, END, INPUT, INTERRUPT, START } from "../ids/names.ts";
import { timestamp } from "../ids/timestamp.ts";
import { uuid5 } from "../ids/uuid5.ts";
import type { Program, ProgramNode, Write } from "../program/program.ts";
import { type Choose, writesOf } from "../program/writes.ts";
import { withConfig } from "../task/ambient.ts";
import { tracedUpdate } from "../task/callbacks.ts";
import type { LangGraphRunnableConfig } from "../task/config.ts";
import { giveBack } from "./give-back.ts";
import { requireCheckpoint } from "./no-checkpoint.ts";
import { openAt, pendingOf, snapshotOf } from "./open.ts";
import { applyCommand } from "./commands.ts";
import { writesByTask } from "./pending.ts";
import { applyEnded, withHandlers } from "./read.ts";
import type { Run } from "./run.ts";
import type { Address, Commit, OnConflict, Session, TaskOutput } from "./storage.ts";
import { pushTo } from "../channels/push-to.ts";

/** One update: values, and the node that is taken to have written them. */
export interface StateUpdate {
  readonly values?: unknown;
  /** Default: the node that ran last. */
  readonly asNode?: string | undefined;
  /** Id of the task that the update replaces. */
  readonly taskId?: string | undefined;
}

export interface UpdateRequest {
  readonly program: Program;
  readonly saver: BaseCheckpointSaver;
  readonly address: Address;
  readonly config: LangGraphRunnableConfig;
  readonly onConflict: OnConflict;
  /** The claim of the run that it is made in. */
  readonly under?: Claim | undefined;
}

/**
 * Writes to a state from outside of a run, as if nodes had written it: a step of its own, with a
 * checkpoint of its own. From an old checkpoint it starts a branch.
 */
export async function updateThread(
  request: UpdateRequest,
  updates: readonly StateUpdate[],
): Promise<Updated> {
  const { saver, program, under, onConflict: claim } = request;
  const session = await openAt(saver, program, request.address, under === undefined ? { claim } : { under });
  const parents = session.stored?.metadata.parents ?? {};
  const { threadId, namespace, checkpointId } = request.address;
  let copy: Copy;
  try {
    if (checkpointId !== undefined && session.stored === undefined) {
      throw new GraphError("UNKNOWN_CHECKPOINT", `The thread has no checkpoint "${checkpointId}".`, {
        details: { threadId, namespace, checkpointId },
      });
    }
    requireCheckpoint(session);
    const update = new Update(request, session, updates);
    // gives the thread back with what it stores
    copy = { id: await update.make(), updates: update.afterCopy };
  } catch (error) {
    await giveBack(session);
    throw error;
  }
  if (copy.updates.length === 0) return { id: copy.id, parents };
  const address = { ...request.address, checkpointId: copy.id };
  return updateThread({ ...request, address }, copy.updates);
}

/** A new checkpoint, and the checkpoints of the graphs around it, by namespace. */
export interface Updated {
  readonly id: string;
  readonly parents: Readonly<Record<string, string>>;
}

/** A new checkpoint, and what is to be written to it next. */
interface Copy {
  readonly id: string;
  readonly updates: readonly StateUpdate[];
}

class Update {
  readonly #request: UpdateRequest;
  readonly #session: Session;
  readonly #updates: readonly StateUpdate[];
  readonly #clock: CheckpointClock;
  readonly #snapshot: Snapshot;
  readonly #pending: Run["pending"];
  /** Updates of a copy that was just made. */
  afterCopy: readonly StateUpdate[] = [];

  constructor(request: UpdateRequest, session: Session, updates: readonly StateUpdate[]) {
    this.#request = request;
    this.#session = session;
    this.#updates = updates;
    this.#clock = new CheckpointClock(session.headId);
    if (session.stored !== undefined) this.#clock.passed(session.stored.id);
    this.#snapshot = snapshotOf(request.program, session, this.#clock);
    this.#pending = pendingOf(session, this.#snapshot);
  }
  async make(): Promise<string> {
    const first = this.#updates[0] as StateUpdate;
    const { values, asNode } = first;
    const empty = values === null || values === undefined;
    if (empty && asNode === undefined) return this.#alone(() => this.#commit("update"));
    if (empty && asNode === END) return this.#alone(() => this.#giveUp());
    if (asNode === COPY) return this.#alone(() => this.#copy(values));
    if (asNode === INPUT) return this.#alone(() => this.#input(values));
    return this.#asNodes();
  }
  #alone(make: () => Promise<string>): Promise<string> {
    if (this.#updates.length === 1) return make();
    throw new InvalidUpdateError("This update cannot be one of several: pass it alone.");
  }

  /** What the thread still had to do counts as done. */
  #giveUp(): Promise<string> {
    const snapshot = this.#snapshot;
    applyCommand(snapshot, this.#pending);
    const planned = plan(snapshot, this.#session.address.namespace);
    const tasks = withHandlers(snapshot.program, planned, this.#pending).toSorted(inTaskOrder);
    const byTask = writesByTask(this.#pending);
    apply(
      snapshot,
      tasks.map((task) => ({
        name: task.node.name,
        triggers: task.triggers,
        writes: byTask.get(task.id) ?? [],
      })),
    );
    return this.#commit("update");
  }
  /** A sibling of the checkpoint; given `[values, asNode]` pairs, also a step that writes to it. */
  async #copy(values: unknown): Promise<string> {
    const { stored } = this.#session;
    if (stored === undefined) {
      throw new InvalidUpdateError("Cannot copy a checkpoint that does not exist.");
    }
    if (values !== null && values !== undefined && !isPairs(values)) {
      throw new InvalidUpdateError(
        "A copy takes no values, or a list of [values, asNode] pairs for its tasks.",
      );
    }
    const id = await this.#commit("fork", nothing, { parentId: stored.parentId, basedOn: stored.id });
    if (isPairs(values)) this.afterCopy = this.#asTasks(values, id);
    return id;
  }
  /** Updates that take the place of the tasks which the copy would run. */
  #asTasks(pairs: readonly (readonly [unknown, string])[], copyId: string): StateUpdate[] {
    const snapshot = this.#snapshot;
    snapshot.checkpointId = copyId;
    snapshot.step += 1;
    const tasks = grouped(plan(snapshot, this.#session.address.namespace), (task) => task.node.name);
    const byNode = grouped(pairs, ([, asNode]) => asNode);
    return [...byNode].flatMap(([asNode, list]) =>
      list.map(([values], index) => ({ values, asNode, taskId: tasks.get(asNode)?.[index]?.id })),
    );
  }
  async #input(values: unknown): Promise<string> {
    const { takesInput } = this.#request.program;
    if (takesInput === undefined && (typeof values !== "object" || values === null)) {
      throw new InvalidUpdateError("An update as input needs an object with keys of the state.");
    }
    const writes: readonly Write[] =
      takesInput === undefined
        ? [[START, values]]
        : prepareWrites(this.#snapshot, takesInput(values), "input");
    apply(this.#snapshot, [{ name: INPUT, triggers: [], writes }]);
    return this.#commit("input");
  }
  async #asNodes(): Promise<string> {
    if (this.#session.address.namespace === "") await catchUp(this.#snapshot);
    let earlier: ReadonlySet<string> | undefined;
    if (this.#request.address.checkpointId === undefined && this.#pending.length > 0) {
      applyCommand(this.#snapshot, this.#pending);
      const tasks = plan(this.#snapshot, this.#session.address.namespace);
      applyEnded(this.#snapshot, tasks, this.#pending);
      earlier = this.#snapshot.updated;
    }
    const contributions: Contribution[] = [];
    const replacing: TaskOutput[] = [];
    const own: Write[] = [];
    for (const update of this.#updates) {
      const node = this.#nodeOf(update);
      const writes = await this.#writes(node, update.values);
      contributions.push({ name: node.name, triggers: [INTERRUPT], writes });
      if (update.taskId === undefined) own.push(...writes);
      else if (writes.length > 0) replacing.push({ taskId: update.taskId, writes });
    }
    apply(this.#snapshot, contributions, { earlier });
    if (this.#session.stored === undefined) return this.#commit("update");
    return this.#commit("update", (id) =>
      own.length === 0 ? replacing : [...replacing, { taskId: this.#taskId(id), writes: own }],
    );
  }
  /** The id under which the writes are stored: LangGraph's, unless another update from this checkpoint has it. */
  #taskId(id: string): string {
    const usual = uuid5(INTERRUPT, this.#snapshot.checkpointId);
    return this.#pending.some(([task]) => task === usual) ? uuid5(INTERRUPT, id) : usual;
  }
  #nodeOf({ asNode }: StateUpdate): ProgramNode {
    const { nodes } = this.#request.program;
    if (asNode === undefined && this.#updates.length > 1) {
      throw new InvalidUpdateError('"asNode" is required when applying multiple updates.');
    }
    const name = asNode ?? lastNode(this.#request.program, this.#snapshot);
    if (name === undefined) throw new InvalidUpdateError('Ambiguous update, specify "asNode".');
    const node = nodes.get(name);
    if (node !== undefined) return node;
    throw new InvalidUpdateError(`Node "${name}" does not exist.`, {
      code: "UNKNOWN_NODE",
      details: { node: name },
    });
  }
  async #writes(node: ProgramNode, values: unknown): Promise<readonly Write[]> {
    const { program, config } = this.#request;
    const write = (given: LangGraphRunnableConfig, choose?: Choose): Awaitable<Write[]> =>
      withConfig(given, () => writesOf(program, node, values, this.#snapshot, given, choose));
    const writes = await (node.conveys === undefined
      ? tracedUpdate(program.name, values, config, write)
      : write(config));
    await consultLogs(this.#snapshot, writes);
    return prepareWrites(this.#snapshot, writes, "update");
  }
  async #commit(
    source: CheckpointMetadata["source"],
    outputsOf: (id: string) => readonly TaskOutput[] = nothing,
    place: Pick<Commit, "parentId" | "basedOn"> = { parentId: this.#session.stored?.id },
  ): Promise<string> {
    const { stored } = this.#session;
    // a thread that begins with an update begins at step 0; with an input, before it
    const step = stored === undefined ? (source === "input" ? -1 : 0) : (stored.metadata.step ?? -1) + 1;
    const id = this.#clock.next(step);
    const metadata = { source, step, parents: stored?.metadata.parents ?? {} };
    const ts = timestamp();
    const outputs = outputsOf(id);
    const commit = { ...place, id, ts, metadata, outputs, outputsFirst: true, release: true };
    await this.#session.commit(commit, this.#snapshot)();
    return id;
  }
}

const nothing = (): readonly TaskOutput[] => [];

function grouped<T>(elements: readonly T[], keyOf: (element: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const element of elements) pushTo(groups, keyOf(element), element);
  return groups;
}

function isPairs(values: unknown): values is (readonly [unknown, string])[] {
  return (
    Array.isArray(values) &&
    values.length > 0 &&
    values.every((pair) => Array.isArray(pair) && pair.length === 2 && typeof pair[1] === "string")
  );
}

/** The node that ran last, if there is one and only one. */
function lastNode(program: Program, snapshot: Snapshot): string | undefined {
  // a program without START, such as an entrypoint's
  if (program.nodes.size === 1) return program.nodes.keys().next().value;
  let last: { version: number | string; nodes: Set<string> } | undefined;
  for (const [node, seen] of snapshot.seen) {
    if (node === INTERRUPT) continue;
    for (const version of seen.values()) {
      if (last === undefined || version > last.version) last = { version, nodes: new Set([node]) };
      else if (version === last.version) last.nodes.add(node);
    }
  }
  if (last === undefined) return program.takesInput === undefined ? START : program.inputNode;
  return last.nodes.size === 1 ? [...last.nodes][0] : undefined;
}
