import { pathToFileURL } from "node:url";

/** A program of the documentation, ready to be run. */
export interface Program {
  readonly script: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What a program printed, or why it failed. */
export interface Outcome {
  readonly printed: string;
  readonly failure?: string;
}

/**
 * Runs the programs named on the command line one after the other, and prints their outcomes as one line of
 * JSON. One process loads LangChain once for all of them; it ends by itself only if none holds it open.
 */
async function runAll(programs: readonly Program[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const program of programs) outcomes.push(await runOne(program));
  return outcomes;
}

async function runOne({ script, cwd, env }: Program): Promise<Outcome> {
  let printed = "";
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (chunk: string | Uint8Array): boolean => {
    printed += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  process.chdir(cwd);
  Object.assign(process.env, env);
  try {
    await import(pathToFileURL(script).href);
    return { printed };
  } catch (error) {
    return { printed, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  } finally {
    process.stdout.write = write;
  }
}

const outcomes = await runAll(JSON.parse(process.argv[2] ?? "[]") as Program[]);
process.stdout.write(`${JSON.stringify(outcomes)}\n`);
