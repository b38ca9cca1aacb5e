/**
 * A test's name and place say what it needs, and so when it runs:
 * - `unit`: `x.test.ts` beside the code. One process, no real parts, done in seconds.
 * - `joint`: `x.test.ts` under test/. Several packages together, still one process.
 * - `slow`: `x.slow.test.ts` anywhere. Needs real parts: etcd, child processes, real time.
 * - `e2e`: anything else under test/e2e. A whole fleet. With the slow ones, three at a time: much of the time they wait.
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

/**
 * Those that take longest come first, as a run tells at its end: one that is begun last would be waited for while nothing
 * else is left to do.
 */
const LONGEST = [
  'test/simulation/seeds.test.ts',
  'test/simulation/sabotage.test.ts',
  'test/simulation/cuts.test.ts',
  'test/e2e/rolling-restart.test.ts',
  'test/e2e/journey.test.ts',
  'test/e2e/zombie.test.ts',
  'test/e2e/aggregated-fleet.test.ts',
  'test/e2e/scenes.test.ts',
  'test/faults/short-form.slow.test.ts',
  'test/e2e/bulk-migration.test.ts',
  'test/e2e/cascades.test.ts',
  'test/e2e/kill-9.test.ts',
  'test/e2e/mistakes.test.ts',
  'test/e2e/controllers.test.ts',
  'test/e2e/clients-in-sync.test.ts',
  'test/soak/soak.slow.test.ts',
  'test/e2e/status-watch.test.ts',
  'test/e2e/real-crds.test.ts',
  'test/e2e/key-rotation.test.ts',
  'test/golden/clients.slow.test.ts',
  'test/e2e/definition-switch.test.ts',
  'test/e2e/coordinated-discovery.test.ts',
  'test/e2e/migrate.test.ts',
  'test/golden/recordings.slow.test.ts',
  'test/e2e/migration-trigger.test.ts',
  'tools/build.slow.test.ts',
  'test/e2e/webhooks.test.ts',
  'test/integration/consistent-is-true.test.ts',
]

export const isLong = (path: string): boolean => LONGEST.includes(path) || path.startsWith('test/simulation/')

/** For sorting: the longest first, the others by name. */
export const compareTests = (a: string, b: string): number => rank(a) - rank(b) || (a < b ? -1 : 1)
const rank = (path: string): number =>
  LONGEST.includes(path) ? LONGEST.indexOf(path) : LONGEST.length + (isLong(path) ? 0 : 1)

/** The tests among `paths` by kind, narrowed to those whose path contains one of the filters, if there are any. */
export function selectTests(
  paths: readonly string[],
  filters: readonly string[] = [],
): ReadonlyMap<TestKind, readonly string[]> {
  const wanted = paths.filter(
    (path) => filters.length === 0 || filters.some((filter) => path.includes(filter)),
  )
  return new Map(
    TEST_KINDS.map((kind) => [kind, wanted.filter((path) => classifyTest(path) === kind).sort(compareTests)]),
  )
}
