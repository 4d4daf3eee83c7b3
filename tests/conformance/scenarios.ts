import {
  type Fault,
  failing,
  fault,
  type Reply,
  rawToolUse,
  redactedThinking,
  reply,
  text,
  thinking,
  toolUse,
} from "@quoll/model-twin/scenario";
import { EMPTY_ANSWER, GO_ON_WRITING, REPEATING, schemaMismatch } from "../../src/engine/harness-words.ts";
import { seededRandom } from "../support/seeded-random.ts";
import type { Trait } from "./adapters.ts";
import { longText } from "./normalise.ts";
import { type Play, SMALL_GIF, SMALL_PNG } from "./play.ts";

export type Conformance = Play & {
  readonly group: string;
  readonly name: string;
  readonly needs?: readonly Trait[];
  /** Written once: what every wire must give. */
  readonly expected: readonly string[];
};

const GO = 'turn "go" [text]';
const OK = "Hello, world.";
const DECLINED = "The model declined to answer. Put the request another way.";

const finished = (steps: number, said: string, how = "completed") =>
  `finished ${steps} ${how}: ${longText(said.replaceAll("\n", ""))}`;
const answer = (said: string, stop = "end_turn") => `answer ${stop}: text ${longText(said)}`;
/** A turn that is one answer. */
const saying = (said: string, before: readonly string[] = []) => [
  GO,
  "request 1",
  ...before,
  answer(said),
  finished(1, said),
];
const delayMs = (tried: number) => Math.min(500 * 2 ** (tried - 1), 32_000);
const retry = (tried: number, afterMs = delayMs(tried)) => `retry ${tried + 1} of 10 after ${afterMs} ms`;
const retries = (count: number) => Array.from({ length: count }, (_, index) => retry(index + 1));
const look = (number: number, title: string) => [
  `#${number} start Look (read) ${longText(title)}`,
  `#${number} result ${longText(`Look: ${title}`)}`,
];
const called = (number: number, input: object, name = "Look") =>
  `call #${number} ${name} ${longText(JSON.stringify(input))}`;
const round = (step: number, number: number, title: string) => [
  `request ${step}`,
  `answer tool_use: ${called(number, { text: title })}`,
  ...look(number, title),
  "results 1",
  "continued tool_results",
];
const lookReply = (title: string, options: Omit<Reply, "content"> = {}) =>
  reply([toolUse("Look", { text: title })], options);

/** Answers of words alone. */
const ANSWERS: readonly Conformance[] = [
  ["plain words", OK, {}],
  ["words in deltas of one character", OK, { deltaChars: 1 }],
  ["words of every plane", "ü 中文 😀 👩‍👩‍👧 \u0000é\u2028 end", { deltaChars: 1 }],
  ["lines, quotes and backslashes", 'a\n\r\n"b"\\n\t</x> data: [DONE]\n\n', {}],
  ["bytes cut one by one", OK, { cutBytes: [1] }],
  ["bytes cut at random places", "Grüße 😀 aus 東京. ".repeat(20).trim(), { cutBytes: { seed: 7, max: 13 } }],
  ["pings between deltas", OK, { deltaChars: 2, pings: { atStart: true, every: 1 } }],
  ["a first delta that is told twice", OK, { repeatFirstDelta: true }],
].map(([name, said, options]) => ({
  group: "answers",
  name: name as string,
  replies: [reply(said as string, options as Omit<Reply, "content">)],
  expected: saying(said as string),
}));

const TALK: readonly Conformance[] = [
  {
    group: "answers",
    name: "two prompts in one session",
    replies: [reply("One."), reply("Two.")],
    prompts: ["go", "on"],
    expected: [...saying("One."), 'turn "on" [text]', "request 1", answer("Two."), finished(1, "Two.")],
  },
  {
    group: "answers",
    name: "two blocks of words",
    replies: [reply([text("One. "), text("Two.")])],
    expected: [GO, "request 1", answer("One. Two."), finished(1, "One. Two.")],
  },
  {
    group: "answers",
    name: "an empty answer, told once",
    replies: [reply([]), reply(OK)],
    expected: [
      GO,
      "request 1",
      "answer end_turn: ",
      `words of harness ${longText(EMPTY_ANSWER)}`,
      "continued empty_answer",
      "request 2",
      answer(OK),
      finished(2, OK),
    ],
  },
];

const THINKING: readonly Conformance[] = [
  {
    group: "thinking",
    name: "a thought before the words",
    needs: ["thinking"],
    replies: [reply([thinking("Hm, 😀 ü."), text(OK)], { deltaChars: 2 })],
    expected: [GO, "request 1", `answer end_turn: thinking "Hm, 😀 ü." | text "${OK}"`, finished(1, OK)],
  },
  {
    group: "thinking",
    name: "a thought before a call, given back with its result",
    needs: ["thinking"],
    replies: [reply([thinking("Look first."), toolUse("Look", { text: "a" })]), reply(OK)],
    expected: [
      GO,
      "request 1",
      `answer tool_use: thinking "Look first." | ${called(1, { text: "a" })}`,
      ...look(1, "a"),
      "results 1",
      "continued tool_results",
      "request 2",
      answer(OK),
      finished(2, OK),
    ],
  },
  {
    group: "thinking",
    name: "thoughts in three rounds of one turn",
    needs: ["thinking"],
    replies: [
      reply([thinking("One."), toolUse("Look", { text: "a" })]),
      reply([thinking("Two."), toolUse("Look", { text: "b" })]),
      reply([thinking("Three."), text(OK)]),
    ],
    expected: [
      GO,
      ...["One.", "Two."].flatMap((thought, index) => {
        const title = "ab"[index] ?? "";
        return [
          `request ${index + 1}`,
          `answer tool_use: thinking "${thought}" | ${called(index + 1, { text: title })}`,
          ...look(index + 1, title),
          "results 1",
          "continued tool_results",
        ];
      }),
      "request 3",
      `answer end_turn: thinking "Three." | text "${OK}"`,
      finished(3, OK),
    ],
  },
  {
    group: "thinking",
    name: "a long thought in small deltas",
    needs: ["thinking"],
    replies: [reply([thinking("thought ".repeat(500)), text(OK)], { deltaChars: 3 })],
    expected: [
      GO,
      "request 1",
      `answer end_turn: thinking ${longText("thought ".repeat(500))} | text "${OK}"`,
      finished(1, OK),
    ],
  },
  {
    group: "thinking",
    name: "a hidden thought",
    needs: ["hidden thinking"],
    replies: [reply([redactedThinking("c2VjcmV0"), text(OK)])],
    expected: [GO, "request 1", `answer end_turn: redacted_thinking | text "${OK}"`, finished(1, OK)],
  },
];

const BIG = "x€".repeat(40_000);
const END = (step: number) => [`request ${step}`, answer(OK), finished(step, OK)];
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

const CALLS: readonly Conformance[] = [
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
        "The input of Look does not fit: text: Invalid input: expected string, received undefined. Its fields are: text.",
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
      ...brokenCall('{"text": "a", oops}', 'at position 14 a name in double quotes was expected, found "oops}"'),
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
      ...brokenCall('{"text": "a', "at position 11 the text ends inside a string that began at 9"),
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
      `words of harness ${longText(REPEATING)}`,
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
const IDS: readonly Conformance[] = [
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

const STOPS: readonly Conformance[] = [
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
      `words of harness ${longText(GO_ON_WRITING)}`,
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
    expected: [GO, "request 1", answer("Wait. ", "pause_turn"), "continued pause_turn", ...END(2)],
  },
];

const tried = (faults: readonly Fault[]) => [
  ...faults.map((one) => reply("Half an answer.", { deltaChars: 4, fault: one })),
  reply(OK),
];

/** Faults after which the next try answers. */
const MENDED: readonly Conformance[] = (
  [
    ["429 without a header", [fault.rateLimited()]],
    ["an overload", [fault.overloaded()]],
    ["503", [fault.status(503)]],
    ["500", [fault.serverError()]],
    ["500 twice, then 502", [fault.serverError(), fault.serverError(), fault.status(502)]],
    ["a connection that is hung up", [fault.hangUp()]],
    ["a connection that is reset", [fault.reset()]],
    ["a connection that is reset in the middle", [fault.reset({ deltas: 2 })]],
    ["an error event before any words", [fault.errorEvent(0)]],
    ["an error event after words", [fault.errorEvent(2)]],
    ["500 after 200", [fault.errorEvent(2, "api_error", "Internal server error")]],
    ["a stream that ends without its end", [fault.noStop(2)]],
    ["a cut, then 500, then a hang-up", [fault.cut({ deltas: 1 }), fault.serverError(), fault.hangUp()]],
    ...[0, 1, 2, 3, 4].map((deltas) => [`a cut after ${deltas} deltas`, [fault.cut({ deltas })]] as const),
    ...[1, 40, 97, 160, 211].map((bytes) => [`a cut after ${bytes} bytes`, [fault.cut({ bytes })]] as const),
  ] as const
).map(([name, faults]) => ({
  group: "faults",
  name,
  replies: tried(faults),
  expected: saying(OK, retries(faults.length)),
}));

const callCut = (after: number) => lookReply("a longer text", { deltaChars: 4, fault: fault.cut({ deltas: after }) });
const MB = "0123456789abcdef".repeat(65_536);

/** Where a stream of words and a call is cut: behind each of its deltas, and at bytes drawn with one seed. */
const CUT_DELTAS = Array.from({ length: 10 }, (_, deltas) => ({ deltas }));
const MAX_CUT_BYTES = 2_000;
const random = seededRandom(20);
const CUT_BYTES = Array.from({ length: 12 }, () => ({ bytes: 1 + random.below(MAX_CUT_BYTES) }));
const LONG = "Let me look at it. ".repeat(40);

const CUTS: readonly Conformance[] = [...CUT_DELTAS, ...CUT_BYTES].map((after) => ({
  group: "cuts",
  name: `words and a call, cut after ${"deltas" in after ? `${after.deltas} deltas` : `${after.bytes} bytes`}`,
  replies: [
    reply([text("bytes" in after ? LONG : "Let me look."), toolUse("Look", { text: "a longer text" })], {
      deltaChars: 4,
      fault: fault.cut(after),
    }),
    lookReply("b"),
    reply(OK),
  ],
  expected: [GO, "request 1", retry(1), ...round(1, 1, "b").slice(1), ...END(2)],
}));

const FAULTS: readonly Conformance[] = [
  ...MENDED,
  {
    group: "faults",
    name: "429 with Retry-After",
    replies: [failing(fault.rateLimited(3)), reply(OK)],
    expected: saying(OK, [retry(1, 3_000)]),
  },
  {
    group: "faults",
    name: "429 that asks for an hour",
    replies: [failing(fault.rateLimited(3_600))],
    expected: [GO, "request 1", 'finished 1 failed: ""'],
  },
  {
    group: "faults",
    name: "a refused request is not sent again",
    replies: [failing(fault.badRequest("This is not how it is done."))],
    expected: [GO, "request 1", 'finished 1 failed: ""'],
  },
  {
    group: "faults",
    name: "a wrong key is not sent again",
    replies: [failing(fault.status(401))],
    expected: [GO, "request 1", 'finished 1 failed: ""'],
  },
  {
    group: "faults",
    name: "ten failures in a row end the turn",
    replies: () => failing(fault.serverError()),
    expected: [GO, "request 1", ...retries(9), 'finished 1 failed: ""'],
  },
  {
    group: "faults",
    name: "a connection that is refused",
    replies: [],
    at: "closed",
    expected: [GO, "request 1", ...retries(9), 'finished 1 failed: ""'],
  },
  {
    group: "faults",
    name: "no TLS",
    replies: [],
    at: "tls",
    says: /does not speak TLS here/,
    expected: [GO, "request 1", 'finished 1 failed: ""'],
  },
  {
    group: "faults",
    name: "a certificate that nobody vouches for",
    replies: [],
    at: "self-signed",
    says: /^The certificate of 127\.0\.0\.1:\d+ is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. .* NODE_EXTRA_CA_CERTS\.$/,
    expected: [GO, "request 1", 'finished 1 failed: ""'],
  },
  ...[0, 1, 2, 3].map((after) => ({
    group: "faults",
    name: `a call that is cut after ${after} deltas`,
    replies: [callCut(after), lookReply("b"), reply(OK)],
    expected: [GO, "request 1", retry(1), ...round(1, 1, "b").slice(1), ...END(2)],
  })),
  {
    group: "faults",
    name: "a cut in the second of two rounds",
    replies: [lookReply("a"), reply(OK, { fault: fault.cut({ deltas: 1 }) }), reply(OK)],
    expected: [GO, ...round(1, 1, "a"), "request 2", retry(1), answer(OK), finished(2, OK)],
  },
  {
    group: "faults",
    name: "an end without the last event",
    needs: ["a last event of its own"],
    replies: [reply("Half.", { fault: fault.noStop() }), reply(OK)],
    expected: saying(OK, [retry(1)]),
  },
  {
    group: "faults",
    name: "a last event that comes twice",
    replies: [lookReply("a"), reply(OK)],
    doublesLast: true,
    expected: [GO, ...round(1, 1, "a"), ...END(2)],
  },
  {
    group: "faults",
    name: "silence before the answer",
    replies: [failing(fault.silence()), reply(OK)],
    isImpatient: true,
    expected: saying(OK, [retry(1)]),
  },
  {
    group: "faults",
    name: "silence in the middle of the answer",
    replies: [reply("Half an answer.", { deltaChars: 4, fault: fault.stall(2) }), reply(OK)],
    isImpatient: true,
    expected: saying(OK, ["notice", retry(1)]),
  },
  {
    group: "faults",
    name: "10 MB of words in one block",
    replies: [reply(MB.repeat(10), { deltaChars: 65_536 })],
    expected: saying(MB.repeat(10)),
  },
  {
    group: "faults",
    name: "a prompt that is too long and can't be made shorter",
    replies: [failing(fault.badRequest("prompt is too long: 210000 tokens > 200000 maximum"))],
    expected: [GO, "request 1", 'finished 1 failed: ""'],
  },
];

const PDF = Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n").toString("base64");
const image = { type: "image", mediaType: "image/png", data: SMALL_PNG } as const;
const document = { type: "document", mediaType: "application/pdf", data: PDF, title: "a.pdf" } as const;

const HANDED_OVER = [...retries(2), "notice", "model_changed", "continued fallback_model"];
const TOO_LONG = fault.badRequest("prompt is too long: 210000 tokens > 200000 maximum");
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
const WITH_IMAGE = 'turn "go" [image text]';
const TOLD = [`words of harness ${longText(REPEATING)}`, "continued loop_told"];
const REPEATED = 'stopped_short "The model went on repeating the same calls after it was told; the turn was ended."';
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const ofTwo = (at: number) => (at % 2 === 1 ? "a" : "b");

/** What a vendor says in a header, or in a status of its own. */
const WAITS: readonly Conformance[] = (
  [
    ["429 with retry-after-ms", fault.status(429, { headers: { "retry-after-ms": "1500" } }), 1_500],
    ["429 until a time that is past", fault.rateLimited("Wed, 21 Oct 2015 07:28:00 GMT"), 0],
    ["429 with a header that makes no sense", fault.rateLimited("soon"), 500],
    ["503 with Retry-After", fault.status(503, { retryAfter: 2 }), 2_000],
    ["529 with Retry-After", fault.status(529, { retryAfter: 2 }), 2_000],
    ["408", fault.status(408), 500],
    ["409", fault.status(409), 500],
    ["504", fault.status(504), 500],
  ] as const
).map(([name, one, afterMs]) => ({
  group: "waits",
  name,
  replies: [failing(one), reply(OK)],
  expected: saying(OK, [retry(1, afterMs)]),
}));

const RECOVERIES: readonly Conformance[] = [
  {
    group: "recoveries",
    name: "a prompt that is too long is made shorter once",
    replies: [lookReply(LONG_TITLE), lookReply("b"), failing(TOO_LONG), reply(OK)],
    expected: [...BEFORE_TOO_LONG, ...END(4)],
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
        `words of harness ${longText(GO_ON_WRITING)}`,
        "continued output_continued",
      ]),
      "request 5",
      answer("4", "max_tokens"),
      finished(5, "1234", 'stopped_short "The answer was cut off at its greatest length. Ask for the rest."'),
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
      finished(6, "Wait. ", 'stopped_short "The model paused again and again."'),
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

const PROXIES: readonly Conformance[] = [
  ...["HTTP_PROXY", "http_proxy", "ALL_PROXY"].map((variable) => ({
    group: "proxies",
    name: `two rounds through the one in ${variable}`,
    proxy: { variable, is: "right" } as const,
    replies: [lookReply("a"), reply(OK)],
    expected: [GO, ...round(1, 1, "a"), ...END(2)],
  })),
  {
    group: "proxies",
    name: "a host in NO_PROXY is asked directly",
    proxy: { variable: "HTTP_PROXY", is: "excepted" },
    replies: [reply(OK)],
    expected: saying(OK),
  },
  {
    group: "proxies",
    name: "one for https alone is of no concern",
    proxy: { variable: "HTTPS_PROXY", is: "excepted" },
    replies: [reply(OK)],
    expected: saying(OK),
  },
  {
    group: "proxies",
    name: "one that is not there",
    proxy: { variable: "HTTP_PROXY", is: "down" },
    says: /^The proxy 127\.0\.0\.1:9 can't be reached \(\w+\): check HTTP_PROXY, or name 127\.0\.0\.1:\d+ in NO_PROXY\. It was tried 10 times\.$/,
    replies: [],
    expected: [GO, "request 1", ...retries(9), 'finished 1 failed: ""'],
  },
  {
    group: "proxies",
    name: "a wrong password",
    proxy: { variable: "HTTP_PROXY", is: "wrong password" },
    says: /^The proxy 127\.0\.0\.1:\d+ wants a user name and a password \(407\): .* HTTP_PROXY/,
    replies: [],
    expected: [GO, "request 1", 'finished 1 failed: ""'],
  },
  {
    group: "proxies",
    name: "a wrong password for a tunnel",
    proxy: { variable: "HTTPS_PROXY", is: "wrong password" },
    at: "self-signed",
    says: /^The proxy 127\.0\.0\.1:\d+ wants a user name and a password \(407\): .* HTTPS_PROXY/,
    replies: [],
    expected: [GO, "request 1", 'finished 1 failed: ""'],
  },
  {
    group: "proxies",
    name: "a tunnel that is refused",
    proxy: { variable: "ALL_PROXY", is: "forbidding" },
    at: "self-signed",
    says: /^The proxy 127\.0\.0\.1:\d+ did not let through to 127\.0\.0\.1:\d+ \(403\): check ALL_PROXY, or name the host in NO_PROXY\.$/,
    replies: [],
    expected: [GO, "request 1", 'finished 1 failed: ""'],
  },
];

const OVERLOADED = Array.from({ length: 3 }, () => failing(fault.overloaded()));
const FALLBACK: readonly Conformance[] = [
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

const MEDIA: readonly Conformance[] = [
  {
    group: "media",
    name: "a picture",
    replies: [reply(OK)],
    attachments: [image],
    expected: ['turn "go" [image text]', ...saying(OK).slice(1)],
  },
  {
    group: "media",
    name: "a PDF",
    replies: [reply(OK)],
    attachments: [document],
    expected: ['turn "go" [document text]', ...saying(OK).slice(1)],
  },
  {
    group: "media",
    name: "a GIF, which not all take",
    replies: [reply(OK)],
    attachments: [{ type: "image", mediaType: "image/gif", data: SMALL_GIF }],
    expected: [WITH_IMAGE, ...saying(OK).slice(1)],
  },
  {
    group: "media",
    name: "a picture and a PDF before a call",
    replies: [lookReply("a"), reply(OK)],
    attachments: [image, document],
    expected: ['turn "go" [image document text]', ...round(1, 1, "a"), ...END(2)],
  },
];

const shape = {
  schema: {
    type: "object",
    properties: { sum: { type: "number" } },
    required: ["sum"],
    additionalProperties: false,
  },
  check: (value: unknown) => (typeof (value as { sum?: unknown })?.sum === "number" ? undefined : "sum is no number"),
} as const;

const STRUCTURED: readonly Conformance[] = [
  {
    group: "structured output",
    name: "as the schema wants it",
    shape,
    replies: [reply('{"sum":3}')],
    expected: [GO, "request 1", answer('{"sum":3}'), `${finished(1, '{"sum":3}')} {"sum":3}`],
  },
  {
    group: "structured output",
    name: "after a call",
    shape,
    replies: [lookReply("a"), reply('{"sum":4}')],
    expected: [GO, ...round(1, 1, "a"), "request 2", answer('{"sum":4}'), `${finished(2, '{"sum":4}')} {"sum":4}`],
  },
  {
    group: "structured output",
    name: "beside the schema, then as it wants it",
    shape,
    replies: [reply('{"sum":"x"}'), reply('{"sum":5}')],
    expected: [
      GO,
      "request 1",
      answer('{"sum":"x"}'),
      `words of harness ${longText(schemaMismatch("sum is no number"))}`,
      "continued schema_mismatch",
      "request 2",
      answer('{"sum":5}'),
      `${finished(2, '{"sum":5}')} {"sum":5}`,
    ],
  },
];

export const SCENARIOS: readonly Conformance[] = [
  ...ANSWERS,
  ...TALK,
  ...THINKING,
  ...CALLS,
  ...IDS,
  ...STOPS,
  ...FAULTS,
  ...CUTS,
  ...WAITS,
  ...RECOVERIES,
  ...PROXIES,
  ...FALLBACK,
  ...MEDIA,
  ...STRUCTURED,
];
