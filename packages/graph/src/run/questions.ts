import type { Interrupt } from "../errors/signals.ts";
import { INTERRUPT } from "../ids/names.ts";
import type { Write } from "../program/program.ts";

/**
 * Questions of one task as it is stored: savers keep one of a task, and a graph that the task is or
 * calls may have asked several. The first has the others with it.
 */
interface StoredInterrupt extends Interrupt {
  readonly others?: readonly Interrupt[];
  /** Where among what commands wrote the one's writes begin that has answered; the task has not asked on. */
  readonly answered?: number;
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
export function withAnswer(stored: unknown, from: number): unknown {
  return { ...(stored as StoredInterrupt), answered: from };
}

export function answeredAt(stored: unknown): number | undefined {
  const { answered } = stored as { readonly answered?: unknown };
  return typeof answered === "number" ? answered : undefined;
}
