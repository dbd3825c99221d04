import type { ToolCall } from "@langchain/core/messages/tool";
import type { AgentBuiltInState, Runtime, ToolCallRequest } from "@skein/agent";

/** What a person can decide about a call. */
export const DECISIONS = ["approve", "edit", "reject", "respond"] as const;
export type DecisionType = (typeof DECISIONS)[number];

/** A call: of which tool, and with which arguments. */
export interface Action {
  name: string;
  args: Record<string, unknown>;
}

/** Run the call as it is. */
export interface ApproveDecision {
  type: "approve";
}
/** Run it with another name or other arguments. */
export interface EditDecision {
  type: "edit";
  editedAction: Action;
}
/** Don't run it; the model is told why. */
export interface RejectDecision {
  type: "reject";
  /** Default: that the user rejected the call. */
  message?: string;
}
/** Don't run it; the message is its result. */
export interface RespondDecision {
  type: "respond";
  message: string;
}
/** What a person decided about one call. */
export type Decision = ApproveDecision | EditDecision | RejectDecision | RespondDecision;

/** Called without the tool: approval stands in a node of its own, before the tools. */
export type WhenPredicate = (request: ToolCallRequest) => boolean | Promise<boolean>;
/** Says of a call what the person is shown. */
export type DescriptionFactory = (
  toolCall: ToolCall,
  state: AgentBuiltInState,
  runtime: Runtime,
) => string | Promise<string>;

/** How calls of one tool wait for a person. */
export interface InterruptOnConfig {
  /** What the person may decide; at least one. */
  allowedDecisions: DecisionType[];
  /** Shown to the person. Default: the prefix, the tool's name and the arguments. */
  description?: string | DescriptionFactory;
  /** JSON schema of the arguments, for a form that edits them. Default: none. */
  argsSchema?: Record<string, unknown>;
  /**
   * Asks for those calls only of which it says `true`. What it throws ends the run, and so does what
   * says neither `true` nor `false`: no call goes unasked. Default: every call.
   */
  when?: WhenPredicate;
}

/** Which calls wait for a person. */
export type InterruptOn =
  /** none */
  | "none"
  /** every call */
  | "all"
  /** by the tool's name; a tool that is not named runs unasked */
  | Readonly<Record<string, boolean | InterruptOnConfig>>
  /** your own rule */
  | ((request: ToolCallRequest) => boolean | InterruptOnConfig | Promise<boolean | InterruptOnConfig>);

/** How long an answer may take, and what holds then. */
export interface ApprovalTimeout {
  /** Milliseconds that an answer may take, counted from the model's reply. */
  after: number;
  /** What holds for every call of the question when nobody answered in time. Default: `{type: "reject"}`. */
  policy?: Decision;
}

/** Which calls wait for a person, and how long. */
export interface HumanInTheLoopOptions {
  /** Default: `"none"`. `context.interruptOn` of a run goes before it. */
  interruptOn?: InterruptOn;
  /** Begins descriptions. Default: `"Tool execution requires approval"`. */
  descriptionPrefix?: string;
  /** Default: a question stays open for as long as its thread does. */
  timeout?: ApprovalTimeout;
}

/** A call that waits, as the person is shown it. */
export interface ActionRequest extends Action {
  description: string;
}
/** What may be decided about the call at the same place of `actionRequests`. */
export interface ReviewConfig {
  actionName: string;
  allowedDecisions: DecisionType[];
  argsSchema?: Record<string, unknown>;
}

/** The interrupt's value: all calls of a reply that wait, in their order. */
export interface HITLRequest {
  actionRequests: ActionRequest[];
  reviewConfigs: ReviewConfig[];
  /** Milliseconds since 1970, when there is a timeout. */
  expiresAt?: number;
  /** What was wrong with the answer before, when the question is asked again. */
  error?: string;
}

/**
 * What the run is resumed with: one decision a request, in the same order. After `expiresAt` the
 * timeout's policy holds whatever stands here; `{timedOut: true}` is for who resumes for that.
 */
export type HITLResponse = { decisions: Decision[] } | { timedOut: true };
