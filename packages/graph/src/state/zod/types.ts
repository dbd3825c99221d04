import type * as z3 from "zod/v3";
import type * as z4 from "zod/v4/core";
import type { BaseChannel } from "../../channels/base.ts";
import type { Overwrite } from "../../channels/overwrite.ts";

/** A schema of zod 3, 4 or 4 mini. */
// oxlint-disable-next-line typescript/no-explicit-any -- zod's own way to say "of any type"
export type ZodSchema<Output = any, Input = any> =
  | z3.ZodType<Output, z3.ZodTypeDef, Input>
  | z4.$ZodType<Output, Input>;

/** An object schema of zod 3, 4 or 4 mini. */
export type ZodObjectSchema = z3.AnyZodObject | z4.$ZodObject;

/** What may be written to a field. */
export type ZodUpdate<F> = F extends { lg_reducer_schema: infer R }
  ? ZodOutput<R> | Overwrite<ZodOutput<F>>
  : ZodInput<F>;
type ZodInput<F> = F extends { _zod: { input: infer I } } ? I : F extends { _input: infer I } ? I : unknown;
/** What a field has in the state. */
export type ZodOutput<F> = F extends { _zod: { output: infer O } }
  ? O
  : F extends { _output: infer O }
    ? O
    : unknown;

/** What may be written to a state that a zod object describes. */
export type ZodStateUpdate<Schema> = Schema extends { shape: infer Shape }
  ? { [K in keyof Shape]?: ZodUpdate<Shape[K]> }
  : never;

/** The channels of a state that a zod object describes. */
export type InteropZodToStateDefinition<Schema> = Schema extends { shape: infer Shape }
  ? { [K in keyof Shape]: BaseChannel<ZodOutput<Shape[K]>, ZodUpdate<Shape[K]>> }
  : never;
