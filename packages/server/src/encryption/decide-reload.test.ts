import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideReload, type ReloadedResource } from './decide-reload.ts'

const k1 = 'aescbc:one:111111111111'
const k2 = 'aesgcm:two:222222222222'
const base: ReloadedResource = {
  resource: 'secrets',
  before: [k2, k1],
  after: [k2],
  record: { persistedKeys: [k2], servers: [{ writeKey: k2 }] },
}
const cases: ReadonlyArray<[name: string, more: Partial<ReloadedResource>, problem: RegExp | undefined]> = [
  ['a key that nothing is under may go', {}, undefined],
  ['a key may come', { after: ['aesgcm:three:333333333333', k2, k1] }, undefined],
  [
    'a key under which something may be stored stays',
    { record: { persistedKeys: [k1, k2], servers: [{ writeKey: k2 }] } },
    /secrets may still have objects under aescbc:one:1+;/,
  ],
  [
    'a key that another server writes with stays',
    { record: { persistedKeys: [k2], servers: [{ writeKey: k2 }, { writeKey: k1 }] } },
    /under aescbc:one/,
  ],
  [
    'identity stays while something may be stored as it is',
    { before: [k2, 'identity'], record: { servers: [{ writeKey: k2 }] } },
    /under identity;/,
  ],
  [
    'nothing goes while nobody knows what is stored',
    { record: { persistedKeys: ['Unknown', k2], servers: [{ writeKey: k2 }] } },
    /nobody knows whether secrets has objects under aescbc:one/,
  ],
  [
    'what is unknown does not keep a key from coming',
    { after: [k2, k1], record: { persistedKeys: ['Unknown'], servers: [] } },
    undefined,
  ],
  [
    'another secret under the same name drops the one before',
    { before: [k2], after: ['aesgcm:two:999999999999'] },
    /under aesgcm:two:2/,
  ],
  [
    'a KMS that stays opens all of its keys',
    {
      before: ['kms:v:a', 'kms:v:*'],
      after: [k2, 'kms:v:*'],
      record: { persistedKeys: ['kms:v:b'], servers: [{ writeKey: 'kms:v:a' }] },
    },
    undefined,
  ],
  [
    'a KMS that goes takes its keys with it',
    { before: ['kms:v:a', 'kms:v:*'], record: { persistedKeys: ['kms:v:b', k2], servers: [] } },
    /under kms:v:b/,
  ],
]
for (const [name, more, problem] of cases) {
  test(`reload of encryption: ${name}`, () => {
    const refusal = decideReload([{ ...base, ...more }])
    if (problem) assert.match(refusal ?? 'taken', problem)
    else assert.equal(refusal, undefined)
  })
}
