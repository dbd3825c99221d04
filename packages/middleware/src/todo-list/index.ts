export { todoListMiddleware, type Todo, type TodoListOptions } from "./middleware.ts";
export { TODO_LIST_MIDDLEWARE_SYSTEM_PROMPT, WRITE_TODOS_DESCRIPTION } from "./prompts.ts";
