import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import type { CliContext } from '../../context.ts'
import { createMigrationView, holdText } from './progress-view.ts'

const half = { settled: 50, total: 100, percent: 50, ratePerSecond: 10, etaSeconds: 5, quarantined: 1 }

function terminal(columns: number) {
  const simulation = new Simulation('a view')
  const printed: string[] = []
  const shown: string[] = []
  const warned: string[] = []
  const screen = { size: () => ({ columns, rows: 24 }), write: () => {} }
  const context = {
    ...{ world: simulation.process('p', { host: 'h' }), screen, isTerminal: true, environment: {} },
    ...{ execPath: '', entry: '', signal: new AbortController().signal },
    print: (text: string) => printed.push(text),
    warn: (text: string) => warned.push(text),
    progress: (text: string) => shown.push(text),
  } satisfies CliContext
  const { progress: _, ...piped } = context
  return { simulation, printed, shown, warned, context, piped }
}

test('view: on a terminal a bar that is written over, and notes that stay', () => {
  const { warned, shown, context } = terminal(120)
  const view = createMigrationView(context, 'table')
  view.note('lamps', 'to v2')
  view.progress('lamps', half)
  view.clear()
  assert.deepEqual(warned, ['lamps: to v2'])
  assert.deepEqual(shown, [
    '',
    'lamps [############............] 50 %, 50 of 100, 10/s, 5s left, 1 set aside',
    '',
  ])
})

test('view: what is longer than the line is cut, for it could not be written over', () => {
  const { shown, context } = terminal(40)
  createMigrationView(context, 'table').wait('lamps', holdText(59_500))
  assert.equal(shown[0], 'lamps: writes are not fenced: waiting …')
  assert.match(holdText(59_500), /waiting 60s before the first write/)
})

test('view: for programs there is a bar, and no notes', () => {
  const { warned, shown, context } = terminal(120)
  const view = createMigrationView(context, 'json')
  view.note('lamps', 'to v2')
  view.progress('lamps', half)
  assert.deepEqual([warned.length, shown.length], [0, 2])
})

test('view: on a pipe a line every five seconds, if anything has changed', async () => {
  const { simulation, warned, piped } = terminal(120)
  const view = createMigrationView(piped, 'table')
  view.note('lamps', 'to v2')
  for (let second = 0; second < 20; second++) {
    view.progress('lamps', { ...half, settled: Math.min(second, 12) })
    await simulation.run({ untilMs: simulation.nowMs + 1_000 })
  }
  assert.equal(warned.length, 4)
  assert.match(warned[1] ?? '', /^lamps: 50 %, 5 of 100, /)
  view.clear()
  assert.equal(warned.length, 4, 'the last state was warned already')
  createMigrationView(piped, 'yaml').note('lamps', 'to v2')
  assert.equal(warned.length, 4)
})

test('view: on a pipe the last state is warned when it is over, however soon after the line before', async () => {
  const { simulation, warned, piped } = terminal(120)
  const view = createMigrationView(piped, 'table')
  view.progress('lamps', half)
  await simulation.run({ untilMs: simulation.nowMs + 1_000 })
  view.progress('lamps', { ...half, settled: 70 })
  view.progress('lamps', { ...half, settled: 100, percent: 100 })
  view.clear()
  view.clear()
  assert.deepEqual(warned, [
    'lamps: 50 %, 50 of 100, 10/s, 5s left, 1 set aside',
    'lamps: 100 %, 100 of 100, 10/s, 1 set aside',
  ])
  view.progress('lamps', half)
  view.wait('lamps', 'waiting for the servers to agree')
  view.clear()
  assert.equal(warned.length, 2, 'what was only for the moment is not')
})

test('view: on a pipe one line for the wait of several resources, and one more if a later change makes it longer', async () => {
  const { simulation, warned, piped } = terminal(120)
  const view = createMigrationView(piped, 'table')
  for (let leftMs = 70_000; leftMs > 40_000; leftMs -= 1_000) {
    view.hold('lamps', leftMs)
    view.hold('maps', leftMs)
    await simulation.run({ untilMs: simulation.nowMs + 1_000 })
  }
  assert.deepEqual(warned, [`lamps: ${holdText(70_000)}`])
  view.hold('maps', 70_000)
  assert.deepEqual(warned.slice(1), [`maps: ${holdText(70_000)}`])
})

test('view: several at once share the line of a terminal, and each leaves it when it is over', () => {
  const { shown, context } = terminal(200)
  const view = createMigrationView(context, 'table')
  view.progress('lamps', half)
  view.hold('maps', 2_000)
  view.clear('lamps')
  view.progress('maps', half)
  assert.match(shown[1] ?? '', /^lamps \[#+\.+\] 50 %.* \| maps: writes are not fenced/)
  assert.match(shown.at(-1) ?? '', /^maps \[#+\.+\] 50 %/)
})

for (const [where, output] of [
  ['a terminal', 'table'],
  ['a pipe', 'table'],
  ['a pipe', 'json'],
] as const) {
  test(`view: on ${where}, -o ${output}: what is waited for is said whole, once, and again when it comes back`, () => {
    const { printed, warned, context, piped } = terminal(40)
    const view = createMigrationView(where === 'a terminal' ? context : piped, output)
    const because = 'lamps is not served by this server: 3 objects are stored as v1'
    const said = [because, because, undefined, undefined, because, 'no leader'].map((each) =>
      view.waits('lamps', each),
    )
    assert.deepEqual(said, [true, false, false, false, true, true])
    const line = `lamps: waiting: ${because}`
    assert.deepEqual(warned, [line, line, 'lamps: waiting: no leader'])
    assert.deepEqual(printed, [])
  })
}
