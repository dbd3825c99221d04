import { INTERRUPT, type Interrupt, isGraphInterrupt, isInterrupted, type StateSnapshot } from "@skein/graph";
import { expectTypeOf, test } from "vitest";

declare const snapshot: StateSnapshot;
declare const output: unknown;
declare const error: unknown;

test("programs read what their nodes ask, from snapshots and signals, as on LangGraph", () => {
  const [task] = snapshot.tasks;
  expectTypeOf(task?.interrupts[0]?.value).toBeAny();
  expectTypeOf(task?.interrupts).toExtend<Interrupt<{ question: string }>[] | undefined>();
  if (!isGraphInterrupt(error)) return;
  expectTypeOf(error.interrupts[0]?.value.question).toBeAny();
});

test("whoever names the type of a question has it", () => {
  if (!isInterrupted<{ question: string }>(output)) return;
  expectTypeOf(output[INTERRUPT][0]?.value).toEqualTypeOf<{ question: string } | undefined>();
});
