import { tool } from "@langchain/core/tools";
import { z } from "zod";

const tick = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Tools that note who runs at the same time as they do. */
export function watched() {
  const events: string[] = [];
  const running = new Set<string>();
  let most = 0;
  const make = (name: string, metadata: Record<string, unknown> = {}) =>
    tool(
      async ({ n }: { n: number }) => {
        const me = `${name}${n}`;
        events.push(`+${me}`);
        running.add(me);
        most = Math.max(most, running.size);
        await tick();
        running.delete(me);
        events.push(`-${me}`);
        return me;
      },
      { name, description: name, schema: z.object({ n: z.number() }), metadata },
    );
  return { events, make, most: () => most };
}
