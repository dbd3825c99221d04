import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder } from "./folder.ts";
import { inside } from "./inside.ts";
import { skein } from "./skein.ts";

/** Every file below a folder with a hash of what it holds. */
function snapshot(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const path = join(root, name);
      return statSync(path).isDirectory()
        ? name
        : `${name} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
    });
}

const FILES = {
  "corrupt.db": "this is no database, it only pretends to be one ".repeat(40),
  "note.txt": "hello",
  "bad.jsonl": '{"id":"a","messages":[{"role":"user","content":"hi"}]}\n{"id":"b","messages":"none"}\n',
  "good.jsonl": '{"id":"a","messages":[{"role":"user","content":"hi"}]}\n',
  "no-id.jsonl": '{"id":"","messages":[{"role":"user","content":"hi"}]}\n',
  "empty.jsonl": "\n",
  "latin.jsonl": Buffer.from('{"id":"a","messages":[{"role":"user","content":"caf\u00e9"}]}\n', "latin1"),
  "banner.jsonl": '\n> skein@0.1.0 start\n> node scripts/start.mjs export t\n\n{"skein":"thread"}\n',
  "binary.jsonl": "\u001b[2J\u0007\u0000\n",
};

const CASES: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["a command that does not exist", ["shwo"], /unknown command 'shwo'/],
  ["an option that does not exist", ["threads", "--colour"], /unknown option '--colour'/],
  ["a number that is none", ["tour", "--messages", "many"], /whole number/],
  ["show without a database", ["show", "t"], /no database at .*skein\.db/],
  ["threads without a database", ["threads"], /no database at/],
  ["history without a database", ["history", "t"], /no database at/],
  ["fork without a database", ["fork", "t", "c"], /no database at/],
  [
    "chat on a thread of another database",
    ["chat", "--thread", "x", "--db", "no.db"],
    /make one with: .*chat --new x --db no\.db$/m,
  ],
  ["chat on an unknown thread", ["chat", "--thread", "t"], /no database at|no thread "t"/],
  ["an unknown model", ["chat", "--model", "gpt-9"], /Unknown model "gpt-9"/],
  ["a missing key", ["chat", "--model", "openai:gpt-5"], /set OPENAI_API_KEY/],
  ["a model whose package is missing", ["chat", "--model", "groq:llama"], /@langchain\/groq: install/],
  ["a folder that does not exist", ["chat", "--dir", "nowhere"], /no folder "nowhere"/],
  ["a file for a folder", ["tour", "--dir", "note.txt"], /"note.txt" is a file/],
  ["a recording that does not exist", ["replay", "nowhere.jsonl"], /no such file/],
  ["a line that is no conversation", ["replay", "bad.jsonl"], /bad\.jsonl:2: .*messages must be an array/],
  ["a recording without conversations", ["replay", "empty.jsonl"], /no conversation in it/],
  ["a window that cannot work", ["replay", "good.jsonl", "--window", "8", "--trigger", "6"], /trigger/],
  ["a preset that does not exist", ["replay", "good.jsonl", "--preset", "huge"], /choices are thresholds/],
  ["a preset beside a window", ["replay", "good.jsonl", "--preset", "minimal", "--window", "6"], /not both/],
  [
    "a corrupt database, read",
    ["threads", "--db", "corrupt.db"],
    /not a SQLite database.* \(STORAGE_CORRUPT\)\n$/,
  ],
  ["a corrupt database, written", ["chat", "--db", "corrupt.db"], /corrupt\.db/],
  ["a corrupt database, toured", ["tour", "--db", "corrupt.db"], /corrupt\.db/],
  ["a corrupt database, replayed into", ["replay", "good.jsonl", "--db", "corrupt.db"], /corrupt\.db/],
  ["a database in a path through a file", ["chat", "--db", "note.txt/x.db"], /note\.txt/],
  ["a folder for a database", ["threads", "--db", "."], /is a folder/],
  ["a device for a database", ["chat", "--db", "/dev/null"], /no regular file/],
  ["no path for a database", ["chat", "--db", ""], /--db takes a path/],
  [
    "an address for a database",
    ["chat", "--db", "postgres://user:secret@localhost/x"],
    /^(?!.*secret).*path of a file, not a postgres:\/\/ address/s,
  ],
  [
    "an address to migrate from",
    ["migrate", "libsql://user:secret@localhost/x"],
    /^(?!.*secret).*not a libsql:\/\/ address/s,
  ],
  [
    "an export that npm wrote to, too",
    ["import", "banner.jsonl"],
    /what npm wrote \("> skein@0\.1\.0 start"\)\. Delete the lines above.*export THREAD NEW\.jsonl$/m,
  ],
  ["a recording without an id", ["replay", "no-id.jsonl"], /no-id\.jsonl:1: .*its id is empty/],
  ["a file that export did not write", ["import", "note.txt"], /no JSON/],
  ["an id on two lines", ["chat", "--new", "a\nb"], /--new takes an id on one line/],
  ["an id that fills the screen", ["chat", "--new", "x".repeat(201)], /at most 200 characters/],
  ["a file for the folder of histories", ["chat", "--offload", "note.txt"], /"note\.txt" is a file/],
  ["no tool to ask for", ["chat", "--approve", ""], /there is no tool ""/],
  ["a recording in Latin-1, replayed", ["replay", "latin.jsonl"], /no text in UTF-8/],
  ["a recording in Latin-1, imported", ["import", "latin.jsonl"], /no text in UTF-8/],
  ["a cursor that no search gave", ["search", "t", "x", "--cursor", "5"], /no database|cursor/],
  ["a tour that never ends", ["tour", "--messages", "1e12"], /at most 1000000/],
  ["undo of no turns", ["undo", "t", "0"], /whole number above 0/],
  ["prune that keeps a part", ["prune", "t", "--keep-last", "1.5"], /whole number above 0/],
  ["prune that says nothing", ["prune", "t"], /Say what stays|no database/],
  [
    "two things to do with branches",
    ["branches", "t", "--switch", "a", "--delete", "b"],
    /cannot be used with/,
  ],
  ["a thread and a new one", ["chat", "--thread", "t", "--new", "u"], /cannot be used with/],
  ["migrate from a recording", ["migrate", "good.jsonl"], /no SQLite database/],
  ["an export over a file", ["export", "t", "note.txt"], /already|no database/],
  ["help for nothing", ["help", "shwo"], /no command "shwo"/],
  ["an option of another command", ["tour", "--model", "offline"], /unknown option '--model'.*tour --help/],
  ["a recording full of control characters", ["replay", "binary.jsonl"], /^[\P{Cc}\n]*$/u],
];

describe("bad input gets one line, exit code 2, and changes nothing", () => {
  it.each(CASES)("%s", async (_name, args, message) => {
    const cwd = makeFolder(FILES);
    const before = snapshot(cwd);
    const { code, stdout, stderr } = await inside(args, { cwd, env: { GROQ_API_KEY: "k" } });
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(/^skein: /);
    expect([code, stdout]).toEqual([2, ""]);
    expect(snapshot(cwd)).toEqual(before);
  });

  it("in a process of its own, too", async () => {
    const { code, stdout, stderr } = await skein(["shwo"], { cwd: makeFolder(FILES) });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^skein: unknown command 'shwo'[^\n]*\n$/u);
  });
});
