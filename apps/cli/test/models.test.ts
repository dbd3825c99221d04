import { describe, expect, it } from "vitest";
import { chooseModel, loadModel, modelName } from "../src/model/providers.ts";

describe("the choice of a model", () => {
  it.each([
    [undefined, {}, "offline"],
    [undefined, { ANTHROPIC_API_KEY: "k" }, "anthropic:claude-sonnet-4-5"],
    [undefined, { ANTHROPIC_API_KEY: "k", OPENAI_API_KEY: "k" }, "openai:gpt-5-mini"],
    ["offline", { OPENAI_API_KEY: "k" }, "offline"],
    ["ollama:llama3.2:3b", {}, "ollama:llama3.2:3b"],
  ])("%s with %o is %s", (spec, env, name) => {
    expect(modelName(chooseModel(spec, env))).toBe(name);
  });

  it.each([
    ["openai:gpt-5", /set OPENAI_API_KEY/],
    ["anthropic:claude", /set ANTHROPIC_API_KEY/],
    ["nonsense:x", /Unknown model "nonsense:x"/],
    ["constructor:x", /Unknown model/],
    ["openai:", /needs the name/],
    ["gpt-5", /Unknown model/],
  ])("%s without keys is refused", (spec, message) => {
    expect(() => chooseModel(spec, {})).toThrow(message);
  });

  it("names the package that is missing", async () => {
    await expect(loadModel(chooseModel("groq:llama", { GROQ_API_KEY: "k" }))).rejects.toThrow(
      /@langchain\/groq: install/,
    );
  });

  it("loads the provider's model", async () => {
    const model = await loadModel(chooseModel("ollama:llama3.2", {}));
    expect(model._llmType()).toBe("ollama");
  });
});
