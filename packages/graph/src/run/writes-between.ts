import { type BaseChannel, valueOf } from "../channels/base.ts";
import { pushTo } from "../channels/push-to.ts";
import { inTaskOrder } from "../engine/task.ts";
import { CheckpointClock } from "../ids/checkpoint-id.ts";
import { INTERRUPT, NULL_TASK_ID } from "../ids/names.ts";
import { isSame } from "../ids/same.ts";
import { uuid5 } from "../ids/uuid5.ts";
import type { Program } from "../program/program.ts";
import { beyond, type StepWrites, tried } from "./handback.ts";
import { isBranch, snapshotOf } from "./open.ts";
import { NO_END } from "./pending.ts";
import { type StateView, viewState, withHandlers } from "./read.ts";
import type { Session, Stored } from "./storage.ts";

/** A write to a key, and whether it hands on what the graph was called with. */
interface Entry {
  readonly key: string;
  readonly value: unknown;
  readonly given: boolean;
}

/** What stands under a checkpoint: of every branch that has left it. */
interface PendingWrites {
  /** Of the tasks of its step, in task order. */
  readonly tasks: readonly Entry[];
  /** Of updates, by their ids; and of nodes that the graph had when they ran. */
  readonly others: ReadonlyMap<string, readonly Entry[]>;
  /** Whether a task of the step has stored nothing. */
  readonly lacking: boolean;
}

type Choices = readonly (readonly Entry[])[];

/**
 * Which of the writes stored under a checkpoint produced one of those that follow it. Where more than
 * one set of them could have, the values tell which did.
 */
export function writesBetween(
  before: Session,
  after: Session,
  program: Program,
  keys: ReadonlySet<string>,
): StepWrites {
  const [older, newer] = [before.stored as Stored, after.stored as Stored];
  const { source } = newer.metadata;
  const steps = stepOf(newer) - stepOf(older);
  // the same state again, for an old one to be run anew
  if (source === "fork" && steps < 2) return new Map();
  const view = viewState(program, before, false);
  const under = pendingUnder(view, keys);
  // durability "exit" leaves steps out
  const choices = source === "loop" && steps !== 1 ? [] : choicesOf(under, older, newer);
  // who runs a branch anew stores under the same ids
  const isCertain = source === "loop" && choices.length === 1 && !under.lacking && !isBranch(older.metadata);
  const values = snapshotOf(program, after, new CheckpointClock());
  return new Map(
    [...keys].map((key) => {
      const ofKey = choices.map((entries) => entries.filter((entry) => entry.key === key));
      const [from, to] = [view.snapshot.slot(key)?.channel, values.slot(key)?.channel];
      const led = from && to && fitting(ofKey, from, to);
      // a reducer that gives something else each time
      return [key, led ?? (isCertain ? withoutGiven(ofKey[0]) : undefined)];
    }),
  );
}

const stepOf = ({ metadata }: Stored): number => metadata.step ?? 0;

function pendingUnder({ snapshot, tasks, pending }: StateView, keys: ReadonlySet<string>): PendingWrites {
  const ordered = withHandlers(snapshot.program, tasks, pending).toSorted(inTaskOrder);
  const ofTasks = new Map<string, Entry[]>(
    [NULL_TASK_ID, ...ordered.map(({ id }) => id)].map((id) => [id, []]),
  );
  const given = new Set(ordered.filter(({ node }) => node.input === "start").map(({ id }) => id));
  const others = new Map<string, Entry[]>();
  const stored = new Set<string>();
  for (const [id, key, value] of pending) {
    if (!NO_END.has(key)) stored.add(id);
    if (keys.has(key)) pushTo(ofTasks.has(id) ? ofTasks : others, id, { key, value, given: given.has(id) });
  }
  return { tasks: [...ofTasks.values()].flat(), others, lacking: ordered.some(({ id }) => !stored.has(id)) };
}

/** What may have led from one checkpoint to the next, the likeliest first. */
function choicesOf({ tasks, others }: PendingWrites, older: Stored, newer: Stored): Choices {
  const usual = uuid5(INTERRUPT, older.id);
  const all = [...others.values()];
  const withTasks = (entries: readonly Entry[]): readonly Entry[] => [...tasks, ...entries];
  if (newer.metadata.source === "loop") {
    const old = [...others].flatMap(([id, entries]) => (id === usual ? [] : entries));
    return old.length === 0 ? [tasks] : [tasks, withTasks(old)];
  }
  // an update counts in what follows it only; finished tasks count if it named no checkpoint
  if (newer.metadata.source === "update") {
    const own = others.get(uuid5(INTERRUPT, newer.id)) ?? others.get(usual) ?? [];
    return [own, withTasks(own), tasks, []];
  }
  // a copy follows what the original follows
  return [tasks, ...all, ...all.map(withTasks), []];
}

/** The writes that lead from a value to another; if there are none, what a list has got; undefined: unknown. */
function fitting(choices: Choices, from: BaseChannel, to: BaseChannel): readonly unknown[] | undefined {
  const [given, value] = [valueOf(from), valueOf(to)];
  const leads = (writes: readonly unknown[]): boolean => isSame(tried(from, given, writes), { value });
  const choice = choices.find((entries) => leads(entries.map((entry) => entry.value)));
  if (choice !== undefined) return withoutGiven(choice);
  const added = beyond(given, value);
  return added && leads([added]) ? [added] : undefined;
}

function withoutGiven(entries: readonly Entry[] = []): readonly unknown[] {
  return entries.filter(({ given }) => !given).map(({ value }) => value);
}
