import { isBaseMessage } from "@langchain/core/messages";
import { toRecorded } from "@skein/context";
import { EXIT } from "../errors.ts";
import type { CommonOptions } from "../options.ts";
import { readThread } from "../thread.ts";
import { excerpt, label } from "../ui/format.ts";
import { json } from "../ui/json.ts";
import { describe, speaker } from "../ui/messages.ts";
import { createOutput } from "../ui/output.ts";
import { table } from "../ui/table.ts";

export interface SearchCommandOptions extends CommonOptions {
  readonly limit: number;
  readonly any: boolean;
  readonly cursor?: string;
}

const EXCERPT = 100;

/** The messages of a thread that hold the words of a query, best first. */
export async function search(thread: string, query: string, options: SearchCommandOptions): Promise<number> {
  const { limit, any } = options;
  const page = await readThread(thread, options, (store) =>
    store.search(thread, query, {
      limit,
      mode: any ? "any" : "all",
      ...(options.cursor === undefined ? {} : { cursor: options.cursor }),
    }),
  );
  const output = createOutput(options.json);
  output.data({
    hits: page.hits.map(({ id, score, element }) => ({
      id: id ?? null,
      score,
      message: isBaseMessage(element) ? toRecorded(element) : element,
    })),
    cursor: page.cursor ?? null,
  });
  const rows = page.hits.map(({ id, element }) =>
    isBaseMessage(element)
      ? [label(id ?? "-"), speaker(element), describe(element, EXCERPT)]
      : [label(id ?? "-"), "", excerpt(json(element), EXCERPT)],
  );
  output.line(rows.length === 0 ? "Nothing was found." : table(["message", "", ""], rows));
  if (page.cursor !== undefined) output.line(`There are more: --cursor ${page.cursor}`);
  return EXIT.ok;
}
