import { SystemMessage } from "@langchain/core/messages";
import { GraphError } from "@skein/errors";
import { createMiddleware } from "../middleware/create-middleware.ts";
import type { Runtime } from "../runtime.ts";
import type { Session } from "./types.ts";

/** The session that a thread is of, used just now. @throws GraphError SESSION_ENDED, UNKNOWN_SESSION */
export type Enter = (threadId: string | undefined) => Promise<Session>;

/** Keeps an agent within its sessions. It fails closed: without its store no call is made. */
export function sessionMiddleware(enter: Enter) {
  const entered = ({ configurable }: Runtime): Promise<Session> => enter(configurable?.thread_id);
  return createMiddleware({
    name: "SessionMiddleware",
    admit: async (threadId) => void (await enter(threadId)),
    // at every call: a session may end while its thread waits for an answer, and be resumed then
    wrapModelCall: async (request, handler) => {
      const { knowledge } = await entered(request.runtime);
      if (knowledge === undefined || knowledge === "") return handler(request);
      const { systemPrompt: _, systemMessage, ...rest } = request;
      return handler({ ...rest, systemMessage: withKnowledge(systemMessage, knowledge) });
    },
    wrapToolCall: async (request, handler) => {
      await entered(request.runtime);
      return handler(request);
    },
  });
}

/** Behind what the agent is told: it is the same in every turn of the session, as the prompt's prefix should be. */
function withKnowledge(prompt: SystemMessage, knowledge: string): SystemMessage {
  return prompt.content.length === 0 ? new SystemMessage(knowledge) : prompt.concat(`\n\n${knowledge}`);
}

export function sessionEnded({ id }: Session): GraphError {
  return new GraphError("SESSION_ENDED", `Session "${id}" is over. Begin another one with create().`, {
    details: { sessionId: id },
  });
}

export function unknownSession(what: string): GraphError {
  return new GraphError(
    "UNKNOWN_SESSION",
    `There is no session ${what}. Begin one with create(), and call the agent with its \`thread\`.`,
  );
}
