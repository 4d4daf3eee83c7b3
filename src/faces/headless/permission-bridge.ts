import { isDeepStrictEqual } from "node:util";
import { answersIn, choiceInput } from "../../contracts/choice.ts";
import { errorMessage } from "../../contracts/errors.ts";
import { isHookCall } from "../../contracts/hook.ts";
import { isJsonObject, type JsonObject } from "../../contracts/message.ts";
import type { RuleChange } from "../../contracts/permission.ts";
import type { PermissionMode } from "../../contracts/permission-mode.ts";
import type { PermissionUpdate } from "../../contracts/permission-update.ts";
import {
  callOf,
  type DialogBody,
  type Question,
  type QuestionBody,
  type QuestionCall,
  type Questions,
  type Reply,
} from "../../contracts/question.ts";
import { isOutsideCall } from "../../contracts/served-session.ts";
import type { CallInputs } from "./call-inputs.ts";
import {
  type AskedOnTheWire,
  type PermissionAnswer,
  permissionRequest,
  readPermissionAnswer,
} from "./permission-answer.ts";
import type { WireLine } from "./wire-format.ts";

export type BridgeDeps = {
  readonly questions: Pick<Questions, "reply">;
  readonly inputs: CallInputs;
  /** Sends a question to the program or tool that decides. @throws {Error} if there is no answer. */
  ask(request: WireLine, signal: AbortSignal): Promise<JsonObject>;
  /** Changes rules, for this session or permanently. @returns one line for each change that was refused. */
  changeRules(change: RuleChange, isKept: boolean): Promise<readonly string[]>;
  /** @throws {UserFacingError} the mode is not allowed. */
  setMode(mode: PermissionMode): void;
  /** Shows one line. */
  notify(line: string): void;
};

type Settled = { readonly reply: Reply; readonly updates: readonly PermissionUpdate[] };

/** The tool name in questions about a rule that the sandbox cannot enforce fully. */
const GAP_NAME = "SandboxRuleGap";
const NO_ANSWER = "The question about this call got no answer";

/**
 * Answers a session's questions by asking a program, over the control protocol or through an MCP tool. A question that
 * is settled in another way is withdrawn.
 */
export class PermissionBridge {
  readonly #deps: BridgeDeps;

  constructor(deps: BridgeDeps) {
    this.#deps = deps;
  }

  /** An `Answerer`. */
  async answer(question: Question, signal: AbortSignal): Promise<void> {
    const { reply, updates } = await this.#replyTo(question, signal);
    // The answer is applied first: a new rule or mode would settle the question by itself, with the model's own input.
    if (signal.aborted || !this.#deps.questions.reply(question.id, reply)) return;
    for (const update of updates) await this.#change(update);
  }

  async #replyTo(question: Question, signal: AbortSignal): Promise<Settled> {
    // The question belongs to no call, so it gets a name and an id of its own.
    const { body } = question;
    if (body.kind === "gap") {
      const call = { toolName: GAP_NAME, toolUseId: question.id };
      return this.#askAbout({ question, call }, async () => gapInput(body), signal);
    }
    if (body.kind === "choice")
      return this.#askAbout({ question, call: body.call }, async () => choiceInput(body.questions), signal);
    const call = callOf(question);
    // Programs are asked only about calls: caps come from the command line, and the result says when to retry.
    if (!call) return { reply: { decision: "reject" }, updates: [] };
    const isOwn = isHookCall(call.toolUseId) || isOutsideCall(call.toolUseId);
    const inputOf = async () => (isOwn ? ownInput(call, body) : this.#deps.inputs.of(call.toolUseId, signal));
    return this.#askAbout({ question, call }, inputOf, signal);
  }

  async #askAbout(
    asked: Pick<AskedOnTheWire, "question" | "call">,
    inputOf: () => Promise<JsonObject>,
    signal: AbortSignal,
  ): Promise<Settled> {
    const { ask } = this.#deps;
    try {
      const input = await inputOf();
      signal.throwIfAborted();
      const answer = readPermissionAnswer(await ask(permissionRequest({ ...asked, input }), signal));
      return settledBy(answer, asked.question.body, input);
    } catch (error) {
      return { reply: { decision: "reject", message: `${NO_ANSWER}: ${errorMessage(error)}.` }, updates: [] };
    }
  }

  async #change(update: PermissionUpdate): Promise<void> {
    if (update.kind === "unknown") this.#deps.notify(update.problem);
    if (update.kind === "rules") await this.#changeRules(update.change, update.isKept);
    if (update.kind === "mode") this.#setMode(update.mode);
  }

  async #changeRules(change: RuleChange, isKept: boolean): Promise<void> {
    try {
      for (const line of await this.#deps.changeRules(change, isKept))
        this.#deps.notify(`${line} The call was allowed once.`);
    } catch (error) {
      this.#deps.notify(`${errorMessage(error)} The call was allowed once.`);
    }
  }

  #setMode(mode: PermissionMode): void {
    try {
      this.#deps.setMode(mode);
    } catch (error) {
      this.#deps.notify(errorMessage(error));
    }
  }
}

/** No event contains the input of a call that the model did not make. */
function ownInput({ input }: QuestionCall, { preview }: DialogBody): JsonObject {
  if (isJsonObject(input)) return input;
  return preview.kind === "text" ? { input: preview.text } : {};
}

function gapInput({ preview, reason }: DialogBody): JsonObject {
  return { problem: preview.kind === "text" ? preview.text : "", reason };
}

function settledBy(answer: PermissionAnswer, body: QuestionBody, input: JsonObject): Settled {
  if (answer.behavior === "deny") {
    const message = answer.message.trim();
    const told = message !== "" && { message };
    return { reply: { decision: "reject", ...told, ...(answer.interrupt && { endsTurn: true }) }, updates: [] };
  }
  const { updates, updatedInput } = answer;
  if (body.kind === "choice")
    return { reply: (updatedInput && answersIn(updatedInput, body.questions)) ?? { decision: "once" }, updates };
  // The answer to a plan sets the mode after the plan is approved.
  const entersEdits = (update: PermissionUpdate) => update.kind === "mode" && update.mode === "acceptEdits";
  if (body.kind === "plan" && updates.some(entersEdits))
    return { reply: { decision: "session" }, updates: updates.filter((update) => !entersEdits(update)) };
  if (!updatedInput || isDeepStrictEqual(updatedInput, input)) return { reply: { decision: "once" }, updates };
  return { reply: { decision: "once", updatedInput }, updates };
}
