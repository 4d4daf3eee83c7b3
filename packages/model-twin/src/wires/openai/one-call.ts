import type { Reply, ReplyBlock } from "../../scenario.ts";
import { Remembered } from "../remembered.ts";
import type { RenderedBlock } from "./render.ts";

const isCall = (block: ReplyBlock) => block.type === "tool_use";

/** Splits a reply after its first call; undefined when it has no second one. */
function splitReply(reply: Reply): { readonly head: Reply; readonly rest: Reply } | undefined {
  const end = reply.content.findIndex(isCall) + 1;
  if (end === 0 || !reply.content.slice(end).some(isCall)) return undefined;
  const { usage: _told, fault: _struck, ...travel } = reply;
  return {
    head: { ...reply, content: reply.content.slice(0, end), stopReason: "tool_use" },
    rest: { ...travel, content: reply.content.slice(end) },
  };
}

/**
 * Sends the calls of one reply one at a time: the rest after a call waits for the call's result. If a fault breaks a
 * reply, the twin does not wait for a result, because the client is expected to repeat the request.
 */
export class OneCallAtATime {
  readonly #rests = new Remembered<Reply>();

  /** The unsent rest of an earlier reply; `key` identifies the answered call. */
  restAfter(key: string | undefined): Reply | undefined {
    return key === undefined ? undefined : this.#rests.get(key);
  }

  /** The part of a reply that is sent now. `remember` receives its rendered form. */
  first(
    reply: Reply,
    keyOf: (call: Extract<RenderedBlock, { type: "call" }>) => string,
  ): {
    readonly reply: Reply;
    readonly remember: (blocks: readonly RenderedBlock[]) => void;
  } {
    const split = splitReply(reply);
    if (!split) return { reply, remember: () => {} };
    const remember = (blocks: readonly RenderedBlock[]) => {
      const call = blocks.findLast((block) => block.type === "call");
      if (call && !reply.fault) this.#rests.set(keyOf(call), split.rest);
    };
    return { reply: split.head, remember };
  }
}
