import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyWaitsOf, keyWaitText } from './key-waits.ts'

const one = 'aesgcm:one:111111111111'
const two = 'aesgcm:two:222222222222'
const vault = 'kms:vault:aaaaaaaaaaaa'
const reads = (serverID: string, ...readableKeys: string[]) => ({ serverID, readableKeys })
const waits = (serverID: string, wantedKey: string) => ({
  ...reads(serverID, wantedKey, one),
  wantedKey,
})
const advice = 'the same --encryption-provider-config'

const cases: ReadonlyArray<
  [name: string, entries: Parameters<typeof keyWaitsOf>[0], texts: readonly string[]]
> = [
  ['no server waits', [reads('a', one), reads('b', two, one)], []],
  [
    'one file was forgotten',
    [reads('a', one), waits('b', two)],
    [`b waits to write under ${two}: a does not read it; give it ${advice}`],
  ],
  [
    'several were, and several wait',
    [waits('b', two), reads('d', one), waits('c', two), reads('a', one)],
    ['b', 'c'].map((who) => `${who} waits to write under ${two}: a, d do not read it; give them ${advice}`),
  ],
  [
    'one server has not reported',
    [waits('b', two)],
    [`b waits to write under ${two}: not every server has reported its keys yet`],
  ],
  [
    'a plugin that may open the key has not shown that it knows it',
    [waits('b', vault), reads('a', 'kms:vault:*')],
    [
      `b waits to write under ${vault}: a does not read it; give it ${advice}, and check the KMS plugin there`,
    ],
  ],
]
for (const [name, entries, texts] of cases) {
  test(`waiting for a key: ${name}`, () => {
    assert.deepEqual(
      keyWaitsOf(entries).map((each) => keyWaitText(each)),
      texts,
    )
  })
}
