import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayBeEstablished } from './may-be-established.ts'

const cases: ReadonlyArray<[name: string, stored: string, may: boolean]> = [
  ['one that says so may be', '{"status":{"conditions":[{"type":"Established","status":"True"}]}}', true],
  ['one that denies it has to be parsed', '{"conditions":[{"type":"Established","status":"False"}]}', true],
  ['one that was just sent is not', '{"spec":{"group":"a.b"},"status":{"conditions":[]}}', false],
  ['a description that speaks of it is not it', '{"description":"when Established"}', false],
  ['a letter may be written by its number', '{"type":"\\u0045stablished"}', true],
]
for (const [name, stored, may] of cases) {
  test(`may be established: ${name}`, () => {
    // As a part of something larger, which is how bytes come from a store.
    const bytes = Buffer.from(`"Established"${stored}`).subarray('"Established"'.length)
    assert.equal(mayBeEstablished(bytes), may)
  })
}
