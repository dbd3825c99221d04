import { BUBBLE_UP, GraphBubbleUp, kindOf, type SignalKind } from "../errors/signals.ts";
import type { Command } from "./command.ts";

/** Carries a Command from a subgraph to the graph that it names. */
export class ParentCommand extends GraphBubbleUp {
  override readonly [BUBBLE_UP]: SignalKind = "parent-command";
  command: Command;

  constructor(command: Command) {
    super(
      "A Command for a parent graph left the graph that it was returned in, and no other graph called that one.",
    );
    this.name = "ParentCommand";
    this.command = command;
  }
  static get unminifiable_name(): "ParentCommand" {
    return "ParentCommand";
  }
}

/** Whether an error carries a command for the graph that called this one. */
export function isParentCommand(error?: unknown): error is ParentCommand {
  return kindOf(error) === "parent-command";
}
