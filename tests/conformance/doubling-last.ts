import { eventEnds, streamKind } from "./events-of-body.ts";

/** A `fetch` whose streams repeat their last event, as a faulty proxy may do. */
export function doublingLast(real: typeof fetch): typeof fetch {
  const doubling = async (...[input, init]: Parameters<typeof fetch>) => {
    const response = await real(input, init);
    const kind = streamKind(response);
    if (!kind) return response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const last = bytes.subarray(eventEnds(bytes, kind.isFramed).at(-2) ?? 0);
    const { status, headers } = response;
    return new Response(Buffer.concat([bytes, last]), { status, headers });
  };
  return Object.assign(doubling, { preconnect: real.preconnect });
}
