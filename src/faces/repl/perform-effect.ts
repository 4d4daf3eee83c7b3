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

/** Performs an action that a key requested beyond the screen's own state. */
export function performEffect(effect: Effect, parts: EffectParts): void {
  const { port, input, history, images, viewer, state, screen, ended, modes, leave, failed } = parts;
  switch (effect.type) {
    case "submit":
      screen.scroll("screen.bottom");
      history.remember(effect.remembered, effect.keeps);
      input.enter(effect.text, effect.draft);
      return;
    case "enqueue":
      screen.scroll("screen.bottom");
      history.remember(effect.remembered, effect.keeps);
      input.enqueue(effect, effect.text, effect.when);
      return;
    case "withdraw":
      input.withdraw(effect.id);
      return;
    case "take_queued":
      input.takeQueued();
      return;
    case "hidden":
      port.send({ type: "field", ...(effect.text !== undefined && { value: effect.text }) });
      return;
    case "interrupt":
      input.interrupt();
      return;
    case "viewer":
      viewer.perform(effect.does);
      return;
    case "viewer_text":
      viewer.type(effect.text);
      return;
    case "unfold":
      state.unfoldLast(screen).catch(failed);
      return;
    case "paste_image":
      images.take(effect, ended).catch(failed);
      return;
    case "leave":
      leave();
      return;
    case "suspend":
    case "redraw":
    case "edit_draft":
    case "edit":
      giveTerminal(effect, parts).catch(failed);
      return;
    case "mode":
      port.send({ type: "mode", wanted: effect.mode, modes: modes });
      return;
    case "read_history":
      void history.loadOthers();
      return;
    case "task":
      port.send(effect);
      return;
    case "question":
      parts.openQuestion(effect.id);
      return;
    case "answer":
      port.send({ type: "answer", id: effect.id, reply: effect.reply });
      return;
  }
}

type TerminalEffect = Extract<Effect, { readonly type: "suspend" | "redraw" | "edit_draft" | "edit" }>;

/** Hands the terminal to another program, or takes it back. */
async function giveTerminal(
  effect: TerminalEffect,
  { handover, ended, isDetachable, leave }: EffectParts,
): Promise<void> {
  switch (effect.type) {
    case "suspend":
      if (isDetachable) leave();
      else await handover.suspend();
      return;
    case "redraw":
      return handover.redraw();
    case "edit_draft":
      return handover.editDraft(effect.text, ended);
    case "edit":
      return handover.edit(effect.id, effect.file, ended);
  }
}
