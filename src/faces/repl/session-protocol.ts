import type { OperationProgress } from "../../contracts/command.ts";
import type { EngineState, UserInput } from "../../contracts/engine.ts";
import type { EngineEvent, Outcome, QueueTime } from "../../contracts/event.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import type { Question, Reply } from "../../contracts/question.ts";
import type { Entry } from "../../contracts/session.ts";
import type { Completion, PickerList } from "./layers/ui-state.ts";
import type { FaceRow } from "./transcript/transcript.ts";

/** What a screen knows of the engine's state. */
export type SessionView = Omit<EngineState, "messages" | "usageByModel" | "spendBySource"> & {
  /** Nothing was said yet. */
  readonly isEmpty: boolean;
};

/** What a screen is told of a session: plain JSON, so that the screen could be another process. */
export type SessionEvent =
  | { readonly type: "engine"; readonly event: EngineEvent }
  | { readonly type: "state"; readonly state: SessionView }
  /** A conversation that was held before, as it was saved. */
  | { readonly type: "restored"; readonly entries: readonly Entry[] }
  | { readonly type: "questions"; readonly pending: readonly Question[] }
  /** A turn is over, and the engine had its chance to begin the next one. */
  | { readonly type: "rested"; readonly outcome: Outcome }
  /** The person's own shell command is over. */
  | { readonly type: "shell_ended" }
  /** The input that was sent as `id` waits under the engine's own id. */
  | { readonly type: "enqueued"; readonly id: string; readonly as: string }
  /** Without `input` it was taken already. */
  | { readonly type: "withdrawn"; readonly id: string; readonly input?: UserInput }
  /** The commands that can be offered while their name is typed. */
  | { readonly type: "commands"; readonly completions: readonly Completion[] }
  /** Lines of a command, or what went wrong. */
  | { readonly type: "row"; readonly row: FaceRow }
  | { readonly type: "choose"; readonly list: PickerList }
  | { readonly type: "field"; readonly title: string; readonly isShown: boolean }
  | { readonly type: "view"; readonly title: string; readonly lines: readonly string[] }
  /** Words that a command says in the person's name. */
  | { readonly type: "prompt"; readonly prompt: string }
  | { readonly type: "operation"; readonly title: string; readonly progress?: OperationProgress }
  | { readonly type: "operation_ended" }
  /** A command ends this screen, perhaps to go on with another session. */
  | { readonly type: "leave"; readonly next?: { readonly sessionId: string } };

/** What a screen asks of a session: plain JSON as well. */
export type SessionCommand =
  | { readonly type: "submit"; readonly input: UserInput }
  | { readonly type: "shell"; readonly command: string }
  | { readonly type: "enqueue"; readonly id: string; readonly prompt: string; readonly when: QueueTime }
  | { readonly type: "withdraw"; readonly id: string }
  /** Stops the turn and the commands that run. */
  | { readonly type: "interrupt" }
  /** The first of `modes` from `wanted` on that can be entered. */
  | { readonly type: "mode"; readonly wanted: PermissionMode; readonly modes: readonly PermissionMode[] }
  | { readonly type: "answer"; readonly id: string; readonly reply: Reply }
  /** A slash command; `text` is what was typed. */
  | { readonly type: "command"; readonly text: string; readonly name: string; readonly argument: string }
  /** The value of the field that is open; left out when the person went back. */
  | { readonly type: "field"; readonly value?: string };

/** A session as a screen sees it. */
export interface SessionPort {
  send(command: SessionCommand): void;
  /** Tells at once what is known already. @returns the function that ends it. */
  subscribe(listener: (event: SessionEvent) => void): () => void;
}
