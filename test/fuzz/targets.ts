import type { FuzzTarget } from './target.ts'

/** All of them, or those of another module: the tests of the fuzzer have targets with known mistakes. */
export async function loadTargets(
  module = new URL('./targets/index.ts', import.meta.url).href,
): Promise<readonly FuzzTarget[]> {
  const loaded = (await import(module)) as { readonly targets: readonly FuzzTarget[] }
  return loaded.targets
}
