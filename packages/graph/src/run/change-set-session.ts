import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type {
  Awaitable,
  CHANGE_SETS as ChangeSetsKey,
  ChangeSet,
  ChangeSets,
  ChangeSetSaver,
  ChannelChange,
  Claim,
  Opened,
  OWN_CONTRACT as OwnContractKey,
  StoredChannel,
} from "@skein/checkpointer";
import type { BaseChannel } from "../channels/base.ts";
import type { Slot, Snapshot, Version } from "../engine/snapshot.ts";
import { START, TASKS } from "../ids/names.ts";
import { isStateful } from "../ids/namespace.ts";
import type { Program } from "../program/program.ts";
import { ControlCodec, decodeValue } from "./codec.ts";
import { type DeltaHistories, loadHistories, replayed } from "./deltas.ts";
import { giveBack } from "./give-back.ts";
import type { Address, Commit, OpenHow, Session, Stored, TaskOutput } from "./storage.ts";
import { andThen, forAll } from "../channels/and-then.ts";

const CHANGE_SETS: typeof ChangeSetsKey = Symbol.for("skein.changeSets") as never;

const OWN_CONTRACT: typeof OwnContractKey = Symbol.for("skein.ownContract") as never;

/** The change-set interface of a saver, if it has one and nobody wants to be called in its place. */
export function changeSetsOf(saver: BaseCheckpointSaver): ChangeSets | undefined {
  const given = saver as Partial<ChangeSetSaver>;
  const { [OWN_CONTRACT]: own = saver } = given;
  return own === saver ? given[CHANGE_SETS] : undefined;
}

/** Where a thread is opened, and how. */
interface Opening {
  readonly saver: BaseCheckpointSaver;
  readonly sets: ChangeSets;
  readonly address: Address;
  readonly how: OpenHow;
}

/** Opens a thread in a saver that takes changes instead of whole states. */
export function openChangeSets(
  saver: BaseCheckpointSaver,
  sets: ChangeSets,
  address: Address,
  how: OpenHow,
): Awaitable<Session> {
  const { claim, crowded, under } = how;
  const stored = sets.open(address, { claim, crowded, under });
  const opened = how.anew ? withNothing(stored) : stored;
  const at: Opening = { saver, sets, address, how };
  // a saver that answers at once is asked for a channel when a step touches it (I7)
  return opened instanceof Promise
    ? opened.then((found) => sessionOf(at, found, load))
    : sessionOf(at, opened, () => new Map());
}

/** @param read - the channels that a step may need */
function sessionOf(at: Opening, found: Opened, read: typeof load): Awaitable<Session> {
  const fail = (error: unknown): Promise<never> => unread(at, found, error);
  try {
    const session = andThen(read(found, at.how), (values) =>
      andThen(missing(at, found), (histories): Session => new ChangeSetSession(at, found, values, histories)),
    );
    return session instanceof Promise ? session.catch(fail) : session;
  } catch (error) {
    return fail(error);
  }
}

/** Gives a thread back that was taken and could not be read: a claim that nobody knows would be renewed for ever. */
async function unread({ sets, how }: Opening, { claim }: Opened, error: unknown): Promise<never> {
  if (claim !== undefined && how.under === undefined) await giveBack({ release: () => sets.release(claim) });
  throw error;
}

function withNothing(stored: Awaitable<Opened>): Awaitable<Opened> {
  return andThen(stored, (opened) => ({ ...opened, checkpoint: undefined }));
}

/** The writes of channels that LangGraph left out of the checkpoint, to be replayed. */
function missing({ saver, address, how }: Opening, { checkpoint }: Opened): Awaitable<DeltaHistories> {
  if (checkpoint === undefined) return {};
  const { id, channelVersions: versions, channels } = checkpoint;
  return loadHistories(saver, how.program, address, { id, versions, holds: (name) => channels.has(name) });
}

/** Loads what a step may need, since a step cannot wait for it. Archives stay where they are. */
function load(opened: Opened, how: OpenHow): Awaitable<ReadonlyMap<string, unknown>> {
  const values = new Map<string, unknown>();
  const loaded = forAll(opened.checkpoint?.channels ?? [], ([name, image]) => {
    if (image.kind === "log" || how.isLazy(name)) return undefined;
    return andThen(image.load(), (value) => void values.set(name, value));
  });
  return andThen(loaded, () => values);
}

/** The value of a channel that was left where it is. */
function loadNow(name: string, image: StoredChannel): unknown {
  if (image.kind === "log") return undefined;
  const value = image.load();
  if (!(value instanceof Promise)) return value;
  throw new Error(`The saver opened the thread at once, but not channel "${name}": both or neither.`);
}

/**
 * Heads of namespaces that several tasks of a run may work in at once, each on from where it opened it: a graph
 * that keeps its state is called by Sends. The last to store is the head, the others are branches.
 */
const headsOfRuns = new WeakMap<Claim, Map<string, string | undefined>>();

class ChangeSetSession implements Session {
  readonly address: Address;
  readonly stored: Stored | undefined;
  readonly keepsOrder = true;
  readonly claim: Claim | undefined;
  headId: string | undefined;
  readonly #saver: BaseCheckpointSaver;
  readonly #program: Program;
  readonly #sets: ChangeSets;
  readonly #owns: boolean;
  readonly #images: ReadonlyMap<string, StoredChannel>;
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #histories: DeltaHistories;
  readonly #codec = new ControlCodec();
  #released = false;

  constructor(
    { saver, sets, address, how: { under, program } }: Opening,
    opened: Opened,
    values: ReadonlyMap<string, unknown>,
    histories: DeltaHistories,
  ) {
    this.address = address;
    this.claim = under ?? opened.claim;
    this.headId = opened.headId;
    this.#saver = saver;
    this.#program = program;
    this.#sets = sets;
    this.#owns = under === undefined && opened.claim !== undefined;
    const checkpoint = opened.checkpoint;
    this.#images = checkpoint?.channels ?? new Map();
    this.#values = values;
    this.#histories = histories;
    this.stored = checkpoint && {
      id: checkpoint.id,
      parentId: checkpoint.parentId,
      ts: checkpoint.ts,
      metadata: checkpoint.metadata,
      versions: checkpoint.channelVersions as Record<string, Version>,
      seen: checkpoint.versionsSeen as Record<string, Record<string, Version>>,
      pendingWrites: checkpoint.pendingWrites,
    };
  }
  nextVersion(current: Version | undefined): Version {
    return this.#saver.getNextVersion(current as number | undefined) as Version;
  }
  restore(name: string, definition: BaseChannel): BaseChannel | undefined {
    const image = this.#images.get(name);
    if (image === undefined) {
      const history = Object.hasOwn(this.#histories, name) ? this.#histories[name] : undefined;
      return history && replayed(definition, history);
    }
    if (definition.lazy) {
      const channel = definition.fromCheckpoint(undefined);
      channel.attach(image);
      return channel;
    }
    const isLoaded = this.#values.has(name);
    const value = isLoaded ? this.#values.get(name) : loadNow(name, image);
    const channel = definition.fromCheckpoint(decodeValue(name, value, this.#program));
    if (image.kind !== "list") channel.rebase();
    // what was loaded at once is given to whoever restores it again
    else if (!isLoaded) channel.takeOver();
    return channel;
  }
  record(checkpointId: string, outputs: readonly TaskOutput[], snapshot: Snapshot): Awaitable<void> {
    const { threadId, namespace } = this.address;
    const writes = this.#encode(outputs, snapshot);
    return this.#sets.record(this.claim as Claim, { threadId, namespace, checkpointId }, writes);
  }
  commit(commit: Commit, snapshot: Snapshot): () => Awaitable<void> {
    const channels = new Map<string, ChannelChange>();
    const channelVersions: Record<string, Version> = {};
    for (const slot of snapshot.changed) {
      if (!slot.channel.tracked) continue;
      channels.set(slot.name, this.#change(slot, snapshot));
      if (slot.version !== undefined) channelVersions[slot.name] = slot.version;
    }
    const versionsSeen: Record<string, Record<string, Version>> = {};
    for (const node of snapshot.seenChanged) {
      const seen: Record<string, Version> = {};
      // not Object.fromEntries, which takes ten times as long
      for (const [channel, version] of snapshot.seenOf(node)) seen[channel] = version;
      versionsSeen[node] = seen;
    }
    const change: ChangeSet = {
      namespace: this.address.namespace,
      parentId: commit.parentId,
      basedOn: commit.basedOn,
      expectedHead: this.#replaceHead(commit.id),
      checkpoint: { id: commit.id, ts: commit.ts, metadata: commit.metadata, channelVersions, versionsSeen },
      channels,
      writes: this.#encode(commit.outputs, snapshot),
      release: commit.release && this.#owns,
      followed: commit.followed === true && this.#owns,
    };
    return () => this.#store(change);
  }
  #commit(change: ChangeSet): Awaitable<void> {
    const claim = this.claim as Claim;
    if (!this.#shares) return this.#sets.commit(claim, change);
    const fail = (error: unknown): never => {
      // another attempt, or another task, goes on from the head that is there
      const heads = headsOfRuns.get(claim);
      const isLast = heads?.get(change.namespace) === change.checkpoint.id;
      if (isLast) heads?.set(change.namespace, change.expectedHead);
      throw error;
    };
    try {
      const done = this.#sets.commit(claim, change);
      return done instanceof Promise ? done.catch(fail) : done;
    } catch (error) {
      return fail(error);
    }
  }
  /** Whether other tasks of the run may work in the namespace. */
  get #shares(): boolean {
    return !this.#owns && this.claim !== undefined && isStateful(this.address.namespace);
  }
  /** @returns the head before */
  #replaceHead(id: string): string | undefined {
    let before = this.headId;
    this.headId = id;
    if (!this.#shares) return before;
    const { namespace } = this.address;
    const claim = this.claim as Claim;
    const heads = headsOfRuns.get(claim) ?? new Map<string, string | undefined>();
    if (heads.has(namespace)) before = heads.get(namespace);
    headsOfRuns.set(claim, heads.set(namespace, id));
    return before;
  }
  /** If the thread was to be given back and nothing was stored, it is still held. */
  #store(change: ChangeSet): Awaitable<void> {
    const done = this.#commit(change);
    if (!change.release) return done;
    return andThen(done, () => {
      this.#released = true;
    });
  }
  release(): Awaitable<void> {
    if (!this.#owns || this.#released) return undefined;
    this.#released = true;
    return this.#sets.release(this.claim as Claim);
  }
  #encode(outputs: readonly TaskOutput[], snapshot: Snapshot): TaskOutput[] {
    return outputs.map(({ taskId, writes }) => ({ taskId, writes: this.#codec.encode(writes, snapshot) }));
  }
  #change(slot: Slot, snapshot: Snapshot): ChannelChange {
    const change = slot.channel.change();
    return slot.name === START || slot.name === TASKS ? this.#encoded(change, slot.name, snapshot) : change;
  }
  /** Apart from the above, where it would make a closure of each change. */
  #encoded(change: ChannelChange, name: string, snapshot: Snapshot): ChannelChange {
    const encode = (value: unknown): unknown => this.#codec.encodeValue(name, value, snapshot);
    if (name === START && change.op === "set") return { op: "set", value: encode(change.value) };
    if (name !== TASKS || change.op !== "list") return change;
    // whole, as they are few: a saver may keep them as one value
    return { op: "list", segments: [{ add: encode(snapshot.slot(TASKS)?.channel.get()) as unknown[] }] };
  }
}
