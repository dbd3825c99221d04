import { AIMessage } from "@langchain/core/messages";
import { GraphError, requireKnownOptions, shown } from "@skein/errors";
import type { MultipleStructuredOutputsError, StructuredOutputParsingError } from "../errors.ts";
import {
  readSchema,
  type Checked,
  type JsonSchemaFormat,
  type ReadSchema,
  type ResponseSchema,
  type SchemaOutput,
} from "./schema.ts";

/** What a model can give instead of a structured response. */
export type ToolStrategyError = StructuredOutputParsingError | MultipleStructuredOutputsError;

export interface ToolStrategyOptions {
  /** What the closing message of the run says. Default: the response as JSON. */
  readonly toolMessageContent?: string;
  /**
   * A response that does not fit: `true` tells the model what is wrong and lets it try again, a
   * string tells it that, a function what it returns; `false` throws. Default: true.
   */
  readonly handleError?: boolean | string | ((error: ToolStrategyError) => string | Promise<string>);
}

/** A tool as models are told of it. */
export interface ResponseTool {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
    readonly strict?: boolean;
  };
}

/** One schema that the model answers by calling a tool. Made by {@link toolStrategy}. */
export class ToolStrategy<T = unknown> {
  declare readonly _schemaType?: T;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly tool: ResponseTool;
  readonly options: ToolStrategyOptions | undefined;
  readonly #read: ReadSchema;

  private constructor(read: ReadSchema, tool: ResponseTool, options: ToolStrategyOptions | undefined) {
    this.schema = read.json;
    this.tool = tool;
    this.options = options;
    this.#read = read;
  }
  /** @param position - from 1; names the tool of a schema without a title */
  static fromSchema<S extends ResponseSchema>(
    schema: S,
    options?: ToolStrategyOptions,
    position = 1,
  ): ToolStrategy<SchemaOutput<S>> {
    requireToolOptions(options);
    const described = readSchema(definedFunction(schema)?.parameters ?? schema);
    const { name, description } = definedFunction(schema) ?? named(described.json, position);
    const tool = { name, description, parameters: described.json, strict: false };
    return new ToolStrategy(described, { type: "function", function: tool }, options);
  }
  get name(): string {
    return this.tool.function.name;
  }
  /** What the schema makes of a call's arguments, or what is wrong with them. */
  check(args: unknown): Promise<Checked> {
    return this.#read.check(args);
  }
}

/** @throws GraphError INVALID_CONFIGURATION for an option that there is not, or of another kind */
function requireToolOptions(options: ToolStrategyOptions | null | undefined): void {
  if (options === undefined || options === null) return;
  requireKnownOptions("toolStrategy", options, { toolMessageContent: "text", handleError: "any" });
  const handle: unknown = options.handleError;
  if (["undefined", "boolean", "string", "function"].includes(typeof handle)) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `handleError of toolStrategy must be true, false, a text or a function, not ${shown(handle)}.`,
    { details: { option: "handleError" } },
  );
}

/** One schema that the model's provider makes it answer in. Made by {@link providerStrategy}. */
export class ProviderStrategy<T = unknown> {
  declare readonly _schemaType?: T;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Whether the provider is asked to follow the schema exactly. */
  readonly strict: boolean;
  readonly #read: ReadSchema;

  private constructor(read: ReadSchema, strict: boolean) {
    this.schema = read.json;
    this.strict = strict;
    this.#read = read;
  }
  static fromSchema<S extends ResponseSchema>(schema: S, strict = true): ProviderStrategy<SchemaOutput<S>> {
    return new ProviderStrategy(readSchema(schema), strict);
  }
  get name(): string {
    const { title } = this.schema;
    return typeof title === "string" ? title : "providerStrategy";
  }
  /** What the schema makes of a reply's text, or what is wrong with it. */
  async check(reply: AIMessage): Promise<Checked> {
    let value: unknown;
    try {
      value = JSON.parse(textOf(reply));
    } catch {
      return { errors: ["The reply is not JSON."] };
    }
    return this.#read.check(value);
  }
}

/** A strategy, of which kind the program decides. */
// oxlint-disable-next-line typescript/no-explicit-any -- of any response
export type ResponseFormat = ToolStrategy<any> | ProviderStrategy<any>;

/** What {@link toolStrategy} returns: one strategy a schema. */
export interface TypedToolStrategy<T = unknown> extends Array<ToolStrategy> {
  _schemaType?: T;
}

/**
 * Makes the model answer by calling a tool with the response as its arguments. Works with every
 * model that calls tools. Of several schemas the model chooses one.
 *
 * @throws GraphError INVALID_CONFIGURATION for what is no schema, and for options that there are not
 * @example
 * createAgent({ model, responseFormat: toolStrategy(z.object({ answer: z.string() })) });
 */
export function toolStrategy<S extends ResponseSchema>(
  schema: S,
  options?: ToolStrategyOptions,
): TypedToolStrategy<SchemaOutput<S>>;
export function toolStrategy<S extends readonly ResponseSchema[]>(
  schemas: S,
  options?: ToolStrategyOptions,
): TypedToolStrategy<SchemaOutput<S[number]>>;
export function toolStrategy(
  schemas: ResponseSchema | readonly ResponseSchema[],
  options?: ToolStrategyOptions,
): TypedToolStrategy {
  const list = Array.isArray(schemas) ? (schemas as readonly ResponseSchema[]) : [schemas as ResponseSchema];
  return list.map((schema, at) => ToolStrategy.fromSchema(schema, options, at + 1));
}

/**
 * Makes the model answer in its provider's own format for a schema: fewer tokens, and the provider
 * checks it. Only for models whose provider has one.
 *
 * @param schema - the schema, or `{schema, strict}`; `strict` is true unless it says otherwise
 * @throws GraphError INVALID_CONFIGURATION for what is no schema, and for options that there are not
 * @example
 * createAgent({ model, responseFormat: providerStrategy(z.object({ answer: z.string() })) });
 */
export function providerStrategy<S extends ResponseSchema>(
  schema: S | { readonly schema: S; readonly strict?: boolean },
): ProviderStrategy<SchemaOutput<S>> {
  // of null and undefined `fromSchema` says what is wrong
  const wrapped = (schema ?? {}) as { schema?: unknown; strict?: boolean };
  const isWrapped = typeof wrapped.schema === "object" && wrapped.schema !== null && !("type" in wrapped);
  if (isWrapped) requireKnownOptions("providerStrategy", wrapped, { schema: "any", strict: "boolean" });
  return isWrapped
    ? ProviderStrategy.fromSchema(wrapped.schema as S, wrapped.strict)
    : ProviderStrategy.fromSchema(schema as S);
}

interface FunctionDefinition {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchemaFormat;
}

/** A definition as OpenAI's API has it, `{name, description, parameters}`, in place of a schema. */
function definedFunction(schema: ResponseSchema): FunctionDefinition | undefined {
  const { name, parameters, description = "" } = ((schema as unknown) ?? {}) as Partial<FunctionDefinition>;
  if (typeof name !== "string" || typeof parameters !== "object" || parameters === null) return undefined;
  return { name, parameters, description };
}

const DESCRIPTION = "Tool for extracting structured output from the model's response.";

/** Providers take letters, digits, `_` and `-` in names of tools, 64 at most. */
function named(json: ReadSchema["json"], position: number): { name: string; description: string } {
  const { title, description } = json;
  const clean = typeof title === "string" ? title.replaceAll(/[^\w-]+/gu, "_").slice(0, 64) : "";
  return {
    name: clean === "" ? `extract-${position}` : clean,
    description: typeof description === "string" ? description : DESCRIPTION,
  };
}

/** The text of a reply without what a model thought aloud. */
function textOf({ content }: AIMessage): string {
  if (typeof content === "string") return content;
  const block = content.find(
    (one) => one.type === "text" && (one as { thought?: unknown }).thought !== true,
  ) as { text?: unknown } | undefined;
  return typeof block?.text === "string" ? block.text : "";
}
