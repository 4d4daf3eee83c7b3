import type { Engine } from "../../contracts/engine.ts";
import type { EngineEvent, TurnReport } from "../../contracts/event.ts";
import type { StopReason } from "../../contracts/message.ts";
import { EXIT_CODES, type RunResult, runExit, type SessionTotal } from "../../contracts/run-result.ts";
import type { TaskInfo } from "../../contracts/task.ts";
import { shownReport } from "./message-lines.ts";

/** Makes the results of runs from the events and reports of the session's own agent. */
export class RunResults {
  readonly #engine: Pick<Engine, "state">;
  #stopReason: StopReason | undefined;
  #last: Extract<EngineEvent, { type: "assistant_message" }> | undefined;
  /** Web searches that providers ran for their models, by model. */
  readonly #searches = new Map<string, number>();

  constructor(engine: Pick<Engine, "state">) {
    this.#engine = engine;
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

  of(report: TurnReport, endedTasks: readonly TaskInfo[] = []): RunResult {
    const exit = runExit(report);
    return {
      ...shownReport(report, this.#last),
      sessionId: this.#engine.state.sessionId,
      exit,
      exitCode: EXIT_CODES[exit],
      stopReason: report.steps === 0 ? undefined : this.#stopReason,
      total: this.#total(report),
      endedTasks,
    };
  }

  #total(report: TurnReport): SessionTotal {
    const { costUsd, usage, usageByModel = report.usageByModel, spendBySource = [] } = this.#engine.state;
    const counted = Object.entries(usageByModel).map(([model, share]) => {
      const webSearches = Math.max(this.#searches.get(model) ?? 0, share.usage.webSearches ?? 0);
      return [model, { ...share, usage: { ...share.usage, webSearches } }] as const;
    });
    return { costUsd, usage, usageByModel: Object.fromEntries(counted), spendBySource };
  }
}
