import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byLease } from './controller-leases.ts'
import { chosenControllers, controllerNames } from './main.ts'

const [trigger, migrator] = ['storage-version-migration-trigger', 'storage-version-migrator']
const rest = controllerNames.filter((name) => name !== trigger && name !== migrator)
const [ofTrigger, ofMigrator] = [`strata-${trigger}`, `strata-${migrator}`]

const rows: ReadonlyArray<[name: string, wanted: readonly string[], leases: Record<string, unknown>]> = [
  [
    'all of them stand for three Leases',
    ['*'],
    { 'strata-controllers': rest, [ofTrigger]: [trigger], [ofMigrator]: [migrator] },
  ],
  ['a reporter stands for that of the trigger alone', [trigger], { [ofTrigger]: [trigger] }],
  [
    'the deployment of any cluster stands for two',
    [trigger, migrator],
    { [ofTrigger]: [trigger], [ofMigrator]: [migrator] },
  ],
  [
    'who runs no migrations does not stand for them',
    ['*', `-${migrator}`],
    { 'strata-controllers': rest, [ofTrigger]: [trigger] },
  ],
]
for (const [name, wanted, leases] of rows) {
  test(`controller leases: ${name}`, () => {
    assert.deepEqual(Object.fromEntries(byLease(chosenControllers(wanted))), leases)
  })
}
