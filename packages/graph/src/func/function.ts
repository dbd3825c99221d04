import { GraphError } from "@skein/errors";
import { END, START } from "../ids/names.ts";

const GENERATORS = new Set(["GeneratorFunction", "AsyncGeneratorFunction"]);

/** @throws GraphError when a task or entrypoint cannot be made of it */
export function assertFunction(kind: "task" | "entrypoint", name: unknown, fn: unknown): void {
  if (typeof name !== "string" || name === "" || /[|:]/.test(name) || name === START || name === END) {
    throw new GraphError(
      "RESERVED_NAME",
      `The name of ${kind === "task" ? "a task" : "an entrypoint"} must be a text without "|" and ":", and not ${START} or ${END}: ${JSON.stringify(name)}.`,
    );
  }
  if (typeof fn !== "function") {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `The ${kind} "${name}" needs a function, not ${typeof fn}.`,
      {
        details: { name },
      },
    );
  }
  if (!GENERATORS.has(fn.constructor.name)) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `Generators are disallowed as ${kind}s: what "${name}" yields would be lost. To stream, call config.writer.`,
    { details: { name } },
  );
}
