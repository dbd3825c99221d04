import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** What a package may import (design section 1). Private packages may import what they measure. */
const PACKAGE_IMPORTS: Record<string, readonly string[]> = {
  errors: [],
  context: ["errors"],
  checkpointer: ["errors"],
  graph: ["errors", "checkpointer"],
  agent: ["errors", "graph", "context"],
  middleware: ["errors", "agent", "checkpointer", "context", "graph"],
};

/** The floors of the engine (design section 2), lowest first. A floor imports itself and below. */
const FLOORS: readonly (readonly string[])[] = [
  ["errors", "ids"],
  ["channels"],
  ["state"],
  ["program", "drawing"],
  ["engine"],
  ["task"],
  ["run"],
  ["stream"],
  ["compiled"],
  ["graph", "func", "prebuilt", "pregel", "remote"],
];

interface Import {
  readonly from: string;
  readonly specifier: string;
}

function sources(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"))
    .map((file) => join(dir, file));
}

/** Every import of a file, `import type` and `import()` included. */
function importsOf(file: string): Import[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"), true, true);
  return importedFiles.map(({ fileName }) => ({ from: file, specifier: fileName }));
}

const show = (file: string): string => relative(root, file).split(sep).join("/");

describe("the house stands", () => {
  it.each(Object.entries(PACKAGE_IMPORTS))("%s imports only what is below it", (name, allowed) => {
    const wrong = sources(join(root, "packages", name, "src"))
      .flatMap(importsOf)
      .filter(({ specifier }) => specifier.startsWith("@skein/"))
      .filter(({ specifier }) => !allowed.includes(specifier.split("/")[1] ?? ""))
      .map(({ from, specifier }) => `${show(from)} -> ${specifier}`);
    expect(wrong).toEqual([]);
  });

  it.each(Object.keys(PACKAGE_IMPORTS))("%s declares every package that it imports", (name) => {
    const dir = join(root, "packages", name);
    const manifest = JSON.parse(readFileSync(join(dir, "package.json"), "utf8")) as Record<
      string,
      Record<string, string> | undefined
    >;
    const declared = new Set([
      ...Object.keys(manifest["dependencies"] ?? {}),
      ...Object.keys(manifest["peerDependencies"] ?? {}),
    ]);
    const missing = sources(join(dir, "src"))
      .flatMap(importsOf)
      .filter(({ specifier }) => !specifier.startsWith(".") && !specifier.startsWith("node:"))
      .filter(({ specifier }) => {
        const parts = specifier.split("/");
        return !declared.has(specifier.startsWith("@") ? `${parts[0]}/${parts[1]}` : (parts[0] ?? ""));
      })
      .map(({ from, specifier }) => `${show(from)} -> ${specifier}`);
    expect(missing).toEqual([]);
  });

  it("imports in the engine go down the floors only", () => {
    const src = join(root, "packages/graph/src");
    const folderOf = (file: string): string => relative(src, file).split(sep)[0] ?? "";
    const floorOf = (file: string): number => FLOORS.findIndex((floor) => floor.includes(folderOf(file)));
    const files = sources(src).filter((file) => dirname(file) !== src);
    expect(files.filter((file) => floorOf(file) < 0).map(show), "files outside the floors").toEqual([]);
    const upward = files
      .flatMap(importsOf)
      .filter(({ specifier }) => specifier.startsWith("."))
      .map(({ from, specifier }) => ({ from, to: resolve(dirname(from), specifier) }))
      .filter(({ from, to }) => floorOf(to) < 0 || floorOf(to) > floorOf(from))
      .map(({ from, to }) => `${show(from)} -> ${show(to)}`);
    expect(upward).toEqual([]);
  });

  it("no package's files import each other in a circle", () => {
    const files = ["packages", "apps"].flatMap((folder) =>
      readdirSync(join(root, folder)).flatMap((name) => sources(join(root, folder, name, "src"))),
    );
    expect(files.length).toBeGreaterThan(0);
    const edges = new Map(
      files.map((file) => [
        file,
        importsOf(file)
          .filter(({ specifier }) => specifier.startsWith("."))
          .map(({ specifier }) => resolve(dirname(file), specifier)),
      ]),
    );
    expect(cycles(edges).map((cycle) => cycle.map(show).join(" -> "))).toEqual([]);
  });

  it("nothing imports an app", () => {
    const apps = readdirSync(join(root, "apps")).map((name) => `@skein/${name}`);
    const wrong = readdirSync(join(root, "packages"))
      .flatMap((name) => sources(join(root, "packages", name, "src")))
      .flatMap(importsOf)
      .filter(({ specifier }) => apps.some((app) => specifier === app || specifier.startsWith(`${app}/`)))
      .map(({ from, specifier }) => `${show(from)} -> ${specifier}`);
    expect(wrong).toEqual([]);
  });
});

describe("the checks see what they are for", () => {
  it("finds a circle", () => {
    const edges = new Map([
      ["a", ["b"]],
      ["b", ["c"]],
      ["c", ["a"]],
      ["d", ["a"]],
    ]);
    expect(cycles(edges)).toEqual([["a", "b", "c", "a"]]);
  });
});

/** One circle per back edge, by depth-first search. */
function cycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): void => {
    const at = path.indexOf(node);
    if (at >= 0) {
      found.push([...path.slice(at), node]);
      return;
    }
    if (done.has(node)) return;
    path.push(node);
    for (const next of edges.get(node) ?? []) visit(next);
    path.pop();
    done.add(node);
  };
  for (const node of edges.keys()) visit(node);
  return found;
}
