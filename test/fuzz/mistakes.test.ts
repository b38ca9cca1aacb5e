import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from './finding.ts'
import { type FuzzReport, fuzz } from './fuzz.ts'
import { loadTargets } from './targets.ts'

const targetsModule = new URL('./mistakes-for-test.ts', import.meta.url).href

test('fuzz: every kind of mistake is found, shrunk and found again by its number', async () => {
  const targets = await loadTargets(targetsModule)
  const run = (name: string, from = 0): Promise<FuzzReport> =>
    fuzz({
      targets: targets.filter((each) => each.name === name),
      ...{ seed: '1', inputs: 500, from, size: 1, hangMs: 2_000, targetsModule },
    })
  const found = new Map<string, Finding | undefined>()
  for (const { name } of targets) found.set(name, (await run(name)).findings[0])

  const [wrong] = (found.get('wrong')?.inputs ?? []) as { readonly numbers: readonly number[] }[]
  assert.equal(found.get('wrong')?.kind, 'wrong')
  assert.ok(wrong?.numbers.length === 1 && (wrong.numbers[0] ?? 0) > 90, JSON.stringify(wrong))

  assert.equal(found.get('crash')?.kind, 'crash')
  assert.match(found.get('crash')?.text ?? '', /^TypeError: too many/)
  assert.deepEqual(found.get('crash')?.inputs, [{ numbers: [0, 0, 0, 0, 0, 0] }])

  assert.equal(found.get('hang')?.kind, 'hang')
  assert.match(found.get('rejection')?.text ?? '', /^not caught: Error: not handled/)

  const added = (found.get('sequence')?.inputs ?? []) as { readonly add: number }[]
  assert.equal(
    added.reduce((sum, { add }) => sum + add, 0),
    21,
    'the shortest sequence has just enough',
  )
  const again = await run('wrong')
  assert.deepEqual(again.findings[0], found.get('wrong'), 'the same seed finds the same')
})
