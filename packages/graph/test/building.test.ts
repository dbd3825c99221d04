import { expect, test } from "vitest";
import { z } from "zod";
import {
  Annotation,
  END,
  type ErrorCodeOf,
  GraphError,
  START,
  StateGraph,
  StateGraphInputError,
} from "./support/all.ts";

const State = Annotation.Root({ value: Annotation<string> });
const builder = () => new StateGraph(State).addNode("a", () => ({ value: "a" }));
const code = (make: () => unknown): ErrorCodeOf => {
  try {
    make();
  } catch (error) {
    if (GraphError.is(error)) return error.code;
    throw error;
  }
  return undefined;
};

test("what cannot work is refused when it is built, with a code (A8)", () => {
  expect(code(() => builder().addNode("a", () => ({})))).toBe("DUPLICATE_NODE");
  expect(code(() => builder().addNode(START, () => ({})))).toBe("RESERVED_NAME");
  expect(code(() => builder().addNode(END, () => ({})))).toBe("RESERVED_NAME");
  expect(code(() => builder().addNode("x|y", () => ({})))).toBe("RESERVED_NAME");
  expect(code(() => builder().addNode("value", () => ({})))).toBe("RESERVED_NAME");
  expect(
    code(() =>
      builder()
        .addEdge(START, "nobody" as never)
        .compile(),
    ),
  ).toBe("UNKNOWN_NODE");
  expect(
    code(() =>
      builder()
        .addEdge(START, "a")
        .addEdge("nobody" as never, "a")
        .compile(),
    ),
  ).toBe("UNKNOWN_NODE");
  expect(code(() => builder().addEdge(END as never, "a"))).toBe("INVALID_EDGE");
  expect(code(() => builder().addEdge("a", START as never))).toBe("INVALID_EDGE");
  expect(code(() => builder().compile())).toBe("NO_ENTRY_POINT");
  expect(
    code(() =>
      builder()
        .addNode("b", () => ({}))
        .addEdge(START, "a")
        .compile(),
    ),
  ).toBe("UNREACHABLE_NODE");
  expect(
    code(() =>
      builder()
        .addEdge(START, "a")
        .compile({ interruptBefore: ["z" as never] }),
    ),
  ).toBe("UNKNOWN_NODE");
  const branch = builder()
    .addEdge(START, "a")
    .addConditionalEdges("a", () => "x", { x: "nobody" as never });
  expect(code(() => branch.compile())).toBe("UNKNOWN_NODE");
  expect(code(() => builder().addNode("b", 7 as never))).toBe("INVALID_CONFIGURATION");
});

test.each([[undefined], [null], [{}], [{ value: 7 }], [[]], ["state"], [z.string()]])(
  "%j is no state definition",
  (state) => {
    expect(() => new StateGraph(state as never)).toThrow(StateGraphInputError);
  },
);

test("a key that would hide an object's prototype is refused", () => {
  const spec = JSON.parse('{"__proto__": 1}') as Record<string, unknown>;
  const fields = Object.fromEntries(Object.keys(spec).map((key) => [key, Annotation<string>]));
  expect(code(() => new StateGraph(Annotation.Root(fields)))).toBe("INVALID_STATE_SCHEMA");
});

test("one key with two meanings is refused", () => {
  const other = Annotation.Root({ value: Annotation<string>({ reducer: (a, b) => a + b }) });
  expect(code(() => new StateGraph({ state: State, input: other }))).toBe("INVALID_STATE_SCHEMA");
});
