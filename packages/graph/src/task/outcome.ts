import type { GraphDrained, GraphInterrupt } from "../errors/signals.ts";
import type { ParentCommand } from "../program/parent-command.ts";
import type { Write } from "../program/program.ts";

/** What a node returned and what it means. */
export interface Done {
  readonly kind: "done";
  readonly writes: readonly Write[];
  readonly returned: unknown;
  readonly answers: readonly unknown[] | undefined;
}

/** How a task ended. Running a task yields one and never throws. */
export type Outcome =
  | Done
  /** Waits for an answer. `answers`: those already taken, to be stored. */
  | {
      readonly kind: "interrupted";
      readonly signal: GraphInterrupt;
      readonly answers: readonly unknown[] | undefined;
    }
  /** A command for the calling graph. */
  | { readonly kind: "parent-command"; readonly signal: ParentCommand }
  /** A graph that it called was told to drain. */
  | { readonly kind: "drained"; readonly signal: GraphDrained }
  | { readonly kind: "failed"; readonly error: unknown; readonly answers: readonly unknown[] | undefined };
