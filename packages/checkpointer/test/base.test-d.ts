import type * as theirs from "@langchain/langgraph-checkpoint";
import type { BaseCheckpointSaver, BaseStore, DeltaSnapshot } from "@skein/checkpointer/base";
import { expectTypeOf, it } from "vitest";

it("savers and stores of either package fit where the other's are asked for", () => {
  expectTypeOf<BaseCheckpointSaver>().toExtend<theirs.BaseCheckpointSaver>();
  expectTypeOf<theirs.BaseCheckpointSaver>().toExtend<BaseCheckpointSaver>();
  expectTypeOf<BaseStore>().toExtend<theirs.BaseStore>();
  expectTypeOf<theirs.BaseStore>().toExtend<BaseStore>();
  expectTypeOf<DeltaSnapshot>().toExtend<theirs.DeltaSnapshot>();
  expectTypeOf<theirs.DeltaSnapshot>().not.toBeAny();
});
