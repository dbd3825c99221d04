import { fileURLToPath } from "node:url";
import type { Plugin } from "vitest/config";

/** `import "langchain?on-skein"`: the package as it was published, a second time, on our engine. */
export const MARK = "?on-skein";

const THEIRS = /^@langchain\/langgraph(?=$|\/)/;
const here = fileURLToPath(import.meta.url);

/**
 * Lets a package stand on both engines in one process. The mark passes from a file to the files of
 * its own package that it imports; what they import of LangGraph is ours, everything else is shared.
 */
export function onSkein(): Plugin {
  return {
    name: "on-skein",
    enforce: "pre",
    async resolveId(source, importer) {
      const fromMarked = importer?.endsWith(MARK) === true;
      if (!fromMarked && !source.endsWith(MARK)) return undefined;
      if (THEIRS.test(source)) {
        return await this.resolve(source.replace(THEIRS, "@skein/graph"), here, { skipSelf: true });
      }
      const found = await this.resolve(unmarked(source), importer && unmarked(importer), { skipSelf: true });
      const isOwn = !fromMarked || source.startsWith(".");
      return found === null || !isOwn ? found : { ...found, id: found.id + MARK };
    },
  };
}

const unmarked = (id: string): string => (id.endsWith(MARK) ? id.slice(0, -MARK.length) : id);
