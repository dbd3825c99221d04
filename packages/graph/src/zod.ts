import { plugIntoZod } from "./state/zod/plugin.ts";

export {
  META_EXTRAS_DESCRIPTION_PREFIX,
  type ReducedZodChannel,
  type SchemaEffects,
  type SchemaMeta,
  SchemaMetaRegistry,
  schemaMetaRegistry,
  withLangGraph,
} from "./state/zod/registry.ts";
export type {
  InteropZodToStateDefinition,
  ZodObjectSchema,
  ZodSchema,
  ZodStateUpdate as UpdateType,
} from "./state/zod/types.ts";
export { LanggraphZodMetaRegistry, registry } from "./state/zod/zod-registry.ts";

plugIntoZod();
