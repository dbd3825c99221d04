import type { BaseMessage } from "@langchain/core/messages";
import { isMarkedSummary, shortenedMark } from "@skein/context";
import pc from "picocolors";
import { count, excerpt, plural } from "../ui/format.ts";
import { describe, speaker } from "../ui/messages.ts";
import { sideBySide } from "../ui/table.ts";
import type { Place, PlacedLoop, Shown, Version } from "./shown.ts";

const EXCERPT = 300;
/** Of a summary that is in force no more. */
const OLD_SUMMARY = 80;

const SIGNS: Record<Place, string> = {
  context: "*",
  shortened: "<",
  recalled: "^",
  summary: "~",
  hidden: "-",
};
const LEGEND = "* in the context  < shortened there  ^ recalled  ~ covered by the summary  - hidden";

/** The context on the left, the history on the right. */
export function twoColumns(shown: Shown, width: number): string {
  const { history, context, places, from } = shown;
  const known = new Set(history.map(({ id }) => id));
  const seen = new Map(context.map((message) => [message.id, message]));
  const own = context.filter(({ id }) => !known.has(id));
  const rows: [string, string][] = own.map((message) => [
    line(message),
    pc.dim("(made by the context manager)"),
  ]);
  const loops = loopLines(shown);
  for (const [index, message] of history.entries()) {
    if (index < from) continue;
    const loop = loops.get(index);
    if (loop !== undefined) rows.push(["", pc.dim(loop)]);
    const there = seen.get(message.id);
    const left =
      there === undefined
        ? pc.dim(places[index] === "summary" ? "~ covered by the summary" : "- hidden")
        : `${line(there, index + 1)}${shortening(there)}${places[index] === "recalled" ? pc.dim(" (recalled)") : ""}`;
    rows.push([left, line(message, index + 1)]);
  }
  return [...versionLines(shown.versions), sideBySide(headOf(shown), rows, width)].join("\n");
}

/** The history with a sign for where each message is. */
export function oneColumn(shown: Shown): string {
  const { history, context, places, from, versions } = shown;
  const summary = context.find(isMarkedSummary);
  const loops = loopLines(shown);
  const lines = history.flatMap((message, index) => {
    const loop = loops.get(index);
    const own = `${SIGNS[places[index] ?? "hidden"]} ${line(message, index + 1)}`;
    return index < from ? [] : [...(loop === undefined ? [] : [pc.dim(loop)]), own];
  });
  const made = summary === undefined ? [] : ["", line(summary)];
  return [...headOf(shown), LEGEND, ...versionLines(versions), ...made, "", ...lines].join("\n");
}

const headOf = ({ context, history, tokens }: Shown): [string, string] => [
  `context: ${plural(context.length, "message")}, ${count(tokens.context)} tokens`,
  `complete history: ${plural(history.length, "message")}, ${count(tokens.history)} tokens`,
];

/** Said before the first message of each loop that is shown. */
function loopLines({ loops, from }: Shown): ReadonlyMap<number, string> {
  const said = loops.map((loop, at): [number, string] => [
    Math.max(loop.start, from),
    loopLine(loop, at + 1),
  ]);
  return new Map(said.filter(([, text], at) => text !== "" && (loops[at] as PlacedLoop).end > from));
}

function loopLine({ calls, answer }: PlacedLoop, number: number): string {
  const called = calls.length === 0 ? "" : `, ${plural(calls.length, "call")}`;
  return `loop ${number}${called}${answer === null ? ", open" : ""}`;
}

function versionLines(versions: readonly Version[]): string[] {
  return versions.map(({ version, by, coveredCount, tokens, originalTokens, createdAt, text }, at) => {
    const when = new Date(createdAt).toISOString().slice(0, 16).replace("T", " ");
    const figures = `${plural(coveredCount, "message")}, ${count(originalTokens)} tokens in ${count(tokens)}`;
    const said = at === versions.length - 1 ? "in force" : excerpt(text, OLD_SUMMARY);
    return pc.dim(`summary version ${version} (${by}, ${when}Z): ${figures}; ${said}`);
  });
}

/** How a message of the context was shortened, if it was. */
function shortening(message: BaseMessage): string {
  const shortened = shortenedMark(message);
  return shortened === undefined
    ? ""
    : pc.dim(` (${shortened.by}; it had ${count(shortened.tokens)} tokens)`);
}

function line(message: BaseMessage, number?: number): string {
  const position = number === undefined ? "" : `${number} `;
  return `${position}${pc.bold(speaker(message))}: ${describe(message, EXCERPT)}`;
}
