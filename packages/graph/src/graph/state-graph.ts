import type { RunnableInterface } from "@langchain/core/runnables";
import { GraphError } from "@skein/errors";
import { CompiledStateGraph } from "./compiled-state-graph.ts";
import { requireObject } from "../errors/given.ts";
import { END, START } from "../ids/names.ts";
import type { Branch, Program } from "../program/program.ts";
import { type Definition, refuseRefined, type StateOf, type UpdateOf } from "../state/definition.ts";
import type { NodeConfig } from "../task/config.ts";
import { interrupt } from "../task/interrupt.ts";
import { subgraphsIn, toAction } from "./action.ts";
import type { GraphSchemas } from "./schemas.ts";
import type {
  NodeLike,
  NodeOptions,
  NodeOptionsOf,
  NodePolicyOptions,
  PathMap,
  Router,
} from "./builder-types.ts";
import type { TransformerFactory } from "../stream/events/transformer.ts";
import { compileProgram, type NodeSpec } from "./compile.ts";
import { type CompileOptions, settingsOf } from "./compile-options.ts";
import {
  type ContextOf,
  contextParser,
  type GraphInit,
  type KnownContext as Known,
  normalizeInit,
  type RootOf,
  type StateGraphArgs,
  type StateGraphOptions,
} from "./init.ts";
import { checkCompileOptions, checkNodeOptions } from "./check-options.ts";
import { checkNodeName, type NodeEntry, nodeEntries } from "./node-entries.ts";
import { handlerName, handlerSpec, nameTaken, policiesOf, withDefaults } from "./node-policies.ts";
import { StateKeys } from "./state-keys.ts";
import { byName, type Edge, singleEdges, toBranch, toEdge } from "./structure.ts";
import { validateGraph } from "./validate.ts";

/**
 * Builds a graph over a state: nodes return parts of the state, edges say what runs next.
 *
 * @example
 * const graph = new StateGraph(State)
 *   .addNode("plan", (state) => ({ plan: think(state.topic) }))
 *   .addEdge(START, "plan")
 *   .compile({ checkpointer: new MemorySaver() });
 */
export class StateGraph<
  SD = unknown,
  S = StateOf<SD>,
  U = UpdateOf<SD>,
  N extends string = typeof START,
  I = SD,
  O = SD,
  C = unknown,
  Interrupt = unknown,
  Writer = unknown,
  // made once, not for every node: the type checker's time goes with it
  Config = NodeConfig<ContextOf<C>, Interrupt, Writer>,
> {
  /** For types only: `typeof builder.Node` is what a node of this graph is. */
  declare readonly Node: NodeLike<S, U, Config, N>;
  /** What it was made from. */
  readonly schemas: GraphSchemas;
  readonly #nodes = new Map<string, NodeSpec>();
  readonly #branches = new Map<string, Branch[]>();
  readonly #edges: Edge[] = [];
  readonly #keys = new StateKeys();
  readonly #state: Definition;
  readonly #input: Definition;
  readonly #output: Definition;
  readonly #interrupt: unknown;
  readonly #absent: Program["inputDefaults"];
  #defaults: NodePolicyOptions = {};

  /** The form of LangGraph's first versions: reducers by key. */
  constructor(init: StateGraphArgs<S>, context?: C);
  constructor(init: RootOf<SD>, options?: StateGraphOptions<I, O, C, N, Interrupt, Writer>);
  constructor(init: RootOf<SD>, context: Known<C>);
  constructor(
    init: (SD & object) | GraphInit<SD, I, O, C, N, Interrupt, Writer>,
    options?: StateGraphOptions<I, O, C, N, Interrupt, Writer>,
  );
  constructor(init: SD & object, context: Known<C>);
  constructor(init: unknown, options?: unknown) {
    const parts = normalizeInit(init, options);
    refuseRefined(parts.state);
    refuseRefined(parts.input);
    this.schemas = parts;
    this.#state = this.#keys.define(parts.state);
    this.#input = parts.input === undefined ? this.#state : this.#keys.define(parts.input);
    this.#output = parts.output === undefined ? this.#state : this.#keys.define(parts.output);
    // `interrupt` itself serves every node with its own, which needs no AsyncLocalStorage
    this.#interrupt = parts.interrupt === interrupt ? undefined : parts.interrupt;
    this.#absent = parts.input === undefined ? this.#input.absent.fromState : this.#input.absent.fromInput;
  }

  // under LangGraph's names, by which its development server finds what it describes
  get _schemaRuntimeDefinition(): unknown {
    return this.schemas.state;
  }
  get _inputRuntimeDefinition(): unknown {
    return this.schemas.input ?? Symbol.for("langgraph.state.partial");
  }
  get _outputRuntimeDefinition(): unknown {
    return this.schemas.output ?? this.schemas.state;
  }
  get _configRuntimeSchema(): unknown {
    return this.schemas.context;
  }

  get nodes(): Record<string, NodeSpec> {
    return Object.fromEntries(this.#nodes);
  }
  /** Edges from one node to another; joins of several are none of them. */
  get edges(): Set<[string, string]> {
    return singleEdges(this.#edges);
  }
  /** Conditions, by the node that they follow and by their names. */
  get branches(): Record<string, Record<string, Branch>> {
    return byName(this.#branches);
  }

  /** Adds a node: a name and a function (or Runnable); a record of them; or tuples with options. */
  addNode<K extends string, IS extends object>(
    name: K,
    action: NodeLike<StateOf<IS>, U, Config, string>,
    options: NodeOptions & { input: IS },
  ): StateGraph<SD, S, U, N | K, I, O, C, Interrupt, Writer, Config>;
  addNode<K extends string, NodeInput = S>(
    name: K,
    action: NodeLike<NodeInput, U, Config, string>,
    options?: NodeOptionsOf<NodeInput, U>,
  ): StateGraph<SD, S, U, N | K, I, O, C, Interrupt, Writer, Config>;
  addNode<K extends string>(
    nodes:
      | Record<K, NodeLike<S, U, Config, string>>
      | readonly (readonly [K, NodeLike<S, U, Config, string>, NodeOptions?])[],
  ): StateGraph<SD, S, U, N | K, I, O, C, Interrupt, Writer, Config>;
  addNode(first: unknown, action?: unknown, options?: NodeOptions): unknown {
    this.#addAll(nodeEntries(first, action, options));
    return this;
  }

  /** What runs after what. Several starts are a join: the end runs when all of them have. */
  addEdge(start: typeof START | N | readonly N[], end: N | typeof END): this {
    const edge = toEdge(start, end);
    const [starts, , join] = edge;
    if (join) for (const name of [...starts, end]) this.#assertAdded(name);
    this.#edges.push(edge);
    return this;
  }

  /**
   * Lets a function choose where to go after a node: a name, a Send, END, or several of them.
   *
   * @param pathMap - what the function may return, and the nodes it stands for
   */
  addConditionalEdges(
    source: typeof START | N,
    path: Router<S, string, ContextOf<C>> | RunnableInterface<S, unknown>,
    pathMap?: PathMap<N>,
  ): this;
  addConditionalEdges(options: {
    source: typeof START | N;
    path: Router<S, string, ContextOf<C>> | RunnableInterface<S, unknown>;
    pathMap?: PathMap<N>;
  }): this;
  addConditionalEdges(first: unknown, path?: unknown, pathMap?: unknown): this {
    const given = typeof first === "string" ? { source: first, path, pathMap } : first;
    requireObject("addConditionalEdges()", given, "Pass a node's name and a function, or {source, path}.");
    const { source, ...rest } = given as { source: string; path: unknown; pathMap?: unknown };
    const known = this.#branches.get(source) ?? [];
    this.#branches.set(source, [...known, toBranch(source, known, rest.path, rest.pathMap)]);
    return this;
  }

  /** Adds nodes and an edge from each to the next. */
  addSequence<K extends string>(
    nodes:
      | Record<K, NodeLike<S, U, Config, string>>
      | readonly (readonly [K, NodeLike<S, U, Config, string>, NodeOptions?])[],
  ): StateGraph<SD, S, U, N | K, I, O, C, Interrupt, Writer, Config> {
    let before: string | undefined;
    for (const [name] of this.#addAll(nodeEntries(nodes, undefined, undefined))) {
      if (before !== undefined) this.#edges.push([[before], name, false]);
      before = name;
    }
    return this as never;
  }
  /**
   * Says what holds for nodes that do not say otherwise, those added before included. Called again,
   * it replaces the members that it is given.
   */
  setNodeDefaults(defaults: NodePolicyOptions<unknown, U>): this {
    requireObject("setNodeDefaults()", defaults, "Pass an object, such as {retryPolicy: {maxAttempts: 3}}.");
    checkNodeOptions("setNodeDefaults", defaults);
    policiesOf(defaults);
    const given = Object.entries(defaults).filter(([, value]) => value !== undefined);
    this.#defaults = { ...this.#defaults, ...Object.fromEntries(given) };
    return this;
  }
  /** An edge from START. */
  setEntryPoint(name: N): this {
    return this.addEdge(START, name);
  }
  /** An edge to END. */
  setFinishPoint(name: N): this {
    return this.addEdge(name, END);
  }

  /**
   * Makes a graph that can be called.
   *
   * @throws GraphError when it cannot work: unknown or unreachable nodes, no entry
   */
  compile<const Factories extends readonly TransformerFactory[] = []>(
    options: CompileOptions<N, Factories> = {},
  ): CompiledStateGraph<S, U, N, I, O, C, Interrupt, Writer, Factories> {
    requireObject(
      "compile()",
      options,
      "Pass an object, such as {checkpointer: new MemorySaver()}, or nothing.",
    );
    checkCompileOptions(options);
    const breakpoints = [options.interruptBefore ?? [], options.interruptAfter ?? []];
    const named = breakpoints.flatMap((names) => (names === "*" ? [] : names));
    const structure = { nodes: this.#nodes, edges: this.#edges, branches: this.#branches };
    validateGraph(structure, named, typeof this.#defaults.errorHandler === "function");
    const program = compileProgram({
      name: options.name ?? "LangGraph",
      nodes: withDefaults(this.#nodes, this.#defaults),
      edges: [...this.#edges],
      branches: new Map(this.#branches),
      channels: new Map(this.#keys.channels),
      ownKeys: [...this.#state.channels.keys()],
      inputKeys: [...this.#input.channels.keys()],
      outputKeys: [...this.#output.channels.keys()],
      parse: this.#state.parse,
      parseInput: this.#input.parse,
      inputDefaults: this.#absent,
    });
    const parseContext = contextParser(this.schemas.context);
    return new CompiledStateGraph<S, U, N, I, O, C, Interrupt, Writer, Factories>(
      settingsOf(program, options, { parseContext, interrupt: this.#interrupt }),
      structure,
      this,
      options.description,
    );
  }

  /** All of them, or none. */
  #addAll(entries: readonly NodeEntry[]): readonly NodeEntry[] {
    const before = this.#nodes.size;
    try {
      for (const entry of entries) this.#addOne(...entry);
    } catch (error) {
      for (const name of [...this.#nodes.keys()].slice(before)) this.#nodes.delete(name);
      throw error;
    }
    return entries;
  }
  #addOne(name: string, action: unknown, given?: NodeOptions | null): void {
    const options = checkNodeOptions(name, given);
    checkNodeName(name, this.#keys.channels, this.#nodes);
    const compiled = toAction(name, action);
    const input = options.input ? this.#keys.define(options.input) : undefined;
    const keys = input === undefined ? undefined : [...input.channels.keys()];
    const handler = this.#addHandler(name, options, keys);
    this.#nodes.set(name, {
      name,
      ...compiled,
      subgraphs: options.subgraphs ?? subgraphsIn(compiled.runnable),
      input: keys,
      ...policiesOf(options),
      errorHandler: handler,
      isErrorHandler: false,
      metadata: options.metadata,
      ends: options.ends,
      defer: options.defer === true,
    });
  }
  #addHandler(
    node: string,
    { errorHandler }: NodeOptions,
    keys: readonly string[] | undefined,
  ): string | undefined {
    if (errorHandler === undefined || errorHandler === null) return undefined;
    const name = handlerName(node);
    if (this.#nodes.has(name)) throw nameTaken(name);
    this.#nodes.set(name, handlerSpec(name, errorHandler, keys));
    return name;
  }
  #assertAdded(name: string): void {
    if (this.#nodes.has(name)) return;
    throw new GraphError("UNKNOWN_NODE", `Need to add a node named "${name}" first.`, {
      details: { node: name },
    });
  }
}
