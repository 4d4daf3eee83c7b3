import { eventEnds, streamKind } from "./events-of-body.ts";

/**
 * The changes that a gateway or a plain server makes to a stream: it adds events of its own before each event, leaves the empty line at
 * the end out, or sends the answer as one JSON document.
 */
export type Oddity = "strange events" | "no last line" | "one document";

const STRANGE = [
  'event: gateway.progress\ndata: {"tool":"x","status":"running"}\n\n',
  "event: keepalive\ndata: ping\n\n",
  "event: ping\ndata: {}\n\n",
  "data:\n\n",
  'data: {"object":"billing.summary","billing":{"total":"0.2"}}\n\n',
  ": waiting\n\n",
];

/** A `fetch` whose answers are odd in this way. */
export function oddStreams(oddity: Oddity, real: typeof fetch): typeof fetch {
  const odd = async (...[input, init]: Parameters<typeof fetch>) => {
    if (oddity === "one document") return real(...unstreamed(input, init));
    const response = await real(input, init);
    const kind = streamKind(response);
    if (!kind || kind.isFramed) return response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { status, headers } = response;
    return new Response(oddity === "no last line" ? withoutEnd(bytes) : withStrange(bytes), { status, headers });
  };
  return Object.assign(odd, { preconnect: real.preconnect });
}

function withoutEnd(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).trimEnd();
}

function withStrange(bytes: Uint8Array): string {
  const ends = [0, ...eventEnds(bytes, false)];
  const events = ends.slice(1).map((end, at) => new TextDecoder().decode(bytes.subarray(ends[at], end)));
  return events.map((event, at) => `${STRANGE[at % STRANGE.length]}${event}`).join("") + STRANGE.join("");
}

/** The same request without a stream. */
function unstreamed(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Parameters<typeof fetch> {
  const url = String(input instanceof Request ? input.url : input)
    .replace(/:stream(?:GenerateContent\?alt=sse|RawPredict)/, (path) =>
      path.includes("Raw") ? ":rawPredict" : ":generateContent",
    )
    .replace("invoke-with-response-stream", "invoke");
  const body = init?.body;
  const text = typeof body === "string" ? body : new TextDecoder().decode(body as Uint8Array);
  const { stream, stream_options: _, ...rest } = JSON.parse(text) as Record<string, unknown>;
  return [url, { ...init, body: JSON.stringify(stream === undefined ? rest : { ...rest, stream: false }) }];
}
