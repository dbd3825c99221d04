import { getInteropZodDefaultGetter } from "@langchain/core/utils/types";
import { z as z3 } from "zod/v3";
import { type SchemaMeta, withLangGraph } from "./registry.ts";
import type { ZodSchema } from "./types.ts";

/** Prototypes that have the method already, also from another copy of this package. */
const PLUGGED = Symbol.for("langgraph-zod");

function plugged(): WeakSet<object> {
  const known = Reflect.get(globalThis, PLUGGED) as WeakSet<object> | undefined;
  if (known !== undefined) return known;
  const prototypes = new WeakSet();
  Reflect.set(globalThis, PLUGGED, prototypes);
  return prototypes;
}

function plug(prototype: object): void {
  const prototypes = plugged();
  if (prototypes.has(prototype)) return;
  Object.defineProperty(prototype, "langgraph", {
    get(this: ZodSchema) {
      return {
        metadata: (jsonSchemaExtra: SchemaMeta["jsonSchemaExtra"] & object) =>
          withLangGraph(this, { jsonSchemaExtra }),
        reducer: (fn: (left: unknown, right: unknown) => unknown, schema?: ZodSchema) =>
          withLangGraph(this, {
            default: getInteropZodDefaultGetter(this as never),
            reducer: { schema, fn },
          }),
      };
    },
  });
  prototypes.add(prototype);
}

/**
 * Adds `.langgraph.reducer()` and `.langgraph.metadata()` to the schemas of zod 3. Those of zod 4 have
 * no prototype to add to: use `withLangGraph`, or `.register()` with the registry.
 */
export function plugIntoZod(): void {
  plug(z3.ZodType.prototype);
}

interface LangGraphOfSchema<Schema, Output> {
  /** Merges what is written to the key; `schema` is that of one write. */
  reducer<Input = Output>(
    fn: (left: Output, right: Input) => Output,
    schema?: z3.ZodType<Input>,
  ): z3.ZodType<Output, z3.ZodTypeDef, Input>;
  /** Adds to the JSON schema of the key. */
  metadata(extra: { langgraph_nodes?: string[]; langgraph_type?: "prompt"; [key: string]: unknown }): Schema;
}

declare module "zod/v3" {
  interface ZodType<Output> {
    langgraph: LangGraphOfSchema<this, Output>;
  }
}
