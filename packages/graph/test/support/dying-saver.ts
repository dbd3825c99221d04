import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { ChangeSets } from "@skein/checkpointer";

const CHANGE_SETS = Symbol.for("skein.changeSets");

/**
 * Lets a saver store so many writes more, as if the process died before the next one.
 *
 * @returns what lets it store again, as another process does
 */
export function dyingAfter(saver: BaseCheckpointSaver, writes: number): () => void {
  let left = writes;
  const alive = <Args extends unknown[], Result>(write: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      left -= 1;
      if (left < 0) throw new Error("the process died");
      return write(...args);
    };
  };
  const { [CHANGE_SETS]: sets } = saver as { [CHANGE_SETS]?: ChangeSets };
  const replaced =
    sets === undefined
      ? { put: alive(saver.put.bind(saver)), putWrites: alive(saver.putWrites.bind(saver)) }
      : {
          [CHANGE_SETS]: {
            open: sets.open.bind(sets),
            record: alive(sets.record.bind(sets)),
            commit: alive(sets.commit.bind(sets)),
            release: sets.release.bind(sets),
            page: sets.page.bind(sets),
          } satisfies ChangeSets,
        };
  for (const [name, value] of Reflect.ownKeys(replaced).map((key) => [key, Reflect.get(replaced, key)])) {
    Object.defineProperty(saver, name as PropertyKey, { value, configurable: true });
  }
  return () => {
    left = Infinity;
  };
}
