import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classifyTest, selectTests, type TestKind } from './test-files.ts'

const cases: ReadonlyArray<[path: string, want: TestKind | undefined]> = [
  ['packages/world/src/clock.test.ts', 'unit'],
  ['tools/tidy.test.ts', 'unit'],
  ['examples/lighthouse/beacon.test.ts', 'unit'],
  ['test/integration/agreement.test.ts', 'joint'],
  ['packages/server/src/store/etcd/etcd-store.slow.test.ts', 'slow'],
  ['test/integration/three-servers.slow.test.ts', 'slow'],
  ['test/e2e/rolling-upgrade.test.ts', 'e2e'],
  ['test/e2e/zombie.slow.test.ts', 'e2e'],
  ['test/e2e/many-commands.alone.test.ts', 'alone'],
  ['test/integration/x.alone.test.ts', 'joint'],
  ['packages/world/src/clock.ts', undefined],
  ['packages/world/src/contest.ts', undefined],
  ['tools/testdata/bad.test.ts', undefined],
  ['docs/example.test.ts', undefined],
]
for (const [path, want] of cases) {
  test(`test files: ${path} is ${want ?? 'no test'}`, () => assert.equal(classifyTest(path), want))
}

test('test files: the longest of a kind come first, the others by name', () => {
  const selected = selectTests([
    ...['test/e2e/b.test.ts', 'test/e2e/a.test.ts', 'test/e2e/zombie.test.ts', 'test/e2e/journey.test.ts'],
  ])
  assert.deepEqual(selected.get('e2e'), [
    ...['test/e2e/journey.test.ts', 'test/e2e/zombie.test.ts', 'test/e2e/a.test.ts', 'test/e2e/b.test.ts'],
  ])
})

test('test files: a filter keeps the paths that contain it', () => {
  const selected = selectTests(
    ['tools/b.test.ts', 'tools/a.test.ts', 'test/e2e/a.test.ts'],
    ['a.test', 'none'],
  )
  assert.deepEqual(selected.get('unit'), ['tools/a.test.ts'])
  assert.deepEqual(selected.get('e2e'), ['test/e2e/a.test.ts'])
})
