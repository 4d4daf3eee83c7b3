import { type Attributes, type Logger, SeverityNumber } from "@opentelemetry/api";
import { hrTime, type OpenSpan } from "./span-tree.ts";

type EventName = "quoll.user_prompt" | "quoll.api_error" | "quoll.tool_decision";

const SEVERITIES = { info: SeverityNumber.INFO, warn: SeverityNumber.WARN, error: SeverityNumber.ERROR } as const;

/** The events of a session, each with its span's ids. */
export class EventLog {
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #everywhere: Attributes;

  /** @param everywhere attributes of every event. */
  constructor(logger: Logger, now: () => number, everywhere: Attributes) {
    this.#logger = logger;
    this.#now = now;
    this.#everywhere = everywhere;
  }

  /** @param body a fixed text; variable data is in the attributes. */
  emit(eventName: EventName, at: OpenSpan, record: EventRecord): void {
    const { severity, body, attributes, atMs = this.#now() } = record;
    this.#logger.emit({
      eventName,
      timestamp: hrTime(atMs),
      severityNumber: SEVERITIES[severity],
      severityText: severity.toUpperCase(),
      body,
      // Some backends do not show event names yet.
      attributes: { ...this.#everywhere, "event.name": eventName, ...attributes },
      context: at.context,
    });
  }
}

export type EventRecord = {
  readonly severity: keyof typeof SEVERITIES;
  readonly body: string;
  readonly attributes: Attributes;
  /** Default: now. */
  readonly atMs?: number;
};
