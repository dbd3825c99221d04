import { AsyncLocalStorage } from "node:async_hooks";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";

// LangChain and we share it, and the first to make it wins; it lives as long as the process
AsyncLocalStorageProviderSingleton.initializeGlobalInstance(new AsyncLocalStorage());
