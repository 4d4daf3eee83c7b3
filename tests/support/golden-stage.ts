import type { EngineEvent } from "../../src/contracts/event.ts";
import { NO_USAGE } from "../../src/contracts/message.ts";
import type { Question } from "../../src/contracts/question.ts";
import type { Size } from "../../src/faces/repl/repl-screen-state.ts";
import { TranscriptWindow } from "../../src/faces/repl/viewer/transcript-window.ts";
import type { SessionEvent, SessionView } from "../../src/protocol/session-port.ts";
import { fakeClock } from "./fake-clock.ts";
import { screenStage } from "./screen-stage.ts";

export type Look = Pick<NonNullable<Parameters<typeof screenStage>[3]>, "terminal" | "props">;

/** A session that shows its state, before anything was asked of the model. */
const IDLE: SessionView = {
  ...{ sessionId: "0d9f2c1e", model: "claude-sonnet-5-20260101", providerName: "anthropic", mode: "default" },
  ...{ usage: { ...NO_USAGE, inputTokens: 900 }, costUsd: 0.04, usedTokens: 22_000, windowTokens: 200_000 },
  ...{ busy: false, queue: [], isEmpty: false },
};

/** The modes of the alternate screen. */
const [OPENED, CLOSED] = ["\u001b[?1049h", "\u001b[?1049l"];
const STATUS = { cwd: "/src/shop", shownCwd: "~/src/shop", texts: [], ownLines: [] };

/** A step of the clock in which every timer of a frame is due. */
const STEP_MS = 50;
/** Code that is in memory takes fewer turns of the event loop to be imported. */
const LOADING_TURNS = 20;

/** The code that screens load at its first use, and not as a part of their Markdown. */
const LATE_CODE = [
  ...["layers/asked-layer", "editor/vim/press-vim", "viewer/transcript-viewer", "viewer/last-folded"],
  ...["prompt/tip-texts", "view/help-lines"],
  ...["keymap/keys-list", "keymap/read-keybindings", "keymap/key-changes", "keymap/change-keybindings"],
];

/** The screen in one size and theme, to which a script sends events and keys. */
export function goldenStage(size: Size, background: "dark" | "light", { terminal, props }: Look) {
  const clock = fakeClock();
  let state = IDLE;
  let tellScreen: (event: SessionEvent) => void = () => undefined;
  const written: string[] = [];
  const stage = screenStage(
    {
      send: () => undefined,
      subscribe(listener) {
        tellScreen = listener;
        return () => undefined;
      },
    },
    clock,
    size,
    {
      terminal: { isPlain: false, colorLevel: 3, background, ...terminal },
      ...(props && { props }),
      alternate: (text) => written.push(text),
    },
  );
  const here = {
    size,
    clock,
    tell: (event: SessionEvent) => tellScreen(event),
    play(...events: readonly EngineEvent[]) {
      for (const event of events) tellScreen({ type: "engine", event });
    },
    /** Changes the state that the session reports. */
    state(changes: Partial<SessionView>) {
      state = { ...state, ...changes };
      tellScreen({ type: "state", state });
      // Of itself, a state draws nothing: what changed it does.
      here.tell({ type: "status", status: STATUS });
    },
    ask: (...pending: readonly Question[]) => tellScreen({ type: "questions", pending }),
    /** Presses keys one after another, each drawn before the next. */
    async type(...keys: readonly string[]) {
      for (const key of keys) {
        stage.type(key);
        await here.wait(STEP_MS);
      }
    },
    /** Lets time pass. Loading code takes no time of the clock, so that a frame does not depend on the machine. */
    async wait(ms: number) {
      for (let left = ms; left > 0; left -= STEP_MS) {
        await clock.advance(Math.min(left, STEP_MS));
        while (stage.controller.screen.markdown.isLoading) await clock.advance(0);
      }
    },
    leave() {
      stage.controller.leave({ exitCode: 0 });
      stage.controller.end();
    },
  };
  return {
    here,
    async start() {
      for (const file of LATE_CODE) await import(`../../src/faces/repl/${file}.ts`);
      stage.controller.start();
      if (terminal?.isFull) stage.controller.screen.open(TranscriptWindow);
      here.state({});
      await here.wait(STEP_MS);
    },
    /** Lets all code load that the screen waits for, and draws with it. */
    async settle() {
      await here.wait(1_000);
      for (let turn = 0; turn < LOADING_TURNS; turn += 1) await clock.advance(0);
      await here.wait(1_000);
    },
    snapshot: () => stage.controller.screen.snapshot,
    /** The rows on the alternate screen; empty while the first screen is shown. */
    get alternate(): readonly string[] {
      const all = written.join("");
      const opened = all.lastIndexOf(OPENED);
      const rows: string[] = [];
      if (all.indexOf(CLOSED, opened) >= 0) return rows;
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences that put a row into its place.
      for (const [, row, line] of all.slice(opened).matchAll(/\u001b\[(\d+);1H\u001b\[2K(.*?)\u001b\[0m/gs))
        rows[Number(row) - 1] = line ?? "";
      return Array.from(rows, (row) => row ?? "");
    },
    [Symbol.dispose]: () => stage[Symbol.dispose](),
  };
}

export type GoldenStage = ReturnType<typeof goldenStage>["here"];
