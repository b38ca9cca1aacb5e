import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProviderConfiguration } from './configuration.ts'
import { holdsSecrets, otherReaders } from './file-readers.ts'

const modes: ReadonlyArray<[mode: number, readers: string | undefined]> = [
  [0o100600, undefined],
  [0o100400, undefined],
  [0o100640, 'its group'],
  [0o100644, 'its group and everybody'],
  [0o100604, 'everybody'],
  // Write or execute permission does not show the keys.
  [0o100633, undefined],
]
for (const [mode, readers] of modes) {
  test(`a file of keys with mode ${mode.toString(8)} is readable by ${readers ?? 'its owner alone'}`, () => {
    assert.equal(otherReaders(mode), readers)
  })
}

test('only a file with secrets is to be kept from others', () => {
  const identity: ProviderConfiguration = { kind: 'identity' }
  const kms: ProviderConfiguration = { kind: 'kms', name: 'vault', socket: '/s', timeoutMs: 3_000 }
  const keyed: ProviderConfiguration = { kind: 'aesgcm', keys: [] }
  const has = (...providers: ProviderConfiguration[]): boolean =>
    holdsSecrets({ rules: [{ resources: ['secrets'], providers }] })
  assert.deepEqual([has(kms, identity), has(identity), has(kms, keyed)], [false, false, true])
})
