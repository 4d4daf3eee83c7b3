import { rawToolUse, reply, text, toolUse } from "@quoll/model-twin/scenario";
import { REPEATED_CALLS } from "../../../src/engine/system-reminders.ts";
import { longText } from "../normalise.ts";
import { type Conformance, called, END, GO, look, lookReply, OK, round } from "./lines.ts";

const BIG = "x€".repeat(40_000);

const failedCall = (number: number, name: string, input: object, error: string) => [
  `answer tool_use: ${called(number, input, name)}`,
  `#${number} start ${name} (none) "${name}"`,
  `#${number} error ${longText(error)}`,
  "results 1",
  "continued tool_results",
];

const brokenCall = (json: string, problem: string) => [
  `answer tool_use: call #1 Look broken ${longText(json)}`,
  '#1 start Look (none) "Look"',
  `#1 error ${longText(`The input of Look is not valid JSON (${problem}), so nothing was run. It ended: ${json}`)}`,
  "results 1",
  "continued tool_results",
];

export const CALLS: readonly Conformance[] = [
  { group: "calls", name: "one", replies: [lookReply("a"), reply(OK)], expected: [GO, ...round(1, 1, "a"), ...END(2)] },
  {
    group: "calls",
    name: "three, one after another",
    replies: [lookReply("a"), lookReply("b"), lookReply("c"), reply(OK)],
    expected: [GO, ...round(1, 1, "a"), ...round(2, 2, "b"), ...round(3, 3, "c"), ...END(4)],
  },
  {
    group: "calls",
    name: "with words before it",
    replies: [reply([text("Let me look."), toolUse("Look", { text: "a" })]), reply(OK)],
    expected: [
      GO,
      "request 1",
      `answer tool_use: text "Let me look." | ${called(1, { text: "a" })}`,
      ...look(1, "a"),
      "results 1",
      "continued tool_results",
      ...END(2),
    ],
  },
  {
    group: "calls",
    name: "several in one answer",
    needs: ["parallel calls"],
    replies: [reply(["a", "b", "c"].map((title) => toolUse("Look", { text: title }))), reply(OK)],
    expected: [
      GO,
      "request 1",
      `answer tool_use: ${["a", "b", "c"].map((title, at) => called(at + 1, { text: title })).join(" | ")}`,
      ...look(1, "a"),
      ...look(2, "b"),
      ...look(3, "c"),
      "results 3",
      "continued tool_results",
      ...END(2),
    ],
  },
  {
    group: "calls",
    name: "one that reads and one that writes in one answer",
    needs: ["parallel calls"],
    replies: [reply([toolUse("Change", { text: "a" }), toolUse("Look", { text: "b" })]), reply(OK)],
    expected: [
      GO,
      "request 1",
      `answer tool_use: ${called(1, { text: "a" }, "Change")} | ${called(2, { text: "b" })}`,
      '#1 start Change (write) "a"',
      '#1 result "Change: a"',
      ...look(2, "b"),
      "results 2",
      "continued tool_results",
      ...END(2),
    ],
  },
  {
    group: "calls",
    name: "an unknown tool",
    replies: [reply([toolUse("Loook", { text: "a" })]), reply(OK)],
    expected: [
      GO,
      "request 1",
      ...failedCall(1, "Loook", { text: "a" }, 'There is no tool named "Loook". Did you mean Look?'),
      ...END(2),
    ],
  },
  {
    group: "calls",
    name: "an empty input",
    replies: [reply([toolUse("Look", {})]), reply(OK)],
    expected: [
      GO,
      "request 1",
      ...failedCall(
        1,
        "Look",
        {},
        "The input of Look does not fit: `text` is missing: it must be a string. Its fields are: text.",
      ),
      ...END(2),
    ],
  },
  {
    group: "calls",
    name: "broken JSON",
    replies: [reply([rawToolUse("Look", '{"text": "a", oops}')]), reply(OK)],
    expected: [
      GO,
      "request 1",
      ...brokenCall('{"text": "a", oops}', 'invalid symbol from position 14 to 18, found "oops}"'),
      ...END(2),
    ],
  },
  {
    group: "calls",
    name: "JSON that is cut short",
    replies: [reply([rawToolUse("Look", '{"text": "a')]), reply(OK)],
    expected: [
      GO,
      "request 1",
      ...brokenCall('{"text": "a', 'unexpected end of string from position 9 to 11, found "\\"a"'),
      ...END(2),
    ],
  },
  {
    group: "calls",
    name: "a huge input in small deltas",
    replies: [lookReply(BIG, { deltaChars: 10 }), reply(OK)],
    expected: [GO, ...round(1, 1, BIG), ...END(2)],
  },
  {
    group: "calls",
    name: "an input of every plane, cut at random bytes",
    replies: [lookReply('ü 東京 😀 "\\\n', { deltaChars: 1, cutBytes: { seed: 3, max: 9 } }), reply(OK)],
    expected: [GO, ...round(1, 1, 'ü 東京 😀 "\\\n'), ...END(2)],
  },
  {
    group: "calls",
    name: "the same call five times is told",
    replies: [...Array.from({ length: 5 }, () => lookReply("a")), reply(OK)],
    expected: [
      GO,
      ...[1, 2, 3, 4].flatMap((at) => round(at, at, "a")),
      ...round(5, 5, "a").slice(0, -1),
      `words of harness ${longText(REPEATED_CALLS)}`,
      "continued loop_told",
      ...END(6),
    ],
  },
  {
    group: "calls",
    name: "no more steps than allowed",
    replies: [lookReply("a"), lookReply("b"), reply(OK)],
    maxSteps: 2,
    expected: [GO, ...round(1, 1, "a"), ...round(2, 2, "b"), 'finished 2 step_limit: ""'],
  },
];

const ID = "call_0";

/** As vendors number their calls: anew in each answer, twice the same, in letters that others refuse, endlessly. */
export const IDS: readonly Conformance[] = [
  {
    group: "ids of calls",
    name: "the same in each of three answers",
    replies: [...["a", "b", "c"].map((title) => reply([toolUse("Look", { text: title }, ID)])), reply(OK)],
    expected: [GO, ...round(1, 1, "a"), ...round(2, 2, "b"), ...round(3, 3, "c"), ...END(4)],
  },
  {
    group: "ids of calls",
    name: "the same of two calls of one answer",
    needs: ["parallel calls"],
    replies: [reply([toolUse("Change", { text: "a" }, ID), toolUse("Look", { text: "b" }, ID)]), reply(OK)],
    expected: [
      GO,
      "request 1",
      `answer tool_use: ${called(1, { text: "a" }, "Change")} | ${called(2, { text: "b" })}`,
      '#1 start Change (write) "a"',
      '#1 result "Change: a"',
      ...look(2, "b"),
      "results 2",
      "continued tool_results",
      ...END(2),
    ],
  },
  {
    group: "ids of calls",
    name: "with the name of a function in each",
    replies: [...["a", "b"].map((title) => reply([toolUse("Look", { text: title }, "functions.Look:0")])), reply(OK)],
    expected: [GO, ...round(1, 1, "a"), ...round(2, 2, "b"), ...END(3)],
  },
  {
    group: "ids of calls",
    name: "of two hundred characters",
    replies: [...["a", "b"].map((title) => reply([toolUse("Look", { text: title }, "x".repeat(200))])), reply(OK)],
    expected: [GO, ...round(1, 1, "a"), ...round(2, 2, "b"), ...END(3)],
  },
];
