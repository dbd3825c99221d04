import Table from "cli-table3";
import pc from "picocolors";

const NO_LINES = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

/** Colours are picocolors' part, which knows when there must be none. */
const PLAIN = { head: [], border: [], "padding-left": 0, "padding-right": 0 };

/** Rows in columns as wide as their content, without lines. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const drawn = new Table({
    head: head.map((name) => pc.bold(name)),
    chars: NO_LINES,
    style: PLAIN,
  });
  drawn.push(...rows.map((row) => [...row]));
  return trimLines(drawn.toString());
}

/** Two texts a row, side by side, wrapped into `width` characters altogether. */
export function sideBySide(
  head: readonly [string, string],
  rows: readonly (readonly [string, string])[],
  width: number,
): string {
  const column = Math.floor((width - 3) / 2);
  const drawn = new Table({
    head: head.map((name) => pc.bold(name)),
    colWidths: [column, column],
    wordWrap: true,
    wrapOnWordBoundary: true,
    chars: { ...NO_LINES, middle: " | " },
    style: PLAIN,
  });
  drawn.push(...rows.map((row) => [...row]));
  return trimLines(drawn.toString());
}

function trimLines(text: string): string {
  return text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}
