export {
  detectCreditCard,
  detectEmail,
  detectIP,
  detectMacAddress,
  detectUrl,
  type PIIDetector,
  type PIIMatch,
} from "./detectors.ts";
export { piiMiddleware, type PIIMiddlewareOptions } from "./middleware.ts";
export { PIIDetectionError, type PIIStrategy } from "./strategies.ts";
