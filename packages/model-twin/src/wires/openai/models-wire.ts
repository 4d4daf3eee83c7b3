import type { Outcome, ReceivedRequest, Wire } from "../wire.ts";
import { jsonAnswer } from "./api-error.ts";
import type { OpenAiOptions } from "./options.ts";
import { CREATED_S } from "./render.ts";
import { authenticate, judgeModel, rejectionOutcome, requestIdOf, wrongMethod } from "./serve.ts";

const MODELS = /(?:^|\/)v1\/models(?:\/(.+))?$/;
/** The listed models when every name is accepted. */
const ANY_MODEL = "model-twin";

const modelCard = (id: string) => ({ id, object: "model", created: CREATED_S, owned_by: "model-twin" });

/** The decoded name of a model in a path; unchanged if its encoding is invalid. */
function modelOf(path: string): string | undefined {
  const name = MODELS.exec(path)?.[1];
  try {
    return name && decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** OpenAI's list of models: `GET /v1/models`, and one of them: `GET /v1/models/<id>`. */
export class OpenAiModelsWire implements Wire {
  readonly name = "openai-models";
  readonly #options: OpenAiOptions;

  constructor(options: OpenAiOptions = {}) {
    this.#options = options;
  }

  owns(path: string): boolean {
    return MODELS.test(path);
  }

  async handle(received: ReceivedRequest): Promise<Outcome> {
    const requestId = requestIdOf(received);
    const model = modelOf(received.path);
    const rejection =
      authenticate(received, this.#options) ??
      (received.method === "GET" ? undefined : wrongMethod(received.method, received.path, "GET")) ??
      (model === undefined ? undefined : judgeModel(model, this.#options));
    if (rejection) return rejectionOutcome(rejection, requestId);
    const listed = this.#options.models ?? this.#options.reasoningModels ?? [ANY_MODEL];
    const body = model === undefined ? { object: "list", data: listed.map(modelCard) } : modelCard(model);
    return { answer: jsonAnswer(body, requestId), rejected: [] };
  }
}
