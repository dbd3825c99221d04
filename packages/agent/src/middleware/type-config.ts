import type { TransformerFactory } from "@skein/graph";
import type { AgentTool } from "../model/request.ts";
import type { ContextSchemaLike, StateSchemaLike } from "./schema.ts";

/** All types of a middleware in one: what `createMiddleware` was given, and the context that its hooks get. */
export interface MiddlewareTypeConfig<
  TSchema extends StateSchemaLike | undefined = StateSchemaLike | undefined,
  TContextSchema extends ContextSchemaLike | undefined = ContextSchemaLike | undefined,
  // oxlint-disable-next-line typescript/no-explicit-any -- of any middleware
  TFullContext = any,
  TTools extends readonly AgentTool[] = readonly AgentTool[],
  TStreamTransformers extends readonly TransformerFactory[] = readonly TransformerFactory[],
> {
  Schema: TSchema;
  ContextSchema: TContextSchema;
  FullContext: TFullContext;
  Tools: TTools;
  StreamTransformers: TStreamTransformers;
}
