import type { Preview } from "../../src/contracts/display.ts";
import type {
  CommandRisk,
  DialogBody,
  DialogQuestion,
  FormChoice,
  NewQuestion,
  Question,
  QuestionHead,
} from "../../src/contracts/question.ts";
import { type Asking, isChoosing } from "../../src/faces/repl/layers/open-question.ts";
import type { Ui } from "../../src/faces/repl/layers/ui-state.ts";

/** The fields of a question's head and body side by side: a test changes the few that it is about. */
export type QuestionParts = Partial<QuestionHead> & {
  readonly kind?: DialogBody["kind"];
  /** Empty for a question about no call. */
  readonly toolUseId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly preview?: Preview;
  readonly reason?: string;
  readonly hazards?: readonly string[];
  readonly risks?: readonly CommandRisk[];
  readonly isRisky?: boolean;
  readonly suggestions?: readonly string[];
  readonly sessionRules?: readonly string[];
  readonly confinement?: string;
  readonly isOutside?: boolean;
  readonly opensNetwork?: boolean;
  readonly reach?: string;
  readonly consent?: string;
  readonly refusal?: string;
  readonly choices?: readonly FormChoice[];
};

/** A question whose body has only the fields of its kind; a permission to run `ls` if the parts say nothing else. */
export function questionOf(parts: QuestionParts): DialogQuestion {
  const { id = "q", agentId = "main", parentAgentId = null, agentLabel, title = "Run this command?" } = parts;
  const head = { id, agentId, parentAgentId, ...(agentLabel !== undefined && { agentLabel }), title };
  return { ...head, body: bodyOf(parts) };
}

function bodyOf(parts: QuestionParts): DialogBody {
  const { kind = "permission", toolUseId = "q", toolName = "Bash", input } = parts;
  const { hazards = [], isRisky, suggestions = [], sessionRules = [], risks, confinement, consent, refusal } = parts;
  const call = { toolUseId, toolName, ...(input !== undefined && { input }) };
  const shown = {
    preview: parts.preview ?? { kind: "command", command: "ls", description: "", unclear: [] },
    reason: parts.reason ?? "You have not allowed it yet.",
    ...(hazards.length > 0 && { hazards }),
    ...(isRisky !== undefined && { isRisky }),
  } as const;
  switch (kind) {
    case "permission":
      return {
        kind,
        call,
        ...shown,
        suggestions,
        sessionRules,
        ...(risks && { risks }),
        ...(confinement !== undefined && { confinement }),
        ...(parts.isOutside && { isOutside: true }),
        ...(parts.opensNetwork && { opensNetwork: true }),
        ...(parts.reach !== undefined && { reach: parts.reach }),
        ...(parts.reason === undefined && { isUsual: true }),
        ...(consent !== undefined && { consent }),
      };
    case "plan":
    case "credential":
      return { kind, call, ...shown, rules: sessionRules };
    case "form":
      return { kind, ...shown, choices: parts.choices ?? [] };
    default:
      return { kind, ...shown, ...(refusal !== undefined && { refusal }) };
  }
}

type FlatQuestion = QuestionParts &
  Required<Pick<QuestionParts, "id" | "title" | "preview" | "reason" | "hazards" | "suggestions" | "sessionRules">>;

/** The fields of a question side by side; lists that its body does not have are empty. */
export function partsOf({ body, ...head }: Question): FlatQuestion {
  if (body.kind === "choice") throw new Error("A choice has no such parts.");
  const { call, rules, ...own } = { call: undefined, rules: undefined, ...body };
  const lists = { hazards: [], suggestions: rules ?? [], sessionRules: rules ?? [] };
  return { ...head, ...call, ...lists, ...own };
}

/** The parts of a question that has no id yet. */
export function newPartsOf(question: NewQuestion): FlatQuestion {
  return partsOf({ id: "", agentId: "main", parentAgentId: null, ...question });
}

/** The open question; fails if it is a choice of the model. */
export function dialogOf({ asking }: Pick<Ui, "asking">): Asking | undefined {
  if (isChoosing(asking)) throw new Error("The model's questions are open.");
  return asking;
}
