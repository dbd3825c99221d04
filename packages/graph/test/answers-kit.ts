import { RemoveMessage } from "@langchain/core/messages";
import { Annotation, Command, MessagesAnnotation, Overwrite, Send } from "../src/index.ts";

export const thread = { configurable: { thread_id: "t" } };
export const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  last: Annotation<string>(),
});
export const Messages = Annotation.Root({ ...MessagesAnnotation.spec, ...State.spec });
export const answer = (resume: unknown, update: Record<string, unknown>): never =>
  new Command({ resume, update }) as never;
export const remove = (id: string) => ({ messages: [new RemoveMessage({ id })] });
export const goto = (resume: string, update: Record<string, unknown>): never =>
  new Command({ resume, update, goto: [new Send("w", { log: `w${resume}` })] }) as never;
export const withoutIds = (): never =>
  answer("A", { log: ["u1"], messages: [{ role: "user", content: "hi" }, ["user", "you"]] });
export const anew = (text: string) => ({ log: new Overwrite([text]) });
