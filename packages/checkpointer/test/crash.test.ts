import { it } from "vitest";
import { crashRepeatedly } from "./crash.ts";

it(
  "loses nothing that was acknowledged when it is killed at any moment (F9)",
  { timeout: 60_000 },
  async () => {
    await crashRepeatedly(5, Math.random);
  },
);
