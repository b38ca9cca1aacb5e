import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { Halt } from '../progress/halt.ts'
import type { MigrationTarget, TargetDecision } from './target.ts'
import { TargetGuard } from './target-guard.ts'

const never = new AbortController().signal
const target: MigrationTarget = {
  resource: { group: 'g', resource: 'r' },
  how: 'storageversion',
  fenced: false,
  encodingVersion: 'g/v2',
  resourceVersion: '5',
}
const at = (resourceVersion: string, encodingVersion = 'g/v2'): TargetDecision => ({
  agreed: true,
  target: { ...target, resourceVersion, encodingVersion },
})

const cases: readonly (readonly [
  name: string,
  now: TargetDecision,
  watchMs: number,
  ended: RegExp | undefined,
  withinMs: number,
])[] = [
  ['it has not moved', at('5'), Number.POSITIVE_INFINITY, undefined, 0],
  ['it was written, and the watch has shown it', at('6'), 0, undefined, 0],
  ['it was written, and the watch tells of it a moment later', at('6'), 1_500, undefined, 2_000],
  [
    'it was written, and the watch never shows it',
    at('6'),
    Number.POSITIVE_INFINITY,
    /no watch has seen/,
    5_000,
  ],
  ['it is another version: nothing is waited for', at('6', 'g/v1'), 1_500, /g\/v2 became g\/v1/, 0],
]
for (const [name, now, watchMs, ended, withinMs] of cases) {
  test(`target guard, a StorageVersion: ${name}`, async () => {
    const simulation = new Simulation('guard')
    const world = simulation.process('migrator')
    const halt = new Halt(never, () => 'run')
    const seen = (resourceVersion: string): boolean => resourceVersion === '5' || simulation.nowMs >= watchMs
    const guard = new TargetGuard({
      ...{ world, log: world.log, target, halt, observe: async () => now },
      history: { isSameUpTo: seen },
      ...{ everyMs: 5_000, requestTimeoutMs: 30_000, patienceMs: 60_000 },
    })
    await simulation.settle(guard.check(never))
    assert.ok(simulation.nowMs <= withinMs, `${simulation.nowMs} ms`)
    const { end } = halt
    if (ended === undefined) assert.equal(end, undefined)
    else assert.match(end?.kind === 'aborted' ? end.because : '', ended)
  })
}
