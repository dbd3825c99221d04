import { HumanMessage } from "@langchain/core/messages";
import { idOf, putStep } from "../src/conformance/steps.ts";
import { openTarget } from "./support/target.ts";

/** Puts checkpoints until it is killed, as the conformance suite asks: `writer.ts DATABASE THREAD`. */
const [target, thread] = process.argv.slice(2) as [string, string];
const saver = openTarget(target);

async function write(): Promise<never> {
  const list: HumanMessage[] = [];
  for (let n = 1; ; n += 1) {
    list.push(new HumanMessage({ id: `m${n}`, content: "text ".repeat(n % 50) }));
    await putStep(saver, {
      thread,
      id: idOf(n),
      values: { n, list: [...list] },
      ...(n === 1 ? {} : { parent: idOf(n - 1) }),
    });
    process.stdout.write(`${idOf(n)}\n`);
  }
}

void write();
