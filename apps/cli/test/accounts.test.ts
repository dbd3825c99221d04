import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { holds, settle } from "../src/tour/accounts.ts";
import { contentHash, openJournal, readJournal, type JournalEntry } from "../src/tour/journal.ts";
import { makeFolder } from "./folder.ts";

const history = [
  new HumanMessage({ id: "1", content: "where?" }),
  new AIMessage({
    id: "2",
    content: "",
    tool_calls: [{ id: "c", name: "search_files", args: { query: "x" } }],
  }),
  new ToolMessage({ id: "3", content: "here", tool_call_id: "c" }),
  new AIMessage({ id: "4", content: "there" }),
];
const start: JournalEntry = { type: "tool-start", callId: "c", pid: 1 };
const acknowledged = (from: typeof history): JournalEntry[] =>
  from.map((message) => ({
    type: "message",
    id: message.id ?? "",
    hash: contentHash(message),
    ...(ToolMessage.isInstance(message) ? { callId: message.tool_call_id } : {}),
  }));

describe("settling a tour's accounts", () => {
  it("finds nothing where nothing is wrong, a call that the kill interrupted included", () => {
    const accounts = settle([start, start, ...acknowledged(history)], history);
    expect(accounts).toEqual({
      total: 4,
      lost: 0,
      changed: 0,
      appliedTwice: 0,
      unanswered: 0,
      unknown: 0,
      runAgain: 1,
    });
    expect(holds(accounts)).toBe(true);
  });

  it.each([
    ["a lost message", acknowledged(history), history.slice(0, 3), { lost: 1 }],
    [
      "another content",
      acknowledged(history),
      [...history.slice(0, 3), new AIMessage({ id: "4", content: "elsewhere" })],
      { changed: 1 },
    ],
    ["a message twice", acknowledged(history), [...history, history[3]!], { appliedTwice: 1 }],
    [
      "two results of one call",
      acknowledged(history),
      [...history, new ToolMessage({ id: "5", content: "here", tool_call_id: "c" })],
      { appliedTwice: 1 },
    ],
    [
      "a call that ran again though it was answered",
      [...acknowledged(history), start],
      history,
      { appliedTwice: 1 },
    ],
    ["a call without a result", acknowledged(history.slice(0, 2)), history.slice(0, 2), { unanswered: 1 }],
    ["a message that nobody was told of", acknowledged(history.slice(1)), history, { unknown: 1 }],
  ])("finds %s", (_name, journal, stored, found) => {
    const accounts = settle([start, ...journal], stored);
    expect(accounts).toMatchObject(found);
    expect(holds(accounts)).toBe(false);
  });

  it("reads a journal whose last line the kill cut off", () => {
    const path = join(makeFolder(), "journal.jsonl");
    const journal = openJournal(path);
    journal.append(start);
    journal.close();
    appendFileSync(path, '{"type":"mess');
    expect(readJournal(path)).toEqual([start]);
  });
});
