import {
  type Attributes,
  type Context,
  type HrTime,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { ATTRIBUTE } from "./attributes.ts";

export type SpanTreeDeps = {
  readonly tracer: Tracer;
  /** Milliseconds since the epoch; never goes back. */
  now(): number;
  /** Attributes of every span. */
  readonly everywhere: Attributes;
};

/** A span with the context for its children. */
export type OpenSpan = { readonly span: Span; readonly context: Context; readonly startedAtMs: number };

type Ending = {
  readonly attributes?: Attributes;
  /** The error, in the form of `error.type`. */
  readonly error?: string;
  /** Default: now. */
  readonly atMs?: number;
};

type Known = {
  readonly attributes: Attributes | undefined;
  readonly error?: string | undefined;
  readonly atMs: number;
};

type Starting = {
  readonly attributes: Attributes;
  readonly kind?: SpanKind;
  readonly link?: SpanContext | undefined;
  readonly startedAtMs?: number;
};

/**
 * The spans of one session: session → turn → requests and tool calls. A call is linked to the request that asked for
 * it, but is its sibling, because it continues after the answer. When a parent ends, its open children end first.
 */
export class SpanTree {
  readonly #deps: SpanTreeDeps;
  readonly #open = new Map<OpenSpan, OpenSpan | undefined>();
  readonly session: OpenSpan;
  #turn: OpenSpan | undefined;

  constructor(deps: SpanTreeDeps, attributes: Attributes) {
    this.#deps = deps;
    this.session = this.#start("session", undefined, { attributes });
  }

  get turn(): OpenSpan | undefined {
    return this.#turn;
  }

  /** The span to which events now belong. */
  get current(): OpenSpan {
    return this.#turn ?? this.session;
  }

  startTurn(name: string, starting: Starting): OpenSpan {
    if (this.#turn) this.end(this.#turn, { error: "unfinished" });
    this.#turn = this.#start(name, this.session, starting);
    return this.#turn;
  }

  /** A request or a tool call; outside a turn, a child of the session. */
  start(name: string, starting: Starting): OpenSpan {
    return this.#start(name, this.current, starting);
  }

  /** Ends a span, after its open children. Ending twice has no effect. */
  end(open: OpenSpan, { attributes, error, atMs = this.#deps.now() }: Ending = {}): void {
    if (this.#take(open, atMs)) this.#finish(open, { attributes, error, atMs });
  }

  /** Ends a span with the current time, after its remaining data is known; its parent may end in the meantime. */
  async endWith(open: OpenSpan, ending: Ending, more: Promise<Attributes>): Promise<void> {
    const { attributes, error, atMs = this.#deps.now() } = ending;
    if (this.#take(open, atMs)) this.#finish(open, { attributes: { ...attributes, ...(await more) }, error, atMs });
  }

  event({ span }: OpenSpan, name: string, attributes: Attributes): void {
    span.addEvent(name, attributes, hrTime(this.#deps.now()));
  }

  /** @returns false if it was already taken. */
  #take(open: OpenSpan, atMs: number): boolean {
    if (!this.#open.delete(open)) return false;
    for (const [child, parent] of this.#open) if (parent === open) this.end(child, { error: "unfinished", atMs });
    if (open === this.#turn) this.#turn = undefined;
    return true;
  }

  #finish({ span }: OpenSpan, { attributes, error, atMs }: Known): void {
    if (attributes) span.setAttributes(attributes);
    if (error !== undefined) span.setAttribute(ATTRIBUTE.errorType, error).setStatus({ code: SpanStatusCode.ERROR });
    span.end(hrTime(atMs));
  }

  #start(name: string, parent: OpenSpan | undefined, starting: Starting): OpenSpan {
    const { attributes, kind = SpanKind.INTERNAL, link, startedAtMs = this.#deps.now() } = starting;
    const above = parent?.context ?? ROOT_CONTEXT;
    const options = {
      kind,
      attributes: { ...this.#deps.everywhere, ...attributes },
      startTime: hrTime(startedAtMs),
      ...(link && { links: [{ context: link }] }),
    };
    const span = this.#deps.tracer.startSpan(name, options, above);
    const open = { span, context: trace.setSpan(above, span), startedAtMs };
    this.#open.set(open, parent);
    return open;
  }
}

/** The library would read a small number as time since the start of the process. */
export function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.min(999_999_999, Math.round((ms - seconds * 1000) * 1e6))];
}
