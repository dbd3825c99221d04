/**
 * Letters to insert, to remove or to replace until one text is the other (Levenshtein), by the
 * algorithm of Wagner and Fischer, a row at a time.
 *
 * @returns UTF-16 units, from 0 to the length of the longer text
 */
export function distance(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = at(above, column - 1) + Number(left[row - 1] !== right[column - 1]);
      current.push(Math.min(replaced, at(above, column) + 1, at(current, column - 1) + 1));
    }
    above = current;
  }
  return at(above, right.length);
}

const at = (row: readonly number[], column: number): number => row[column] as number;
