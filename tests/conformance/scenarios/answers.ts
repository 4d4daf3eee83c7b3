import { type Reply, redactedThinking, reply, text, thinking, toolUse } from "@quoll/model-twin/scenario";
import { EMPTY_ANSWER, schemaMismatch } from "../../../src/engine/system-reminders.ts";
import { longText } from "../normalise.ts";
import { SMALL_GIF } from "../play.ts";
import {
  answer,
  type Conformance,
  called,
  END,
  finished,
  GO,
  image,
  look,
  lookReply,
  OK,
  round,
  saying,
  WITH_IMAGE,
} from "./lines.ts";

/** Answers of words alone. */
export const ANSWERS: readonly Conformance[] = [
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

export const TALK: readonly Conformance[] = [
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

export const THINKING: readonly Conformance[] = [
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

const PDF = Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n").toString("base64");

const document = { type: "document", mediaType: "application/pdf", data: PDF, title: "a.pdf" } as const;

export const MEDIA: readonly Conformance[] = [
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

export const STRUCTURED: readonly Conformance[] = [
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
