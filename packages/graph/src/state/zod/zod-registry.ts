import { getInteropZodDefaultGetter } from "@langchain/core/utils/types";
import { type $replace, $ZodRegistry, type $ZodType } from "zod/v4/core";
import type * as core from "zod/v4/core";
import type { ZodType as ZodTypeV4 } from "zod/v4";
import type { ZodMiniType as ZodMiniTypeV4 } from "zod/v4-mini";
import {
  type ReducedZodChannel,
  type SchemaMeta,
  type SchemaMetaRegistry,
  schemaMetaRegistry,
} from "./registry.ts";

type Entry<Meta> = Meta & { [key: string]: unknown };

/** What zod 4's `.register()` and `.meta()` write to; kept in the given registry. */
export class LanggraphZodMetaRegistry<
  Meta extends SchemaMeta = SchemaMeta,
  Schema extends $ZodType = $ZodType,
> extends $ZodRegistry<Entry<Meta>, Schema> {
  protected parent: SchemaMetaRegistry;

  constructor(parent: SchemaMetaRegistry) {
    super();
    this.parent = parent;
    this._map = parent._map as never;
  }
  override add<S extends Schema>(
    schema: S,
    ..._meta: undefined extends Entry<Meta> ? [$replace<Entry<Meta>, S>?] : [$replace<Entry<Meta>, S>]
  ): this {
    const meta = _meta[0] as SchemaMeta | undefined;
    if (meta !== undefined && meta.default === undefined) {
      const initial = getInteropZodDefaultGetter(schema as never);
      if (initial !== undefined) meta.default = initial;
    }
    return super.add(schema, ..._meta);
  }
}

/**
 * The registry to pass to zod 4's `.register()`.
 *
 * @example
 * const State = z.object({ messages: z.custom<BaseMessage[]>().register(registry, MessagesZodMeta) });
 */
export const registry: LanggraphZodMetaRegistry = new LanggraphZodMetaRegistry(schemaMetaRegistry);

declare module "zod/v4" {
  interface ZodType<
    out Output = unknown,
    out Input = unknown,
    out Internals extends core.$ZodTypeInternals<Output, Input> = core.$ZodTypeInternals<Output, Input>,
  > extends core.$ZodType<Output, Input, Internals> {
    register<R extends LanggraphZodMetaRegistry, TOutput = core.output<this>, TInput = core.input<this>>(
      registry: R,
      meta: SchemaMeta<TOutput, TInput>,
    ): ReducedZodChannel<this, ZodTypeV4<TOutput | TInput>>;
  }
}
declare module "zod/v4-mini" {
  interface ZodMiniType<
    out Output = unknown,
    out Input = unknown,
    out Internals extends core.$ZodTypeInternals<Output, Input> = core.$ZodTypeInternals<Output, Input>,
  > extends core.$ZodType<Output, Input, Internals> {
    register<R extends LanggraphZodMetaRegistry, TOutput = core.output<this>, TInput = core.input<this>>(
      registry: R,
      meta: SchemaMeta<TOutput, TInput>,
    ): ReducedZodChannel<this, ZodMiniTypeV4<TOutput | TInput>>;
  }
}
