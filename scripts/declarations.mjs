// What declarations promise is there: a bundler of declarations may lose the `type` of an export, or
// name a package that only one kind of module can import.
import { join, sep } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";

const strictest = {
  module: ts.ModuleKind.Node16,
  moduleResolution: ts.ModuleResolutionKind.Node16,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts"],
  types: ["node"],
  strict: true,
  noEmit: true,
};

/**
 * What is wrong with the built declarations of some packages: errors that a program with `skipLibCheck:
 * false` sees in them, as a module or as CommonJS, and values that they name and the code has not.
 *
 * @param packages - `{dir, manifest}` each
 * @returns lines that begin with the package's name
 */
export async function declarationProblems(packages) {
  const entries = packages.flatMap(({ dir, manifest }) =>
    Object.entries(manifest.exports)
      .filter(([, given]) => typeof given === "object")
      .flatMap(([path, given]) =>
        [given.import, given.require].map((kind) => ({
          name: join(manifest.name, path).split(sep).join("/"),
          types: join(dir, kind.types),
          code: [kind.browser, kind.node, kind.default].filter(Boolean).map((file) => join(dir, file)),
        })),
      ),
  );
  const program = ts.createProgram(
    entries.map(({ types }) => types),
    strictest,
  );
  const problems = packages.flatMap(({ dir, manifest }) =>
    program
      .getSourceFiles()
      .filter(({ fileName }) => fileName.startsWith(`${dir.split(sep).join("/")}/dist/`))
      .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)])
      .map(({ file, messageText }) => `${manifest.name}: ${file.fileName}: ${flat(messageText)}`),
  );
  const checker = program.getTypeChecker();
  for (const { name, types, code } of entries) {
    const named = checker
      .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(types)))
      .filter((symbol) => isValue(checker, symbol))
      .map((symbol) => symbol.name);
    for (const file of code) {
      const module = await import(pathToFileURL(file).href);
      const missing = named.filter((value) => !(value in module));
      if (missing.length > 0) problems.push(`${name}: ${file} has no ${missing.join(", ")}`);
    }
  }
  return problems;
}

const flat = (text) => ts.flattenDiagnosticMessageText(text, " ");

function isValue(checker, symbol) {
  const typeOnly = symbol.declarations?.some((node) => ts.isTypeOnlyImportOrExportDeclaration(node));
  if (typeOnly) return false;
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return (target.flags & ts.SymbolFlags.Value) !== 0;
}
