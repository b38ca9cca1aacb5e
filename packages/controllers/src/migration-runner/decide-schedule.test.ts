import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MigrationGroup, type MigrationObject, type MigrationView, viewOf } from '@strata/insight'
import type { ClaimDecision } from '../migration-object/index.ts'
import { decideSchedule, type Schedule, type ScheduleFacts } from './decide-schedule.ts'

interface Sketch {
  readonly group?: MigrationGroup
  readonly resource?: string
  /** Seconds after the first one. */
  readonly age?: number
  readonly annotations?: Readonly<Record<string, string>>
  readonly is?: readonly string[]
  readonly claimed?: boolean
  readonly deleted?: boolean
}

function migration(name: string, sketch: Sketch = {}): MigrationView {
  const { group = 'storagemigration.k8s.io', resource = 'things', age = 0, is = [] } = sketch
  const claim = sketch.claimed ? { 'strata.dev/claimed-by': 'somebody' } : {}
  const object: MigrationObject = {
    metadata: {
      ...{ name, uid: name, resourceVersion: '7' },
      creationTimestamp: `2026-01-01T00:00:${String(age).padStart(2, '0')}Z`,
      annotations: { ...claim, ...sketch.annotations },
      ...(sketch.deleted ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
    },
    spec: { resource: { group: 'g.dev', resource } },
    status: { conditions: is.map((type) => ({ type, status: 'True' })) },
  }
  return viewOf(group, object)
}

const others: ClaimDecision = { do: 'leave', because: '', leftMs: 1 }
const isLeft = { claimOf: () => others }
const free: ClaimDecision = { do: 'take', because: '' }
const isFree = { claimOf: () => free }

const idle: ScheduleFacts = {
  migrations: [],
  busy: new Set(),
  room: 5,
  waitMs: () => 0,
  tidyAfterMs: () => 0,
  // As decideClaim decides for migrations without a claim, or with an abandoned one.
  claimOf: ({ isForeign }) => (isForeign ? others : free),
  endedForMs: () => undefined,
  ttlMs: undefined,
}

const names = ({ run, pause, cancel, tidy, remove }: Schedule): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries({ run, pause, cancel, tidy, remove })
      .filter(([, views]) => views.length > 0)
      .map(([what, views]) => [what, views.map(({ name }) => name)]),
  )

const released = { 'strata.dev/claimed-by': '' }
const noted = { 'strata.dev/progress': '{"target":{"how":"record"}}' }
const paused = { 'strata.dev/paused': 'true' }
const first = (priority: string) => ({ 'strata.dev/priority': priority })

const cases: ReadonlyArray<
  [
    name: string,
    migrations: readonly MigrationView[],
    want: Readonly<Record<string, readonly string[]>>,
    more?: Partial<ScheduleFacts>,
  ]
> = [
  ['nothing to do', [], {}],
  ['R1: one that waits is run', [migration('a')], { run: ['a'] }],
  ['R8: the older one first', [migration('a', { age: 9 }), migration('b', { age: 3 })], { run: ['b'] }],
  ['R8: of the same age, by name', [migration('b'), migration('a')], { run: ['a'] }],
  [
    'priority before age',
    [migration('a'), migration('b', { age: 9, annotations: first('5') })],
    { run: ['b'] },
  ],
  [
    'a priority that is no whole number is none',
    [migration('a'), migration('b', { age: 9, annotations: first('high') })],
    { run: ['a'] },
  ],
  [
    'V8: one that runs keeps all others of its resource waiting',
    [migration('a'), migration('b', { age: 9, is: ['Running'], claimed: true })],
    {},
    { busy: new Set(['things.g.dev']) },
  ],
  [
    'one of the other group is one of the same resource',
    [migration('a'), migration('b', { age: 9, is: ['Running'], claimed: true, group: 'migration.k8s.io' })],
    { run: ['b'] },
  ],
  [
    'what was begun goes on before anything else begins, whatever the priority',
    [
      migration('a', { annotations: first('9') }),
      migration('b', { is: ['Running'], claimed: true }),
      migration('c', { resource: 'others' }),
    ],
    { run: ['b'] },
    { room: 1 },
  ],
  [
    'several resources side by side, the most important first',
    [
      migration('a'),
      migration('b', { resource: 'others', annotations: first('1') }),
      migration('c', { resource: 'more', annotations: first('-1') }),
    ],
    { run: ['b', 'a'] },
    { room: 2 },
  ],
  ['no room', [migration('a')], {}, { room: 0 }],
  ['M3, V12: one that has succeeded is over', [migration('a', { is: ['Succeeded'] })], {}],
  ['V13: one that has failed is over', [migration('a', { is: ['Failed'] })], {}],
  [
    'one that is paused does not begin, another may',
    [migration('a', { annotations: paused }), migration('b')],
    { run: ['b'] },
  ],
  [
    'one that is paused in the middle gets its condition first',
    [migration('a', { annotations: paused, is: ['Running'], claimed: true }), migration('b')],
    { pause: ['a'] },
  ],
  [
    'if that write fails, others do not wait for it',
    [migration('a', { annotations: paused, is: ['Running'], claimed: true }), migration('b')],
    { run: ['b'] },
    { waitMs: (uid) => (uid === 'a' ? 1 : 0) },
  ],
  [
    'one that is paused in the middle keeps its place, and not its resource',
    [migration('a', { annotations: { ...paused, ...released } }), migration('b')],
    { run: ['b'] },
  ],
  ['one that was paused before any claim needs no condition', [migration('a', { annotations: paused })], {}],
  [
    'one that was paused in the middle goes on before another begins',
    [migration('a', { age: 9, is: ['Running'], claimed: true }), migration('b')],
    { run: ['a'] },
  ],
  [
    'one that a process has claimed, and not begun yet, has its resource',
    [migration('a', { age: 9, claimed: true }), migration('b')],
    {},
    { claimOf: ({ claim }) => (claim ? others : free) },
  ],
  [
    'also while it is paused',
    [migration('a', { annotations: paused, claimed: true }), migration('b')],
    {},
    { claimOf: ({ claim }) => (claim ? others : free) },
  ],
  [
    'until the process that claimed it is gone',
    [migration('a', { age: 9, claimed: true }), migration('b')],
    { run: ['b'] },
    isFree,
  ],
  [
    'one that another migrator runs, which does not know pauses, has its resource',
    [migration('a', { annotations: paused, is: ['Running'] }), migration('b')],
    {},
  ],
  [
    'X13: one with the claim of another process is left to it, and so is its resource',
    [migration('a', { is: ['Running'], claimed: true }), migration('b')],
    {},
    isLeft,
  ],
  [
    'X13: until they are gone',
    [migration('a', { is: ['Running'], claimed: true }), migration('b')],
    { run: ['a'] },
    isFree,
  ],
  ['only "true" pauses', [migration('a', { annotations: { 'strata.dev/paused': 'false' } })], { run: ['a'] }],
  [
    'cancelled before it began: it is ended, and others go on afterwards',
    [migration('a', { annotations: { 'strata.dev/cancel': 'true' } }), migration('b')],
    { cancel: ['a'] },
  ],
  [
    'cancelled while it was paused',
    [migration('a', { annotations: { ...paused, 'strata.dev/cancel': '' }, is: ['Running'], claimed: true })],
    { cancel: ['a'] },
  ],
  [
    '"false" does not cancel',
    [migration('a', { annotations: { 'strata.dev/cancel': 'false' } })],
    { run: ['a'] },
  ],
  ['deleted, and kept by a finalizer', [migration('a', { deleted: true })], { cancel: ['a'] }],
  ['one that was cancelled after its end is over', [migration('a', { deleted: true, is: ['Failed'] })], {}],
  [
    'R3: one that another migrator runs is left to it, and so is its resource',
    [migration('a', { is: ['Running'] }), migration('b')],
    {},
  ],
  [
    'one that another migrator ran, until it was silent',
    [migration('a', { is: ['Running'] })],
    { run: ['a'] },
    isFree,
  ],
  [
    'one that was begun and let go is gone on with at once, and before others',
    [migration('a', { age: 9, annotations: { ...released, ...noted } }), migration('b')],
    { run: ['a'] },
  ],
  [
    'one that was released before any progress has no claim',
    [migration('a', { is: ['Running'], annotations: released })],
    { run: ['a'] },
  ],
  ['one that has to wait', [migration('a')], {}, { waitMs: () => 1 }],
  [
    'R4 to R7: ended, and still says that it runs: tidied up first',
    [migration('a', { is: ['Running', 'Succeeded'] }), migration('b')],
    { tidy: ['a'] },
  ],
  [
    'R4 to R7: the same, while the migrator that ended it may yet do so',
    [migration('a', { is: ['Running', 'Succeeded'] })],
    {},
    { tidyAfterMs: () => 1_000 },
  ],
  [
    'TTL: one that ended long ago is removed',
    [migration('a', { is: ['Succeeded'] }), migration('b', { is: ['Failed'] })],
    { remove: ['a'] },
    { ttlMs: 1_000, endedForMs: ({ name }) => (name === 'a' ? 1_000 : 999) },
  ],
  ['TTL: of one without a time nothing is known', [migration('a', { is: ['Failed'] })], {}, { ttlMs: 1 }],
  [
    'TTL: none is removed by default',
    [migration('a', { is: ['Failed'] })],
    {},
    { endedForMs: () => 1_000_000_000 },
  ],
]
for (const [name, migrations, want, more] of cases) {
  test(`schedule: ${name}`, () =>
    assert.deepEqual(names(decideSchedule({ ...idle, migrations, ...more })), want))
}

test('schedule: when to look again', () => {
  const migrations = [migration('a'), migration('b', { resource: 'others', is: ['Failed'] })]
  const again = (more: Partial<ScheduleFacts>) => decideSchedule({ ...idle, migrations, ...more }).lookAgainMs
  assert.equal(again({}), undefined)
  assert.equal(again({ waitMs: () => 700 }), 700)
  assert.equal(again({ waitMs: () => 700, ttlMs: 1_000, endedForMs: () => 600 }), 400)
})
