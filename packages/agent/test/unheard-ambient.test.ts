import { getContextVariable, setContextVariable } from "@langchain/core/context";
import { RunnableLambda, type RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton as provider } from "@langchain/core/singletons";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { withinNode } from "../src/unheard/within-node.ts";
import { byInvoke, type Func, made, silent, turn, watched } from "./unheard-calls.ts";

type Asked = typeof provider.runWithConfig;
interface Tree {
  [member: string]: unknown;
  name: string;
  metadata: Record<string, unknown>;
  extra: { metadata: Record<string, unknown> };
  createChild(fields: object): Tree;
  postRun(): Promise<void>;
}

const shared = Object.getPrototypeOf(provider) as { runWithConfig: Asked };
const original = shared.runWithConfig;
const around = (): Tree => provider.getInstance().getStore() as unknown as Tree;
const kind = (): string | undefined => (around() as object | undefined)?.constructor.name;
const tagsAround = (): unknown => (provider.getRunnableConfig() as RunnableConfig | undefined)?.tags;
const stays = (): boolean => Object.hasOwn(provider, "runWithConfig") || provider.runWithConfig !== original;

const counting = (): Asked & { calls: number } => {
  const patch = Object.assign(
    function patched(this: typeof provider, ...given: unknown[]) {
      patch.calls += 1;
      return original.apply(this, given as never);
    } as unknown as Asked,
    { calls: 0 },
  );
  return patch;
};

const ask = (config: RunnableConfig = {}, isBare?: boolean): unknown =>
  withinNode(() => [
    provider.runWithConfig(config, () => [kind(), stays()], isBare),
    provider.runWithConfig({}, kind),
  ]);

const remembering = (tag: string) => async () => {
  const found: unknown[] = [];
  for (let step = 0; step < 3; step += 1) {
    found.push(tagsAround(), await RunnableLambda.from(tagsAround).invoke("", { tags: ["in"] }));
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
  return [tag, found];
};

async function* steps(): AsyncGenerator<string, string> {
  yield "progress";
  return "end";
}

afterEach(() => {
  vi.restoreAllMocks();
  shared.runWithConfig = original;
  delete (provider as { runWithConfig?: Asked }).runWithConfig;
});

/** Runs something in the function of a tool that nobody hears of. */
async function inTool<T>(fn: () => T): Promise<Awaited<T>> {
  const results: Awaited<T>[] = [];
  const direct = made(async () => {
    results.push(await fn());
    return "";
  });
  const looks = watched(direct);
  const [answer] = await turn(direct);
  expect(answer).toMatchObject({ status: "success" });
  expect(looks.asked).toBe(0);
  return results[0] as Awaited<T>;
}

describe("what LangChain answers during a call that nobody hears of, it answers nobody else (E1)", () => {
  const acts: Record<string, Func> = {
    "answers at once": () => "done",
    "answers later": async () => "done",
    "throws at once": () => {
      throw new RangeError("no");
    },
    "throws later": () => Promise.reject(new RangeError("no")),
    "never answers": () => new Promise(() => {}),
    "is a generator": steps,
  };

  it.each(Object.keys(acts))("while and after a function that %s", async (name) => {
    const meanwhile: unknown[] = [];
    const act: Func = (...given) => {
      meanwhile.push(stays(), kind());
      return acts[name]?.(...given);
    };
    await turn(made(act, { metadata: { timeoutMs: 20 } }));
    expect(meanwhile).toEqual([false, "UntracedRun"]);
    expect(stays()).toBe(false);
  });

  it("what runs within the function is asked for as ever, with its own config", async () => {
    const seen = await inTool(() => [
      provider.runWithConfig({ tags: ["own"] }, () => [kind(), tagsAround(), stays()]),
      provider.runWithConfig({ tags: ["own"] }, kind, true),
      [kind(), tagsAround()],
    ]);
    expect(seen).toEqual([["RunTree", ["own"], false], undefined, ["UntracedRun", []]]);
  });

  it("calls that are under way at once each have their own around them, to the end", async () => {
    const turns = ["a", "b", "c"].map((tag) => turn(made(remembering(tag)), { options: { tags: [tag] } }));
    const ended = (await Promise.all(turns)) as [{ content: string }][];
    expect(ended.map(([{ content }]) => JSON.parse(content) as unknown)).toEqual(
      ["a", "b", "c"].map((tag) => [tag, Array.from({ length: 3 }, () => [[tag], ["in"]]).flat()]),
    );
  });
});

describe("who changes how LangChain runs something with a config is asked (E1)", () => {
  it("in the class, after calls that nobody heard of, and in the object", async () => {
    await inTool(() => "");
    for (const of of [shared, provider]) {
      const patch = counting();
      of.runWithConfig = patch;
      provider.runWithConfig({}, () => "");
      expect(patch.calls).toBe(1);
      const kinds: unknown[] = [];
      await turn(made(() => kinds.push(kind())));
      expect(kinds).toEqual(["RunTree"]);
      expect(patch.calls).toBeGreaterThan(1);
      expect(provider.runWithConfig).toBe(patch);
      shared.runWithConfig = original;
    }
  });

  it("from within a tool: it is not put back", async () => {
    const patch = counting();
    await inTool(() => {
      provider.runWithConfig = patch;
    });
    expect(provider.runWithConfig).toBe(patch);
  });

  it("with the same method, which the object then has itself", async () => {
    provider.runWithConfig = shared.runWithConfig;
    await inTool(() => "");
    expect(Object.hasOwn(provider, "runWithConfig")).toBe(true);
  });
});

describe("only the first question of a call that is made in a node is answered otherwise", () => {
  it("with what LangChain would have done for others", async () => {
    expect(ask()).toEqual([["RunTree", false], "RunTree"]);
    expect(await inTool(() => ask())).toEqual([["UntracedRun", false], "RunTree"]);
    expect(await inTool(() => ask({ callbacks: [silent()] }))).toEqual([["RunTree", false], "RunTree"]);
    expect(await inTool(() => ask({}, true))).toEqual([[undefined, false], "RunTree"]);
  });

  it("or none, where nothing is asked", async () => {
    const left = await inTool(() => {
      withinNode(() => "");
      const after = stays();
      expect(() =>
        withinNode(() => {
          throw new RangeError("before");
        }),
      ).toThrow(RangeError);
      return [after, stays()];
    });
    expect(left).toEqual([false, false]);
  });
});

describe("a tool that looks at the run around it finds a run tree of LangSmith's (E1)", () => {
  const looks: Record<string, () => unknown> = {
    "at its members": () => {
      const { name, run_type, inputs, child_runs, tracingEnabled, metadata } = around();
      return [name, run_type, inputs, child_runs, tracingEnabled, metadata, kind()];
    },
    "and changes them": () => {
      const tree = around();
      Object.assign(tree, { name: "named", tags: ["a"], metadata: { m: 1 } });
      tree.extra.metadata["e"] = 1;
      tree.extra = { ...tree.extra };
      return [tree.name, tree["tags"], tree.metadata, Object.keys(provider.getRunnableConfig() as object)];
    },
    "and makes a child": async () => {
      const tree = around();
      const child = tree.createChild({ name: "child" });
      await child.postRun();
      const of = [child["parent_run"] === tree, (tree["child_runs"] as unknown[])[0] === child];
      return [child.name, ...of, child["execution_order"], child["tracingEnabled"]];
    },
    "and makes a child after it has set a variable": async () => {
      setContextVariable("asked", 1);
      const tree = around();
      const child = tree.createChild({ name: "child" });
      await child.postRun();
      const within = await RunnableLambda.from(() => getContextVariable<number>("asked")).invoke("");
      return [tree.name, child["parent_run"] === tree, child["execution_order"], within, kind()];
    },
    "as text": () => {
      const {
        id: _id,
        trace_id: _t,
        dotted_order: _o,
        start_time: _s,
        ...rest
      } = JSON.parse(JSON.stringify((around()["toJSON"] as () => object).call(around()))) as Record<
        string,
        unknown
      >;
      return rest;
    },
  };

  it.each(Object.keys(looks))("%s", async (name) => {
    const look = looks[name] as () => unknown;
    const act = async (): Promise<unknown> => ({ found: await look() });
    const schema = z.object({});
    const direct = await turn(made(act, { schema }));
    expect(direct).toMatchObject([{ status: "success" }]);
    expect(direct).toEqual(await turn(byInvoke(made(act, { schema }))));
  });
});
