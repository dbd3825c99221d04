import { FakeListChatModel } from "@langchain/core/utils/testing";
import { tool } from "langchain";
import { z } from "zod";

export const model = new FakeListChatModel({ responses: ["hi"] });

export const add = tool(({ a }) => a + 1, {
  name: "add",
  description: "Adds one",
  schema: z.object({ a: z.number() }),
});

export const spell = tool(({ word }) => [...word].join(" "), {
  name: "spell",
  description: "Spells a word",
  schema: z.object({ word: z.string() }),
});

/** Whether two types are each the other. */
export type Same<A, B> = [A, B] extends [B, A] ? true : false;

/** Compiles if all of them are true. */
export type All<_T extends readonly true[]> = true;
