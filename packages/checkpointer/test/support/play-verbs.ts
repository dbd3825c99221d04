import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { expect } from "vitest";
import {
  back,
  branches,
  CHANGE_SETS,
  deleteBranch,
  forward,
  goTo,
  MemorySaver,
  redo,
  undo,
  type Claim,
  type Segment,
} from "../../src/index.ts";
import type { Saver, SaverKind } from "../savers.ts";
import { at, idOf } from "../turns.ts";
import { ERASED, Model, type Node, type Said } from "./thread-model.ts";

const small = fc.integer({ min: 1, max: 3 });
const step = fc.oneof(
  {
    arbitrary: fc.record({
      do: fc.constant("turn"),
      after: fc.option(fc.nat(99)),
      revise: fc.option(fc.nat(9)),
      asks: fc.boolean(),
    }),
    weight: 6,
  },
  {
    arbitrary: fc.record({ do: fc.constantFrom("undo", "redo", "back", "forward"), count: small }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ do: fc.constantFrom("goTo", "deleteBranch", "deleteBranch"), which: fc.nat(99) }),
    weight: 2,
  },
  fc.record({ do: fc.constant("prune"), keepLast: fc.nat(3), keepTurns: fc.boolean() }),
  fc.record({ do: fc.constant("erase"), which: fc.nat(99) }),
  fc.record({ do: fc.constant("copy") }),
  fc.record({ do: fc.constant("import") }),
  fc.record({ do: fc.constant("reopen") }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Turn {
  readonly do: string;
  readonly after: number | null;
  readonly revise: number | null;
  readonly asks: boolean;
}

/** Plays random verbs on a saver and on the model, and compares all that can be seen after each. */
export async function expectLikeModel(kind: SaverKind, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30, size: "max" }), async (steps) => {
      const storage = kind.open();
      try {
        await new Play(storage.saver, storage.reopen).all(steps);
      } finally {
        await storage.close();
      }
    }),
    { numRuns },
  );
}

const VERBS = { undo, redo, back, forward };

class Play {
  #saver: Saver;
  readonly #reopen: () => Saver;
  #thread = "thread";
  #model = new Model();
  #made = 0;
  #copies = 0;

  constructor(saver: Saver, reopen: () => Saver) {
    this.#saver = saver;
    this.#reopen = reopen;
  }

  async all(steps: readonly Step[]): Promise<void> {
    await this.#turn({ do: "turn", after: null, revise: null, asks: false });
    for (const one of steps) {
      await this.#take(one);
      await expectSame(this.#saver, this.#thread, this.#model);
    }
    await expectSame(this.#reopen(), this.#thread, this.#model);
  }

  async #take(one: Step): Promise<void> {
    const saver = this.#saver;
    const thread = this.#thread;
    const model = this.#model;
    if (one.do === "turn") return this.#turn(one as Turn);
    if ("count" in one) {
      const target = model.target(one.do as keyof typeof VERBS, one.count);
      const going = VERBS[one.do as keyof typeof VERBS](saver, thread, one.count);
      if (target === undefined) await expectRefused(going);
      else {
        expectNumber(Number((await going).id), target.n);
        model.head = target.n;
      }
    } else if (one.do === "goTo" && "which" in one) {
      model.head = this.#some(one.which).n;
      await goTo(saver, thread, idOf(model.head));
    } else if (one.do === "deleteBranch" && "which" in one) {
      const { n } = this.#some(one.which);
      const before = model.nodes.size;
      const deleting = deleteBranch(saver, thread, idOf(n));
      if (model.deleteBranch(n)) expectNumber((await deleting).checkpointsRemoved, before - model.nodes.size);
      else await expectRefused(deleting);
    } else if ("keepLast" in one) {
      const { keepLast, keepTurns } = one;
      model.prune(keepLast, keepTurns);
      const report = await saver.prune(thread, { keepLast, keepTurnBoundaries: keepTurns });
      expectNumber(report.checkpointsKept, model.nodes.size);
    } else if (one.do === "erase" && "which" in one) {
      const said = [...model.nodes.values()].flatMap(({ log }) => log);
      const { id } = said[one.which % said.length] as Said;
      model.erase(id);
      await saver.eraseMessage(at(thread), id);
    } else if (one.do === "copy") {
      this.#copies += 1;
      // it is the copy that goes on; what it was copied from must not notice
      this.#thread = `copy ${this.#copies}`;
      await saver.copyThread(thread, this.#thread);
    } else if (one.do === "import") {
      const elsewhere = new MemorySaver();
      await elsewhere.importThread(saver.exportThread(thread));
      await expectSame(elsewhere, thread, model);
      await saver.deleteThread(thread);
      await saver.importThread(elsewhere.exportThread(thread));
    } else this.#saver = this.#reopen();
  }

  #some(which: number): Node {
    const nodes = [...this.#model.nodes.values()];
    return nodes[which % nodes.length] as Node;
  }

  /** An input, then an answer, which may take the place of an earlier message; perhaps a question is left open. */
  async #turn({ after, revise, asks }: Turn): Promise<void> {
    const parent = after === null ? this.#model.nodes.get(this.#model.head) : this.#some(after);
    await this.#commit(parent, "input", null);
    await this.#commit(this.#model.nodes.get(this.#made), "loop", revise);
    if (!asks) return;
    const node = this.#model.nodes.get(this.#made) as Node;
    node.asks = true;
    await this.#saver.putWrites(at(this.#thread, node.n), [["__interrupt__", { value: "go on?" }]], "asking");
  }

  async #commit(parent: Node | undefined, source: Node["source"], revise: number | null): Promise<void> {
    this.#made += 1;
    const n = this.#made;
    const list = parent?.list ?? [];
    const place = revise === null || list.length === 0 ? list.length : revise % list.length;
    const said = { id: list[place]?.id ?? `m${n}`, content: `text ${n}` };
    const message = source === "input" ? new HumanMessage({ ...said }) : new AIMessage({ ...said });
    const segments = [keep(0, place), { add: [message] }, keep(place + 1, list.length)].filter(
      (segment): segment is Segment => segment !== undefined,
    );
    const log = this.#saver[CHANGE_SETS];
    const { claim, headId } = await log.open({ threadId: this.#thread, namespace: "" }, { claim: "fail" });
    await log.commit(claim as Claim, {
      namespace: "",
      parentId: parent === undefined ? undefined : idOf(parent.n),
      expectedHead: headId,
      checkpoint: {
        id: idOf(n),
        // several within a millisecond
        ts: new Date(Date.UTC(2026, 0, 1) + Math.floor(n / 5)).toISOString(),
        metadata: { source, step: n, parents: {} },
        channelVersions: { messages: n, full_messages: n },
        versionsSeen: {},
      },
      channels: new Map([
        ["messages", { op: "list", segments }],
        ["full_messages", { op: "log", lane: "messages", entries: [{ add: message }] }],
      ]),
      writes: [],
    });
    await log.release(claim as Claim);
    const known = parent?.log ?? [];
    const isKnown = known.some(({ id }) => id === said.id);
    this.#model.nodes.set(n, {
      n,
      parent: parent?.n,
      source,
      list: list.toSpliced(place, 1, said),
      log: isKnown ? known.map((one) => (one.id === said.id ? said : one)) : [...known, said],
      asks: false,
    });
    this.#model.head = n;
  }
}

const keep = (from: number, to: number): Segment | undefined =>
  from < to ? { keep: [from, to] } : undefined;

async function expectRefused(doing: Promise<unknown>): Promise<void> {
  await expect(doing).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
}

function expectNumber(told: number, expected: number): void {
  expect(told).toBe(expected);
}

const said = (elements: readonly unknown[]): unknown[] =>
  (elements as BaseMessage[]).map(({ id, content }) => ({ id, content }));

const numberOf = (id: string | undefined) => (id === undefined ? undefined : Number(id));

async function expectSame(saver: Saver, thread: string, model: Model): Promise<void> {
  const infos = await saver.checkpoints(thread);
  expect(infos.map(({ id, parentId, isHead }) => [Number(id), numberOf(parentId), isHead])).toEqual(
    [...model.nodes.values()]
      .toSorted((a, b) => a.n - b.n)
      .map(({ n, parent }) => [n, parent, n === model.head]),
  );
  const tips = new Set((await branches(saver, thread)).map(({ tip }) => Number(tip)));
  expect(tips).toEqual(new Set(model.tips().map(({ n }) => n)));
  const listed: number[] = [];
  for await (const { checkpoint, pendingWrites } of saver.list(at(thread))) {
    const node = model.nodes.get(Number(checkpoint.id)) as Node;
    listed.push(node.n);
    expect(said(checkpoint.channel_values["messages"] as unknown[])).toEqual(node.list);
    expect(said(checkpoint.channel_values["full_messages"] as unknown[])).toEqual(node.log);
    expect(pendingWrites).toHaveLength(node.asks ? 1 : 0);
  }
  expect(listed).toEqual([...model.nodes.keys()].toSorted((a, b) => b - a));
  const { log } = model.nodes.get(model.head) as Node;
  expect(await paged(saver, thread)).toEqual(log);
  const found = (await saver.search(at(thread), "text", { limit: 1000 })).hits.map(({ id }) => id);
  const expected = log.filter(({ content }) => content !== ERASED).map(({ id }) => id);
  expect(found.toSorted()).toEqual(expected.toSorted());
}

async function paged(saver: Saver, thread: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let before: number | undefined; ;) {
    const page = await saver.history(at(thread), before === undefined ? { limit: 3 } : { limit: 3, before });
    all.unshift(...said(page.elements));
    if (page.before === undefined) return all;
    before = page.before;
  }
}
