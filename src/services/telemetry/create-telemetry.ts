import { atMost } from "@quoll/async/at-most";
import type { EventEnvelope } from "../../contracts/event.ts";
import type { Usage } from "../../contracts/message.ts";
import type { Authorize } from "../../contracts/permission.ts";
import type { Clock, Redactor } from "../../contracts/ports.ts";
import type { Provider } from "../../contracts/provider.ts";
import type { SpendSource } from "../../contracts/spend.ts";
import { ATTRIBUTE } from "./attributes.ts";
import { Content } from "./content.ts";
import { Delivery } from "./delivery.ts";
import { EventLog } from "./event-log.ts";
import { Meters } from "./meters.ts";
import { openSignals, type Signals } from "./open-signals.ts";
import type { TelemetryPlan } from "./read-telemetry-plan.ts";
import { SessionRecorder } from "./session-recorder.ts";
import { SpanTree } from "./span-tree.ts";
import { watchDecisions } from "./watch-decisions.ts";
import { type RequestWatch, watchProvider } from "./watch-provider.ts";

/** Maximum delay at the end of a session. */
export const CLOSE_MS = 2_000;

export type TelemetryOptions = {
  readonly plan: TelemetryPlan;
  readonly version: string;
  readonly sessionId: string;
  /** Distinguishes this process from others that send telemetry. */
  readonly instanceId: string;
  /** For example `linux`. */
  readonly os: string;
  /** True if a person uses the session. */
  readonly isInteractive: boolean;
  readonly clock: Clock;
  /** Used only if content is sent. */
  redactor(): Promise<Redactor>;
  /** US dollars; undefined if the price is unknown. */
  cost(model: string, usage: Usage): Promise<number | undefined>;
};

/** Traces, metrics and events of one session. Never throws, waits or changes what it observes. */
export interface Telemetry {
  /** Returns the same provider, with its requests observed. */
  watchProvider(provider: Provider, source: SpendSource): Provider;
  watchDecisions(authorize: Authorize): Authorize;
  /** Receives the engine's events, like any subscriber. */
  observe(envelope: EventEnvelope): void;
  /** Reports once, as soon as it is known, that a collector rejects the data. */
  notifyFirstLoss(notify: (line: string) => void): void;
  /**
   * Ends open spans and sends waiting data, within `CLOSE_MS`. Never rejects.
   * @returns one line for a person if data was lost.
   */
  close(): Promise<string | undefined>;
}

export async function createTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { plan, version, clock } = options;
  const delivery = new Delivery(plan.targets);
  const content = plan.content ? new Content(await options.redactor()) : undefined;
  const resource = {
    "service.name": "quoll",
    "service.version": version,
    "service.instance.id": options.instanceId,
    "os.type": options.os,
  };
  const signals = await openSignals({ plan, version, resource, delivery });
  const now = steadyTime(clock);
  const everywhere = { [ATTRIBUTE.session]: options.sessionId, [ATTRIBUTE.conversation]: options.sessionId };
  const about = { [ATTRIBUTE.interactive]: options.isInteractive };
  const meters = new Meters(signals.meter);
  meters.session(about);
  const recorder = new SessionRecorder({
    tree: new SpanTree({ tracer: signals.tracer, now, everywhere }, about),
    meters,
    log: new EventLog(signals.logger, now, everywhere),
    content,
    cost: options.cost,
    now,
    isLangfuse: /\/api\/public\/otel\//.test(plan.targets.traces?.url ?? ""),
  });
  return watching(recorder, { signals, delivery, clock, now });
}

type Watching = {
  readonly signals: Signals;
  readonly delivery: Delivery;
  readonly clock: Clock;
  now(): number;
};

/** A bug in Quoll's telemetry must not fail a turn: the line at the end reports the bug. */
function watching(recorder: SessionRecorder, { signals, delivery, clock, now }: Watching): Telemetry {
  const safely = <Result>(work: () => Result): Result | undefined => {
    try {
      return work();
    } catch (error) {
      delivery.fault(error);
      return undefined;
    }
  };
  const safe = (watch: RequestWatch | undefined): RequestWatch => ({
    spent: (usage) => safely(() => watch?.spent(usage)),
    note: (event) => safely(() => watch?.note(event)),
    fail: (error, isAborted) => safely(() => watch?.fail(error, isAborted)),
    abandon: () => safely(() => watch?.abandon()),
  });
  let closed: Promise<string | undefined> | undefined;
  return {
    watchProvider: (provider, source) =>
      watchProvider(provider, (request) =>
        safe(safely(() => recorder.request({ request, provider: provider.name, source }))),
      ),
    watchDecisions: (authorize) =>
      watchDecisions(authorize, now, (...verdict) => safely(() => recorder.decided(...verdict))),
    observe: (envelope) => safely(() => recorder.observe(envelope)),
    notifyFirstLoss: (notify) => delivery.notifyFirstLoss(notify),
    close: () => {
      closed ??= (async () => {
        delivery.end();
        const sent = recorder
          .close()
          .catch((error: unknown) => delivery.fault(error))
          .then(() => signals.close());
        const isSent = await atMost(
          sent.then(() => true),
          CLOSE_MS,
          { clock },
        );
        if (!isSent) delivery.giveUp(CLOSE_MS);
        return delivery.problem();
      })();
      return closed;
    },
  };
}

/** Milliseconds since the epoch that never go back, even if the clock is changed. */
function steadyTime(clock: Clock): () => number {
  const offsetMs = clock.now() - clock.monotonicMs();
  return () => offsetMs + clock.monotonicMs();
}
