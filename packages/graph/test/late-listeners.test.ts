import { expect, it, vi } from "vitest";
import { abortAndTell } from "../src/task/abort.ts";

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

it("who listens to an aborted signal is told once, unless it went away or asked for another event", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const [before, after, gone, other] = [
    vi.fn<() => void>(),
    vi.fn<() => void>(),
    vi.fn<() => void>(),
    vi.fn<() => void>(),
  ];
  signal.addEventListener("abort", before);
  abortAndTell(controller, new Error("sibling failed"));
  signal.addEventListener("abort", after);
  signal.addEventListener("abort", gone, { once: true });
  signal.removeEventListener("abort", gone);
  signal.addEventListener("message", other);
  await soon();
  const later = vi.fn<() => void>();
  signal.addEventListener("abort", later);
  await soon();
  expect([before, after, gone, other, later].map((listener) => listener.mock.calls.length)).toEqual([
    1, 1, 0, 0, 1,
  ]);
  expect(signal.reason).toEqual(new Error("sibling failed"));
});
