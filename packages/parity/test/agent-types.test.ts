import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { COMPILER_OPTIONS, linesOf } from "../src/compiling.ts";

const parity = resolve(import.meta.dirname, "..");
const programs = join(parity, "src/agent-types");

const OPTIONS: ts.CompilerOptions = {
  ...COMPILER_OPTIONS,
  paths: {
    langchain: [resolve(parity, "../agent/src/index.ts")],
    "@langchain/langgraph": [resolve(parity, "../graph/src/index.ts")],
  },
};

/** They compile against langchain's types with the rest of the repository. */
describe("programs written against the types of langchain", () => {
  it("compile against ours, and what is wrong there is wrong here", () => {
    const files = readdirSync(programs).map((name) => join(programs, name));
    expect(files.length).toBeGreaterThan(6);
    const program = ts.createProgram(files, OPTIONS);
    const theirs = program
      .getSourceFiles()
      .filter(({ fileName }) => /\/(?:langchain|@langchain\/langgraph)\/dist\//u.test(fileName));
    expect(theirs).toEqual([]);
    const said = files.flatMap((name) => program.getSemanticDiagnostics(program.getSourceFile(name)));
    expect(linesOf(said, parity)).toEqual([]);
  });
});
