import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimAnnotation } from '@strata/insight'
import { Simulation } from '@strata/world/sim'
import { FakeMigrations, never } from './fake-migrations-for-test.ts'

type Asked = readonly [annotations: Readonly<Record<string, string>>, isBegun?: boolean]
const running = { conditions: [{ type: 'Running', status: 'True' }] }
const priority = (text: string): Readonly<Record<string, string>> => ({ 'strata.dev/priority': text })

const rows: readonly [name: string, a: Asked, b: Asked, first: 'a' | 'b'][] = [
  ['nothing is said: the oldest, and by name', [{}], [{}], 'a'],
  ['the larger priority', [priority('1')], [priority('2')], 'b'],
  ['a priority that is none counts for nothing', [{}], [priority('much')], 'a'],
  ['what was begun, whatever the priority', [priority('9')], [{}, true], 'b'],
  ['one that is paused waits', [{ ...priority('9'), 'strata.dev/paused': 'true' }], [{}], 'b'],
  ['one with a claim', [priority('9')], [{ [claimAnnotation]: 'somebody' }], 'b'],
  ['what is to end comes last', [{ ...priority('9'), 'strata.dev/cancel': 'true' }], [{}], 'b'],
]
for (const [name, a, b, first] of rows) {
  test(`of two migrations a command sees to one: ${name}`, async () => {
    const migrations = new FakeMigrations()
    for (const [asked, [annotations, isBegun = false]] of Object.entries({ a, b })) {
      migrations.ask(asked, annotations, isBegun ? running : {})
    }
    const records = migrations.recordsOf(new Simulation(name).process('command'))
    const open = await records.readOpen(never)
    assert.equal(open?.where, `storageversionmigrations.storagemigration.k8s.io/${first}`)
  })
}
