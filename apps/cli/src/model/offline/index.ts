export { OfflineChatModel, type OfflineChatModelParams } from "./model.ts";
