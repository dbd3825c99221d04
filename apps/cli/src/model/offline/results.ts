/** What the tools print, read back. Only the text of their results is ever used. */

export interface Hit {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** `PATH:LINE: text` lines of `search_files`. */
export function readHits(result: string): Hit[] {
  return result.split("\n").flatMap((row) => {
    const match = /^(.+?):(\d+): (.*)$/.exec(row);
    return match ? [{ path: match[1] ?? "", line: Number(match[2]), text: match[3] ?? "" }] : [];
  });
}

export interface ListedFile {
  readonly path: string;
  readonly bytes: number;
}

export interface Listing {
  /** All files that matched, shown or not. */
  readonly total: number;
  readonly files: readonly ListedFile[];
}

export function readListing(result: string): Listing {
  const files = result.split("\n").flatMap((row) => {
    const match = /^(.+) {2}(\d+) B$/.exec(row);
    return match ? [{ path: match[1] ?? "", bytes: Number(match[2]) }] : [];
  });
  return { total: Number(/^(\d+) files/.exec(result)?.[1] ?? files.length), files };
}

export interface Page {
  readonly path: string;
  readonly from: number;
  readonly to: number;
  readonly of: number;
  readonly lines: readonly string[];
  /** Line to go on with. */
  readonly next: number | undefined;
}

export function readPage(result: string): Page | undefined {
  const [head = "", ...rest] = result.split("\n");
  const match = /^(.+) lines (\d+)-(\d+) of (\d+)$/.exec(head);
  if (!match) return undefined;
  const next = /^\[more: read on with offset (\d+)\]$/.exec(rest.at(-1) ?? "")?.[1];
  return {
    path: match[1] ?? "",
    from: Number(match[2]),
    to: Number(match[3]),
    of: Number(match[4]),
    lines: next ? rest.slice(0, -1) : rest,
    next: next ? Number(next) : undefined,
  };
}

export interface Commit {
  readonly hash: string;
  readonly date: string;
  readonly author: string;
  readonly subject: string;
  readonly files: readonly string[];
}

export function readCommits(result: string): Commit[] {
  const commits: (Commit & { files: string[] })[] = [];
  for (const row of result.split("\n")) {
    const head = /^([0-9a-f]{4,40}) (\d{4}-\d{2}-\d{2}) (.*?): (.*)$/.exec(row);
    if (head) {
      const [, hash = "", date = "", author = "", subject = ""] = head;
      commits.push({ hash, date, author, subject, files: [] });
    } else if (row.startsWith("  ") && row.trim() !== "...") {
      commits.at(-1)?.files.push(row.trim().slice(2));
    }
  }
  return commits;
}
