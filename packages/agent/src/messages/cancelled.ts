import { ToolMessage } from "@langchain/core/messages";

/** What stands in for the result of a call that was stopped. */
const CANCELLED = "Cancelled: the run was stopped before this call had a result.";
const SOURCE = "cancelled";

/** The result of a call that nobody will give any more. */
export function cancelled(call: { readonly id?: string | undefined; readonly name: string }): ToolMessage {
  return new ToolMessage({
    content: CANCELLED,
    tool_call_id: call.id ?? "",
    name: call.name,
    status: "error",
    additional_kwargs: { lc_source: SOURCE },
  });
}

export const isCancelled = ({ additional_kwargs }: ToolMessage): boolean =>
  additional_kwargs?.["lc_source"] === SOURCE;
