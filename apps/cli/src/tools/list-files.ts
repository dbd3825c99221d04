import { stat } from "node:fs/promises";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { displayPath, findFiles, type Folder } from "./folder.ts";

const MAX_LIMIT = 500;

/** `list_files`: paths and sizes, one a line, after a line that counts them. */
export function listFiles(folder: Folder) {
  return tool(
    async ({ path, pattern, limit }) => {
      const files = await findFiles(folder, path, pattern);
      const shown = files.slice(0, limit);
      const lines = await Promise.all(
        shown.map(async (file) => {
          const size = await stat(file).then(
            (info) => info.size,
            () => 0,
          );
          return `${displayPath(folder, file)}  ${size} B`;
        }),
      );
      const counted = `${files.length} files in ${path}${pattern === "**/*" ? "" : ` that match ${pattern}`}`;
      const more = files.length - shown.length;
      if (more > 0) lines.push(`[${more} more: narrow it with path or pattern]`);
      return [counted, ...lines].join("\n");
    },
    {
      name: "list_files",
      description: "Lists the files of the folder, or of one of its subfolders, with their sizes in bytes.",
      schema: z.object({
        path: z.string().default(".").describe("subfolder, relative to the folder"),
        pattern: z.string().default("**/*").describe("glob, such as **/*.ts"),
        limit: z.number().int().min(1).max(MAX_LIMIT).default(100).describe("most files to list"),
      }),
    },
  );
}
