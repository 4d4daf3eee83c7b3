/**
 * Records the exchange between a screen and a session: `bun tests/support/record-session.ts >
 * tests/faces/repl/recorded-session.jsonl`. Each line of the recording is an event of the session, keys of the person,
 * or a command of the screen.
 */

import { systemClock } from "../../src/platform/clock.ts";
import { SlashCommands } from "../../src/protocol/commands/slash-commands.ts";
import { EnginePort } from "../../src/protocol/engine-port.ts";
import type { SessionCommand, SessionEvent, SessionPort } from "../../src/protocol/session-port.ts";
import { commandRegistry } from "../../src/services/inventory/create-registry.ts";
import { playScene } from "./repl-scenes.ts";
import { screenStage } from "./screen-stage.ts";
import { scriptedEngine } from "./scripted-engine.ts";

export type Recorded =
  | { readonly event: SessionEvent }
  | { readonly keys: string }
  | { readonly command: SessionCommand };

const recording: Recorded[] = [];
const { engine } = scriptedEngine({ script: playScene });
const commands = new SlashCommands(commandRegistry([]), "full", {} as never);
const port = new EnginePort({
  session: { engine },
  screen: {},
  commands,
  failed: (error) => process.exit(console.error(error) ?? 1),
});
const recorder: SessionPort = {
  send(command) {
    recording.push({ command });
    port.send(command);
  },
  subscribe: (listener) =>
    port.subscribe((event) => {
      recording.push({ event });
      listener(event);
    }),
};
using stage = screenStage(recorder, systemClock);
const shows = async (text: string) => {
  while (!stage.text.includes(text)) await Bun.sleep(20);
};
const type = (keys: string) => {
  recording.push({ keys });
  stage.type(keys);
};
stage.controller.start();
await shows("? for keys");
type("fix the test\r");
await shows("running npm test");
type("and lint\t");
await shows("1 file +1 −1");
await shows("You said 8 characters");
await shows("? for keys");
type("ask me\r");
await shows("1 of 2");
type("3");
await shows("Make this change?");
await Bun.sleep(500);
type("0");
await shows("You said always, reject.");
await shows("? for keys");
await Bun.write(Bun.stdout, `${recording.map((step) => JSON.stringify(step)).join("\n")}\n`);
process.exit(0);
