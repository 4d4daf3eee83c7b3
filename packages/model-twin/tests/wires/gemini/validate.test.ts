import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { reply } from "../../../src/scenario.ts";
import { startTwin, type Twin } from "../../../src/server.ts";
import { PLACEHOLDER_SIGNATURES, sign } from "../../../src/wires/gemini/sent-signatures.ts";
import { ask, type Body } from "../../support/ask.ts";
import {
  askGemini,
  COUNT,
  call,
  errorOf,
  GEMINI_HEADERS,
  geminiBody,
  model,
  PARAMETERS,
  question,
  READ,
  response,
  STREAM,
  text,
  tools,
  user,
  WHOLE,
} from "./ask-gemini.ts";

let twin: Twin;
beforeAll(async () => {
  twin = await startTwin({ scenario: () => reply("Yes.") });
});
afterAll(() => twin.close());

const PNG = Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1").toString("base64");
const PDF = Buffer.from("%PDF-1.7 000", "latin1").toString("base64");
/** Its bytes need the letters in which the two base64 alphabets differ. */
const URL_SAFE_JPEG = Buffer.from("\xff\xd8\xff\xe0\xff\xfe0000", "latin1").toString("base64url");

const [PLACEHOLDER] = PLACEHOLDER_SIGNATURES;
const signed = { thoughtSignature: PLACEHOLDER };
const talk = (...contents: unknown[]): Body => ({ contents, ...tools(READ) });
const config = (generationConfig: Body): Body => ({ generationConfig });
const schema = (parameters: unknown, more: Body = {}): Body => tools({ ...READ, parameters, ...more });
const property = (value: unknown): Body => schema({ type: "OBJECT", properties: { a: value } });
const media = (mimeType: string, data: string) => ({ inlineData: { mimeType, data } });
const asked = (name: string, id?: string, more: Body = {}) => ({
  functionCall: { ...(id !== undefined && { id }), name, args: {} },
  ...more,
});
const calling = (fields: Body): Body => ({ ...tools(READ), toolConfig: { functionCallingConfig: fields } });

type Case = [name: string, fields: Body, message: string];

/** Refused for their form, with the field named in the details. */
const MALFORMED: Case[] = [
  ["an unknown field", { foo: 1 }, 'Unknown name "foo": Cannot find field.'],
  ["a field of another API", { messages: [] }, 'Unknown name "messages": Cannot find field.'],
  ["an unknown field of a content", talk({ ...question, id: "x" }), `Unknown name "id" at 'contents[0]'`],
  [
    "an unknown field of a part",
    talk(user(text("x", { type: "text" }))),
    `Unknown name "type" at 'contents[0].parts[0]'`,
  ],
  ["a field in both spellings", { ...config({ topP: 1 }), generation_config: {} }, "Field is already set."],
  ["contents that are text", { contents: "Hello." }, `Invalid value at 'contents[0]' (type.googleapis.com/`],
  ["a part that is text", talk({ role: "user", parts: ["Hello."] }), `Invalid value at 'contents[0].parts[0]'`],
  ["text that is a number", talk(user({ text: 5 })), `Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 5`],
  ["a system instruction that is text", { systemInstruction: "Be brief." }, `Invalid value at 'system_instruction'`],
  [
    "a role in a list",
    talk({ role: ["user"], parts: [text("x")] }),
    "Proto field is not repeating, cannot start list.",
  ],
  [
    "args that are text",
    talk(question, model({ functionCall: { name: "Read", args: "{}" } })),
    "(type.googleapis.com/google.protobuf.Struct)",
  ],
  [
    "a response that is text",
    talk(question, model(asked("Read")), user({ functionResponse: { name: "Read", response: "ok" } })),
    `Invalid value at 'contents[2].parts[0].function_response.response'`,
  ],
  [
    "data that is not base64",
    talk(user(media("image/png", "%%"))),
    `'contents[0].parts[0].inline_data.data' (TYPE_BYTES)`,
  ],
  ["a data URL", talk(user(media("image/png", `data:image/png;base64,${PNG}`))), "(TYPE_BYTES)"],
  ["a temperature that is text", config({ temperature: "hot" }), `'generation_config.temperature' (TYPE_FLOAT), "hot"`],
  [
    "a fraction of a token",
    config({ maxOutputTokens: 1.5 }),
    `'generation_config.max_output_tokens' (TYPE_INT32), 1.5`,
  ],
  ["a number beyond 32 bits", config({ seed: 2 ** 31 }), `'generation_config.seed' (TYPE_INT32)`],
  ["an unknown setting", config({ maxTokens: 5 }), `Unknown name "maxTokens" at 'generation_config'`],
  ["an unknown level of thinking", config({ thinkingConfig: { thinkingLevel: "extreme" } }), `"extreme"`],
  ["a yes that is text", config({ thinkingConfig: { includeThoughts: "yes" } }), "(TYPE_BOOL)"],
  ["tools of another API", { tools: [{ name: "Read" }] }, `Unknown name "name" at 'tools[0]'`],
  ["a tool that the twin lacks", { tools: [{ googleMaps: {} }] }, `Unknown name "googleMaps" at 'tools[0]'`],
  ["an unknown calling mode", calling({ mode: "SOMETIMES" }), `'tool_config.function_calling_config.mode'`],
  // The schemas of the API's own kind are a subset
  [
    "$schema",
    schema({ ...PARAMETERS, $schema: "x" }),
    `Unknown name "$schema" at 'tools[0].function_declarations[0].parameters'`,
  ],
  [
    "additionalProperties",
    schema({ ...PARAMETERS, additionalProperties: false }),
    `Unknown name "additionalProperties"`,
  ],
  [
    "const",
    property({ type: "STRING", const: "x" }),
    `Unknown name "const" at 'tools[0].function_declarations[0].parameters.properties[0].value'`,
  ],
  ["oneOf", property({ oneOf: [] }), `Unknown name "oneOf"`],
  ["$ref", property({ $ref: "#/x" }), `Unknown name "$ref"`],
  ["exclusiveMinimum", property({ type: "INTEGER", exclusiveMinimum: 0 }), `Unknown name "exclusiveMinimum"`],
  ["a list of types", property({ type: ["STRING", "NULL"] }), "Proto field is not repeating, cannot start list."],
  [
    "an unknown type",
    property({ type: "file" }),
    `(type.googleapis.com/google.ai.generativelanguage.v1beta.Type), "file"`,
  ],
  ["an enum of numbers", property({ type: "INTEGER", enum: [1, 2] }), `properties[0].value.enum[0]' (TYPE_STRING), 1`],
  ["half a surrogate pair", talk(user(text("a\ud83d"))), "half a surrogate pair"],
];

/** Refused for what they say. */
const REFUSED: Case[] = [
  // Contents
  ["no contents", { contents: undefined }, "contents: contents is not specified"],
  ["empty contents", { contents: [] }, "contents: contents is not specified"],
  [
    "an unknown role",
    talk({ role: "assistant", parts: [text("x")] }),
    "contents[0].role: please use a valid role: user, model",
  ],
  [
    "two turns of the user",
    talk(question, question),
    "contents[1].role: please ensure that multiturn requests alternate",
  ],
  [
    "two turns of the model",
    talk(question, model(text("So")), model(text("it is.")), question),
    "contents[2].role: please ensure that multiturn requests alternate",
  ],
  [
    "a system role",
    talk({ role: "system", parts: [text("x")] }, question),
    "contents[0].role: please use a valid role",
  ],
  [
    "a function role",
    talk(question, model(asked("Read", undefined, signed)), { role: "function", parts: [response("Read")] }),
    "contents[2].role",
  ],
  ["a missing role among several", talk({ parts: [text("x")] }, model(text("y"))), "contents[0].role"],
  ["a content without parts", talk({ role: "user" }), "contents[0].parts: contents.parts must not be empty"],
  ["a content with an empty list", talk(user()), "contents[0].parts: contents.parts must not be empty"],
  [
    "an empty part",
    talk(user({})),
    "contents[0].parts[0].data: required oneof field 'data' must have one initialized field",
  ],
  ["an empty text", talk(user(text(""))), "contents[0].parts[0].data: required oneof field"],
  ["a null text", talk(user({ text: null })), "contents[0].parts[0].data: required oneof field"],
  ["an empty text of the model", talk(question, model(text("")), question), "contents[1].parts[0].data"],
  [
    "a part that only says that it is a thought",
    talk(question, model({ thought: true }), question),
    "contents[1].parts[0].data",
  ],
  [
    "two things in a part",
    talk(user({ ...text("x"), ...media("image/png", PNG) })),
    "contents[0].parts[0]: oneof field 'data' is set more than once: text, inlineData",
  ],
  ["an empty system instruction", { systemInstruction: { parts: [text("")] } }, "system_instruction.parts[0].data"],
  [
    "an image as system instruction",
    { systemInstruction: { parts: [media("image/png", PNG)] } },
    "system_instruction.parts[0]: a system instruction holds text only",
  ],
  ["a thought of the user", talk(user(text("x", { thought: true }))), "contents[0].parts[0]: a thought can stand"],
  // Calls and responses
  [
    "a call of the user",
    talk(user(call("Read"))),
    "contents[0]: a function call can stand in a turn of the model only",
  ],
  ["a response of the model", talk(question, model(response("Read"))), "contents[1]: a function response can stand"],
  [
    "a call without a name",
    talk(question, model({ functionCall: { args: {} }, ...signed }), user(response("Read"))),
    "contents[1].parts[0].function_call.name",
  ],
  [
    "a response without a name",
    talk(question, model(call("Read", {}, signed)), user({ functionResponse: { response: {} } })),
    "contents[2].parts[0].function_response.name",
  ],
  [
    "a response that says nothing",
    talk(question, model(call("Read", {}, signed)), user({ functionResponse: { name: "Read" } })),
    "function_response.response: required field is missing",
  ],
  [
    "a call that is not answered",
    talk(question, model(call("Read", {}, signed)), question),
    "contents[1]: please ensure that the number of function response parts is equal",
  ],
  ["a call at the end", talk(question, model(call("Read", {}, signed))), "(0 for 1)"],
  [
    "a call that is answered later",
    talk(question, model(call("Read", {}, signed)), question, user(response("Read"))),
    "contents[3]: please ensure that function response turn comes immediately after",
  ],
  [
    "fewer responses than calls",
    talk(question, model(call("Read", {}, signed), call("Read")), user(response("Read"))),
    "(1 for 2)",
  ],
  [
    "more responses than calls",
    talk(question, model(call("Read", {}, signed)), user(response("Read"), response("Read"))),
    "(2 for 1)",
  ],
  [
    "responses in two turns",
    talk(question, model(call("Read", {}, signed), call("Read")), user(response("Read")), user(response("Read"))),
    "(1 for 2)",
  ],
  [
    "a response of another name",
    talk(question, model(call("Read", {}, signed)), user(response("Write"))),
    "calls of Read are answered by responses of Write",
  ],
  [
    "a response to nothing",
    talk(user(response("Read"))),
    "contents[0]: please ensure that function response turn comes immediately",
  ],
  [
    "a call at the start",
    talk(model(call("Read", {}, signed)), user(response("Read"))),
    "contents[0]: please ensure that function call turn comes immediately after a user turn",
  ],
  [
    "a call after a turn of the model",
    talk(question, model(text("x")), model(call("Read", {}, signed)), user(response("Read"))),
    "contents[2]: please ensure that function call turn comes",
  ],
  [
    "a response with the id of no call",
    talk(question, model(asked("Read", "a", signed)), user(response("Read", { id: "b" }))),
    `contents[2].parts[0].function_response.id: "b" is not the id of an open call of Read`,
  ],
  [
    "a response without the id of its call",
    talk(question, model(asked("Read", "a", signed)), user(response("Read"))),
    `function_response.id: "" is not the id`,
  ],
  [
    "ids that are swapped between names",
    talk(
      question,
      model(asked("Read", "a", signed), asked("Write", "b")),
      user(response("Read", { id: "b" }), response("Write", { id: "a" })),
    ),
    `"b" is not the id of an open call of Read`,
  ],
  [
    "an id that answers twice",
    talk(
      question,
      model(asked("Read", "a", signed), asked("Read", "b")),
      user(response("Read", { id: "a" }), response("Read", { id: "a" })),
    ),
    `contents[2].parts[1].function_response.id`,
  ],
  [
    "an id that is used again",
    talk(
      question,
      model(asked("Read", "a", signed), asked("Read", "a")),
      user(response("Read", { id: "a" }), response("Read", { id: "a" })),
    ),
    `the function call id "a" was used before`,
  ],
  // Signatures
  [
    "a step without its signature",
    talk(question, model(call("Read")), user(response("Read"))),
    "contents[1].parts[0]: function call `Read` is missing a thought_signature",
  ],
  [
    "a signature on the second call only",
    talk(question, model(call("Read"), call("Read", {}, signed)), user(response("Read"), response("Read"))),
    "contents[1].parts[0]: function call `Read` is missing",
  ],
  [
    "a second step without its signature",
    talk(
      question,
      model(call("Read", {}, signed)),
      user(response("Read")),
      model(text("So."), call("Read")),
      user(response("Read")),
    ),
    "contents[3].parts[1]: function call `Read` is missing",
  ],
  [
    "a signature of nobody",
    talk(question, model(call("Read", {}, { thoughtSignature: "AAAA" })), user(response("Read"))),
    "contents[1].parts[0].thought_signature: corrupted thought signature",
  ],
  [
    "the signature of another call",
    talk(
      question,
      model(call("Read", { a: 1 }, { thoughtSignature: sign(JSON.stringify(["Read", { a: 2 }])) })),
      user(response("Read")),
    ),
    "it does not belong to this call",
  ],
  [
    "a signature of nobody on a text",
    talk(question, model(text("x", { thoughtSignature: "AAAA" })), question),
    "contents[1].parts[0].thought_signature: corrupted",
  ],
  // Media
  [
    "a PNG that says JPEG",
    talk(user(media("image/jpeg", PNG))),
    "contents[0].parts[0].inline_data: unable to process the file: it says image/jpeg, but the bytes are image/png",
  ],
  ["text that says PNG", talk(user(media("image/png", "aGVsbG8="))), "but the bytes are of no known type"],
  ["a PDF that is a PNG", talk(user(media("application/pdf", PNG))), "it says application/pdf"],
  [
    "a GIF",
    talk(user(media("image/gif", Buffer.from("GIF89a000").toString("base64")))),
    "unsupported MIME type: image/gif",
  ],
  ["a type that is no type", talk(user(media("png", PNG))), "unsupported MIME type: png"],
  [
    "media without a type",
    talk(user({ inlineData: { data: PNG } })),
    "inline_data.mime_type: required field is missing",
  ],
  [
    "media without data",
    talk(user({ inlineData: { mimeType: "image/png" } })),
    "inline_data.data: required field is missing",
  ],
  ["a file without its address", talk(user({ fileData: { mimeType: "image/png" } })), "file_data.file_uri"],
  [
    "a wrong image in a response",
    talk(
      question,
      model(call("Read", {}, signed)),
      user(response("Read", { parts: [media("image/png", "aGVsbG8=")] })),
    ),
    "contents[2].parts[0].function_response.parts[0].inline_data: unable",
  ],
  // Tools
  ["a tool that declares nothing", { tools: [{}] }, "tools[0]: must have one initialized field"],
  ["a tool with no functions", tools(), "tools[0]: must have one initialized field"],
  [
    "a function without a name",
    tools({ ...READ, name: undefined }),
    "tools[0].function_declarations[0].name: invalid function name",
  ],
  ["a name that begins with a digit", tools({ ...READ, name: "1st" }), "invalid function name"],
  ["a name with a space", tools({ ...READ, name: "a b" }), "invalid function name"],
  ["a name of 65 letters", tools({ ...READ, name: "a".repeat(65) }), "invalid function name"],
  [
    "two functions of a name",
    tools(READ, READ),
    "tools[0].function_declarations[1].name: duplicate function declaration found: Read",
  ],
  [
    "two functions of a name in two tools",
    { tools: [{ functionDeclarations: [READ] }, { functionDeclarations: [READ] }] },
    "tools[1].function_declarations[0].name: duplicate",
  ],
  [
    "both kinds of schema",
    schema(PARAMETERS, { parametersJsonSchema: { type: "object" } }),
    "parameters: a schema of the API's own kind and a JSON schema cannot both be set",
  ],
  [
    "a JSON schema that is text",
    schema(undefined, { parametersJsonSchema: "{}" }),
    "parameters_json_schema: must be a JSON schema",
  ],
  ["parameters that are no object", schema({ type: "STRING" }), "parameters.type: must be OBJECT"],
  [
    "an object without properties",
    schema({ type: "OBJECT", properties: {} }),
    "parameters.properties: should be non-empty for OBJECT type",
  ],
  ["a property without a type", property({ description: "x" }), "parameters.properties[a].type: must be specified"],
  ["a list without items", property({ type: "ARRAY" }), "parameters.properties[a].items: missing field"],
  [
    "items of a list without a type",
    property({ type: "ARRAY", items: {} }),
    "parameters.properties[a].items.type: must be specified",
  ],
  ["items of a string", property({ type: "STRING", items: { type: "STRING" } }), "items: only allowed for ARRAY type"],
  [
    "properties of a string",
    property({ type: "STRING", properties: { b: { type: "STRING" } } }),
    "properties: only allowed for OBJECT type",
  ],
  ["an enum of an integer", property({ type: "INTEGER", enum: ["1"] }), "enum: only allowed for STRING type"],
  ["an empty value of an enum", property({ type: "STRING", enum: ["a", ""] }), "enum[1]: cannot be empty"],
  [
    "a format that is not known",
    property({ type: "STRING", format: "uri" }),
    "format: only enum and date-time are supported for STRING type",
  ],
  [
    "a required property that isn't there",
    schema({ ...PARAMETERS, required: ["file_path", "b"] }),
    "parameters.required[1]: property is not defined",
  ],
  ["a variant without a type", property({ anyOf: [{ type: "STRING" }, {}] }), "any_of[1].type: must be specified"],
  [
    "a calling mode without functions",
    { toolConfig: { functionCallingConfig: { mode: "ANY" } } },
    "function calling config is set without function_declarations",
  ],
  [
    "allowed names without ANY",
    calling({ mode: "AUTO", allowedFunctionNames: ["Read"] }),
    "can only be set when the mode is ANY or VALIDATED",
  ],
  [
    "an allowed name that is not declared",
    calling({ mode: "ANY", allowedFunctionNames: ["Write"] }),
    `allowed_function_names[0]: there is no function "Write"`,
  ],
  // Settings
  ["a temperature over 2", config({ temperature: 2.1 }), "generation_config.temperature: 2.1 is out of range"],
  ["top_p over 1", config({ topP: 1.5 }), "generation_config.top_p: 1.5 is out of range"],
  ["no tokens", config({ maxOutputTokens: 0 }), "generation_config.max_output_tokens: 0 is out of range"],
  ["two candidates", config({ candidateCount: 2 }), "generation_config.candidate_count: 2 is out of range"],
  ["six stop sequences", config({ stopSequences: ["a", "b", "c", "d", "e", "f"] }), "at most 5 are taken, not 6"],
  ["an empty stop sequence", config({ stopSequences: ["a", ""] }), "stop_sequences[1]: must not be empty"],
  [
    "a budget and a level",
    config({ thinkingConfig: { thinkingBudget: 5, thinkingLevel: "LOW" } }),
    "only one of thinking_budget and thinking_level",
  ],
  ["a budget below -1", config({ thinkingConfig: { thinkingBudget: -2 } }), "thinking_budget: -2 is not a budget"],
  ["a schema without its type", config({ responseSchema: PARAMETERS }), "response_mime_type: must be application/json"],
  [
    "two schemas of the response",
    config({ responseMimeType: "application/json", responseSchema: PARAMETERS, responseJsonSchema: {} }),
    "response_json_schema: cannot be set together",
  ],
  [
    "an unknown type of the response",
    config({ responseMimeType: "text/html" }),
    "response_mime_type: allowed are text/plain",
  ],
];

const ACCEPTED: [name: string, fields: Body][] = [
  ["one content without a role", { contents: [{ parts: [text("Hello.")] }] }],
  ["a single value for a list", { contents: { role: "user", parts: { text: "Hello." } } }],
  [
    "names in the other spelling",
    {
      system_instruction: { parts: [text("x")] },
      generation_config: { max_output_tokens: 5, thinking_config: { include_thoughts: true } },
    },
  ],
  ["numbers as text", config({ maxOutputTokens: "5", temperature: "0.5" })],
  ["null for what is absent", { systemInstruction: null, generationConfig: { topK: null } }],
  ["a system instruction with any role", { systemInstruction: { role: "system", parts: [text("x")] } }],
  ["a turn of the model at the end", talk(question, model(text("So")))],
  ["a turn of the model at the start", talk(model(text("Hi.")), question)],
  ["a thought that comes back", talk(question, model(text("Hm.", { thought: true }), text("Hi.")), question)],
  [
    "an empty text that carries a signature",
    talk(question, model(text("Hi."), text("", { thoughtSignature: sign("Hm.") })), question),
  ],
  ["a call and its response", talk(question, model(call("Read", {}, signed)), user(response("Read")))],
  [
    "calls side by side, answered in another order",
    talk(
      question,
      model(asked("Read", "a", signed), asked("Write", "b")),
      user(response("Write", { id: "b" }), response("Read", { id: "a" })),
    ),
  ],
  [
    "a call that lost its arguments",
    talk(question, model({ functionCall: { name: "Read" }, ...signed }), user(response("Read"))),
  ],
  [
    "a question beside a response",
    talk(question, model(call("Read", {}, signed)), user(response("Read"), text("Go on."))),
  ],
  [
    "an image in a response",
    talk(question, model(call("Read", {}, signed)), user(response("Read", { parts: [media("image/png", PNG)] }))),
  ],
  [
    "the other placeholder",
    talk(question, model(call("Read", {}, { thoughtSignature: PLACEHOLDER_SIGNATURES[1] })), user(response("Read"))),
  ],
  [
    "a step of an earlier turn without its signature",
    talk(question, model(call("Read")), user(response("Read")), model(text("Done.")), question),
  ],
  [
    "what another twin signed",
    talk(
      question,
      model(call("Read", { a: 1 }, { thoughtSignature: sign('["Read",{"a":1}]') })),
      user(response("Read")),
    ),
  ],
  [
    "functions that are no longer declared",
    { contents: [question, model(call("Old", {}, signed)), user(response("Old"))] },
  ],
  [
    "a PNG, a JPEG in the other alphabet and a PDF",
    talk(user(media("image/png", PNG), media("image/jpeg", URL_SAFE_JPEG), media("application/pdf", PDF))),
  ],
  [
    "media whose bytes are not looked into",
    talk(user(media("audio/wav", "AAAA"), media("image/heic", "AAAA"), media("text/plain", "AAAA"))),
  ],
  [
    "a file by its address",
    talk(user({ fileData: { mimeType: "image/png", fileUri: "https://example.test/files/1" } })),
  ],
  ["a function without parameters", schema(undefined)],
  [
    "types in small letters",
    schema({
      type: "object",
      properties: { a: { type: "array", items: { type: "string", enum: ["x"] } } },
      required: ["a"],
    }),
  ],
  [
    "the keywords of the subset",
    property({
      type: "STRING",
      title: "A",
      description: "x",
      nullable: true,
      format: "date-time",
      minLength: "1",
      maxLength: 5,
      pattern: "x",
      default: "x",
      example: "x",
    }),
  ],
  ["a property of any kind", property({ anyOf: [{ type: "STRING" }, { type: "NULL" }] })],
  [
    "a whole JSON schema",
    schema(undefined, {
      parametersJsonSchema: {
        $schema: "x",
        type: "object",
        properties: { a: { oneOf: [{ const: 1 }, { $ref: "#/$defs/b" }] } },
        $defs: { b: { type: ["string", "null"] } },
        additionalProperties: false,
      },
    }),
  ],
  ["a name with all of its signs", tools({ ...READ, name: "_a.b:c-d9" })],
  ["a forced function", calling({ mode: "any", allowedFunctionNames: ["Read"] })],
  ["no function to be called", calling({ mode: "NONE" })],
  [
    "every setting",
    config({
      candidateCount: 1,
      maxOutputTokens: 5,
      temperature: 2,
      topP: 1,
      topK: 40,
      seed: -1,
      stopSequences: ["a"],
      presencePenalty: 1,
      frequencyPenalty: 1,
      responseMimeType: "application/json",
      responseJsonSchema: { type: "object" },
      thinkingConfig: { includeThoughts: true, thinkingLevel: "low" },
      mediaResolution: "MEDIA_RESOLUTION_LOW",
    }),
  ],
  ["no budget, or one that the model chooses", config({ thinkingConfig: { thinkingBudget: -1 } })],
  ["safety settings", { safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }] }],
];

describe("a request that the API refuses", () => {
  test.each(MALFORMED)("is malformed: %s", async (_name, fields, message) => {
    const error = errorOf(await askGemini(twin, fields));

    expect(error).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" });
    expect(error.message).toMatch(/^Invalid (JSON payload received\.|value at) /);
    expect(error.message).toContain(message);
    expect(error.details).toMatchObject([{ "@type": "type.googleapis.com/google.rpc.BadRequest" }]);
  });

  test.each(REFUSED)("contradicts a rule: %s", async (_name, fields, message) => {
    const answer = await askGemini(twin, fields);

    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" });
    expect(errorOf(answer).message).toContain(message);
    expect(errorOf(answer).details).toBeUndefined();
  });

  test("is refused alike when a stream is asked for", async () => {
    const answer = await askGemini(twin, { contents: [] }, STREAM);

    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      error: {
        code: 400,
        message: "* GenerateContentRequest.contents: contents is not specified",
        status: "INVALID_ARGUMENT",
      },
    });
  });

  test("names every fault of its form, with its place", async () => {
    expect((await askGemini(twin, { foo: 1, generationConfig: { topK: "x" } })).json).toEqual({
      error: {
        code: 400,
        message:
          'Invalid JSON payload received. Unknown name "foo": Cannot find field.\n' +
          "Invalid value at 'generation_config.top_k' (TYPE_INT32), \"x\"",
        status: "INVALID_ARGUMENT",
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            fieldViolations: [
              { description: 'Invalid JSON payload received. Unknown name "foo": Cannot find field.' },
              {
                field: "generation_config.top_k",
                description: "Invalid value at 'generation_config.top_k' (TYPE_INT32), \"x\"",
              },
            ],
          },
        ],
      },
    });
  });

  test("is recorded with all of its faults", async () => {
    await using own = await startTwin({ scenario: [] });
    await askGemini(own, { contents: [user({}), { role: "x", parts: [text("a")] }] });

    expect(own.requests[0]).toMatchObject({
      path: "/v1beta/models/gemini-test:generateContent",
      status: 400,
      rejected: [
        "* GenerateContentRequest.contents[1].role: please use a valid role: user, model",
        "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field",
      ],
    });
  });
});

test.each(ACCEPTED)("accepted is %s", async (_name, fields) => {
  const answer = await askGemini(twin, fields);

  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
});

describe("the series of a model", () => {
  const unsigned = { contents: [question, model(call("Read")), user(response("Read"))], ...tools(READ) };
  const at = (name: string) => `/v1beta/models/${name}:generateContent`;

  test.each([
    ["gemini-2.5-pro", 200],
    ["gemini-2.0-flash", 200],
    ["gemini-1.5-pro", 200],
    ["gemma-3-27b-it", 200],
    ["gemini-3-pro-preview", 400],
    ["gemini-3.8-flash", 400],
    ["gemini-4-argon", 400],
    ["gemini-25", 400],
  ])("of %s decides whether signatures must come back: %i", async (name, status) => {
    expect((await askGemini(twin, unsigned, at(name))).status).toBe(status);
  });

  test("can be overridden by the twin's options", async () => {
    await using lenient = await startTwin({ scenario: () => reply("Hi."), gemini: { signatures: "optional" } });
    await using strict = await startTwin({ scenario: () => reply("Hi."), gemini: { signatures: "required" } });

    expect((await askGemini(lenient, unsigned, at("gemini-3-pro"))).status).toBe(200);
    expect((await askGemini(strict, unsigned, at("gemini-2.5-pro"))).status).toBe(400);
  });

  test("decides which settings are allowed", async () => {
    const json = { ...tools(READ), generationConfig: { responseMimeType: "application/json" } };
    const level = { generationConfig: { thinkingConfig: { thinkingLevel: "LOW" } } };

    expect(errorOf(await askGemini(twin, json, at("gemini-2.5-pro"))).message).toContain("function calling with");
    expect((await askGemini(twin, json)).status).toBe(200);
    expect(errorOf(await askGemini(twin, level, at("gemini-2.5-pro"))).message).toContain("thinking_level: is not");
  });
});

describe("a token count", () => {
  test("counts the contents", async () => {
    const answer = await askGemini(twin, { contents: [user(text("x".repeat(400)))] }, COUNT);

    expect(answer.json).toEqual({ totalTokens: 104, promptTokensDetails: [{ modality: "TEXT", tokenCount: 104 }] });
  });

  test("counts a whole request", async () => {
    const declared = tools(READ);
    const whole = {
      model: "models/gemini-test",
      contents: [user(text("x".repeat(400)), media("image/png", PNG))],
      systemInstruction: { parts: [text("y".repeat(40))] },
      ...declared,
    };
    const answer = await ask(twin, { generateContentRequest: whole }, { path: COUNT, headers: GEMINI_HEADERS });

    expect(answer.json).toMatchObject({ totalTokens: 1714 + Math.ceil(JSON.stringify(declared["tools"]).length / 2) });
  });

  test.each<Case>([
    ["contents that are missing", { contents: undefined }, "contents: contents is not specified"],
    ["an empty text", { contents: [user(text(""))] }, "contents[0].parts[0].data"],
    ["settings", { generationConfig: {} }, 'Unknown name "generationConfig"'],
  ])("is refused for %s", async (_name, fields, message) => {
    const answer = await askGemini(twin, fields, COUNT);

    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toContain(message);
  });
});

describe("the key", () => {
  const { "x-goog-api-key": _key, ...keyless } = GEMINI_HEADERS;
  const send = (asked: Twin, headers: Record<string, string>, path = WHOLE) =>
    ask(asked, geminiBody(), { path, headers });

  test("is required", async () => {
    expect(errorOf(await send(twin, keyless))).toMatchObject({ code: 403, status: "PERMISSION_DENIED" });
    expect(errorOf(await send(twin, { ...keyless, "x-goog-api-key": "" }))).toMatchObject({ code: 403 });
  });

  test("may stand in the query", async () => {
    expect((await send(twin, keyless, `${WHOLE}?key=k`)).status).toBe(200);
    expect((await send(twin, keyless, `${STREAM}&key=k`)).status).toBe(200);
  });

  test("is not an access token", async () => {
    expect(errorOf(await send(twin, { ...keyless, authorization: "Bearer k" }))).toMatchObject({
      code: 401,
      status: "UNAUTHENTICATED",
    });
  });

  test("must be the very key that the twin was given", async () => {
    await using locked = await startTwin({ scenario: () => reply("In."), gemini: { apiKey: "right" } });
    const wrong = await send(locked, GEMINI_HEADERS);

    expect(errorOf(wrong)).toMatchObject({
      code: 400,
      status: "INVALID_ARGUMENT",
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
    });
    expect((await send(locked, keyless, `${WHOLE}?key=wrong`)).status).toBe(400);
    expect((await send(locked, keyless, `${WHOLE}?key=right`)).status).toBe(200);
  });
});

describe("what is not a request", () => {
  test.each([
    ["broken JSON", "{", "Invalid JSON payload received."],
    ["nothing", "", "Invalid JSON payload received. it is empty"],
    [
      "a list",
      "[]",
      "Invalid value (type.googleapis.com/google.ai.generativelanguage.v1beta.GenerateContentRequest), []",
    ],
  ])("is refused with 400: %s", async (_name, content, message) => {
    const answer = await ask(twin, content, { path: WHOLE, headers: GEMINI_HEADERS });

    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toContain(message);
  });

  test("is refused with 400 when it is too large", async () => {
    const answer = await askGemini(twin, { contents: [user(text("x".repeat(33 * 1024 * 1024)))] });

    expect(errorOf(answer)).toMatchObject({ code: 400, message: "Request payload size exceeds the limit" });
  });

  test.each(["/v1beta/models/gemini-test:embedContent", "/v1beta/files", "/v1beta/models/a/b:generateContent"])(
    "gets 404 at %s",
    async (path) => {
      expect(errorOf(await askGemini(twin, {}, path))).toMatchObject({ code: 404, status: "NOT_FOUND" });
    },
  );

  test("gets 404 with another method", async () => {
    expect((await fetch(`${twin.url}${WHOLE}`, { headers: GEMINI_HEADERS })).status).toBe(404);
    expect((await askGemini(twin, {}, "/v1beta/models")).status).toBe(404);
  });

  test("gets 404 for a model that does not exist", async () => {
    await using few = await startTwin({ scenario: [reply("Hi.")], models: ["gemini-known"] });

    expect(errorOf(await askGemini(few))).toMatchObject({ code: 404, status: "NOT_FOUND" });
    expect((await askGemini(few, {}, "/v1beta/models/gemini-known:generateContent")).status).toBe(200);
  });

  test("is refused as too long when it passes the context window", async () => {
    await using small = await startTwin({ scenario: [reply("Hi.")], contextWindowTokens: 100 });
    const long = { contents: [user(text("x".repeat(400)))] };

    expect(errorOf(await askGemini(small, long)).message).toBe(
      "The input token count (104) exceeds the maximum number of tokens allowed (100).",
    );
    expect((await askGemini(small, long, COUNT)).status).toBe(200);
  });
});

describe("the list of models", () => {
  const list = async (asked: Twin, path: string) => {
    const response = await fetch(`${asked.url}${path}`, { headers: GEMINI_HEADERS });
    return { status: response.status, json: (await response.json()) as { models: { name: string }[]; name?: string } };
  };

  test("names those of the twin, page by page", async () => {
    await using few = await startTwin({ scenario: [], models: ["a", "b", "c"], contextWindowTokens: 8000 });
    const first = await list(few, "/v1beta/models?pageSize=2");

    expect(first.json).toMatchObject({
      models: [
        { name: "models/a", inputTokenLimit: 8000, supportedGenerationMethods: ["generateContent", "countTokens"] },
        { name: "models/b" },
      ],
      nextPageToken: "2",
    });
    const second = await list(few, "/v1beta/models?pageSize=2&pageToken=2");
    expect(second.json.models.map(({ name }) => name)).toEqual(["models/c"]);
    expect(second.json).not.toHaveProperty("nextPageToken");
  });

  test("has one of them at its own path", async () => {
    expect((await list(twin, "/v1beta/models/gemini%2Dx")).json.name).toBe("models/gemini-x");
    await using few = await startTwin({ scenario: [], models: ["a"] });
    expect((await list(few, "/v1beta/models/b")).status).toBe(404);
  });

  test("asks for a key", async () => {
    expect((await fetch(`${twin.url}/v1beta/models`)).status).toBe(403);
  });
});
