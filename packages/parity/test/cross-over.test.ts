import { describe, expect, it } from "vitest";
import { cross, crossings } from "../src/crossings.ts";
import { oracle, ours } from "../src/engines.ts";

describe("a thread begun on one engine continues on the other", () => {
  it.each(crossings.map((crossing) => [crossing.name, crossing] as const))("%s", async (_name, crossing) => {
    const stayed = await cross(crossing, oracle, oracle);
    expect(await cross(crossing, oracle, ours)).toEqual(stayed);
    expect(await cross(crossing, ours, oracle)).toEqual(stayed);
  });
});
