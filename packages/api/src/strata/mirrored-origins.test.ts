import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MirroredOrigin, originsAnnotation, originsOf, originsText } from './mirrored-origins.ts'

const a: MirroredOrigin = { origin: 'a', recordUID: 'u1', epoch: 5, resourceVersion: '105' }
const b: MirroredOrigin = { origin: 'b', recordUID: 'u2', epoch: 1, resourceVersion: '7' }
const read = (text: string | undefined) =>
  originsOf({ metadata: text === undefined ? {} : { annotations: { [originsAnnotation]: text } } })

test('origins: the same origins give the same text, in whichever order, and are read back', () => {
  assert.equal(originsText([b, a]), originsText([a, b]))
  assert.deepEqual(read(originsText([b, a])), [a, b])
})

const garbage: readonly [string, string | undefined, readonly MirroredOrigin[]][] = [
  ['no annotation', undefined, []],
  ['no JSON', '[{', []],
  ['no list', JSON.stringify(a), []],
  ['other values beside one', JSON.stringify([null, 1, 'x', [], {}, a]), [a]],
  ['a number where a text belongs', JSON.stringify([{ ...a, resourceVersion: 105 }]), []],
  ['an epoch that is no whole number', JSON.stringify([{ ...a, epoch: 1.5 }, b]), [b]],
  ['an origin without a name', JSON.stringify([{ ...a, origin: '' }]), []],
  ['an origin twice', JSON.stringify([a, { ...a, epoch: 6 }]), [a]],
  ['further fields', JSON.stringify([{ ...a, more: true }]), [a]],
]
for (const [name, text, want] of garbage) {
  test(`origins: ${name}`, () => assert.deepEqual(read(text), want))
}
