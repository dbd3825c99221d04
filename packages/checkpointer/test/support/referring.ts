import type { PendingWrite } from "@langchain/langgraph-checkpoint";
import { CHANGE_SETS, type Claim, type Codec } from "../../src/index.ts";
import { MemorySaver } from "../../src/memory/index.ts";
import { change, ROOT } from "./change-sets.ts";

/** A thread with a list in checkpoint 1, and under checkpoint 2 a write that refers to its elements. */
export async function referring(codec: Codec, list: readonly unknown[], write: unknown) {
  const saver = new MemorySaver({ codec });
  const sets = saver[CHANGE_SETS];
  const claim = (await sets.open(ROOT, { claim: "fail" })).claim as Claim;
  await sets.commit(claim, change("1", undefined, { messages: { op: "list", segments: [{ add: list }] } }));
  const writes = [{ taskId: "task", writes: [["chosen", write]] as PendingWrite[] }];
  await sets.commit(claim, { ...change("2", "1", {}), writes });
  await sets.release(claim);
  const lines: string[] = [];
  for await (const line of saver.exportThread("t")) lines.push(line);
  return { saver, lines };
}
