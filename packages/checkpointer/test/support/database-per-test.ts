import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** A folder for each test of a file, which goes after it, and the path of a database in it. */
export interface DatabaseOfTest {
  readonly folder: string;
  readonly path: string;
}

export function databasePerTest(): DatabaseOfTest {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "skein-sqlite-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  return {
    get folder() {
      return folder;
    },
    get path() {
      return join(folder, "threads.db");
    },
  };
}
