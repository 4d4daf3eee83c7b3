import { failing, fault, type Reply, reply, toolUse } from "@quoll/model-twin/scenario";
import { REPEATED_CALLS } from "../../../src/engine/system-reminders.ts";
import type { Trait } from "../adapters.ts";
import { longText } from "../normalise.ts";
import { type Play, SMALL_PNG } from "../play.ts";

export type Conformance = Play & {
  readonly group: string;
  readonly name: string;
  readonly needs?: readonly Trait[];
  /** Written once: what every wire must give. */
  readonly expected: readonly string[];
};

export const GO = 'turn "go" [text]';

export const OK = "Hello, world.";

export const DECLINED = "The model declined to answer. Rephrase the request.";

export const finished = (steps: number, said: string, how = "completed") =>
  `finished ${steps} ${how}: ${longText(said.replaceAll("\n", ""))}`;

export const answer = (said: string, stop = "end_turn") => `answer ${stop}: text ${longText(said)}`;

/** A turn that is one answer. */
export const saying = (said: string, before: readonly string[] = []) => [
  GO,
  "request 1",
  ...before,
  answer(said),
  finished(1, said),
];

const delayMs = (tried: number) => Math.min(500 * 2 ** (tried - 1), 32_000);

export const retry = (tried: number, afterMs = delayMs(tried)) => `retry ${tried + 1} of 10 after ${afterMs} ms`;

/** The retry of an answer that the server itself ended too early. */
export const INCOMPLETE_RETRY = "retry 2 of 3 after 500 ms";

export const retries = (count: number) => Array.from({ length: count }, (_, index) => retry(index + 1));

export const look = (number: number, title: string) => [
  `#${number} start Look (read) ${longText(title)}`,
  `#${number} result ${longText(`Look: ${title}`)}`,
];

export const called = (number: number, input: object, name = "Look") =>
  `call #${number} ${name} ${longText(JSON.stringify(input))}`;

export const round = (step: number, number: number, title: string) => [
  `request ${step}`,
  `answer tool_use: ${called(number, { text: title })}`,
  ...look(number, title),
  "results 1",
  "continued tool_results",
];

export const lookReply = (title: string, options: Omit<Reply, "content"> = {}) =>
  reply([toolUse("Look", { text: title })], options);

export const END = (step: number) => [`request ${step}`, answer(OK), finished(step, OK)];

export const image = { type: "image", mediaType: "image/png", data: SMALL_PNG } as const;

export const HANDED_OVER = [...retries(2), "notice", "model_changed", "continued fallback_model"];

export const TOO_LONG = fault.badRequest("prompt is too long: 210000 tokens > 200000 maximum");

export const WITH_IMAGE = 'turn "go" [image text]';

export const TOLD = [`words of harness ${longText(REPEATED_CALLS)}`, "continued loop_told"];

export const REPEATED =
  'stopped_short "The model kept repeating the same calls after a reminder, so the turn was ended."';

export const OVERLOADED = Array.from({ length: 3 }, () => failing(fault.overloaded()));
