import type { Twin } from "../../../src/server.ts";
import { type Answered, ask, type Body } from "../../support/ask.ts";

export const MODEL = "gemini-test";
export const GEMINI_HEADERS: Record<string, string> = {
  "content-type": "application/json",
  "x-goog-api-key": "test-key",
};
export const WHOLE = `/v1beta/models/${MODEL}:generateContent`;
export const STREAM = `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`;
export const COUNT = `/v1beta/models/${MODEL}:countTokens`;

export const PARAMETERS = { type: "OBJECT", properties: { file_path: { type: "STRING" } } };
export const READ = { name: "Read", description: "Reads a file.", parameters: PARAMETERS };
export const tools = (...functionDeclarations: unknown[]): Body => ({ tools: [{ functionDeclarations }] });

export const user = (...parts: unknown[]) => ({ role: "user", parts });
export const model = (...parts: unknown[]) => ({ role: "model", parts });
export const text = (content: string, more: Body = {}) => ({ text: content, ...more });
export const call = (name: string, args: Body = {}, more: Body = {}) => ({ functionCall: { name, args }, ...more });
export const response = (name: string, more: Body = {}) => ({
  functionResponse: { name, response: { result: "ok" }, ...more },
});
export const question = user(text("Hello."));

/** The smallest request that the API accepts, overridden by `fields`; an undefined field is removed. */
export const geminiBody = (fields: Body = {}): Body => ({ contents: [question], ...fields });

export const askGemini = (twin: Twin, fields: Body = {}, path = WHOLE): Promise<Answered> =>
  ask(twin, geminiBody(fields), { path, headers: GEMINI_HEADERS });

export type GeminiError = { code: number; message: string; status: string; details?: Body[] };
export const errorOf = ({ json }: Answered): GeminiError => (json as { error: GeminiError }).error;

export type Candidate = {
  content: { parts?: Body[]; role: string };
  finishReason?: string;
  finishMessage?: string;
  index: number;
};
export type Chunk = {
  candidates?: Candidate[];
  promptFeedback?: Body;
  usageMetadata?: Body;
  modelVersion?: string;
  responseId?: string;
  error?: GeminiError;
};

/** Reads a stream strictly: each event is one `data` line, ended as this API ends it; comments are left out. */
export function parseStream(stream: string): Chunk[] {
  if (stream !== "" && !stream.endsWith("\r\n\r\n"))
    throw new Error(`The stream ends in the middle of an event: ${JSON.stringify(stream.slice(-80))}`);
  const blocks = stream.split("\r\n\r\n").slice(0, -1);
  return blocks
    .filter((block) => !block.startsWith(": "))
    .map((block) => {
      const match = /^data: (.+)$/.exec(block);
      if (!match) throw new Error(`Not an event: ${JSON.stringify(block)}`);
      return JSON.parse(match[1]!) as Chunk;
    });
}

export async function streamChunks(twin: Twin, fields: Body = {}): Promise<Chunk[]> {
  return parseStream((await askGemini(twin, fields, STREAM)).text);
}

/** Every part of a stream, as a client puts them together one after the other. */
export const partsOf = (chunks: readonly Chunk[]): Body[] =>
  chunks.flatMap(({ candidates = [] }) => candidates.flatMap(({ content }) => content.parts ?? []));

export const THOUGHTS: Body = { generationConfig: { thinkingConfig: { includeThoughts: true } } };
