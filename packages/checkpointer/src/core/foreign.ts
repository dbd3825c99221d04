import { StoredControl } from "../codec/control.ts";

/** What LangGraph expects to find in the place of a control value. */
export function foreignValue(value: unknown): unknown {
  if (StoredControl.is(value)) return foreignControl(value);
  if (Array.isArray(value)) return value.some(StoredControl.is) ? value.map(foreignValue) : value;
  return value;
}

function foreignControl({ kind, data }: StoredControl): unknown {
  if (kind === "overwrite") return { __overwrite__: data };
  // a Send is told by its node and args there, an interrupt by its value and id
  return data;
}
