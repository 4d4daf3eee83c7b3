import type { PermissionMode } from "../../contracts/permission-mode.ts";
import type { SessionPort } from "../../protocol/session-port.ts";
import type { Effect } from "./layers/ui-state.ts";
import type { EnteredInput } from "./prompt/entered-input.ts";
import type { ImagePaste } from "./prompt/image-paste.ts";
import type { TypedHistory } from "./prompt/typed-history.ts";
import type { ReplScreen } from "./repl-screen-state.ts";
import type { ReplState } from "./repl-state.ts";
import type { TerminalHandover } from "./terminal/terminal-handover.ts";
import type { ViewerHost } from "./viewer/viewer-host.ts";

export type EffectParts = {
  readonly port: SessionPort;
  readonly input: EnteredInput;
  readonly history: TypedHistory;
  readonly images: ImagePaste;
  readonly handover: TerminalHandover;
  readonly viewer: ViewerHost;
  readonly state: ReplState;
  readonly screen: ReplScreen;
  /** Aborts when the REPL is over. */
  readonly ended: AbortSignal;
  /** The modes that the mode key cycles through. */
  readonly modes: readonly PermissionMode[];
  /** True if the session continues without this screen. */
  readonly isDetachable: boolean;
  /** Opens a question that waits in the row of an agent; without an id, the next question that must be answered. */
  openQuestion(id: string | undefined): void;
  leave(): void;
  /** Reports a bug in Quoll. */
  readonly failed: (error: unknown) => void;
};

type Performers = {
  readonly [Type in Effect["type"]]: (effect: Extract<Effect, { readonly type: Type }>, parts: EffectParts) => void;
};

const PERFORMERS: Performers = {
  submit(effect, { screen, history, input }) {
    screen.scroll("screen.bottom");
    history.remember(effect.remembered, effect.keeps);
    input.enter(effect.text, effect.draft);
  },
  enqueue(effect, { screen, history, input }) {
    screen.scroll("screen.bottom");
    history.remember(effect.remembered, effect.keeps);
    input.enqueue(effect, effect.text, effect.when);
  },
  withdraw: ({ id }, { input }) => input.withdraw(id),
  take_queued: (_, { input }) => input.takeQueued(),
  hidden: ({ text }, { port }) => port.send({ type: "field", ...(text !== undefined && { value: text }) }),
  interrupt: (_, { input }) => input.interrupt(),
  viewer: ({ does }, { viewer }) => viewer.perform(does),
  viewer_text: ({ text }, { viewer }) => viewer.type(text),
  unfold: (_, { state, screen, failed }) => void state.unfoldLast(screen).catch(failed),
  paste_image: (effect, { images, ended, failed }) => void images.take(effect, ended).catch(failed),
  leave: (_, parts) => parts.leave(),
  suspend: (_, { isDetachable, leave, handover, failed }) =>
    isDetachable ? leave() : void handover.suspend().catch(failed),
  redraw: (_, { handover, failed }) => void handover.redraw().catch(failed),
  edit_draft: ({ text }, { handover, ended, failed }) => void handover.editDraft(text, ended).catch(failed),
  edit: ({ id, file }, { handover, ended, failed }) => void handover.edit(id, file, ended).catch(failed),
  mode: ({ mode }, { port, modes }) => port.send({ type: "mode", wanted: mode, modes }),
  read_history: (_, { history }) => void history.loadOthers(),
  task: (effect, { port }) => port.send(effect),
  question: ({ id }, parts) => parts.openQuestion(id),
  answer: ({ id, reply }, { port }) => port.send({ type: "answer", id, reply }),
};

/** Performs an action that a key requested beyond the screen's own state. */
export function performEffect(effect: Effect, parts: EffectParts): void {
  (PERFORMERS[effect.type] as (effect: Effect, parts: EffectParts) => void)(effect, parts);
}
