/** The generateContent request as it stands after `proto.ts` has read it. Source: the Gemini API's reference, v1beta. */

export type Blob = { readonly mimeType?: string; readonly data?: string };
export type FunctionCall = {
  readonly id?: string;
  readonly name?: string;
  readonly args?: Readonly<Record<string, unknown>>;
};
export type FunctionResponse = {
  readonly id?: string;
  readonly name?: string;
  readonly response?: Readonly<Record<string, unknown>>;
  readonly parts?: readonly Part[];
};
export type Part = {
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly text?: string;
  readonly inlineData?: Blob;
  readonly fileData?: { readonly mimeType?: string; readonly fileUri?: string };
  readonly functionCall?: FunctionCall;
  readonly functionResponse?: FunctionResponse;
};
export type Content = { readonly role?: string; readonly parts?: readonly Part[] };

/** The subset of OpenAPI's schemas that declarations are written in. */
export type Schema = {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
};
export type FunctionDeclaration = {
  readonly name?: string;
  readonly description?: string;
  readonly parameters?: Schema;
  readonly parametersJsonSchema?: unknown;
  readonly response?: Schema;
  readonly responseJsonSchema?: unknown;
};
export type Tool = {
  readonly functionDeclarations?: readonly FunctionDeclaration[];
  readonly googleSearch?: object;
};
type FunctionCallingConfig = { readonly mode?: string; readonly allowedFunctionNames?: readonly string[] };
export type GenerationConfig = {
  readonly candidateCount?: number;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stopSequences?: readonly string[];
  readonly responseMimeType?: string;
  readonly responseSchema?: Schema;
  readonly responseJsonSchema?: unknown;
  readonly thinkingConfig?: {
    readonly includeThoughts?: boolean;
    readonly thinkingBudget?: number;
    readonly thinkingLevel?: string;
  };
};
export type GenerateRequest = {
  readonly model?: string;
  readonly contents?: readonly Content[];
  readonly systemInstruction?: Content;
  readonly tools?: readonly Tool[];
  readonly toolConfig?: { readonly functionCallingConfig?: FunctionCallingConfig };
  readonly generationConfig?: GenerationConfig;
};
export type CountRequest = {
  readonly contents?: readonly Content[];
  readonly generateContentRequest?: GenerateRequest;
};
