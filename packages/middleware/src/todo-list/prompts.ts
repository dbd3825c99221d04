/** What the model is told of its list. Added to the system prompt. */
export const TODO_LIST_MIDDLEWARE_SYSTEM_PROMPT = `## Your to-do list

For work of three or more steps, keep a list with the tool \`write_todos\`. The user sees it and follows your progress by it.

- Write the list before you begin, and set the step that you work on to in_progress.
- Set a step to completed as soon as it is done, not several at the end.
- Change the list when you learn something: add steps, drop those that nobody needs any more.
- Call the tool at most once in a reply.
- Small requests need no list: just do them.`;

/** Description of the tool \`write_todos\`. */
export const WRITE_TODOS_DESCRIPTION = `Writes your to-do list. Pass the whole list every time; it replaces the one before.

Use it for work of three or more steps, for several tasks at once, and when the user asks for a list. Do not use it for questions, for talk, or for work that is done in one or two steps.

Each entry has a content, what is to be done in one short sentence, and a status:
- pending: not begun
- in_progress: you work on it now; while something is open, at least one entry is in_progress
- completed: done, and really done: with errors or open questions left it stays in_progress, and what is in the way becomes an entry of its own`;
