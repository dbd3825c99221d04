import { GraphError } from "@skein/errors";
import { REVIVERS } from "./builtins.ts";
import { MESSAGE_TAGS, reviveMessage } from "./messages.ts";
import { damaged } from "./parse.ts";
import type { CodecTag, Json, Resolve } from "./types.ts";

type Node = Record<string, unknown>;

/** Several items in a row, in a list. */
interface Run {
  readonly l: number;
  readonly o: number;
  readonly n: number;
}

function isRun(node: object): node is Run {
  const { $: tag, l, o, n } = node as Node;
  return tag === "item" && typeof n === "number" && typeof l === "number" && typeof o === "number";
}

/** Replaces tagged nodes by what they stand for, in place. */
export function reviveTree(
  tree: Json,
  tags: ReadonlyMap<string, CodecTag>,
  maxDepth: number,
  resolve: Resolve | undefined,
): unknown {
  /** Twice the limit: a tag adds levels that the value did not have. */
  const deepest = maxDepth * 2 + 2;

  function revive(node: unknown, depth: number): unknown {
    if (typeof node !== "object" || node === null) return node;
    if (depth > deepest) throw tooDeep(maxDepth);
    if (Array.isArray(node)) {
      for (let i = 0; i < node.length; i += 1) {
        const child: unknown = node[i];
        if (typeof child !== "object" || child === null) continue;
        if (isRun(child)) i += spread(node, i, child) - 1;
        else node[i] = revive(child, depth + 1);
      }
      return node;
    }
    const tag = (node as Node)["$"];
    return tag === undefined ? members(node as Node, depth) : tagged(tag, node as Node, depth);
  }

  /** Puts the items of a run in its place. */
  function spread(list: unknown[], at: number, { l, o, n }: Run): number {
    if (resolve === undefined) throw damaged("no reference");
    const items: unknown[] = [];
    for (let i = 0; i < n; i += 1) items.push(resolve(l, o + i));
    list.splice(at, 1, ...items);
    return n;
  }

  function members(node: Node, depth: number): Node {
    for (const key of Object.keys(node)) {
      const child = node[key];
      // an own "__proto__" stays an own property: assigning to one that exists calls no setter
      if (typeof child === "object" && child !== null) node[key] = revive(child, depth + 1);
    }
    return node;
  }

  function tagged(tag: unknown, node: Node, depth: number): unknown {
    if (typeof tag !== "string") throw damaged("a tag");
    if (tag === "=") {
      const data = node["v"];
      if (typeof data !== "object" || data === null) throw damaged("an object");
      return members(data as Node, depth + 1);
    }
    if (tag === "item") {
      if (resolve === undefined) throw damaged("no reference");
      return resolve(Number(node["l"]), Number(node["o"]));
    }
    const fields = members(node, depth);
    if (MESSAGE_TAGS.has(tag)) return reviveMessage(tag, fields);
    const reviver = REVIVERS.get(tag);
    if (reviver !== undefined) return reviver(fields);
    const known = tags.get(tag);
    if (known !== undefined) return known.decode(fields["v"]);
    throw new GraphError(
      "STORAGE_NEWER",
      `A stored value has the tag "${tag}", which this version does not know. It was written by a newer version or with a codec that has further tags; read it with that one.`,
      { details: { tag } },
    );
  }

  return revive(tree, 0);
}

function tooDeep(maxDepth: number): GraphError {
  return new GraphError(
    "VALUE_TOO_DEEP",
    `A stored value is nested more than ${maxDepth} levels deep. It was not written with this limit; read it with a codec whose maxDepth is larger.`,
    { details: { maxDepth } },
  );
}
