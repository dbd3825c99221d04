import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Answer, ANSWER, type Job } from "./protocol.ts";

const run = promisify(execFile);

/** Runs one measurement in a process of its own. */
export async function runJob(script: string, job: Job): Promise<Answer> {
  const { stdout } = await run(process.execPath, ["--no-warnings", script, JSON.stringify(job)], {
    maxBuffer: 64 * 2 ** 20,
    env: { ...process.env, LANGCHAIN_TRACING_V2: "false", LANGSMITH_TRACING: "false" },
  });
  const line = stdout.split("\n").find((text) => text.startsWith(ANSWER));
  if (line === undefined) throw new Error(`the measurement ${JSON.stringify(job)} said nothing: ${stdout}`);
  return JSON.parse(line.slice(ANSWER.length)) as Answer;
}
