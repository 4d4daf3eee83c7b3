/** The events of a Messages stream. Servers differ, so every field is optional and checked where it is read. */

export type WireUsage = {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
  readonly cache_read_input_tokens?: unknown;
  readonly cache_creation_input_tokens?: unknown;
  /** The cost, as routers add it. */
  readonly cost?: unknown;
  readonly server_tool_use?: unknown;
};

export type WireBlock = { readonly type?: unknown; readonly [field: string]: unknown };

export type WireEvent = {
  readonly type?: unknown;
  readonly index?: unknown;
  readonly message?: { readonly model?: unknown; readonly usage?: WireUsage | null } | null;
  readonly content_block?: WireBlock | null;
  readonly delta?: { readonly type?: unknown; readonly [field: string]: unknown } | null;
  readonly usage?: WireUsage | null;
  readonly error?: { readonly type?: unknown; readonly message?: unknown } | null;
};

/** @throws {SyntaxError} the data is not a JSON object. */
export function parseWireEvent(data: string): WireEvent {
  const event: unknown = JSON.parse(data);
  if (typeof event !== "object" || event === null) throw new SyntaxError("an event of the stream is not a JSON object");
  return event;
}
