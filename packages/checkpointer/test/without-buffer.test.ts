import { afterEach, expect, it, vi } from "vitest";
import { emptyCheckpoint } from "../src/base/index.ts";
import { MemorySaver } from "../src/memory/index.ts";

afterEach(() => void vi.unstubAllGlobals());

it("memory counts bytes where there is nothing of Node's", async () => {
  const saver = new MemorySaver();
  const config = await saver.put(
    { configurable: { thread_id: "t", checkpoint_ns: "" } },
    { ...emptyCheckpoint(), channel_values: { text: "ä".repeat(1000) }, channel_versions: { text: 1 } },
    { source: "input", step: -1, parents: {} },
    { text: 1 },
  );
  await saver.putWrites(config, [["text", "漢".repeat(1000)]], "task");
  vi.stubGlobal("Buffer", undefined);
  const report = await saver.storageReport("t");
  expect((report?.itemBytes ?? 0) + (report?.manifestBytes ?? 0)).toBeGreaterThan(2000);
  expect(report?.writeBytes).toBeGreaterThan(3000);
});
