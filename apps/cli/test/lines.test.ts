import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { afterEach, expect, it, vi } from "vitest";
import { openLines } from "../src/chat/lines.ts";

afterEach(() => vi.restoreAllMocks());

it("an input that Ctrl-C ended during a run is not opened again by the next prompt", async () => {
  const typed = new PassThrough();
  const screen = new PassThrough();
  vi.spyOn(process, "stdin", "get").mockReturnValue(typed as never);
  vi.spyOn(process, "stdout", "get").mockReturnValue(screen as never);
  vi.spyOn(process, "on").mockReturnThis();
  const lines = openLines(true);
  const left = new Promise<void>((resolve) => {
    lines.onInterrupt(() => {
      lines.close();
      resolve();
    });
  });
  const first = lines.next("> ");
  typed.write("a question\r");
  expect(await first).toBe("a question");
  typed.write("\u0003");
  await left;
  await setImmediate();
  expect(await lines.next("> ")).toBeUndefined();
  // what is paused keeps no program alive
  expect(typed.isPaused()).toBe(true);
});
