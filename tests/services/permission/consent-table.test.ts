import { describe, expect, test } from "bun:test";
import {
  CONSENT_CALL,
  CONSENT_FACES,
  CONSENT_SANDBOXES,
  CONSENTS,
  type ConsentCell,
  consentCells,
  consentIn,
  consentOutcome,
  type Outcome,
} from "../../../scripts/docs/consent-table.ts";
import type { CallJudge, JudgeRequest } from "../../../src/contracts/permission.ts";
import { partsOf } from "../../support/question.ts";
import { setUp } from "./engine-support.ts";

/** The same rules, written again by hand. */
function wanted({ mode, face, sandbox, consent }: ConsentCell): Outcome {
  const { answerer } = CONSENT_FACES[face];
  if (mode === "bypassPermissions") return "runs";
  if (mode === "plan") return "refused";
  const agreements: Readonly<Record<typeof answerer, readonly ConsentCell["consent"][]>> = {
    person: [
      "in this session",
      "kept answer",
      "own settings",
      "own settings, source named",
      "`--settings` or flag",
      "managed file",
    ],
    nobody: ["kept answer", "own settings", "own settings, source named", "`--settings` or flag", "managed file"],
    program: ["own settings, source named", "`--settings` or flag"],
  };
  if (sandbox !== "none" && agreements[answerer].includes(consent)) return "runs";
  if (mode === "dontAsk") return "refused";
  if (mode === "auto") return "judge";
  if (answerer === "person") return "asked";
  if (answerer === "program") return "callback";
  return face.startsWith("stream-json") ? "unanswered" : "exit 4";
}

/** The behaviour of the engine: who was asked, and the outcome. */
async function decided(cell: ConsentCell): Promise<Outcome> {
  const { mode, face, sandbox, consent } = cell;
  const { answerer, isStream } = CONSENT_FACES[face];
  const seen: JudgeRequest[] = [];
  const judge: CallJudge = {
    judge: async (request) => {
      seen.push(request);
      return { verdict: "yes" };
    },
  };
  const { engine, questions, request } = setUp({
    judge,
    consent: consentIn(cell),
    canAsk: answerer !== "nobody",
    sandbox: async () => CONSENT_SANDBOXES[sandbox],
  });
  const call = () => request("Bash", "execute", ...CONSENT_CALL.subjects);
  const askedIds: string[] = [];
  const leave = questions.subscribe(() => {
    const [question] = questions.pending;
    if (!question) return;
    askedIds.push(question.id);
    const agrees = askedIds.length === 1 && "inSession" in CONSENTS[consent] && partsOf(question).consent !== undefined;
    questions.reply(question.id, agrees ? { decision: "confined", lasts: "session" } : { decision: "once" });
  });
  const signal = new AbortController().signal;
  if ("inSession" in CONSENTS[consent]) {
    await engine.authorize(call(), signal);
    askedIds.length = 1;
  }
  const before = askedIds.length;
  if (mode !== "default") engine.mode = mode;
  const verdict = await engine.authorize(call(), signal);
  leave();
  if (seen.length > 0) return "judge";
  if (askedIds.length > before) return answerer === "person" ? "asked" : "callback";
  if (verdict.decision === "allow") return "runs";
  if (!verdict.unanswered) return "refused";
  return isStream ? "unanswered" : "exit 4";
}

describe.each([...Map.groupBy(consentCells(), ({ mode, face }) => `${mode}, ${face}`)])("%s", (_, cells) => {
  test.each(cells.map((cell) => [cell.sandbox, cell.consent, cell] as const))(
    "%s, agreed by: %s",
    async (_, __, cell) => {
      expect({ made: consentOutcome(cell), done: await decided(cell) }).toEqual({
        made: wanted(cell),
        done: wanted(cell),
      });
    },
  );
});
