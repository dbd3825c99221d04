import { expect, it } from "vitest";
import { crashRepeatedly } from "./crash.ts";

it("loses nothing that was acknowledged in 200 kills (F9)", { timeout: 1_800_000 }, async () => {
  expect(await crashRepeatedly(200, Math.random)).toBeGreaterThan(200);
});
