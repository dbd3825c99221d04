import type { Task } from "../engine/task.ts";
import type { Write } from "../program/program.ts";

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
  /** The state changed; `tasks`: by whose writes, or "all" when a run is resumed. */
  | { readonly type: "state"; readonly tasks: readonly Task[] | "all" }
  /** A breakpoint stopped the run. */
  | { readonly type: "breakpoint" }
  /** `at`: namespace of the graph whose task wrote it, or of the task that called that one. */
  | { readonly type: "custom"; readonly chunk: unknown; readonly at?: string | undefined };
