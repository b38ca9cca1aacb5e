import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wrappedProblem } from './check-wrapped.ts'
import { decodeObject, encodeObject, keyIsDerived } from './kms-messages.ts'

const label = 'a'.repeat(63)
const names: ReadonlyArray<[name: string, isTaken: boolean]> = [
  ['node.example.dev', true],
  ['a.b', true],
  ['node.example.dev.', true],
  [`${label}.dev`, true],
  [`${label}.${label}.${label}.${'a'.repeat(61)}`, true],
  [`${label}.${label}.${label}.${'a'.repeat(61)}.`, true],
  [`${label}.${label}.${label}.${'a'.repeat(62)}`, false],
  [`${label}a.dev`, false],
  ['', false],
  ['.', false],
  ['node', false],
  ['node.', false],
  ['node..dev', false],
  ['node.dev..', false],
  ['.dev', false],
  ['Node.dev', false],
  ['-node.dev', false],
  ['node-.dev', false],
  ['node_1.dev', false],
  ['node.dev\n', false],
]
for (const [name, isTaken] of names) {
  test(`KMS annotation: ${JSON.stringify(name.slice(0, 70))} is ${isTaken ? 'taken' : 'refused'}, as upstream does`, () => {
    const wrapped = { ciphertext: Buffer.from('c'), keyID: 'k', annotations: { [name]: Buffer.from('') } }
    const problem = wrappedProblem(wrapped)
    if (isTaken) assert.equal(problem, undefined)
    else assert.match(problem ?? 'taken', /is no domain name/)
  })
}

test('KMS annotation: one that is called as the prototype is there, and is refused', () => {
  const annotations = Object.fromEntries([['__proto__', Buffer.from('x')]])
  const stored = { data: Buffer.from('d'), ciphertext: Buffer.from('c'), keyID: 'k', source: keyIsDerived }
  const object = decodeObject(encodeObject(Buffer.alloc(0), { ...stored, annotations }))
  assert.deepEqual(Object.keys(object.annotations), ['__proto__'])
  assert.match(wrappedProblem(object) ?? 'taken', /"__proto__" is no domain name/)
})
