import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CrashMatrix } from "./crash/matrix.ts";

const KILLS = 20;

describe("a thread on SQLite whose process is killed with SIGKILL (F9)", () => {
  const matrix = new CrashMatrix(2);
  beforeAll(() => matrix.prepare());
  afterAll(() => matrix.close());

  it(
    "loses nothing and applies nothing twice, before and after calls of the driver",
    { timeout: 120_000 },
    async () => {
      for (let i = 0; i < KILLS; i += 1) {
        const boundary = Math.floor((i * matrix.boundaries) / KILLS);
        expect(await matrix.kill({ boundary })).toBe(true);
      }
    },
  );
});
