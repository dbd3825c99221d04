import { afterEach, expect, it, vi } from "vitest";
import { oneLine } from "../src/errors.ts";
import { toleratePipes } from "../src/ui/output.ts";

afterEach(() => vi.restoreAllMocks());

it.each([
  ["EPIPE", 0, ""],
  ["ENOSPC", 1, "skein: The output cannot be written: ENOSPC: no space left on device\n"],
])("an output that takes no more (%s) ends the program with %i and without a stack", (code, status, said) => {
  const handlers: ((error: Error) => void)[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    stream.on = ((_event: string, handler: (error: Error) => void) => {
      handlers.push(handler);
      return stream;
    }) as typeof stream.on;
  }
  toleratePipes();
  for (const stream of [process.stdout, process.stderr]) Reflect.deleteProperty(stream, "on");
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  const exit = vi.spyOn(process, "exit").mockImplementation((given) => {
    throw new Error(`exit ${given}`);
  });
  const error = Object.assign(new Error(`${code}: no space left on device`), { code });
  expect(() => handlers[0]?.(error)).toThrow(`exit ${status}`);
  expect(exit).toHaveBeenCalledOnce();
  expect(write.mock.calls.map(([text]) => text).join("")).toBe(said);
});

it("a server that cannot be reached is named", () => {
  const cause = new Error("connect ECONNREFUSED 127.0.0.1:11434");
  expect(oneLine(new TypeError("fetch failed", { cause }))).toBe(
    "fetch failed: connect ECONNREFUSED 127.0.0.1:11434",
  );
  expect(oneLine(new Error("what was wrong", { cause }))).toBe("what was wrong");
});
