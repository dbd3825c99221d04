import type { writer } from "./accessors.ts";

// oxlint-disable typescript/no-explicit-any -- any question and any answer

/** `any` as a member of a union would swallow the others. */
type WithoutAny<T> = 0 extends 1 & T ? never : T;
/** `interrupt` with its types. Its options are left open: they vary with the answer. */
type Asking<I, R> = (value: I, options?: any) => R;
type Declared = Readonly<Record<string, Asking<any, any>>>;

/** What is asked through the `interrupt` that a graph declares: one function, or several by name. */
export type InferInterruptInputType<T> =
  T extends Asking<infer I, unknown>
    ? I
    : T extends Declared
      ? { [K in keyof T]: InferInterruptInputType<T[K]> }[keyof T]
      : unknown;

/** What is answered. */
export type InferInterruptResumeType<T, Inner = false> =
  T extends Asking<never, infer R>
    ? Inner extends true
      ? WithoutAny<R>
      : R
    : T extends Declared
      ? { [K in keyof T]: InferInterruptResumeType<T[K], true> }[keyof T]
      : unknown;

/** What the `writer` that a graph declares takes. */
export type InferWriterType<T> = T extends typeof writer<infer C> ? C : any;
