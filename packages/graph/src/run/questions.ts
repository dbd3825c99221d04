import type { Interrupt } from "../errors/signals.ts";
import { INTERRUPT } from "../ids/names.ts";
import type { Write } from "../program/program.ts";

/**
 * Questions of one task as it is stored: savers keep one of a task, and a graph that the task is or
 * calls may have asked several. The first has the others with it.
 */
interface StoredInterrupt extends Interrupt {
  readonly others?: readonly Interrupt[];
  /** By which command; the task has not asked on. */
  readonly answered?: AnsweredBy;
}

/** A command that answered and brought something along. */
export interface AnsweredBy {
  /** Where its writes begin among what commands wrote. */
  readonly from: number;
  /** The questions that it answered by their ids; undefined: the one that waited. */
  readonly ids: readonly string[] | undefined;
}

/** Writes of a task with its questions in one. A question of the same id is answered when the first one is. */
export function withOneQuestion(writes: readonly Write[]): readonly Write[] {
  const [first, ...later] = writes.flatMap(([channel, value]) =>
    channel === INTERRUPT ? [value as Interrupt] : [],
  );
  if (first === undefined || later.length === 0) return writes;
  const others = later.filter(({ id }) => id !== first.id);
  const stored: StoredInterrupt = others.length === 0 ? first : { ...first, others };
  return [[INTERRUPT, stored], ...writes.filter(([channel]) => channel !== INTERRUPT)];
}

/** All questions that a stored one stands for. */
export function questionsIn(stored: unknown): readonly Interrupt[] {
  const { others, answered, ...first } = stored as StoredInterrupt;
  if (others === undefined && answered === undefined) return [stored as Interrupt];
  return [first, ...(others ?? [])];
}

/** A stored question, marked as answered. */
export function withAnswer(stored: unknown, answered: AnsweredBy): unknown {
  return { ...(stored as StoredInterrupt), answered };
}

export function answerTo(stored: unknown): AnsweredBy | undefined {
  return (stored as StoredInterrupt).answered;
}
