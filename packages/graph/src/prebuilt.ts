export { type AgentNameMode, withAgentName } from "./prebuilt/agent-name.ts";
export type { ActionRequest, HumanInterrupt, HumanInterruptConfig, HumanResponse } from "./prebuilt/human.ts";
export { createReactAgent, createReactAgentAnnotation } from "./prebuilt/react-agent.ts";
export type { AgentState, CreateReactAgentParams } from "./prebuilt/react-types.ts";
export { ToolNode, type ToolNodeOptions } from "./prebuilt/tool-node.ts";
export { toolsCondition } from "./prebuilt/tools-condition.ts";
