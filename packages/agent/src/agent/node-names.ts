import type { NodeHookName } from "../middleware/create-middleware.ts";
import type { AnyAgentMiddleware } from "../middleware/types.ts";
import { MODEL_NODE, TOOLS_NODE } from "./routes.ts";

/** Suffixes of the names of hook nodes, as in LangChain. */
const SUFFIX: Readonly<Record<NodeHookName, string>> = {
  beforeAgent: "before_agent",
  beforeModel: "before_model",
  afterModel: "after_model",
  afterAgent: "after_agent",
};

/** The name of a hook's node. */
export function hookName({ name }: AnyAgentMiddleware, kind: NodeHookName): string {
  return `${name}.${SUFFIX[kind]}`;
}

/** Whether a node is called as hooks of this kind are, those of other agents included. */
export function isHookOf(node: string, kind: NodeHookName): boolean {
  return node.endsWith(`.${SUFFIX[kind]}`);
}

const KINDS = Object.keys(SUFFIX) as NodeHookName[];

/** Whether a namespace of checkpoints is that of something within a node of an agent: of its hooks, its model, its tools. */
export function isWithinAgent(namespace: unknown): boolean {
  if (typeof namespace !== "string" || !namespace.includes("|")) return false;
  const around = namespace.split("|").slice(0, -1);
  return around.some((part) => {
    const node = part.slice(0, part.lastIndexOf(":"));
    return node === MODEL_NODE || node === TOOLS_NODE || KINDS.some((kind) => isHookOf(node, kind));
  });
}
