import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { BadInput } from "../errors.ts";

interface Provider {
  readonly package: string;
  readonly className: string;
  /** Environment variable that must hold a key; undefined when none is needed. */
  readonly key: string | undefined;
  /** Model that `skein` takes when only the key is there. */
  readonly model?: string;
}

const PROVIDERS: Readonly<Record<string, Provider>> = {
  openai: {
    package: "@langchain/openai",
    className: "ChatOpenAI",
    key: "OPENAI_API_KEY",
    model: "gpt-5-mini",
  },
  anthropic: {
    package: "@langchain/anthropic",
    className: "ChatAnthropic",
    key: "ANTHROPIC_API_KEY",
    model: "claude-sonnet-4-5",
  },
  ollama: { package: "@langchain/ollama", className: "ChatOllama", key: undefined },
  groq: { package: "@langchain/groq", className: "ChatGroq", key: "GROQ_API_KEY" },
  mistralai: { package: "@langchain/mistralai", className: "ChatMistralAI", key: "MISTRAL_API_KEY" },
  "google-genai": {
    package: "@langchain/google-genai",
    className: "ChatGoogleGenerativeAI",
    key: "GOOGLE_API_KEY",
  },
};

/** A model that was asked for and can be loaded: its key is there. Nothing is imported yet. */
export type ModelChoice =
  | { readonly kind: "offline" }
  | { readonly kind: "provider"; readonly provider: string; readonly name: string };

export const MODEL_HELP = `offline, or ${Object.keys(PROVIDERS).join("|")}:NAME`;

/**
 * Reads `--model`. Without one: the first provider whose key the environment has, else `offline`.
 *
 * @throws BadInput for an unknown provider, a missing name or a missing key
 */
export function chooseModel(spec: string | undefined, env: NodeJS.ProcessEnv = process.env): ModelChoice {
  if (spec === undefined) return defaultModel(env);
  if (spec === "offline") return { kind: "offline" };
  const colon = spec.indexOf(":");
  const provider = colon < 0 ? spec : spec.slice(0, colon);
  const name = colon < 0 ? "" : spec.slice(colon + 1).trim();
  const known = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  if (!known) throw new BadInput(`Unknown model "${spec}". Use --model ${MODEL_HELP}.`);
  if (name === "")
    throw new BadInput(`--model ${provider} needs the name of a model: --model ${provider}:NAME.`);
  if (known.key !== undefined && !env[known.key]) {
    throw new BadInput(`--model ${provider}:${name} needs a key: set ${known.key}, or use --model offline.`);
  }
  return { kind: "provider", provider, name };
}

function defaultModel(env: NodeJS.ProcessEnv): ModelChoice {
  for (const [provider, { key, model }] of Object.entries(PROVIDERS)) {
    if (key !== undefined && model !== undefined && env[key])
      return { kind: "provider", provider, name: model };
  }
  return { kind: "offline" };
}

export function modelName(choice: ModelChoice): string {
  return choice.kind === "offline" ? "offline" : `${choice.provider}:${choice.name}`;
}

export interface LoadOptions {
  /** Pause after each token of the offline model, in milliseconds. */
  readonly tokenDelayMs?: number;
}

/** Imports what the choice needs, and nothing else. @throws BadInput when the package is missing */
export async function loadModel(choice: ModelChoice, options: LoadOptions = {}): Promise<BaseChatModel> {
  if (choice.kind === "offline") {
    const { OfflineChatModel } = await import("./offline/index.ts");
    return new OfflineChatModel({ tokenDelayMs: options.tokenDelayMs ?? 0 });
  }
  const { package: name, className } = PROVIDERS[choice.provider] as Provider;
  const loaded = await import(name).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new BadInput(
      `--model ${modelName(choice)} needs the package ${name}: install it next to @skein/cli.`,
      {
        cause: error,
      },
    );
  });
  const Model = (loaded as Record<string, new (fields: { model: string }) => BaseChatModel>)[className];
  if (Model === undefined)
    throw new BadInput(`The package ${name} has no ${className}; install a version that has.`);
  return new Model({ model: choice.name });
}
