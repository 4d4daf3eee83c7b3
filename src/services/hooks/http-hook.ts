import { errorMessage } from "../../contracts/errors.ts";
import type { HookSettings } from "../../contracts/hook-settings.ts";
import type { JsonObject } from "../../contracts/message.ts";
import { MAX_ANSWER_BYTES, TOO_LONG } from "./command-answer.ts";
import { textAnswer } from "./text-answer.ts";

/** `$NAME` or `${NAME}` in a header. */
const REFERENCE = /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g;

export type HttpPorts = {
  readonly fetch: typeof globalThis.fetch;
  /** The person's environment, from which headers take the variables that the hook names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/**
 * Sends the input of a hook as a POST request; the body of a 2xx response is the answer. No redirect is followed.
 * @throws {Error} one phrase: no connection, another status, or an invalid answer.
 */
export async function runHttpHook(
  { url = "", headers = {}, allowedEnvVars = [] }: HookSettings,
  input: JsonObject,
  { fetch, environment }: HttpPorts,
  signal: AbortSignal,
): Promise<JsonObject> {
  const filled = Object.entries(headers).map(([name, value]) => [
    name,
    value.replace(REFERENCE, (_, braced?: string, plain?: string) => {
      const variable = braced ?? plain ?? "";
      return allowedEnvVars.includes(variable) ? (environment[variable] ?? "") : "";
    }),
  ]);
  const response = await post(fetch, url, {
    method: "POST",
    headers: { ...Object.fromEntries(filled), "content-type": "application/json" },
    body: JSON.stringify(input),
    redirect: "manual",
    signal,
  });
  const body = await firstBytes(response);
  if (!response.ok) throw new Error(`${url} answered with status ${response.status}`);
  return textAnswer(String(input["hook_event_name"]), body);
}

async function post(fetch: typeof globalThis.fetch, url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason;
    throw new Error(`${url} could not be reached (${errorMessage(error)})`, { cause: error });
  }
}

/** Reads at most the limit, then ends the connection. */
async function firstBytes({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`its answer has ${TOO_LONG}`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
