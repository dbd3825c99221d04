/** What a person who is asked may do. */
export interface HumanInterruptConfig {
  /** Skip the step. */
  allow_ignore: boolean;
  /** Answer in words. */
  allow_respond: boolean;
  /** Change what is to be done. */
  allow_edit: boolean;
  /** Let it be done. */
  allow_accept: boolean;
}

/** Something that waits to be done, and its arguments. */
export interface ActionRequest {
  action: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- arguments of any tool, as in LangGraph
  args: Record<string, any>;
}

/** A question to a person about an action; the value of an `interrupt`. */
export interface HumanInterrupt {
  action_request: ActionRequest;
  config: HumanInterruptConfig;
  /** Shown to the person. */
  description?: string;
}

/** A person's answer: null to accept or ignore, text to respond, a changed request to edit. */
export interface HumanResponse {
  type: "accept" | "ignore" | "response" | "edit";
  args: null | string | ActionRequest;
}
