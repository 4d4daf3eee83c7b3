import type { Twin } from "../../../src/server.ts";
import { type Answered, ask, type Body, body } from "../../support/ask.ts";

export const at = (model: string, specifier = "streamRawPredict", project = "p1") =>
  `/v1/projects/${project}/locations/global/publishers/anthropic/models/${model}:${specifier}`;
export const MODEL = "claude-test@20260101";
export const STREAM = at(MODEL);
export const WHOLE = at(MODEL, "rawPredict");
export const COUNT = at("count-tokens", "rawPredict");
export const TOKEN: Record<string, string> = { "content-type": "application/json", authorization: "Bearer token" };

/** The smallest request that Vertex accepts, overridden by `fields`; an undefined field is removed. */
export const vertexBody = (fields: Body = {}): Body =>
  body({ model: undefined, anthropic_version: "vertex-2023-10-16", ...fields });

type AskOptions = { path?: string; headers?: Record<string, string> };

export const askVertex = (
  twin: Twin,
  fields: Body = {},
  { path = WHOLE, headers = TOKEN }: AskOptions = {},
): Promise<Answered> => ask(twin, vertexBody(fields), { path, headers });

/** The same as a stream. */
export const streamVertex = (twin: Twin, fields: Body = {}): Promise<Answered> =>
  askVertex(twin, { stream: true, ...fields }, { path: STREAM });
