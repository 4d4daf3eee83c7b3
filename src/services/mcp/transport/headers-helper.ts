import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { oneLine } from "@quoll/terminal-text/one-line";
import { z } from "zod";
import { parsedJson } from "../../../contracts/parsed-json.ts";
import { runCaptured } from "../../../platform/processes/run-captured.ts";
import { shellProgram } from "../../../platform/processes/shell-program.ts";
import { McpStartError } from "./session-error.ts";

const SHELL = "/bin/sh";
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;
const UNAUTHORIZED = 401;

const headersSchema = z.record(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/), z.string().regex(/^[^\r\n]*$/));

export type HelperRequest = {
  readonly command: string;
  /** Absolute. */
  readonly cwd: string;
  environment(): Promise<Readonly<Record<string, string>>>;
};

/**
 * A `fetch` that adds the headers that a command prints as a JSON object. The command runs before the first request,
 * and again after a 401 answer, once for each request.
 * @throws {McpStartError} (as a rejection) the command failed; its output is not shown, because it may hold a key.
 */
export function helpedFetch(inner: FetchLike, request: HelperRequest): FetchLike {
  let headers: Promise<Readonly<Record<string, string>>> | undefined;
  const known = () => {
    headers ??= readHeaders(request);
    headers.catch(() => {
      headers = undefined;
    });
    return headers;
  };
  const send = async (url: string | URL, init: RequestInit | undefined) => {
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(await known())) all.set(name, value);
    return inner(url, { ...init, headers: all });
  };
  return async (url, init) => {
    const used = known();
    const answer = await send(url, init);
    if (answer.status !== UNAUTHORIZED) return answer;
    await answer.body?.cancel();
    // Another request may have run the command in the meantime.
    if (headers === used) headers = undefined;
    return send(url, init);
  };
}

async function readHeaders({ command, cwd, environment }: HelperRequest): Promise<Readonly<Record<string, string>>> {
  const run = { ...shellProgram(SHELL, command), cwd, env: await environment(), timeoutMs: TIMEOUT_MS };
  const done = await runCaptured({ ...run, maxBytes: MAX_BYTES });
  const failed = (how: string) => new McpStartError(`its headersHelper ${how}`);
  if (done.kind === "timeout") throw failed(`did not end within ${TIMEOUT_MS / 1_000} s`);
  if (done.kind === "too-large") throw failed(`printed more than ${MAX_BYTES / 1_024} KiB`);
  if (done.kind === "not-started") throw failed(`could not be started (${done.reason})`);
  if (done.exitCode !== 0) throw failed(`exited with code ${done.exitCode ?? "?"}: ${oneLine(done.stderr, 200)}`);
  const parsed = headersSchema.safeParse(parsedJson(done.stdout));
  if (!parsed.success) throw failed('must print a JSON object of headers, such as {"Authorization": "Bearer …"}');
  return parsed.data;
}
