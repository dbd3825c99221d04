import { reactAgentParts } from "./react-agent-parts.ts";
import { reactAgents } from "./react-agents.ts";
import { toolNodes } from "./tool-nodes.ts";

export const prebuilt = [...toolNodes, ...reactAgents, ...reactAgentParts];
