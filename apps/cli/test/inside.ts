import { vi } from "vitest";
import { runProgram } from "../src/program.ts";
import type { Ended } from "./skein.ts";

/** Runs the program in this process, which takes a hundredth of the time. For commands that end by themselves. */
export async function inside(args: readonly string[]): Promise<Ended> {
  const written = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += String(text);
      return true;
    }),
  );
  try {
    const code = await runProgram(args);
    const lines = args.includes("--json") ? written.stdout.split("\n").filter(Boolean) : [];
    return { ...written, code, json: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
