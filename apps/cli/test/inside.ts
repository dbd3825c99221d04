import { vi } from "vitest";
import { runProgram } from "../src/program.ts";
import type { Ended } from "./skein.ts";

export interface InsideOptions {
  /** Where relative paths begin. Default: where the tests run. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Colours alone: other control characters are for the tests to see. */
// oxlint-disable-next-line no-control-regex
const COLOUR = /\u001B\[\d+m/gu;

/** Runs the program in this process, which takes a hundredth of the time. For commands that end by themselves. */
export async function inside(
  args: readonly string[],
  { cwd = process.cwd(), env = {} }: InsideOptions = {},
): Promise<Ended> {
  const written = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      written[name] += String(text).replaceAll(COLOUR, "");
      return true;
    }),
  );
  const [before, inherited] = [process.cwd(), { ...process.env }];
  process.chdir(cwd);
  Object.assign(process.env, { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" }, env);
  try {
    const code = await runProgram(args);
    const lines = args.includes("--json") ? written.stdout.split("\n").filter(Boolean) : [];
    return { ...written, code, json: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
  } finally {
    process.chdir(before);
    for (const name of Object.keys(process.env)) if (!(name in inherited)) delete process.env[name];
    Object.assign(process.env, inherited);
    for (const spy of spies) spy.mockRestore();
  }
}
