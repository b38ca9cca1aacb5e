import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyElsewhere } from './key-elsewhere.ts'

type Own = Parameters<typeof keyElsewhere>[0]

const cases: ReadonlyArray<
  [name: string, own: Own, preferred: string | undefined, want: string | undefined]
> = [
  ['nothing is written yet', [], 'two', undefined],
  ['it waits elsewhere', [{ writeKey: 'one', wantedKey: 'two' }], 'two', 'one'],
  ['it was promoted somewhere', [{ writeKey: 'one', wantedKey: 'two' }, { writeKey: 'two' }], 'two', 'two'],
  ['what is told to be stored as it is says nothing of keys', [{ writeKey: 'identity' }], 'two', undefined],
  ['nor does who waits for another key', [{ writeKey: 'one', wantedKey: 'three' }], 'two', undefined],
  ['who refuses writes under nothing', [{ writeKey: 'two', refusesWrites: true }], 'two', undefined],
  ['a KMS that has not answered prefers nothing', [{ writeKey: 'one' }], undefined, undefined],
]
for (const [name, own, preferred, want] of cases) {
  test(`key elsewhere: ${name}`, () => assert.equal(keyElsewhere(own, preferred), want))
}
