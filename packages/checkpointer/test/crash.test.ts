import { expect, it } from "vitest";
import { crashRepeatedly } from "./crash.ts";

it(
  "loses nothing that was acknowledged when it is killed at any moment (F9)",
  { timeout: 60_000 },
  async () => {
    expect(await crashRepeatedly(5, Math.random)).toBeGreaterThan(5);
  },
);
