import {
  failing,
  fault,
  type Reply,
  rawToolUse,
  reply,
  type ScenarioFunction,
  thinking,
  toolUse,
} from "@quoll/model-twin/scenario";
import { CONTINUE_WRITING, EMPTY_ANSWER } from "../../../src/engine/system-reminders.ts";
import { longText } from "../normalise.ts";
import {
  answer,
  type Conformance,
  called,
  DECLINED,
  END,
  finished,
  GO,
  HANDED_OVER,
  image,
  look,
  lookReply,
  OK,
  OVERLOADED,
  REPEATED,
  round,
  saying,
  TOLD,
  TOO_LONG,
  WITH_IMAGE,
} from "./lines.ts";

export const STOPS: readonly Conformance[] = [
  {
    group: "stop reasons",
    name: "cut off at its length, asked for again",
    replies: [reply("Half", { stopReason: "max_tokens" }), reply(OK)],
    expected: [GO, "request 1", "continued output_cap_raised", ...END(2)],
  },
  {
    group: "stop reasons",
    name: "cut off again and gone on with",
    replies: [reply("Half", { stopReason: "max_tokens" }), reply("One. ", { stopReason: "max_tokens" }), reply("Two.")],
    expected: [
      GO,
      "request 1",
      "continued output_cap_raised",
      "request 2",
      answer("One. ", "max_tokens"),
      `words of harness ${longText(CONTINUE_WRITING)}`,
      "continued output_continued",
      "request 3",
      answer("Two."),
      finished(3, "One. Two."),
    ],
  },
  {
    group: "stop reasons",
    name: "a refusal after words",
    replies: [reply("I can't.", { stopReason: "refusal" })],
    expected: [GO, "request 1", answer("I can't.", "refusal"), finished(1, "I can't.", `stopped_short "${DECLINED}"`)],
  },
  {
    group: "stop reasons",
    name: "a stop sequence",
    replies: [reply(OK, { stopReason: "stop_sequence", stopSequence: "END" })],
    expected: saying(OK),
  },
  {
    group: "stop reasons",
    name: "a pause",
    needs: ["pauses"],
    replies: [reply("Wait. ", { stopReason: "pause_turn" }), reply(OK)],
    expected: [
      GO,
      "request 1",
      answer("Wait. ", "pause_turn"),
      "continued pause_turn",
      "request 2",
      answer(OK),
      finished(2, `Wait. \n${OK}`),
    ],
  },
];

const TOO_BIG = fault.badRequest("messages.0.content.0: image exceeds 5 MB maximum");

const LONG_TITLE = "long ".repeat(2_000);

const BEFORE_TOO_LONG = [
  GO,
  "request 1",
  `answer tool_use: ${called(1, { text: LONG_TITLE })}`,
  ...look(1, LONG_TITLE),
  "results 1",
  "continued tool_results",
  ...round(2, 2, "b"),
  "request 3",
  "compacted too_long",
  "continued compacted",
];

/** A turn whose call has a long input; in the next turn, a prompt that is too long. Tells whether the input was still sent. */
const clearing =
  (first: Reply): ScenarioFunction =>
  ({ body }, index) => {
    if (index === 4) return reply(JSON.stringify(body).includes(LONG_TITLE) ? "The input is still there." : OK);
    return [first, reply(OK), lookReply("b"), failing(TOO_LONG)][index] ?? reply([]);
  };

const CLEARED_LATER = [
  'turn "on" [text]',
  ...round(1, 2, "b"),
  "request 2",
  "compacted too_long",
  "continued compacted",
  ...END(3),
];

const OTHER_WORDS = [
  ["Kimi", "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)"],
  ["GLM", "Prompt exceeds max length"],
  ["MiniMax", "invalid params, context window exceeds limit (2013)"],
  ["Qwen", "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"],
  ["Ollama", "prompt too long; exceeded max context length by 12000 tokens"],
] as const;

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const ofTwo = (at: number) => (at % 2 === 1 ? "a" : "b");

export const RECOVERIES: readonly Conformance[] = [
  {
    group: "recoveries",
    name: "a prompt that is too long is made shorter once",
    replies: [lookReply(LONG_TITLE), lookReply("b"), failing(TOO_LONG), reply(OK)],
    expected: [...BEFORE_TOO_LONG, ...END(4)],
  },
  ...OTHER_WORDS.map(([server, words]) => ({
    group: "recoveries",
    name: `a prompt that is too long, in the words of ${server}`,
    replies: [lookReply(LONG_TITLE), lookReply("b"), failing(fault.badRequest(words)), reply(OK)],
    expected: [...BEFORE_TOO_LONG, ...END(4)],
  })),
  {
    group: "recoveries",
    name: "a parameter with a limit in tokens is no prompt that is too long",
    replies: [
      lookReply(LONG_TITLE),
      lookReply("b"),
      failing(fault.badRequest("top_logprobs must be less than 20, and max_tokens is no token")),
    ],
    expected: [...BEFORE_TOO_LONG.slice(0, -2), 'finished 3 failed: ""'],
  },
  {
    group: "recoveries",
    name: "the long input of a finished turn's call is cleared",
    prompts: ["go", "on"],
    replies: clearing(lookReply(LONG_TITLE)),
    expected: [GO, ...round(1, 1, LONG_TITLE), ...END(2), ...CLEARED_LATER],
  },
  {
    group: "recoveries",
    name: "the long inputs of parallel calls are cleared",
    needs: ["parallel calls"],
    prompts: ["go", "on"],
    replies: clearing(reply([toolUse("Look", { text: LONG_TITLE }), toolUse("Look", { text: `${LONG_TITLE}.` })])),
    expected: [
      GO,
      "request 1",
      `answer tool_use: ${called(1, { text: LONG_TITLE })} | ${called(2, { text: `${LONG_TITLE}.` })}`,
      ...look(1, LONG_TITLE),
      ...look(2, `${LONG_TITLE}.`),
      "results 2",
      "continued tool_results",
      ...END(2),
      'turn "on" [text]',
      ...round(1, 3, "b"),
      ...CLEARED_LATER.slice(-6),
    ],
  },
  {
    group: "recoveries",
    name: "a prompt that is still too long then ends the turn",
    replies: [lookReply(LONG_TITLE), lookReply("b"), failing(TOO_LONG), failing(TOO_LONG)],
    expected: [...BEFORE_TOO_LONG, "request 4", 'finished 4 failed: ""'],
  },
  {
    group: "recoveries",
    name: "a request that is too large in bytes is made shorter",
    replies: [lookReply(LONG_TITLE), lookReply("b"), failing(fault.status(413)), reply(OK)],
    expected: [...BEFORE_TOO_LONG, ...END(4)],
  },
  {
    group: "recoveries",
    name: "a window that is full in the middle of the answer",
    needs: ["a full window"],
    replies: [
      lookReply(LONG_TITLE),
      lookReply("b"),
      reply("Half", { stopReason: "model_context_window_exceeded" }),
      reply(OK),
    ],
    expected: [...BEFORE_TOO_LONG, ...END(4)],
  },
  {
    group: "recoveries",
    name: "a picture that is too large is made smaller once",
    attachments: [image],
    shrinks: true,
    replies: [failing(TOO_BIG), reply(OK)],
    expected: [WITH_IMAGE, "request 1", "continued images_reduced", ...END(2)],
  },
  {
    group: "recoveries",
    name: "more pictures than the server takes: the oldest are left out",
    attachments: [image, image, image],
    replies: [failing(fault.badRequest("At most 2 image(s) may be provided in one request.")), reply(OK)],
    expected: ['turn "go" [image image image text]', "request 1", "continued media_left_out", ...END(2)],
  },
  {
    group: "recoveries",
    name: "a picture that can't be made smaller ends the turn",
    attachments: [image],
    replies: [failing(TOO_BIG)],
    expected: [WITH_IMAGE, "request 1", 'finished 1 failed: ""'],
  },
  {
    group: "recoveries",
    name: "an answer that is cut off four times is gone on with three times",
    replies: ["0", "1", "2", "3", "4"].map((said) => reply(said, { stopReason: "max_tokens" })),
    expected: [
      GO,
      "request 1",
      "continued output_cap_raised",
      ...[1, 2, 3].flatMap((at) => [
        `request ${at + 1}`,
        answer(`${at}`, "max_tokens"),
        `words of harness ${longText(CONTINUE_WRITING)}`,
        "continued output_continued",
      ]),
      "request 5",
      answer("4", "max_tokens"),
      finished(5, "1234", 'stopped_short "The answer reached its maximum length. Ask for the rest."'),
    ],
  },
  {
    group: "recoveries",
    name: "a call that is cut off at the length of the answer is asked for again",
    replies: [reply([rawToolUse("Look", '{"text": "a lo')], { stopReason: "max_tokens" }), lookReply("b"), reply(OK)],
    expected: [GO, "request 1", "continued output_cap_raised", ...round(2, 1, "b"), ...END(3)],
  },
  {
    group: "recoveries",
    name: "an empty answer for the second time ends the turn",
    replies: [reply([]), reply([])],
    expected: [
      GO,
      "request 1",
      "answer end_turn: ",
      `words of harness ${longText(EMPTY_ANSWER)}`,
      "continued empty_answer",
      "request 2",
      "answer end_turn: ",
      finished(2, "", 'stopped_short "The model gave empty answers."'),
    ],
  },
  {
    group: "recoveries",
    name: "a refusal without words",
    replies: [reply([], { stopReason: "refusal" })],
    expected: [GO, "request 1", "answer refusal: ", finished(1, "", `stopped_short "${DECLINED}"`)],
  },
  {
    group: "recoveries",
    name: "pauses again and again",
    needs: ["pauses"],
    replies: () => reply("Wait. ", { stopReason: "pause_turn" }),
    expected: [
      GO,
      ...[1, 2, 3, 4, 5].flatMap((at) => [`request ${at}`, answer("Wait. ", "pause_turn"), "continued pause_turn"]),
      "request 6",
      answer("Wait. ", "pause_turn"),
      finished(6, "Wait. ".repeat(6), 'stopped_short "The model paused again and again."'),
    ],
  },
  {
    group: "recoveries",
    name: "an overload after half an answer, three times",
    replies: Array.from({ length: 3 }, () => reply("Half an answer.", { deltaChars: 4, fault: fault.errorEvent(2) })),
    fallback: [reply(OK)],
    expected: [GO, "request 1", ...HANDED_OVER, ...END(2)],
  },
  {
    group: "recoveries",
    name: "the same call with the same result again after it was told",
    replies: Array.from({ length: 12 }, () => lookReply("a")),
    expected: [
      GO,
      ...[1, 2, 3, 4].flatMap((at) => round(at, at, "a")),
      ...round(5, 5, "a").slice(0, -1),
      ...TOLD,
      ...[6, 7, 8, 9].flatMap((at) => round(at, at, "a")),
      ...round(10, 10, "a").slice(0, -1),
      finished(10, "", REPEATED),
    ],
  },
  {
    group: "recoveries",
    name: "a cycle of two calls",
    replies: Array.from({ length: 24 }, (_, at) => lookReply(ofTwo(at + 1))),
    expected: [
      GO,
      ...upTo(9).flatMap((at) => round(at, at, ofTwo(at))),
      ...round(10, 10, "b").slice(0, -1),
      ...TOLD,
      ...upTo(9).flatMap((at) => round(at + 10, at + 10, ofTwo(at))),
      ...round(20, 20, "b").slice(0, -1),
      finished(20, "", REPEATED),
    ],
  },
];

export const FALLBACK: readonly Conformance[] = [
  {
    group: "fail-over",
    name: "an overload before the first word",
    replies: OVERLOADED,
    fallback: [reply(OK)],
    expected: [GO, "request 1", ...HANDED_OVER, ...END(2)],
  },
  {
    group: "fail-over",
    name: "an overload in the middle of tool use",
    replies: [lookReply("a"), ...OVERLOADED],
    fallback: [lookReply("b"), reply(OK)],
    expected: [GO, ...round(1, 1, "a"), "request 2", ...HANDED_OVER, ...round(3, 2, "b"), ...END(4)],
  },
  {
    group: "fail-over",
    name: "a thought is not given to another model",
    needs: ["thinking"],
    replies: [reply([thinking("Mine."), toolUse("Look", { text: "a" })]), ...OVERLOADED],
    fallback: [reply(OK)],
    expected: [
      GO,
      "request 1",
      `answer tool_use: thinking "Mine." | ${called(1, { text: "a" })}`,
      ...round(1, 1, "a").slice(2),
      "request 2",
      ...HANDED_OVER,
      ...END(3),
    ],
  },
];
