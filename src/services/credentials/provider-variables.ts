/**
 * Data: the providers that are known by name, and the variables in which their own documents put a key, first come first
 * served. Empty: it needs none, or takes its access from elsewhere (the cloud's own configuration).
 */
export const PROVIDER_VARIABLES: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
  openai: ["OPENAI_API_KEY"],
  google: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
  bedrock: ["AWS_BEARER_TOKEN_BEDROCK"],
  vertex: [],
  openrouter: ["OPENROUTER_API_KEY"],
  deepseek: ["DEEPSEEK_API_KEY"],
  xai: ["XAI_API_KEY"],
  mistral: ["MISTRAL_API_KEY"],
  groq: ["GROQ_API_KEY"],
  ollama: ["OLLAMA_API_KEY"],
  llamacpp: ["LLAMA_API_KEY"],
  lmstudio: ["LM_API_TOKEN"],
  vllm: ["VLLM_API_KEY"],
};

/** The variables that hold a provider's key; none for one that is not known. */
export function variablesOf(provider: string): readonly string[] {
  return Object.hasOwn(PROVIDER_VARIABLES, provider) ? (PROVIDER_VARIABLES[provider] ?? []) : [];
}
