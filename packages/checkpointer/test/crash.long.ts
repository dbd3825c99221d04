import { it } from "vitest";
import { crashRepeatedly } from "./crash.ts";

it("loses nothing that was acknowledged in 300 kills (F9)", { timeout: 1_800_000 }, async () => {
  await crashRepeatedly(300, Math.random);
});
