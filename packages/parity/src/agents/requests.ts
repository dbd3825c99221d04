import { RunnableBinding, RunnableLambda, RunnableSequence } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { add, call, echo, looking, says } from "./kit.ts";
import { scenario, type HookRuntime, type LangChain, type Request } from "./langchains.ts";
import { ScriptedModel } from "./model.ts";

type Handler = (request: object) => unknown;

const aroundModel = (lc: LangChain, wrap: (request: Request, handler: Handler) => unknown, name = "wrap") =>
  lc.createMiddleware({ name, wrapModelCall: wrap });
const aroundTool = (lc: LangChain, wrap: (request: Request, handler: Handler) => unknown, name = "wrap") =>
  lc.createMiddleware({ name, wrapToolCall: wrap });

const SHAPE = {
  title: "sum",
  type: "object",
  properties: { value: { type: "number" } },
  required: ["value"],
};

/** A model that tools were bound to before. */
const bound = (model: ScriptedModel) =>
  new RunnableBinding({ bound: model, kwargs: { tools: [{ name: "other" }] } as object, config: {} });

/** As `initChatModel` makes them: it knows what its provider can do once it was made. */
class LateModel extends ScriptedModel {
  readonly _queuedMethodOperations = {};
  #isMade = false;
  override get profile() {
    return this.#isMade ? { structuredOutput: true } : {};
  }
  async _getModelInstance(): Promise<this> {
    await Promise.resolve();
    this.#isMade = true;
    return this;
  }
  override bindTools(): never {
    return this as never;
  }
}

/** What a wrap hands on of its request, whatever it may leave out of it. */
export const requests = [
  scenario("a wrap takes the system prompt away by undefined", async (lc, t) => {
    for (const none of [{ systemPrompt: undefined }, { systemMessage: undefined }]) {
      const model = ScriptedModel.saying("ok");
      const middleware = [aroundModel(lc, (request, handler) => handler({ ...request, ...none }))];
      const agent = lc.createAgent({ model, systemPrompt: "Be kind.", tools: [], middleware });
      await t.invoke(agent, says("go"));
      t.note("prompts", model.prompts);
    }
  }),

  scenario("what a wrap of the model leaves out of its request is as it was", async (lc, t) => {
    const model = ScriptedModel.saying([call("sum", { value: 3 })]);
    const outer = aroundModel(lc, ({ messages, systemPrompt, systemMessage, ...request }, handler) =>
      handler({ model: request.model, messages, systemPrompt, systemMessage }),
    );
    const inner = aroundModel(
      lc,
      (request, handler) => {
        t.note("state", request.state.messages.length);
        return handler({ ...request, tools: undefined, responseFormat: undefined });
      },
      "inner",
    );
    const responseFormat = lc.toolStrategy(SHAPE);
    const agent = lc.createAgent({ model, tools: [add], responseFormat, middleware: [outer, inner] });
    const { structuredResponse } = (await agent.invoke(says("1 + 2?"))) as { structuredResponse?: unknown };
    t.note("response", structuredResponse);
    t.note("prompts", model.prompts);
  }),

  scenario("what a wrap of a tool leaves out of its request is as it was", async (lc, t) => {
    const look = looking(
      "look",
      (_text, { state }) => `${(state as { messages: unknown[] }).messages.length}`,
    );
    const outer = aroundTool(lc, ({ toolCall, tool: found }, handler) => handler({ toolCall, tool: found }));
    const inner = aroundTool(
      lc,
      (request, handler) => handler({ ...request, state: {}, tool: undefined }),
      "inner",
    );
    const seen = aroundTool(
      lc,
      ({ state, toolCall, ...request }, handler) => {
        t.note("state", state.messages.length);
        return handler({ ...request, toolCall, state });
      },
      "seen",
    );
    const model = ScriptedModel.saying([call("look", {})], "ok");
    await t.invoke(lc.createAgent({ model, tools: [look], middleware: [outer, inner, seen] }), says("go"));
  }),

  scenario("a wrap calls another tool by its name in place of one that does not exist", async (lc, t) => {
    const rename = aroundTool(lc, ({ toolCall, ...request }, handler) =>
      handler({ ...request, toolCall: { ...toolCall, name: "echo" } }),
    );
    const model = ScriptedModel.saying([call("ecko", { text: "x" })], "ok");
    await t.invoke(lc.createAgent({ model, tools: [echo], middleware: [rename] }), says("go"));
  }),

  scenario("a tool sees the run's context, whatever the wraps around it make of it", async (lc, t) => {
    const look = looking("look", (_text, { context }) => JSON.stringify(context));
    const wrap = lc.createMiddleware({
      name: "wrap",
      contextSchema: z.object({ tenant: z.string() }),
      wrapToolCall: (request, handler) => handler(request),
    });
    const model = ScriptedModel.saying([call("look", {})], "ok");
    const agent = lc.createAgent({ model, tools: [look], middleware: [wrap] });
    await t.invoke(agent, says("go"), { context: { user: "ada", tenant: "t" } });
  }),

  scenario("arguments that a wrap edits in place stay in the reply as the model gave them", async (lc, t) => {
    const edit = aroundTool(lc, (request, handler) => {
      request.toolCall.args["text"] = `${String(request.toolCall.args["text"])}, edited`;
      return handler(request);
    });
    const model = ScriptedModel.saying([call("echo", { text: "x" })], "ok");
    await t.invoke(lc.createAgent({ model, tools: [echo], middleware: [edit] }), says("go"));
  }),

  scenario("a tool that throws what is no error is told to the model", async (lc, t) => {
    for (const thrown of ["a text", 42, undefined]) {
      const odd = tool(
        () => {
          throw thrown;
        },
        { name: "odd", description: "Throws", schema: z.object({}) },
      );
      const model = ScriptedModel.saying([call("odd", {})], "ok");
      const { messages } = (await lc.createAgent({ model, tools: [odd] }).invoke(says("go"))) as {
        messages: { type: string; status?: string }[];
      };
      t.note(
        "messages",
        messages.map(({ type, status }) => [type, status]),
      );
    }
  }),

  scenario("what hooks are told of the run is read-only, and has a context", async (lc, t) => {
    const write = (what: (runtime: HookRuntime) => void, contextSchema?: object) => {
      const hook = (_state: unknown, runtime: HookRuntime) => void what(runtime);
      const middleware = ["beforeAgent", "beforeModel", "afterModel", "afterAgent"].map((kind) =>
        lc.createMiddleware({ name: kind, [kind]: hook, ...(contextSchema && { contextSchema }) }),
      );
      return lc.createAgent({ model: ScriptedModel.saying("ok", "ok"), tools: [], middleware });
    };
    const tell = write(({ context }) => t.note("context", context["user"]));
    await t.invoke(tell, says("go"));
    const refused = write((runtime) => {
      runtime.context = { user: "eve" };
    });
    await t.fails(() => refused.invoke(says("go")));
    const context = { user: "ada" };
    const edited = write(
      (runtime) => {
        runtime.context["user"] = "eve";
      },
      z.object({ user: z.string() }),
    );
    await t.fails(() => edited.invoke(says("go"), { context }));
    const wrap = aroundModel(lc, ({ runtime, ...request }, handler) => {
      runtime.context = { user: "eve" };
      return handler(request);
    });
    const wrapped = lc.createAgent({ model: ScriptedModel.saying("ok"), tools: [], middleware: [wrap] });
    await t.fails(() => wrapped.invoke(says("go"), { context }));
    t.note("as it was given", context);
  }),

  scenario("a hook that returns false, zero or an empty text has no news", async (lc, t) => {
    for (const none of [false, 0, ""]) {
      const hook = () => none as never;
      const middleware = [lc.createMiddleware({ name: "m", beforeModel: hook, afterModel: hook })];
      await t.invoke(
        lc.createAgent({ model: ScriptedModel.saying("ok"), tools: [], middleware }),
        says("go"),
      );
    }
  }),

  scenario("a model within a sequence is told of the tools", async (lc, t) => {
    for (const place of ["first", "last"]) {
      const model = ScriptedModel.saying([call("add", { a: 1, b: 2 })], "3");
      const same = RunnableLambda.from((value: unknown) => value);
      const steps = place === "first" ? [model, same] : [same, model];
      const sequence = RunnableSequence.from(steps as never);
      await t.invoke(lc.createAgent({ model: sequence, tools: [add] }), says("1 + 2?"));
      t.note("prompts", model.prompts);
    }
  }),

  scenario("a model with tools of its own is refused, wherever it comes from", async (lc, t) => {
    const model = ScriptedModel.saying("ok");
    const own = Object.assign(ScriptedModel.saying("ok"), { tools: [add] });
    const sequence = RunnableSequence.from([
      RunnableLambda.from((value: unknown) => value),
      bound(model),
    ] as never);
    for (const one of [own, bound(model), sequence]) {
      await t.fails(() => lc.createAgent({ model: one, tools: [add] }));
    }
    const middleware = [aroundModel(lc, (request, handler) => handler({ ...request, model: bound(model) }))];
    await t.fails(() => lc.createAgent({ model, tools: [add], middleware }).invoke(says("go")));
  }),

  scenario(
    "a model that is made when it is called answers in its own format from the first call on",
    async (lc, t) => {
      const model = new LateModel({ replies: ['{"value":3}', '{"value":4}'], prompts: [], said: 0 });
      const agent = lc.createAgent({ model, tools: [], responseFormat: SHAPE });
      await t.invoke(agent, says("1 + 2?"));
      await t.invoke(agent, says("2 + 2?"));
    },
  ),
];
