import * as z4 from "zod";
import { z as z3 } from "zod/v3";
import { zodOf } from "../entries.ts";
import { scenario } from "../scenario.ts";
import { push } from "./zod.ts";

/** What is known of schemas beside what they say, and their JSON schemas. */
export const zodRegistry = [
  scenario("the registry answers get, has, extend and remove", async (lg, t) => {
    const { schemaMetaRegistry, withLangGraph, SchemaMetaRegistry } = zodOf(lg);
    const schema = z4.string() as never;
    t.note("unknown", [schemaMetaRegistry.get(schema), schemaMetaRegistry.has(schema)]);
    withLangGraph(schema, { jsonSchemaExtra: { langgraph_type: "prompt" } } as never);
    t.note("known", [schemaMetaRegistry.get(schema), schemaMetaRegistry.has(schema)]);
    schemaMetaRegistry.extend(schema, (meta) => ({ ...meta, jsonSchemaExtra: { more: 1 } }) as never);
    t.note("extended", schemaMetaRegistry.get(schema));
    t.note("removed", [
      schemaMetaRegistry.remove(schema) === schemaMetaRegistry,
      schemaMetaRegistry.has(schema),
    ]);
    const own = new SchemaMetaRegistry();
    own.extend(
      schema,
      () => ({ reducer: { fn: (a: number, b: number) => a + b }, default: () => 7 }) as never,
    );
    const { a, b } = own.getChannelsForSchema(
      z4.object({ a: schema, b: z4.number() }) as never,
    ) as never as Record<string, { lc_graph_name: string; isAvailable(): boolean }>;
    t.note("channels", [a?.lc_graph_name, a?.isAvailable(), b?.lc_graph_name, b?.isAvailable()]);
  }),

  scenario(
    "schemas extended for inputs: reducers' schemas, extras as descriptions, all optional",
    async (lg, t) => {
      const { schemaMetaRegistry, withLangGraph, META_EXTRAS_DESCRIPTION_PREFIX } = zodOf(lg);
      const State = z4.object({
        log: withLangGraph(
          z4.array(z4.string()).describe("the log") as never,
          {
            reducer: { schema: z4.string(), fn: push },
            jsonSchemaExtra: { langgraph_nodes: ["a"] },
          } as never,
        ),
        n: z4.number(),
      }) as never;
      const extended = (effects: object) =>
        z4.toJSONSchema(schemaMetaRegistry.getExtendedChannelSchemas(State, effects) as never);
      t.note("as it is", extended({}));
      t.note("written", extended({ withReducerSchema: true }));
      t.note("extras", extended({ withJsonSchemaExtrasAsDescription: true }));
      t.note(
        "all",
        extended({ withReducerSchema: true, withJsonSchemaExtrasAsDescription: true, asPartial: true }),
      );
      t.note("prefix", META_EXTRAS_DESCRIPTION_PREFIX);
      const twice = [0, 1].map(() =>
        schemaMetaRegistry.getExtendedChannelSchemas(State, { asPartial: true }),
      );
      t.note("made once", twice[0] === twice[1]);
    },
  ),

  scenario("StateSchema: JSON schemas of state and input", async (lg, t) => {
    const State = new lg.StateSchema({
      messages: lg.MessagesValue,
      delta: lg.MessagesDeltaValue,
      name: z4.string().describe("who"),
      n: z4.number().default(1),
      maybe: z4.string().optional(),
      log: new lg.ReducedValue(z4.array(z4.string()), {
        inputSchema: z4.string(),
        reducer: push,
        jsonSchemaExtra: { title: "Log" },
      }),
      scratch: new lg.UntrackedValue(z4.boolean()),
      bare: new lg.UntrackedValue(),
    });
    t.note("state", State.getJsonSchema());
    t.note("input", State.getInputJsonSchema());
    t.note("keys", [State.getChannelKeys(), State.getAllKeys()]);
  }),

  scenario(
    "StateSchema.validateInput coerces, keeps unknown keys and refuses what does not fit",
    async (lg, t) => {
      const State = new lg.StateSchema({ name: z4.string().trim(), n: z4.coerce.number() });
      t.note("valid", await State.validateInput({ name: " x ", n: "5", other: 1 } as never));
      t.note("nothing", await State.validateInput(null as never));
      await t.fails(() => State.validateInput({ name: 7 } as never));
    },
  ),

  scenario("helpers for schemas: defaults, JSON schema, what is a schema", async (lg, t) => {
    t.note("default", [
      lg.getSchemaDefaultGetter(z4.string().default("d"))?.(),
      typeof lg.getSchemaDefaultGetter(z4.string()),
      typeof lg.getSchemaDefaultGetter(z4.string().optional()),
    ]);
    t.note("json", lg.getJsonSchemaFromSchema(z4.object({ a: z4.string() }) as never));
    const values: unknown[] = [z4.string(), z3.string(), {}, null, undefined, "x", { "~standard": null }];
    t.note(
      "standard",
      values.map((value) => lg.isStandardSchema(value)),
    );
    t.note(
      "serializable",
      values.map((value) => lg.isSerializableSchema(value)),
    );
  }),
];
