import type { Engine } from "../../contracts/engine.ts";
import type { EngineEvent, TurnReport } from "../../contracts/event.ts";
import type { StopReason } from "../../contracts/message.ts";
import type { Ids } from "../../contracts/ports.ts";
import { type WireLine, wireResult } from "./wire-format.ts";

/** Makes the closing line of each turn. What it cost counts from the session's start on, as readers of several results expect. */
export class ResultLines {
  readonly #engine: Engine;
  readonly #ids: Ids;
  #stopReason: StopReason | undefined;

  constructor(engine: Engine, ids: Ids) {
    this.#engine = engine;
    this.#ids = ids;
  }

  note(event: EngineEvent): void {
    if (event.type === "turn_started") this.#stopReason = undefined;
    if (event.type === "assistant_message") this.#stopReason = event.message.stopReason;
  }

  line(report: TurnReport): WireLine {
    const { sessionId, costUsd, usageByModel = report.usageByModel } = this.#engine.state;
    const extras = { sessionId, uuid: this.#ids.next(), stopReason: this.#stopReason };
    return wireResult(report, { ...extras, total: { costUsd, usageByModel } });
  }
}
