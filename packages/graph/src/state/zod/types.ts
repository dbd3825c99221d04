import type * as z3 from "zod/v3";
import type * as z4 from "zod/v4/core";

/** A schema of zod 3, 4 or 4 mini. */
// oxlint-disable-next-line typescript/no-explicit-any -- zod's own way to say "of any type"
export type ZodSchema<Output = any, Input = any> =
  | z3.ZodType<Output, z3.ZodTypeDef, Input>
  | z4.$ZodType<Output, Input>;

/** An object schema of zod 3, 4 or 4 mini. */
export type ZodObjectSchema = z3.AnyZodObject | z4.$ZodObject;
