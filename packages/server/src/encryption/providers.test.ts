import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import type { EncryptionConfiguration } from './configuration.ts'
import { Encryption } from './encryption.ts'
import type { KmsClient } from './kms/kms-client.ts'

const never = new AbortController().signal
const secrets = { group: '', resource: 'secrets' }

const naming = (...names: string[]): EncryptionConfiguration => ({
  rules: [
    {
      resources: ['secrets'],
      providers: [
        ...names.map(
          (name) => ({ kind: 'kms', name, socket: `/run/${name}.sock`, timeoutMs: 3_000 }) as const,
        ),
        { kind: 'identity' },
      ],
    },
  ],
})

/** Plugins by their names, which are up or down. */
async function create(configuration: EncryptionConfiguration) {
  const simulation = new Simulation('providers')
  const world = simulation.process('a')
  const up = new Set<string>()
  const asked: string[] = []
  const connected = new Set<string>()
  const connectKms = ({ name }: { readonly name: string }): KmsClient => {
    const answer = <T>(value: T): Promise<T> => {
      connected.add(name)
      return up.has(name) ? Promise.resolve(value) : Promise.reject(new Error('connect ENOENT'))
    }
    return {
      status: () => {
        asked.push(name)
        return answer({ healthz: 'ok', version: 'v2', keyID: 'k' })
      },
      encrypt: (plain) => answer({ ciphertext: plain.toReversed(), keyID: 'k', annotations: {} }),
      decrypt: ({ ciphertext }) => answer(ciphertext.toReversed()),
      close: () => void connected.delete(name),
    }
  }
  const parts = { world, connectKms, isPlain: () => false }
  const encryption = await Encryption.create(configuration, parts, never)
  const running = new AbortController()
  encryption.run(running.signal)
  /** As done once a second for a file that is not in force. */
  const tryFor = async (seconds: number, next: EncryptionConfiguration): Promise<string | undefined> => {
    for (let second = 0; second < seconds; second++) {
      await simulation.settle(new Promise<void>((resolve) => simulation.clock.after(1_000, resolve)))
      await encryption.readableBy(next, never)
    }
    return encryption.problemOf(next)
  }
  return { encryption, up, asked, connected, tryFor, end: () => running.abort() }
}

test('providers: a KMS that is not up when a file names it is looked for until it is', async () => {
  const { encryption, up, asked, tryFor, end } = await create(naming())
  const next = naming('vault')
  assert.match((await tryFor(30, next)) ?? 'well', /KMS provider vault: connect ENOENT/)
  assert.equal(asked.length, 6, 'every five seconds')
  up.add('vault')
  assert.equal(await tryFor(6, next), undefined)
  await encryption.replace(next, never)
  assert.match(encryption.keysOf(secrets).preferred ?? '', /^kms:vault:/)
  end()
})

test('providers: a KMS that dies while its file is refused for another reason is not called well', async () => {
  const { up, tryFor, end } = await create(naming())
  up.add('vault')
  assert.equal(await tryFor(1, naming('vault')), undefined)
  up.clear()
  assert.match((await tryFor(6, naming('vault'))) ?? 'well', /connect ENOENT/)
  end()
})

test('providers: a KMS in force is polled, and not asked for every file that names it too', async () => {
  const { asked, up, tryFor, end } = await create(naming('vault'))
  up.add('vault')
  await tryFor(20, naming('vault', 'other'))
  const polls = asked.filter((name) => name === 'vault').length
  await tryFor(40, naming('vault', 'other'))
  assert.equal(asked.filter((name) => name === 'vault').length, polls)
  end()
})

test('providers: a KMS that no configuration names any more is let go, and one that may never be in force holds no connection', async () => {
  const { encryption, connected, up, tryFor, end } = await create(naming('vault'))
  for (const name of ['vault', 'typo', 'other']) up.add(name)
  await tryFor(11, naming('vault', 'typo'))
  assert.deepEqual([...connected], ['vault'])
  await tryFor(1, naming('other'))
  await encryption.replace(naming('other'), never)
  await tryFor(1, naming('other'))
  assert.deepEqual([...connected], ['other'])
  end()
})

test('providers: a removed KMS opens new values while other servers may rely on it', async () => {
  const { encryption, up, connected, tryFor, end } = await create(naming())
  up.add('vault')
  await tryFor(1, naming('vault'))
  await encryption.replace(naming('vault'), never)
  await tryFor(1, naming('vault'))
  await encryption.replace(naming(), never)
  await tryFor(1, naming())
  assert.match(encryption.keysOf(secrets).retired.join(), /^kms:vault:/)
  encryption.forgetFormer([])
  assert.ok(!connected.has('vault'))
  end()
})
