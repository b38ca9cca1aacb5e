import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MigrationTarget } from '@strata/controllers'
import type { PastMigration } from '../evidence/decide-evidence.ts'
import { hasStoodBefore } from './has-stood-before.ts'

const definition = { uid: 'u', generation: 2, storageVersion: 'v2' }
const target: MigrationTarget = {
  ...{ resource: { group: 'g.dev', resource: 'things' }, fenced: false, how: 'definition' },
  ...{ encodingVersion: 'g.dev/v2', definition },
}
const past: PastMigration = {
  ...{ where: 'strata migrate', at: undefined, succeeded: true, proof: 'observed clean', quarantined: 0 },
  target,
}
const hash: MigrationTarget = { resource: target.resource, fenced: false, how: 'discovery', hash: 'h' }

const rows: readonly [
  name: string,
  past: readonly PastMigration[],
  target: MigrationTarget,
  want: boolean,
][] = [
  ['the same CRD', [past], target, true],
  ['some objects were set aside', [{ ...past, succeeded: false, quarantined: 3 }], target, true],
  ['nothing is on record', [], target, false],
  ['another generation', [past], { ...target, definition: { ...definition, generation: 3 } }, false],
  ['a CRD that was created again', [past], { ...target, definition: { ...definition, uid: 'w' } }, false],
  ['aborted, perhaps before it had waited', [{ ...past, succeeded: false }], target, false],
  ['run by another migrator', [{ ...past, target: undefined }], target, false],
  ['a hash, which may have come back', [{ ...past, target: hash }], hash, false],
]
for (const [name, seen, now, want] of rows) {
  test(`no second wait: ${name}`, () => assert.equal(hasStoodBefore(seen, now), want))
}
