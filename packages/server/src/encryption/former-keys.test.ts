import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import type { EncryptionConfiguration } from './configuration.ts'
import { Encryption } from './encryption.ts'

const never = new AbortController().signal
const gadgets = { group: 'example.dev', resource: 'gadgets' }

const configurationOf = (...names: readonly string[]): EncryptionConfiguration => ({
  rules: [
    {
      resources: ['*.*'],
      providers: names.map((name) => ({
        kind: 'aesgcm',
        keys: [{ name, secret: Buffer.alloc(32, name) }],
      })),
    },
  ],
})

/** The file of a server drops `one` before the server knows of gadgets. */
async function dropOne(): Promise<{ readonly encryption: Encryption; readonly one: string }> {
  const world = new Simulation('former').process('a')
  const parts = { world, isPlain: () => false }
  const encryption = await Encryption.create(configurationOf('two', 'one'), parts, never)
  const one = encryption.keyRules[0]?.reads[1] ?? ''
  assert.match(one, /^aesgcm:one:/)
  await encryption.replace(configurationOf('two'), never)
  assert.ok(!encryption.keyRules[0]?.reads.includes(one))
  return { encryption, one }
}

test('former keys: what the Lease may still name can be read of a resource that is new', async () => {
  const { encryption, one } = await dropOne()
  assert.deepEqual(encryption.keysOf(gadgets).retired, [one])
  // Until the entry names the readable keys.
  encryption.published(gadgets, encryption.keysOf(gadgets).readable)
  assert.deepEqual(encryption.keysOf(gadgets).retired, [])
})

test('former keys: when the Lease has said so, what had a record by then keeps them', async () => {
  const { encryption, one } = await dropOne()
  encryption.forgetFormer([gadgets])
  assert.deepEqual(encryption.keysOf(gadgets).retired, [one])
})

test('former keys: … and what comes later does not', async () => {
  const { encryption } = await dropOne()
  encryption.forgetFormer([])
  assert.deepEqual(encryption.keysOf(gadgets).retired, [])
})
