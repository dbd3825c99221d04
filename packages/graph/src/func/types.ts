import type { LangGraphRunnableConfig } from "../task/config.ts";
import type { EntrypointFinal } from "./final.ts";

/** What a caller gets of what an entrypoint returns. */
export type EntrypointReturn<Output> =
  Awaited<Output> extends infer Value
    ? Value extends EntrypointFinal<infer Returned, unknown>
      ? Returned
      : Value
    : never;

/** What the next run finds of it as its previous state. */
export type EntrypointSave<Output> =
  Awaited<Output> extends infer Value
    ? Value extends EntrypointFinal<unknown, infer Saved>
      ? Saved
      : Value
    : never;

type NotGenerated<Output, Fn> = [Output] extends [never]
  ? Fn
  : Output extends Generator<unknown, unknown, unknown> | AsyncGenerator<unknown, unknown, unknown>
    ? never
    : Fn;

/** Generators are refused: what they yield would be lost. */
export type EntrypointFunc<Input, Output> = NotGenerated<
  Output,
  (input: Input, config: LangGraphRunnableConfig) => Output
>;

/** Generators are refused: what they yield would be lost. */
export type TaskFunc<Args extends unknown[], Output> = NotGenerated<Output, (...args: Args) => Output>;
