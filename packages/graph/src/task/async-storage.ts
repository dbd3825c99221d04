import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { isolateBy } from "./ambient.ts";

// LangChain and we share it, and the first to make it wins; it lives as long as the process
AsyncLocalStorageProviderSingleton.initializeGlobalInstance(new AsyncLocalStorage());

isolateBy((fn) => new AsyncResource("SKEIN_TASK").runInAsyncScope(fn));
