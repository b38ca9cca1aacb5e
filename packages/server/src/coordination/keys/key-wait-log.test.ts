import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AgreementEntry } from '@strata/api'
import { KeyWaitLog } from './key-wait-log.ts'

const k1 = 'aesgcm:one:111111111111'
const k2 = 'aesgcm:two:222222222222'
const entry = (serverID: string, readableKeys: readonly string[], wantedKey?: string): AgreementEntry => ({
  ...{ serverID, process: `${serverID}-1`, encodingVersion: 'v1', decodableVersions: ['v1'] },
  ...{ servedVersions: [], guarantee: 'strict', encoderFingerprint: 'f', writeKey: k1, readableKeys },
  ...(wantedKey === undefined ? {} : { wantedKey }),
})
const waits = [entry('a', [k1]), entry('b', [k2, k1], k2)]
const over = [entry('a', [k1, k2]), entry('b', [k2, k1])]

type Step = [resource: string, servers: readonly AgreementEntry[], revision: number]
const begun = `waits to write under a new key ${k2} a`
const ended = 'no longer waits for a new key'
const cases: ReadonlyArray<[name: string, steps: readonly Step[], lines: readonly string[]]> = [
  ['nothing to tell of', [['secrets', over, 1]], []],
  [
    'a wait, and its end',
    [
      ['secrets', waits, 1],
      ['secrets', over, 2],
    ],
    [begun, ended],
  ],
  [
    'each change of the record is not a change of the wait',
    [
      ['secrets', waits, 1],
      ['secrets', waits, 2],
    ],
    [begun],
  ],
  [
    'what is older than what was seen',
    [
      ['secrets', over, 2],
      ['secrets', waits, 1],
    ],
    [],
  ],
  [
    'several resources, which are told of once, and whose end is that of the last',
    [
      ['secrets', waits, 1],
      ['configmaps', waits, 2],
      ['secrets', over, 3],
      ['configmaps', over, 4],
    ],
    [begun, ended],
  ],
  [
    'somebody else is in the way',
    [
      ['secrets', waits, 1],
      ['secrets', [...waits, entry('c', [k1])], 2],
    ],
    [begun, `${begun},c`],
  ],
  ['another server waits', [['secrets', [entry('a', [k1], k2), entry('b', [k1])], 1]], []],
]
for (const [name, steps, lines] of cases) {
  test(`log of waiting for a key: ${name}`, () => {
    const told: string[] = []
    const info = (message: string, { wantedKey, unreadBy }: Record<string, unknown> = {}): void => {
      told.push(wantedKey === undefined ? message : `${message} ${wantedKey} ${unreadBy}`)
    }
    const log = new KeyWaitLog({ info }, 'b')
    for (const [resource, servers, revision] of steps) log.observe(resource, { servers }, revision)
    assert.deepEqual(told, lines)
  })
}
