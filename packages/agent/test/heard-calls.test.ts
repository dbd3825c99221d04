import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { registerConfigureHook, setContextVariable } from "@langchain/core/context";
import type { Serialized } from "@langchain/core/load/serializable";
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { RunnableBinding, RunnableLambda, type RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { describe, expect, it } from "vitest";
import { createAgent, createMiddleware } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

type Metadata = Record<string, unknown>;

/** Metadata of the model calls that it is told of. */
class Ear extends BaseCallbackHandler {
  override name = "ear";
  override awaitHandlers = true;
  readonly heard: Metadata[] = [];

  override handleChatModelStart(
    _model: Serialized,
    _messages: BaseMessage[][],
    _runId: string,
    _parentRunId?: string,
    _extra?: Metadata,
    _tags?: string[],
    metadata: Metadata = {},
  ): void {
    this.heard.push(metadata);
  }
}

/** Looks at its config itself. */
class Looking extends ScriptedModel {
  readonly seen: Metadata[] = [];
  override async invoke(input: never, options?: never): Promise<never> {
    this.seen.push((options as RunnableConfig | undefined)?.metadata ?? {});
    return (await super.invoke(input, options)) as never;
  }
}

/** Has a way of its own to take a config apart. */
class Separating extends ScriptedModel {
  readonly seen: Metadata[] = [];
  override _separateRunnableConfigFromCallOptionsCompat(options: never): never {
    this.seen.push((options as RunnableConfig | undefined)?.metadata ?? {});
    return super._separateRunnableConfigFromCallOptionsCompat(options) as never;
  }
}

class Merging extends RunnableBinding<never, never> {
  readonly seen: Metadata[] = [];
  override async _mergeConfig(...options: never[]): Promise<never> {
    this.seen.push((options[0] as RunnableConfig | undefined)?.metadata ?? {});
    return (await super._mergeConfig(...options)) as never;
  }
}

const ask = { messages: "go" };
const complete = [expect.objectContaining({ langgraph_node: "model_request", skein_source: "agent" })];

describe("whoever may hear of the agent's call of its model is told where it was made (E7)", () => {
  it("by callbacks of the run", async () => {
    const ear = new Ear();
    const agent = createAgent({ model: new ScriptedModel("bye") });
    await agent.invoke(ask, { callbacks: [ear] });
    expect(ear.heard).toEqual(complete);
  });

  it("by callbacks of the model, of one that it is bound to, and of listeners that a binding makes", async () => {
    const ear = new Ear();
    const models = [
      Object.assign(new ScriptedModel("bye"), { callbacks: [ear] }),
      Object.assign(new ScriptedModel("bye"), { callbacks: [ear] }).withConfig({ tags: ["bound"] }),
      new ScriptedModel("bye").withConfig({ callbacks: [ear] }),
    ];
    const kwargs = { callbacks: [ear] } as never;
    models.push(
      new RunnableBinding({ bound: new ScriptedModel("bye") as never, config: {}, kwargs }) as never,
    );
    for (const model of models) {
      await createAgent({ model: model as never }).invoke(ask);
      expect(ear.heard.splice(0)).toEqual(complete);
    }
    const started: (Metadata | undefined)[] = [];
    const listened = new ScriptedModel("bye").withListeners({
      onStart: (run) => void started.push(run.extra?.["metadata"] as Metadata),
    });
    await createAgent({ model: listened as never }).invoke(ask);
    expect(started).toEqual(complete);
  });

  it("by a hook that was registered with LangChain, around the run or in a wrap", async () => {
    const ear = new Ear();
    const listen = (): void => {
      registerConfigureHook({ contextVar: "ear" });
      setContextVariable("ear", ear);
    };
    await RunnableLambda.from(async () => {
      listen();
      await createAgent({ model: new ScriptedModel("bye") }).invoke(ask);
    }).invoke("");
    expect(ear.heard.splice(0)).toEqual(complete);
    const listening = createMiddleware({
      name: "listening",
      wrapModelCall: async (request, handler) => {
        listen();
        return (await handler(request)) as AIMessage;
      },
    });
    await createAgent({ model: new ScriptedModel("bye"), middleware: [listening] }).invoke(ask);
    expect(ear.heard).toEqual(complete);
  });

  it("by callbacks of what a wrap runs the call in", async () => {
    const ear = new Ear();
    const inLambda = createMiddleware({
      name: "inLambda",
      wrapModelCall: async (request, handler) =>
        RunnableLambda.from(async () => (await handler(request)) as AIMessage).invoke("", {
          callbacks: [ear],
        }),
    });
    const ambient = createMiddleware({
      name: "ambient",
      wrapModelCall: async (request, handler) =>
        AsyncLocalStorageProviderSingleton.runWithConfig({ callbacks: [ear] }, async () => {
          return (await handler(request)) as AIMessage;
        }),
    });
    for (const middleware of [inLambda, ambient]) {
      await createAgent({ model: new ScriptedModel("bye"), middleware: [middleware] }).invoke(ask);
      expect(ear.heard.splice(0)).toEqual(complete);
    }
  });

  it("by its own config, where a model calls itself in a way of its own", async () => {
    for (const model of [new Looking("bye"), new Separating("bye")]) {
      await createAgent({ model }).invoke(ask);
      expect(model.seen).toEqual(complete);
    }
    const merging = new Merging({
      bound: new ScriptedModel("bye") as never,
      config: {},
      kwargs: {} as never,
    });
    await createAgent({ model: merging as never }).invoke(ask);
    expect(merging.seen).toEqual(complete);
  });
});
