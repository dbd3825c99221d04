import { createReadStream, existsSync } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { MemorySaver } from "@skein/checkpointer";
import type { SystemPolicy } from "@skein/context";
import { GraphError } from "@skein/errors";
import { BadInput, EXIT, oneLine } from "../errors.ts";
import { requireNewId } from "../input.ts";
import type { CommonOptions } from "../options.ts";
import { openStore, prepareStore } from "../database.ts";
import { readThread } from "../thread.ts";
import type { ConversationFormat } from "../replay/formats.ts";
import { kindOf } from "../replay/read-recordings.ts";
import { importRecordings } from "./import-recordings.ts";
import { bytes, label, plural } from "../ui/format.ts";
import { chatCommand, commandLine, pathArgument } from "../ui/invocation.ts";
import { createOutput } from "../ui/output.ts";

/** Writes a thread as JSON Lines, to a file or to stdout. */
export async function exportTo(
  thread: string,
  file: string | undefined,
  options: CommonOptions,
): Promise<number> {
  if (file !== undefined && existsSync(file)) {
    throw new BadInput(`There is a file ${file} already; nothing was written. Give another path.`);
  }
  return readThread(thread, options, async ({ saver }) => {
    const lines = saver.exportThread(thread);
    if (file === undefined) {
      for await (const line of lines) process.stdout.write(line);
      return EXIT.ok;
    }
    await writeNew(file, lines);
    const { size } = await stat(file);
    const output = createOutput(options.json);
    output.data({ thread, file, bytes: size });
    output.line(`Wrote thread ${label(thread)} to ${label(file)} (${bytes(size)}). It comes back with:`);
    output.line(`  ${commandLine(["import", pathArgument(file)], options.db)}`);
    return EXIT.ok;
  });
}

/** Writes a file that was not there, wholly or not at all. */
async function writeNew(file: string, lines: AsyncIterable<string>): Promise<void> {
  const cannot = (cause: unknown): BadInput =>
    new BadInput(`Cannot write "${file}": ${oneLine(cause)}. Give another path.`, { cause });
  const handle = await open(file, "wx").catch((cause: unknown) => {
    throw cannot(cause);
  });
  try {
    await pipeline(lines, handle.createWriteStream());
  } catch (error) {
    await rm(file, { force: true });
    throw GraphError.is(error) ? error : cannot(error);
  }
}

export interface ImportOptions extends CommonOptions {
  readonly as?: string;
  /** What becomes of the system messages of recorded conversations. */
  readonly system?: SystemPolicy;
  /** How those are written. Default: as they look. */
  readonly format?: ConversationFormat;
}

/** Stores a thread that `export` wrote, or conversations that somebody recorded. */
export async function importFrom(file: string, options: ImportOptions): Promise<number> {
  const info = await stat(file).catch(() => undefined);
  if (info === undefined) throw new BadInput(`There is no file "${file}". Give one that skein export wrote.`);
  if (!info.isFile()) {
    const what = info.isDirectory() ? "a folder" : "no regular file";
    throw new BadInput(`"${file}" is ${what}. Give a file that skein export wrote.`);
  }
  if ((await kindOf(file)) === "conversations") return importRecordings(file, options);
  const given = (["system", "format"] as const).find((option) => options[option] !== undefined);
  if (given !== undefined) {
    throw new BadInput(
      `--${given} is for recorded conversations, and "${file}" is an exported thread, which comes back as it was. Leave --${given} out.`,
    );
  }
  const as = options.as === undefined ? {} : { as: requireNewId(options.as, "--as") };
  // a database is made for a thread that can be stored, and for nothing else
  if (!existsSync(options.db)) await new MemorySaver().importThread(createReadStream(file), as);
  await prepareStore(options.db);
  const store = await openStore(options.db, "write");
  try {
    const { threadId: thread, ...report } = await store.saver.importThread(createReadStream(file), as);
    const output = createOutput(options.json);
    output.data({ thread, ...report });
    output.line(
      `Stored thread ${label(thread)}: ${plural(report.checkpoints, "checkpoint")}, ${plural(report.items, "item")}. Go on with:`,
    );
    output.line(`  ${chatCommand(thread, options)}`);
    return EXIT.ok;
  } finally {
    await store.close();
  }
}
