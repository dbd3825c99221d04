import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type {
  ChangeSet,
  ChangeSets,
  ChannelChange,
  CheckpointAddress,
  Claim,
  LogEntry,
  Opened,
  OpenOptions,
  Page,
  StoredChannel,
  StoredCheckpoint,
  TaskWrites,
} from "@skein/checkpointer";
import { GraphError } from "@skein/errors";

type Image =
  | { kind: "value"; value: unknown }
  | { kind: "list"; list: unknown[] }
  | { kind: "log"; entries: LogEntry[] };

interface Row {
  checkpoint: StoredCheckpoint;
  images: Map<string, Image>;
}

/**
 * The engine's side of the change-set seam, in the plainest form: rows in memory, every call noted.
 * It refuses what the interface forbids: a commit without the claim, or on another head.
 */
export class FakeSaver extends MemorySaver {
  readonly calls: string[] = [];
  readonly changes: ChangeSet[] = [];
  /** How many logs were loaded. */
  logsLoaded = 0;
  /** Names of the other channels that were loaded, since the list was last emptied. */
  readonly loaded: string[] = [];
  /** Name of a channel that cannot be loaded. */
  corrupt: string | undefined;
  failCommit = false;
  readonly #rows = new Map<string, Row>();
  readonly #heads = new Map<string, string>();
  readonly #holders = new Map<string, number>();
  #epoch = 0;

  get [Symbol.for("skein.changeSets")](): ChangeSets {
    return {
      open: (address, options) => this.#open(address, options),
      record: (claim, at, writes) => this.#record(claim, at, writes),
      commit: (claim, change) => this.#commit(claim, change),
      release: (claim) => {
        this.calls.push("release");
        if (this.#holders.get(claim.threadId) === claim.epoch) this.#holders.delete(claim.threadId);
      },
      page: (address, channel, options) => this.#page(address, channel, options),
    };
  }
  pending(threadId: string, namespace = ""): unknown[] {
    const head = this.#heads.get(`${threadId}/${namespace}`);
    return [...(this.#rows.get(`${threadId}/${namespace}/${head}`)?.checkpoint.pendingWrites ?? [])];
  }

  #open({ threadId, namespace, checkpointId }: CheckpointAddress, options: OpenOptions = {}): Opened {
    this.calls.push("open");
    let claim: Claim | undefined;
    if (options.claim !== undefined) {
      if (this.#holders.has(threadId)) throw new GraphError("THREAD_CONFLICT", "held by another run");
      claim = { threadId, epoch: ++this.#epoch };
      this.#holders.set(threadId, claim.epoch);
    }
    const headId = this.#heads.get(`${threadId}/${namespace}`);
    const row = this.#rows.get(`${threadId}/${namespace}/${checkpointId ?? headId}`);
    const checkpoint = row && { ...row.checkpoint, channels: this.#stored(row.images) };
    return { checkpoint, headId, claim };
  }
  #stored(images: Map<string, Image>): Map<string, StoredChannel> {
    const channels = new Map<string, StoredChannel>();
    for (const [name, image] of images) {
      const note = <T>(value: T): T => {
        this.loaded.push(name);
        if (name === this.corrupt) throw new GraphError("STORAGE_CORRUPT", "cannot be read");
        return value;
      };
      if (image.kind === "value") channels.set(name, { kind: "value", load: () => note(image.value) });
      else if (image.kind === "list") {
        channels.set(name, { kind: "list", length: image.list.length, load: () => note([...image.list]) });
      } else {
        const load = (): unknown[] => {
          this.logsLoaded += 1;
          return resolve(image.entries);
        };
        const { entries } = image;
        const under = (id: string): unknown[] =>
          entries.flatMap((entry) =>
            "add" in entry && (entry.add as { id?: unknown }).id === id ? entry.add : [],
          );
        const revisions = (ids: readonly string[]) =>
          new Map(ids.map((id) => [id, under(id)] as const).filter(([, all]) => all.length > 0));
        const hidden = () => entries.flatMap((entry) => ("hide" in entry ? entry.hide : []));
        channels.set(name, { kind: "log", entries: entries.length, load, revisions, hidden });
      }
    }
    return channels;
  }
  #record(
    claim: Claim,
    { threadId, namespace, checkpointId }: CheckpointAddress,
    writes: readonly TaskWrites[],
  ): void {
    this.calls.push(`record ${writes.length}`);
    this.#assertHeld(claim);
    const row = this.#rows.get(`${threadId}/${namespace}/${checkpointId}`);
    if (row === undefined) throw new Error(`record under a checkpoint that is not there: ${checkpointId}`);
    this.#addWrites(row, writes);
  }
  #commit(claim: Claim, change: ChangeSet): void {
    this.calls.push("commit");
    if (this.failCommit) throw new GraphError("STORAGE_UNAVAILABLE", "the disk is full");
    this.#assertHeld(claim);
    const place = `${claim.threadId}/${change.namespace}`;
    if (this.#heads.get(place) !== change.expectedHead)
      throw new GraphError("THREAD_CONFLICT", "the head moved");
    const parent = change.parentId === undefined ? undefined : this.#rows.get(`${place}/${change.parentId}`);
    if (change.parentId !== undefined && parent === undefined) throw new Error("the parent is not there");
    const basis = change.basedOn === undefined ? parent : this.#rows.get(`${place}/${change.basedOn}`);
    if (change.basedOn !== undefined && basis === undefined) throw new Error("the original is not there");
    const images = new Map(basis?.images);
    for (const [name, one] of change.channels) {
      const image = next(images.get(name), one);
      if (image === undefined) images.delete(name);
      else images.set(name, image);
    }
    if (parent !== undefined) this.#addWrites(parent, change.writes);
    else if (change.writes.length > 0) throw new Error("writes without a parent");
    const { id, ts, metadata, channelVersions, versionsSeen } = change.checkpoint;
    const checkpoint: StoredCheckpoint = {
      id,
      parentId: change.parentId,
      ts,
      metadata,
      channelVersions: { ...basis?.checkpoint.channelVersions, ...channelVersions },
      versionsSeen: { ...basis?.checkpoint.versionsSeen, ...versionsSeen },
      channels: new Map(),
      pendingWrites: [],
    };
    this.#rows.set(`${place}/${id}`, { checkpoint, images });
    this.#heads.set(place, id);
    this.changes.push(change);
    if (change.release === true) this.#holders.delete(claim.threadId);
  }
  #addWrites(row: Row, writes: readonly TaskWrites[]): void {
    const pending = [...row.checkpoint.pendingWrites];
    for (const task of writes) {
      const taskId = typeof task.taskId === "string" ? task.taskId : task.taskId.text;
      // regular writes are told by their position
      let before = pending.filter(([id, channel]) => id === taskId && !isSpecial(channel)).length;
      for (const [channel, value] of task.writes) {
        const at = isSpecial(channel) ? pending.findIndex(([id, c]) => id === taskId && c === channel) : -1;
        if (!isSpecial(channel) && before-- > 0) continue;
        if (at >= 0) pending[at] = [taskId, channel, value];
        else pending.push([taskId, channel, value]);
      }
    }
    row.checkpoint = { ...row.checkpoint, pendingWrites: pending };
  }
  #page(
    { threadId, namespace }: CheckpointAddress,
    channel: string,
    options: { before?: number; limit: number },
  ): Page {
    const head = this.#heads.get(`${threadId}/${namespace}`);
    const image = this.#rows.get(`${threadId}/${namespace}/${head}`)?.images.get(channel);
    const all = image?.kind === "log" ? resolve(image.entries) : image?.kind === "list" ? image.list : [];
    const end = options.before ?? all.length;
    const start = Math.max(0, end - options.limit);
    return { elements: all.slice(start, end), before: start > 0 ? start : undefined };
  }
  #assertHeld(claim: Claim): void {
    if (this.#holders.get(claim.threadId) !== claim.epoch)
      throw new GraphError("THREAD_CONFLICT", "the claim is lost");
  }
}

function next(image: Image | undefined, change: ChannelChange): Image | undefined {
  switch (change.op) {
    case "clear":
      return undefined;
    case "set":
      return { kind: "value", value: change.value };
    case "log":
      return { kind: "log", entries: [...(image?.kind === "log" ? image.entries : []), ...change.entries] };
    case "list": {
      const old = image?.kind === "list" ? image.list : [];
      const list = change.segments.flatMap((segment) => {
        if ("add" in segment) return [...segment.add];
        const [from, to] = segment.keep;
        if (from < 0 || to > old.length || from >= to)
          throw new Error(`keep ${from}..${to} of ${old.length}`);
        return old.slice(from, to);
      });
      return { kind: "list", list };
    }
  }
}

function resolve(entries: readonly LogEntry[]): unknown[] {
  const byId = new Map<unknown, unknown>();
  for (const entry of entries) {
    if ("add" in entry) byId.set((entry.add as { id?: unknown }).id ?? entry.add, entry.add);
  }
  return [...byId.values()];
}

const isSpecial = (channel: string): boolean =>
  channel.startsWith("__") && channel !== "__pregel_tasks" && channel !== "__no_writes__";
