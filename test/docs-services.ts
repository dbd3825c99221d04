import { postgresUrl } from "../packages/checkpointer/test/support/postgres.ts";
import { startOpenAI, type ChatRequest, type WireReply } from "../packages/middleware/test/openai-server.ts";

/** What the pages' model calls their tools with. */
const ARGUMENTS: Readonly<Record<string, object>> = {
  track: { order: "O1" },
  refund: { order: "O1", euros: 20 },
};

/** Calls the first tool once and repeats what it says; without tools it repeats the user. */
function reply({ messages, tools = [] }: ChatRequest): WireReply {
  const last = messages.at(-1);
  const [tool] = tools;
  if (last?.role === "tool") return { text: last.content ?? "" };
  if (tool === undefined) return { text: `You said: ${last?.content}` };
  return { calls: [{ name: tool.function.name, args: ARGUMENTS[tool.function.name] ?? {} }] };
}

/** What programs of the documentation find in their environment, started for the first one that needs it. */
export function services() {
  let openAI: ReturnType<typeof startOpenAI> | undefined;
  return {
    environmentOf: async (code: string): Promise<Record<string, string>> => {
      const environment: Record<string, string> = {};
      if (code.includes("ChatOpenAI")) {
        openAI ??= startOpenAI(reply);
        environment["OPENAI_BASE_URL"] = (await openAI).url;
        environment["OPENAI_API_KEY"] = "none";
      }
      if (code.includes("DATABASE_URL")) environment["DATABASE_URL"] = await postgresUrl();
      return environment;
    },
    stop: async (): Promise<void> => (await openAI)?.stop(),
  };
}
