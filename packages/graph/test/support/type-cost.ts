import { join } from "node:path";
import ts from "typescript";

const root = join(import.meta.dirname, "../../../..");

const field = (i: number): string => {
  if (i % 3 === 0) {
    return `f${i}: Annotation<string[], string>({ reducer: (a, b) => [...a, b], default: () => [] })`;
  }
  return `f${i}: Annotation<${i % 3 === 1 ? "string" : "number"}>`;
};

const each = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join("\n");

/** A graph of 30 fields and 40 nodes, as somebody would write it. */
export function wideProgram(engine = "@skein/graph"): string {
  return `
    import { Annotation, START, StateGraph } from "${engine}";
    const State = Annotation.Root({ ${Array.from({ length: 30 }, (_, i) => field(i)).join(", ")} });
    export const graph = new StateGraph(State)
      ${each(40, (i) => `.addNode("n${i}", (state) => ({ f${(i % 10) * 3 + 1}: state.f1 }))`)}
      .addEdge(START, "n0")
      ${each(39, (i) => `.addEdge("n${i}", "n${i + 1}")`)}
      .compile();`;
}

/**
 * What the type checker does for one file, and what it says about it.
 *
 * @param folder - where the file would stand: its imports are found from there
 */
export function checkTypes(
  text: string,
  folder: string,
): { readonly instantiations: number; readonly errors: string[] } {
  const { checked, source } = programOf(text, folder);
  const errors = checked.getSemanticDiagnostics(source);
  return { instantiations: checked.getInstantiationCount(), errors: errors.map(messageOf) };
}

/** What keeps a file's declarations from being written, as `declaration: true` asks for them. */
export function declarationErrors(text: string, folder: string): string[] {
  const { checked, source } = programOf(text, folder, { declaration: true });
  return [...checked.getSemanticDiagnostics(source), ...checked.getDeclarationDiagnostics(source)].map(
    messageOf,
  );
}

function messageOf({ messageText }: ts.Diagnostic): string {
  return ts.flattenDiagnosticMessageText(messageText, " ");
}

function programOf(
  text: string,
  folder: string,
  more: ts.CompilerOptions = {},
): { readonly checked: ts.Program; readonly source: ts.SourceFile | undefined } {
  const config = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config as {
    compilerOptions: object;
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const file = join(folder, "budget-program.ts");
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.getSourceFile = (name, version) =>
    name === file ? ts.createSourceFile(name, text, version) : getSourceFile.call(host, name, version);
  host.fileExists = (name) => name === file || fileExists.call(host, name);
  const checked = ts.createProgram([file], { ...options, ...more }, host);
  return { checked, source: checked.getSourceFile(file) };
}
