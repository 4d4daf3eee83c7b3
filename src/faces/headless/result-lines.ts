import type { Engine } from "../../contracts/engine.ts";
import type { EngineEvent, TurnReport } from "../../contracts/event.ts";
import type { StopReason } from "../../contracts/message.ts";
import type { Ids } from "../../contracts/ports.ts";
import { shownReport } from "./message-lines.ts";
import { type WireLine, wireResult } from "./wire-format.ts";

/** A model's limits for input and output, in tokens. */
export type ModelLimits = (model: string) => { readonly contextWindow: number; readonly maxOutputTokens: number };

/** Makes the closing line of each turn. The cost is that of the whole session, as readers of several results expect. */
export class ResultLines {
  readonly #engine: Engine;
  readonly #ids: Ids;
  readonly #limits: ModelLimits;
  #stopReason: StopReason | undefined;
  #last: Extract<EngineEvent, { type: "assistant_message" }> | undefined;
  /** Web searches that providers ran for their models, by model. */
  readonly #searches = new Map<string, number>();

  constructor(engine: Engine, ids: Ids, limits: ModelLimits) {
    this.#engine = engine;
    this.#ids = ids;
    this.#limits = limits;
  }

  note(event: EngineEvent): void {
    if (event.type === "turn_started") {
      this.#stopReason = undefined;
      this.#last = undefined;
    }
    if (event.type !== "assistant_message") return;
    this.#last = event;
    const { model, content, stopReason } = event.message;
    this.#stopReason = stopReason;
    const searches = content.filter((block) => block.type === "opaque" && block.data["name"] === "web_search").length;
    if (searches > 0) this.#searches.set(model, (this.#searches.get(model) ?? 0) + searches);
  }

  /** Puts the last answer's text into the report as hooks want it shown. */
  shown(report: TurnReport): TurnReport {
    return shownReport(report, this.#last);
  }

  line(report: TurnReport): WireLine {
    const { sessionId, costUsd, usage, usageByModel = report.usageByModel, spendBySource } = this.#engine.state;
    const stopReason = report.steps === 0 ? undefined : this.#stopReason;
    const extras = { sessionId, uuid: this.#ids.next(), stopReason };
    const aboutModel = (model: string) => ({
      ...this.#limits(model),
      webSearchRequests: Math.max(this.#searches.get(model) ?? 0, usageByModel[model]?.usage.webSearches ?? 0),
    });
    return wireResult(this.shown(report), {
      ...extras,
      aboutModel,
      spendBySource,
      total: { costUsd, usage, usageByModel },
    });
  }
}
