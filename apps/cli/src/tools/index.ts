import type { StructuredToolInterface } from "@langchain/core/tools";
import type { Folder } from "./folder.ts";
import { gitLog } from "./git-log.ts";
import { listFiles } from "./list-files.ts";
import { readFile } from "./read-file.ts";
import { searchFiles } from "./search-files.ts";

export { openFolder, type Folder } from "./folder.ts";

/** Everything the agent can do: look, never write. */
export function folderTools(folder: Folder): StructuredToolInterface[] {
  return [listFiles(folder), readFile(folder), searchFiles(folder), gitLog(folder)];
}
