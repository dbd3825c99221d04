/** A map in the order of a record, which is where LangGraph keeps nodes: names that are whole numbers come first. */
export function inRecordOrder<Value>(map: ReadonlyMap<string, Value>): Map<string, Value> {
  return new Map(Object.entries(Object.fromEntries(map)));
}
