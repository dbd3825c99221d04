import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { afterAll, describe, expect, it } from "vitest";
import { COMPILER_OPTIONS, linesOf } from "../src/compiling.ts";
import { listed } from "../src/guide.ts";
import { Shapes } from "../src/shapes.ts";

const parity = resolve(import.meta.dirname, "..");
const graph = resolve(parity, "../graph/src");
/** In the package, so that its modules are found from there. */
const folder = mkdtempSync(join(parity, "node_modules/.declarations-"));
afterAll(() => rmSync(folder, { recursive: true }));

const SOURCES: Readonly<Record<string, string>> = {
  "": "index.ts",
  "/web": "web.ts",
  "/prebuilt": "prebuilt.ts",
  "/channels": "channels/index.ts",
  "/pregel": "pregel.ts",
  "/stream": "stream.ts",
  "/remote": "remote.ts",
  "/zod": "zod.ts",
  "/zod/schema": "zod-schema.ts",
};
const ENTRY_POINTS = Object.keys(SOURCES);

/** The modules that a file imports, by what it calls them. */
function modulesOf(program: ts.Program, file: string): ReadonlyMap<string, ts.Symbol> {
  const checker = program.getTypeChecker();
  const imports = (program.getSourceFile(file) as ts.SourceFile).statements.filter(ts.isImportDeclaration);
  return new Map(
    imports.map(({ moduleSpecifier }) => [
      (moduleSpecifier as ts.StringLiteral).text,
      checker.getSymbolAtLocation(moduleSpecifier) as ts.Symbol,
    ]),
  );
}

describe("what LangGraph declares", () => {
  it("has the members, arguments and kinds of values here that it has there, or the guide says why not", async () => {
    const file = join(folder, "both.ts");
    const packages = ["@langchain/langgraph", "@skein/graph"];
    writeFileSync(
      file,
      ENTRY_POINTS.flatMap((entry) => packages.map((name) => `import "${name}${entry}";`)).join("\n"),
    );
    const program = ts.createProgram([file], COMPILER_OPTIONS);
    const modules = modulesOf(program, file);
    const shapes = new Shapes(program.getTypeChecker());
    for (const entry of ENTRY_POINTS) {
      const [theirs, ours] = packages.map((name) => modules.get(`${name}${entry}`)) as [ts.Symbol, ts.Symbol];
      shapes.compare(theirs, ours, new Set(Object.keys(await import(`@langchain/langgraph${entry}`))));
    }
    const { names, members, misfits } = shapes.compared;
    expect(names).toBeGreaterThan(200);
    expect(members).toBeGreaterThan(1_500);
    const known = [
      ...listed("Members that are not here").keys(),
      ...listed("Methods that are LangGraph's own workings").keys(),
    ];
    const isKnown = (of: string): boolean =>
      known.some((one) => one === of || (one.endsWith(".*") && of.startsWith(one.slice(0, -1))));
    expect(misfits.filter(({ of }) => !isKnown(of)).map(({ of, what }) => `${of} ${what}`)).toEqual([]);
    const idle = [...listed("Members that are not here").keys()].filter(
      (one) =>
        !misfits.some(({ of }) => of === one || (one.endsWith(".*") && of.startsWith(one.slice(0, -1)))),
    );
    expect(idle).toEqual([]);
  });

  it("fits where programs use it: the programs of all scenarios compile against our declarations", () => {
    const scenarios = join(parity, "src/scenarios");
    const files = readdirSync(scenarios).map((name) => join(scenarios, name));
    const paths = Object.fromEntries(
      ENTRY_POINTS.map((entry) => [`@langchain/langgraph${entry}`, [join(graph, SOURCES[entry] as string)]]),
    );
    const program = ts.createProgram(files, { ...COMPILER_OPTIONS, paths });
    const theirs = program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.includes("/@langchain/langgraph/"));
    expect(theirs).toEqual([]);
    expect(files.length).toBeGreaterThan(80);
    const said = files.flatMap((name) => program.getSemanticDiagnostics(program.getSourceFile(name)));
    expect(linesOf(said, parity)).toEqual([]);
  });
});
