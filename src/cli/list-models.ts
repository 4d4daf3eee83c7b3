import { modelCatalog } from "../services/provider/catalog.ts";

/** `quoll models`: names that `--model` takes, with window and what each stands for. */
export function listModels(asJson: boolean): number {
  const catalog = modelCatalog();
  const models = catalog.list().map((name) => {
    const model = catalog.resolve(name);
    return { name, model, contextWindow: catalog.capabilities(model).contextWindow };
  });
  if (asJson) process.stdout.write(`${JSON.stringify(models, null, 2)}\n`);
  else for (const line of table(models)) process.stdout.write(`${line}\n`);
  return 0;
}

function table(models: readonly { name: string; model: string; contextWindow: number }[]): readonly string[] {
  const width = Math.max(...models.map(({ name }) => name.length));
  return models.map(({ name, model, contextWindow }) => {
    const window = `${Math.round(contextWindow / 1_000)}k`.padStart(6);
    return `${name.padEnd(width)} ${window}${model === name ? "" : `  → ${model}`}`;
  });
}
