import type { Answer } from "../../deliver.ts";
import type { Reply } from "../../scenario.ts";
import { deliveryOf, wholeDelivery } from "../delivery.ts";
import { streamSteps } from "../stream-steps.ts";
import { DEFAULT_STREAM_ERROR, errorAnswer, errorMessage, statusOfType } from "./api-error.ts";
import { streamFrames } from "./events.ts";
import { type RenderedMessage, wireMessage } from "./render.ts";

/** Not retried by clients that honour `x-should-retry`: a script that is too short should be seen at once. */
export function usedUp(requestId: string): Answer {
  const message = "model-twin: the scenario has no more replies";
  return errorAnswer({ status: 500, message, headers: { "x-should-retry": "false" } }, requestId);
}

export function jsonAnswer(body: unknown, requestId: string): Answer {
  return {
    status: 200,
    headers: { "content-type": "application/json", "request-id": requestId },
    steps: [{ kind: "write", text: JSON.stringify(body), paced: false }],
  };
}

export function streamAnswer(message: RenderedMessage, reply: Reply, requestId: string): Answer {
  return {
    status: 200,
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "request-id": requestId,
    },
    steps: streamSteps(reply, streamFrames(message, reply, requestId)),
    ...deliveryOf(reply),
  };
}

/** Without a stream, an error is sent as an HTTP status. */
export function wholeAnswer(message: RenderedMessage, reply: Reply, requestId: string): Answer {
  const { fault } = reply;
  if (fault?.kind === "error_event") {
    const type = fault.errorType ?? DEFAULT_STREAM_ERROR;
    const status = statusOfType(type);
    return errorAnswer({ status, type, message: fault.message ?? errorMessage(status) }, requestId);
  }
  return wholeDelivery(jsonAnswer(wireMessage(message), requestId), reply);
}
