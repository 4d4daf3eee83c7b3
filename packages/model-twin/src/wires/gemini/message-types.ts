import {
  BOOL,
  BYTES,
  enumOf,
  FLOAT,
  INT32,
  INT64,
  listOf,
  mapOf,
  messageOf,
  type ProtoFields,
  type ProtoType,
  STRING,
  STRUCT,
  VALUE,
} from "./proto.ts";

/** The messages of the Gemini API, v1beta, as far as requests hold them. Rules about more than one field are in `validate.ts`. */

const TYPES = ["TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];

/** This is not JSON Schema: the API treats any other keyword as an unknown name. */
const schema: ProtoType = messageOf("Schema", () => ({
  type: enumOf("Type", ...TYPES),
  format: STRING,
  title: STRING,
  description: STRING,
  nullable: BOOL,
  enum: listOf(STRING),
  items: schema,
  properties: mapOf(schema),
  propertyOrdering: listOf(STRING),
  required: listOf(STRING),
  anyOf: listOf(schema),
  minItems: INT64,
  maxItems: INT64,
  minProperties: INT64,
  maxProperties: INT64,
  minLength: INT64,
  maxLength: INT64,
  minimum: FLOAT,
  maximum: FLOAT,
  pattern: STRING,
  example: VALUE,
  default: VALUE,
}));

const blob = messageOf("Blob", { mimeType: STRING, data: BYTES });
const fileData = messageOf("FileData", { mimeType: STRING, fileUri: STRING });
const mediaResolution = messageOf("MediaResolution", { level: STRING, numTokens: INT32 });

const part = messageOf("Part", {
  text: STRING,
  inlineData: blob,
  fileData,
  functionCall: messageOf("FunctionCall", { id: STRING, name: STRING, args: STRUCT }),
  functionResponse: messageOf("FunctionResponse", {
    id: STRING,
    name: STRING,
    response: STRUCT,
    parts: listOf(messageOf("FunctionResponsePart", { inlineData: blob, fileData })),
    willContinue: BOOL,
    scheduling: enumOf("Scheduling", "SCHEDULING_UNSPECIFIED", "SILENT", "WHEN_IDLE", "INTERRUPT"),
  }),
  thought: BOOL,
  // The API expects bytes. The twin also accepts a scenario's signature that is not base64; a rule judges which
  // signatures are known.
  thoughtSignature: STRING,
  partMetadata: STRUCT,
  mediaResolution,
  videoMetadata: messageOf("VideoMetadata", { startOffset: STRING, endOffset: STRING, fps: FLOAT }),
});

const content = messageOf("Content", { role: STRING, parts: listOf(part) });

/** Of the tools that the API itself runs, the twin has the search. */
const tool = messageOf("Tool", {
  googleSearch: messageOf("GoogleSearch", { timeRangeFilter: STRUCT, searchTypes: STRUCT }),
  functionDeclarations: listOf(
    messageOf("FunctionDeclaration", {
      name: STRING,
      description: STRING,
      behavior: enumOf("Behavior", "UNSPECIFIED", "BLOCKING", "NON_BLOCKING"),
      parameters: schema,
      parametersJsonSchema: VALUE,
      response: schema,
      responseJsonSchema: VALUE,
    }),
  ),
});

const toolConfig = messageOf("ToolConfig", {
  functionCallingConfig: messageOf("FunctionCallingConfig", {
    mode: enumOf("Mode", "MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"),
    allowedFunctionNames: listOf(STRING),
  }),
  retrievalConfig: STRUCT,
  includeServerSideToolInvocations: BOOL,
});

const RESOLUTIONS = ["UNSPECIFIED", "LOW", "MEDIUM", "HIGH", "ULTRA_HIGH"].map((level) => `MEDIA_RESOLUTION_${level}`);

const generationConfig = messageOf("GenerationConfig", {
  stopSequences: listOf(STRING),
  responseMimeType: STRING,
  responseSchema: schema,
  responseJsonSchema: VALUE,
  responseModalities: listOf(enumOf("Modality", "MODALITY_UNSPECIFIED", "TEXT", "IMAGE", "AUDIO")),
  candidateCount: INT32,
  maxOutputTokens: INT32,
  temperature: FLOAT,
  topP: FLOAT,
  topK: INT32,
  seed: INT32,
  presencePenalty: FLOAT,
  frequencyPenalty: FLOAT,
  responseLogprobs: BOOL,
  logprobs: INT32,
  enableEnhancedCivicAnswers: BOOL,
  speechConfig: STRUCT,
  thinkingConfig: messageOf("ThinkingConfig", {
    includeThoughts: BOOL,
    thinkingBudget: INT32,
    thinkingLevel: enumOf("ThinkingLevel", "THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"),
  }),
  imageConfig: STRUCT,
  mediaResolution: enumOf("MediaResolution", ...RESOLUTIONS),
});

const HARMS = ["HARASSMENT", "HATE_SPEECH", "SEXUALLY_EXPLICIT", "DANGEROUS_CONTENT", "CIVIC_INTEGRITY"];
const THRESHOLDS = [
  "HARM_BLOCK_THRESHOLD_UNSPECIFIED",
  "BLOCK_LOW_AND_ABOVE",
  "BLOCK_MEDIUM_AND_ABOVE",
  "BLOCK_ONLY_HIGH",
  "BLOCK_NONE",
  "OFF",
];

const generateFields: ProtoFields = {
  model: STRING,
  contents: listOf(content),
  systemInstruction: content,
  tools: listOf(tool),
  toolConfig,
  safetySettings: listOf(
    messageOf("SafetySetting", {
      category: enumOf("HarmCategory", ...HARMS.map((harm) => `HARM_CATEGORY_${harm}`)),
      threshold: enumOf("HarmBlockThreshold", ...THRESHOLDS),
    }),
  ),
  generationConfig,
  cachedContent: STRING,
  serviceTier: STRING,
  store: BOOL,
};

export const GENERATE_REQUEST: ProtoType = messageOf("GenerateContentRequest", generateFields);
export const COUNT_REQUEST: ProtoType = messageOf("CountTokensRequest", {
  model: STRING,
  contents: listOf(content),
  generateContentRequest: GENERATE_REQUEST,
});
