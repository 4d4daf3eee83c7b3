/**
 * Collects garbage now, which stops other work for 50 to 80 ms after an answer of 500 KB. A collection beside other work leaves up to
 * 90 MB more. Node collects only by itself.
 */
export function freeMemory(): void {
  const runtime: { readonly gc?: (waits: boolean) => void } | undefined = Reflect.get(globalThis, "Bun");
  runtime?.gc?.(true);
}
