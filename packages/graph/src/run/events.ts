import type { Task } from "../engine/task.ts";
import type { Interrupt } from "../errors/signals.ts";
import type { Write } from "../program/program.ts";
import type { Run } from "./run.ts";

/** What happens in a run. Stream modes are projections of it. */
export type RunEvent =
  /** A step was planned; the state before it is stored. */
  | { readonly type: "step-planned"; readonly tasks: readonly Task[] }
  | { readonly type: "tasks-start"; readonly tasks: readonly Task[] }
  /** A task's writes are known; `cached`: from an earlier run. */
  | {
      readonly type: "task-end";
      readonly task: Task;
      readonly writes: readonly Write[];
      readonly cached: boolean;
    }
  /** The state changed; `writes`: by what, or "all" when a run is resumed. */
  | { readonly type: "state"; readonly writes: readonly Write[] | "all" }
  /** A breakpoint stopped the run. */
  | { readonly type: "breakpoint" }
  | { readonly type: "custom"; readonly chunk: unknown };

/** Somebody who follows a run. Present only when somebody does. */
export interface RunListener {
  on(event: RunEvent, run: Run): void;
  /** Resolves when the follower wants more; undefined when it does not mind. */
  turn?(): Promise<void> | undefined;
}

export type { Interrupt };
