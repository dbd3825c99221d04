import { createRequire } from "node:module";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { putValue } from "./steps.ts";

/** Works with a database as somebody who may not write to its folder: `reader.ts read|write DATABASE THREAD`. */
const [verb, path, thread] = process.argv.slice(2) as [string, string, string];
createRequire(import.meta.url)("libsql");
// permissions do not bind root
if (process.getuid?.() === 0) {
  process.setgid?.(65_534);
  process.setuid?.(65_534);
}
try {
  const saver = SqliteSaver.fromConnString(path, { readOnly: verb === "read" });
  if (verb === "write") await putValue(saver, thread, "2", "written");
  const tuple = await saver.getTuple({ configurable: { thread_id: thread } });
  process.stdout.write(JSON.stringify(tuple?.checkpoint.channel_values ?? null));
} catch (error) {
  process.stdout.write((error as { code: string }).code);
}
