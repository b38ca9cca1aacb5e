import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '@strata/client'
import { DataSide } from './data-side.ts'
import type { DataAddresses } from './origin.ts'

const said = { proven: true, stale: 0, unreadable: 0, epoch: 3, recordUID: 'r' }

const rows: readonly [name: string, more: object, target: object, isKnown: boolean][] = [
  ['of this epoch', {}, { epoch: 3, recordUID: 'r' }, true],
  ['of an epoch that is over', {}, { epoch: 4, recordUID: 'r' }, false],
  ['of the same epoch of a record that was lost', {}, { epoch: 3, recordUID: 's' }, false],
  ['of a server that does not name the record', { recordUID: undefined }, { epoch: 3, recordUID: 's' }, true],
  ['that has found something', { stale: 1 }, { epoch: 3, recordUID: 'r' }, false],
  ['that proves nothing', { proven: false }, { epoch: 3, recordUID: 'r' }, false],
]
for (const [name, more, target, isKnown] of rows) {
  test(`next to the data: a census ${name} is ${isKnown ? '' : 'not '}enough in the end`, async () => {
    const create = async () => ({ status: { ...said, ...more } })
    const data = new DataSide({ resource: () => ({ create }) } as unknown as Client, {} as DataAddresses)
    await data.census({ group: 'g.dev', resource: 'things' }, new AbortController().signal)
    assert.equal(data.cleanIn(target) !== undefined, isKnown)
  })
}
