import type { DecidedBy } from "./decided-by.ts";
import type { Remedy } from "./permission.ts";

/** The error classes are divided by who can fix the error. An error of any other class is a bug in Quoll. */

/** The model caused the error and can fix it. The error becomes an error tool result; the loop continues. */
export abstract class ModelFacingError extends Error {}

export class UnknownToolError extends ModelFacingError {
  override name = "UnknownToolError";
  constructor(
    readonly toolName: string,
    hint: string | undefined,
  ) {
    super(`There is no tool named "${toolName}".${hint === undefined ? "" : ` ${hint}`}`);
  }
}

/** The tool was offered before, but its source no longer offers it. */
export class WithdrawnToolError extends UnknownToolError {
  override name = "WithdrawnToolError";
  constructor(toolName: string) {
    super(toolName, undefined);
    const why = toolName.startsWith("mcp__") ? ": its MCP server withdrew it or is not connected" : "";
    this.message = `${toolName} is not available now${why}. Nothing was run.`;
  }
}

export class InvalidInputError extends ModelFacingError {
  override name = "InvalidInputError";
}

/** A call, or what a running call asked for, was refused. */
export class PermissionDeniedError extends ModelFacingError {
  override name = "PermissionDeniedError";
  constructor(
    message: string,
    readonly refusal: Refusal,
  ) {
    super(message);
  }
}

/** `endsTurn`: true if the whole turn ends. */
export type Refusal = {
  readonly decidedBy: DecidedBy;
  /** The refused input, if it is not the call's own. */
  readonly input?: unknown;
  /** True if no person could be asked. */
  readonly unanswered?: boolean;
  readonly remedy?: Remedy | undefined;
  readonly endsTurn?: boolean | undefined;
};

/** A tool ran and failed: file missing, text not found, a limit reached. */
export class ToolFailedError extends ModelFacingError {
  override name = "ToolFailedError";
}

/** Tells the model a problem that a person can fix, as the failure of its call. @throws always. */
export function asToolError(error: unknown): never {
  throw error instanceof UserFacingError ? new ToolFailedError(error.message, { cause: error }) : error;
}

/**
 * A tool needed an answer, and no person could give one. Counts as a refusal: runs with such an error end with exit
 * code 4.
 */
export class UnansweredError extends ToolFailedError {
  override name = "UnansweredError";
  readonly refusal: Refusal;
  constructor(message: string, decidedBy: DecidedBy) {
    super(message);
    this.refusal = { decidedBy, unanswered: true };
  }
}

/**
 * The user caused the error and can fix it. The error is printed as one line without a stack, and sets the exit
 * code.
 */
export class UserFacingError extends Error {
  override name = "UserFacingError";
  constructor(
    message: string,
    readonly exitCode: 1 | 2 = 1,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * A problem with the configuration of a session. `tools`, `fallbackModels`: a name in this option can't be used.
 * `noSession`: there is no saved session to continue. `sessionExists`: the id for the new session is already used.
 * `sessionOpen`: another process has the session open. `severalSessions`: several saved sessions have this
 * name, or sessions have its words elsewhere.
 */
export type ConfigProblem =
  | "tools"
  | "agent"
  | "fallbackModels"
  | "noSession"
  | "sessionExists"
  | "sessionOpen"
  | "severalSessions";

/**
 * A session can't begin with its configuration. The program that wrote the configuration can add the name of the option
 * that it uses.
 */
export class ConfigurationError extends UserFacingError {
  override name = "ConfigurationError";
  constructor(
    readonly problem: ConfigProblem,
    message: string,
    exitCode: 1 | 2 = 2,
    options?: ErrorOptions,
  ) {
    super(message, exitCode, options);
  }
}

/** Another process has the session open. */
export class SessionOpenError extends ConfigurationError {
  override name = "SessionOpenError";
  constructor(
    readonly sessionId: string,
    message: string,
    /** The process that has the session open; undefined if it is not known. */
    readonly pid?: number,
    options?: ErrorOptions,
  ) {
    super("sessionOpen", message, 1, options);
  }
}

/**
 * The class of a failed request, which decides the recovery. `too_long`: send less of the conversation. `too_long`:
 * send a shorter conversation. `image_too_large`: send smaller images, or none that the server can't read. `too_many`: send fewer images, documents or tools. `other`: the program can do nothing.
 */
export type ProviderFailureKind = "too_long" | "overloaded" | "image_too_large" | "too_many" | "other";

/** A server's limit for the number of parts of a request; `max` is absent if the server does not state it. */
export type CountLimit = { readonly what: "images" | "documents" | "media" | "tools"; readonly max?: number };

/** The provider refused or broke, and its own retries are spent. */
export class ProviderError extends Error {
  override name = "ProviderError";
  readonly kind: ProviderFailureKind;
  /** The wait that the server asks for, if it is longer than a request waits without asking the person. */
  readonly retryAfterMs: number | undefined;
  /** The limit, for `too_many`. */
  readonly countLimit: CountLimit | undefined;
  constructor(
    message: string,
    /** HTTP status, or undefined when no response came. */
    readonly status: number | undefined,
    {
      kind = "other",
      retryAfterMs,
      countLimit,
      ...options
    }: ErrorOptions & {
      readonly kind?: ProviderFailureKind;
      readonly retryAfterMs?: number | undefined;
      readonly countLimit?: CountLimit | undefined;
    } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
    this.countLimit = countLimit;
  }
}

/** A cap on tokens or money is reached, and no person raised it. Ends the turn with exit code 3. */
export class SpendLimitError extends Error {
  override name = "SpendLimitError";
}

/** The text of any thrown value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The `code` of a system error such as `ENOENT`, or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
