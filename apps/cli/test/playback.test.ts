import { fromRecorded } from "@skein/context";
import { describe, expect, it } from "vitest";
import { CoverageWatch, orphansIn } from "../src/replay/invariants.ts";
import { createPlayback } from "../src/replay/playback.ts";
import { readRecordings } from "../src/replay/read-recordings.ts";
import { growth, median } from "../src/replay/statistics.ts";
import { makeFolder } from "./folder.ts";

const call = (...ids: string[]) => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({ id, name: "t", args: {} })),
});
const result = (id: string, content = id) => ({ role: "tool", tool_call_id: id, content });
const user = (content: string) => ({ role: "user", content });
const read = (messages: unknown[]) => fromRecorded({ id: "t", messages }).messages;

it("a file that begins with a byte order mark is read", async () => {
  const cwd = makeFolder({ "marked.jsonl": '\uFEFF{"id":"a","messages":[]}\r\n' });
  expect(await readRecordings(`${cwd}/marked.jsonl`)).toMatchObject([{ id: "a" }]);
});

describe("a playback", () => {
  it("gives results by position, so that a reused id gets the result of its own call", () => {
    const playback = createPlayback(
      read([user("a"), call("x"), result("x", "first"), call("x"), result("x", "second")]),
      "p",
    );
    playback.takeInput();
    playback.takeAssistant();
    expect(playback.takeResults("x").map((message) => message.text)).toEqual(["first"]);
    playback.takeAssistant();
    expect(playback.takeResults("x").map((message) => message.text)).toEqual(["second"]);
    expect(playback.next).toBe("end");
  });

  it("keeps the gaps and the surplus of a recording", () => {
    const playback = createPlayback(
      read([call("a", "b"), result("a"), call("c"), result("c"), result("d"), user("u"), result("z")]),
      "p",
    );
    playback.takeAssistant();
    expect([playback.takeResults("x").length, playback.takeResults("x").length]).toEqual([1, 0]);
    playback.takeAssistant();
    expect(playback.takeResults("x").length).toBe(2);
    expect(playback.takeInput().text).toBe("u");
    expect([playback.next, playback.takeInput().text, playback.next]).toEqual(["input", "z", "end"]);
  });

  it("expects the id that the agent gave to a call, and nothing else, to differ", () => {
    const playback = createPlayback(read([call("x", "x"), result("x", "1"), result("x", "2")]), "p");
    playback.takeAssistant();
    expect(playback.takeResults("x")[0]?.tool_call_id).toBe("x");
    expect(playback.takeResults("new")[0]).toMatchObject({ tool_call_id: "new", content: "2", id: "p-2" });
    expect(playback.expected[0]?.tool_calls?.map(({ id }) => id)).toEqual(["x", "new"]);
    expect(playback.expected.slice(1).map((message) => [message.tool_call_id, message.content])).toEqual([
      ["x", "1"],
      ["new", "2"],
    ]);
  });

  it("holds system messages outside the tracks and puts each in force where it stood", () => {
    const playback = createPlayback(
      read([{ role: "system", content: "one" }, user("a"), { role: "system", content: "two" }, user("b")]),
      "p",
    );
    expect([playback.messages.length, playback.systemMessages, playback.systemPrompt]).toEqual([2, 2, "one"]);
    playback.takeInput();
    expect(playback.systemPrompt).toBe("two");
  });
});

describe("the checks of a replay", () => {
  it.each([
    ["a valid chain", [user("a"), call("x", "y"), result("x"), result("y")], 0],
    ["a result first", [result("x"), user("a")], 1],
    ["a call without result", [call("x"), user("a")], 1],
    ["a call at the end", [user("a"), call("x", "y"), result("x")], 1],
    ["a result behind the user's next message", [call("x"), user("a"), result("x")], 2],
    ["an id that is used again", [call("x"), result("x"), call("x"), result("x")], 0],
    ["an id that is answered twice", [call("x"), result("x"), result("x")], 1],
  ])("count the orphans of %s", (_name, messages, orphans) => {
    expect(orphansIn(read(messages))).toBe(orphans);
  });

  it("find a message that is neither covered nor in the window", () => {
    const watch = new CoverageWatch();
    for (const id of ["a", "b", "c"]) watch.add(id);
    watch.cover(["a", "d"]);
    watch.add("d");
    const window = read([user("c")]);
    window[0]!.id = "c";
    expect(watch.missingFrom(window)).toEqual(["b"]);
  });

  it("measure growth from the second quarter on", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(growth(Array.from({ length: 100 }, () => 2))).toBe(1);
    expect(growth(Array.from({ length: 100 }, (_, index) => index))).toBeGreaterThan(2);
    expect(growth([1, 2, 3])).toBeUndefined();
  });
});
