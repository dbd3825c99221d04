import { PULL, PUSH } from "./names.ts";
import { uuid5 } from "./uuid5.ts";

/**
 * Ids of tasks (I5): the same checkpoint, step and trigger give the same id, here and in
 * LangGraph, so what a task wrote before a crash is found again.
 *
 * @param path - namespace of the graph and name of the node (see `nodePath`)
 */
export function pullTaskId(checkpointId: string, path: string, step: number, node: string, trigger: string) {
  return uuid5(`[${quoted(path)},"${step}",${quoted(node)},"${PULL}",[${quoted(trigger)}]]`, checkpointId);
}

/** Id of the task of the `index`-th `Send` of a step. */
export function pushTaskId(checkpointId: string, path: string, step: number, node: string, index: number) {
  return uuid5(`[${quoted(path)},"${step}",${quoted(node)},"${PUSH}","${index}"]`, checkpointId);
}

/** The text as JSON. Names seldom hold what must be escaped, and looking is cheaper than asking. */
function quoted(text: string): string {
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 32 || code === 34 || code === 92 || code > 126) return JSON.stringify(text);
  }
  return `"${text}"`;
}

/** Id of the task that handles the failure of another one. */
export function handlerTaskId(
  checkpointId: string,
  path: string,
  step: number,
  name: string,
  failedId: string,
) {
  return uuid5(JSON.stringify([path, `${step}`, name, PUSH, "node_error_handler", failedId]), checkpointId);
}

/** Id of the `index`-th task that another one, at `caller`, called. */
export function callTaskId(
  checkpointId: string,
  path: string,
  step: number,
  name: string,
  caller: readonly unknown[],
  index: number,
) {
  return uuid5(JSON.stringify([path, `${step}`, name, PUSH, caller, index]), checkpointId);
}
