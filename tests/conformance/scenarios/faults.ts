import { type Fault, failing, fault, reply, text, toolUse } from "@quoll/model-twin/scenario";
import { seededRandom } from "../../support/seeded-random.ts";
import {
  answer,
  type Conformance,
  END,
  finished,
  GO,
  INCOMPLETE_RETRY,
  lookReply,
  OK,
  retries,
  retry,
  round,
  saying,
} from "./lines.ts";

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

export const CUTS: readonly Conformance[] = [...CUT_DELTAS, ...CUT_BYTES].map((after) => ({
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

export const FAULTS: readonly Conformance[] = [
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
    says: /does not support TLS at this address/,
    expected: [GO, "request 1", 'finished 1 failed: ""'],
  },
  {
    group: "faults",
    name: "a certificate that nobody vouches for",
    replies: [],
    at: "self-signed",
    says: /^The certificate of 127\.0\.0\.1:\d+ is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)\. .* authority.s PEM file\.$/,
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
    expected: saying(OK, [INCOMPLETE_RETRY]),
  },
  {
    group: "faults",
    name: "a stream that ends without its end",
    replies: tried([fault.noStop(2)]),
    expected: saying(OK, [INCOMPLETE_RETRY]),
  },
  {
    group: "faults",
    name: "a stream that ends without its end each time",
    replies: () => reply("Half an answer.", { deltaChars: 4, fault: fault.noStop(2) }),
    expected: [GO, "request 1", INCOMPLETE_RETRY, "retry 3 of 3 after 1000 ms", 'finished 1 failed: ""'],
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
    expected: [GO, "request 1", "conversation_changed", 'finished 1 failed: ""'],
  },
];

/** Facts that a vendor sends in a header, or by a special status. */
export const WAITS: readonly Conformance[] = (
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
