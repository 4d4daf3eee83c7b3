import type { Engine } from "../../src/contracts/engine.ts";
import { ProgramPort } from "../../src/protocol/program-port.ts";

type Parts = Partial<ConstructorParameters<typeof ProgramPort>[0]>;

/** The port of a run without a screen; without slash commands by default, and with the events of one agent. */
export function programSession(engine: Engine, parts: Parts = {}): ProgramPort {
  const clock = { monotonicMs: () => performance.now() };
  return new ProgramPort({ engine, agents: engine, commands: { run: () => undefined }, clock, ...parts });
}
