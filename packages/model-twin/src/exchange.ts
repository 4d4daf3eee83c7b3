import type { IncomingMessage, ServerResponse } from "node:http";
import { type Answer, aborted, deliver, hangUp, type Refusal } from "./deliver.ts";
import { readBody } from "./read-body.ts";
import type { OpenRequest, Recorder } from "./recorder.ts";
import type { Reply, ScenarioRequest } from "./scenario.ts";
import type { ReceivedRequest, Wire } from "./wires/wire.ts";

/** State that all exchanges of a server share. */
type ExchangeHost = {
  readonly recorder: Recorder;
  readonly wires: readonly [Wire, ...Wire[]];
  readonly next: (request: ScenarioRequest) => Promise<Reply | undefined>;
  readonly nextNumber: () => number;
  /** Aborts when the server closes. */
  readonly signal: AbortSignal;
};

function headersOf(request: IncomingMessage): Readonly<Record<string, string>> {
  const pairs = Object.entries(request.headers);
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

/** A signal that aborts when the client goes away, the response is complete or the server closes. */
function exchangeSignal(response: ServerResponse, closing: AbortSignal): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  response.once("close", abort);
  closing.addEventListener("abort", abort, { once: true });
  if (closing.aborted) abort();
  const release = () => {
    response.off("close", abort);
    closing.removeEventListener("abort", abort);
  };
  return { signal: controller.signal, release };
}

/** A fault in the scenario, reported to the client as a server error. */
function scenarioFailure(error: unknown): Answer {
  const message = `model-twin: the scenario function failed: ${error instanceof Error ? error.message : String(error)}`;
  return {
    status: 500,
    headers: { "content-type": "application/json", "x-should-retry": "false" },
    steps: [
      { kind: "write", text: JSON.stringify({ type: "error", error: { type: "api_error", message } }), paced: false },
    ],
  };
}

async function send(response: ServerResponse, answer: Answer | Refusal, signal: AbortSignal): Promise<void> {
  if (!("kind" in answer)) return deliver(response, answer, signal);
  if (answer.kind === "silence") return aborted(signal);
  hangUp(response, answer.reset);
}

/** Judges a request and finds its answer. The request is recorded before the scenario is asked, so that a scenario may wait for its own observer. */
async function answerTo(received: ReceivedRequest, record: OpenRequest, host: ExchangeHost): Promise<Answer | Refusal> {
  const { recorder, wires } = host;
  let isRecorded = false;
  const next = () => {
    isRecorded = true;
    recorder.received(record);
    return host.next(received);
  };
  const wire = wires.find((candidate) => candidate.owns(received.path)) ?? wires[0];
  try {
    const { answer, rejected } = await wire.handle(received, next);
    record.rejected = rejected;
    return answer;
  } catch (error) {
    return scenarioFailure(error);
  } finally {
    if (!isRecorded) recorder.received(record);
  }
}

/** Serves one request from its first byte to the last of its response. Never throws. */
export async function serveExchange(
  request: IncomingMessage,
  response: ServerResponse,
  host: ExchangeHost,
): Promise<void> {
  const receivedAtMs = performance.now();
  // A client that disconnects is not an error of the twin; without a listener, the socket's error would end the
  // process.
  request.on("error", () => {});
  response.on("error", () => {});
  const { signal, release } = exchangeSignal(response, host.signal);
  const { method = "GET", url = "/" } = request;
  const [path = "/", ...rest] = url.split("?");
  const query = rest.join("?");
  const read = await readBody(request);
  const seen = { method, path, headers: headersOf(request), body: read.json, bodyText: read.text };
  const record: OpenRequest = {
    ...seen,
    index: -1,
    receivedAtMs,
    endedAtMs: undefined,
    status: undefined,
    rejected: [],
  };
  try {
    if (read.isCutOff) {
      record.rejected = ["the client went away before the body was complete"];
      host.recorder.received(record);
      return;
    }
    const { problem: bodyProblem, isTooLarge } = read;
    const received = { ...seen, query, bodyProblem, isTooLarge, number: host.nextNumber() };
    const answer = await answerTo(received, record, host);
    if (!("kind" in answer)) record.status = answer.status;
    await send(response, answer, signal);
  } finally {
    release();
    host.recorder.ended(record);
  }
}
