/**
 * A test's name and place say what it needs, and so when it runs:
 * - `unit`: `x.test.ts` beside the code. One process, no real parts, done in seconds.
 * - `joint`: `x.test.ts` under test/. Several packages together, still one process.
 * - `slow`: `x.slow.test.ts` anywhere. Needs real parts: etcd, child processes, real time.
 * - `e2e`: anything else under test/e2e. A whole fleet; two at a time, for most of the time they wait.
 * - `alone`: `x.alone.test.ts` under test/e2e. Keeps all of the machine busy by itself; one at a time, after all others.
 */
export type TestKind = 'unit' | 'joint' | 'slow' | 'e2e' | 'alone'

/** In the order they run: what is quick to fail comes first. */
export const TEST_KINDS: readonly TestKind[] = ['unit', 'joint', 'slow', 'e2e', 'alone']

const ROOTS = /^(?:packages|tools|examples|test)\//
const NOT_OURS = /(?:^|\/)(?:testdata|node_modules|dist)\//

/** What kind of test `path` is, or undefined if it is none. Paths are relative to the root, with slashes. */
export function classifyTest(path: string): TestKind | undefined {
  if (!path.endsWith('.test.ts') || !ROOTS.test(path) || NOT_OURS.test(path)) return undefined
  if (path.startsWith('test/e2e/')) return path.endsWith('.alone.test.ts') ? 'alone' : 'e2e'
  if (path.endsWith('.slow.test.ts')) return 'slow'
  return path.startsWith('test/') ? 'joint' : 'unit'
}

/** Those that take longest come first: one that is begun last would be waited for while nothing else is left to do. */
const LONGEST = [
  'test/simulation/seeds.test.ts',
  'test/simulation/sabotage.test.ts',
  'test/simulation/cuts.test.ts',
  'test/golden/clients.slow.test.ts',
  'test/golden/recordings.slow.test.ts',
  'test/e2e/journey.test.ts',
  'test/e2e/cascades.test.ts',
  'test/e2e/zombie.test.ts',
  'test/e2e/mistakes.test.ts',
  'test/e2e/kill-9.test.ts',
]
const rank = (path: string): number => (LONGEST.includes(path) ? LONGEST.indexOf(path) : LONGEST.length)

/** The tests among `paths` by kind, narrowed to those whose path contains one of the filters, if there are any. */
export function selectTests(
  paths: readonly string[],
  filters: readonly string[] = [],
): ReadonlyMap<TestKind, readonly string[]> {
  const wanted = paths.filter(
    (path) => filters.length === 0 || filters.some((filter) => path.includes(filter)),
  )
  return new Map(
    TEST_KINDS.map((kind) => [
      kind,
      wanted
        .filter((path) => classifyTest(path) === kind)
        .sort()
        .sort((a, b) => rank(a) - rank(b)),
    ]),
  )
}
