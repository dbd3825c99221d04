type Recorded = Record<string, unknown>;

const user = (content: string | null = "u"): Recorded => ({ role: "user", content });
const says = (content: string | null = "a"): Recorded => ({ role: "assistant", content });
const calls = (...ids: string[]): Recorded => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id, index) => ({ id, name: `tool_${index}`, args: { index } })),
});
const returns = (id: string, content = `result of ${id}`): Recorded => ({
  role: "tool",
  tool_call_id: id,
  content,
});
const system = (content: string): Recorded => ({ role: "system", content });

/** Shapes that real recordings have, and some that are only possible. */
export const ODD: Readonly<Record<string, readonly Recorded[]>> = {
  "assistant first": [says(), user(), says()],
  "assistants in a row": [user(), says("a"), says("b"), says("c"), user(), says()],
  "only assistants": [says(), says(), says()],
  "users in a row": [user("1"), user("2"), user("3"), says(), user("4"), user("5")],
  "calls without results": [user(), calls("x", "y"), user(), says()],
  "calls at the end": [user(), calls("x", "y")],
  "calls without results, then an answer": [user(), calls("x"), says("b"), user(), says()],
  "some results": [user(), calls("x", "y"), returns("x"), says(), user(), says()],
  "only the second result": [user(), calls("x", "y"), returns("y"), says(), user(), says()],
  "results in another order": [user(), calls("x", "y"), returns("y"), returns("x"), says(), user(), says()],
  "too many results": [
    user(),
    calls("x"),
    returns("x"),
    returns("x", "again"),
    returns("z"),
    says(),
    user(),
    says(),
  ],
  "a result first": [returns("x"), user(), says()],
  "a result that comes late": [user(), calls("x"), user("wait"), returns("x"), says()],
  "ends on a tool": [user(), calls("x"), returns("x")],
  "system in between": [system("one"), user(), says(), system("two"), user(), says(), system("three")],
  "only a system message": [system("one")],
  "no messages": [],
  "no content": [user(null), says(null), user(""), says("")],
  "an id for three calls": [
    user(),
    calls("x"),
    returns("x", "1"),
    calls("x"),
    returns("x", "2"),
    says(),
    user(),
    calls("x"),
    returns("x", "3"),
    says(),
  ],
  "an id twice in one message": [
    user(),
    calls("x", "x"),
    returns("x", "1"),
    returns("x", "2"),
    says(),
    user(),
    says(),
  ],
  "empty ids": [user(), calls("", ""), returns("", "1"), returns("", "2"), says(), user(), says()],
  "thirty calls at once": [
    user(),
    calls(...Array.from({ length: 30 }, (_, n) => `c${n}`)),
    ...Array.from({ length: 30 }, (_, n) => returns(`c${n}`)),
    says(),
    user(),
    says(),
  ],
  "a result larger than any window": [
    user(),
    calls("x"),
    returns("x", "word ".repeat(20_000)),
    says(),
    user(),
    says(),
  ],
  "text beside calls": [user(), { ...calls("x"), content: "one moment" }, returns("x"), says()],
  "text that looks like a template": [
    user("<summary>$& `${x}` </summary>"),
    says("$$ $1 \u{1F600} {messages}"),
    user(),
    says(),
  ],
};

/** As a file: one conversation a line, the last one all of them three times over. */
export function oddRecordings(): string {
  const all = Object.values(ODD).flat();
  const threads = [...Object.entries(ODD), ["everything three times", [...all, ...all, ...all]] as const];
  return threads.map(([id, messages]) => `${JSON.stringify({ id, messages })}\n`).join("");
}
