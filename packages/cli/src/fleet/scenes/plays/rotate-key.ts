import { rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ApiObject } from '@strata/api'
import { isSuccess } from '@strata/client'
import { readAll, utf8 } from '@strata/world'
import { readRecord } from '../record-view.ts'
import { defineScene, type SceneStep, type Verdict } from '../scene.ts'
import type { Stage } from '../stage.ts'
import { describeCounts, type Stored, takeCensus } from '../take-census.ts'

export interface RotateFacts {
  readonly before: Stored
  /** What the servers say to a file that drops the key in use; empty if they take it. */
  readonly refusal: string
  /** The exit code of `strata rotate-keys`: 0 if nothing needs the old key any more. */
  readonly rotate: number
  readonly after: Stored
  /** Servers that read all Secrets with the new key alone. */
  readonly readBy: readonly string[]
  readonly servers: readonly string[]
}

type KeyName = 'key1' | 'key2'
const secretsResource = { group: '', resource: 'secrets' } as const
const names = ['scene-1', 'scene-2', 'scene-3']
const newKey = 'aesgcm:key2'
const fileName = 'keys.json'

/** Keys of this scene only: what is stored under them is deleted with the fleet. */
const secretOf = (name: KeyName): string => Buffer.alloc(32, name).toString('base64')

const configuration = (keys: readonly KeyName[]): string =>
  JSON.stringify({
    ...{ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration' },
    resources: [
      {
        resources: ['secrets'],
        providers: [
          { aesgcm: { keys: keys.map((name) => ({ name, secret: secretOf(name) })) } },
          { identity: {} },
        ],
      },
    ],
  })

const fileOf = (stage: Stage): string => join(dirname(stage.dataDir), fileName)

async function writeKeys(path: string, keys: readonly KeyName[]): Promise<void> {
  await writeFile(`${path}.new`, configuration(keys), { mode: 0o600 })
  await rename(`${path}.new`, path)
}

const provider = '/readyz/encryption-provider-config'

/** What each server says to its file; empty if the file is in force. */
async function askProviders(stage: Stage, servers: readonly string[]): Promise<readonly string[]> {
  return Promise.all(
    servers.map(async (server) => {
      const request = { method: 'GET', target: provider, headers: {}, signal: stage.signal }
      const answer = await stage.transportOf(server)(request)
      const text = utf8.decode(await readAll(answer.body))
      return isSuccess(answer) ? '' : text.trim()
    }),
  )
}

const steps = (servers: readonly string[]): readonly SceneStep<RotateFacts>[] => [
  {
    text: `${names.length} Secrets are stored, encrypted with key1.`,
    typed: ['kubectl create secret generic scene-1', 'census secrets'],
    look: 'Storage: secrets, by key',
    act: async (stage) => {
      const objects = stage.client.resource<ApiObject>({
        ...secretsResource,
        versionName: 'v1',
        kind: 'Secret',
      })
      for (const name of names)
        await objects.create({ metadata: { namespace: 'default', name } }, stage.signal)
      const before = await takeCensus(stage, secretsResource)
      return { seen: `stored: ${describeCounts(before.byKey, 'under')}`, facts: { before, servers } }
    },
  },
  {
    text: 'Too early: a file with key2 alone, while everything is stored under key1.',
    typed: ['kubectl get --raw /readyz/encryption-provider-config'],
    act: async (stage) => {
      await writeKeys(fileOf(stage), ['key2'])
      const refusal = await stage.until('the servers reject the file', async () => {
        const said = await askProviders(stage, servers)
        return said.every((each) => each !== '') ? said[0] : undefined
      })
      return { seen: refusal, facts: { refusal } }
    },
  },
  {
    text: 'Add key2 behind key1: every server can read it. Then put it first: every server writes with it.',
    typed: ["kubectl get storageagreements core.secrets -o jsonpath='{.status.servers[*].writeKey}'"],
    look: 'Agreement: secrets, keys',
    act: async (stage) => {
      await writeKeys(fileOf(stage), ['key1', 'key2'])
      const readable = await untilKeys(stage, ({ readableKeys }) => readableKeys.some(isKey2))
      await writeKeys(fileOf(stage), ['key2', 'key1'])
      await untilKeys(stage, ({ writeKey }) => isKey2(writeKey))
      return {
        seen: `${readable} servers could read key2 before the first wrote with it; now all write with it`,
      }
    },
  },
  {
    text: 'Rewrite every Secret under key2, and ask whether key1 may go. The controllers of the fleet begin by themselves.',
    typed: [`rotate-keys --to ${newKey}`, 'census secrets'],
    look: 'Migrations; Storage: the layer of key1 shrinks',
    act: async (stage) => {
      const { exitCode: rotate } = await stage.strata('rotate-keys', '--to', newKey, '--yes')
      const after = await takeCensus(stage, secretsResource)
      return {
        seen: `exit code ${rotate}; stored: ${describeCounts(after.byKey, 'under')}`,
        facts: { rotate, after },
      }
    },
  },
  {
    text: 'Now key1 may go: the file has key2 alone.',
    typed: ['kubectl get --raw /readyz/encryption-provider-config', 'kubectl get secrets'],
    act: async (stage) => {
      await writeKeys(fileOf(stage), ['key2'])
      await stage.until('every server has key2 alone', async () => {
        const { writers } = await readRecord(stage, secretsResource)
        const isGone = writers.every(({ readableKeys }) => !readableKeys.some(isKey1))
        return isGone && (await askProviders(stage, servers)).every((each) => each === '') ? true : undefined
      })
      const readBy: string[] = []
      for (const server of servers)
        if ((await countSecrets(stage, server)) === names.length) readBy.push(server)
      return { seen: `${readBy.length} servers read all ${names.length} Secrets`, facts: { readBy } }
    },
  },
]

const isKey1 = (key: string): boolean => key.startsWith('aesgcm:key1:')
const isKey2 = (key: string): boolean => key.startsWith('aesgcm:key2:')

async function untilKeys(
  stage: Stage,
  holds: (writer: { readonly writeKey: string; readonly readableKeys: readonly string[] }) => boolean,
): Promise<number> {
  const { servers } = await stage.control.read()
  return stage.until('every server has taken the file over', async () => {
    const { writers } = await readRecord(stage, secretsResource)
    return writers.length === servers.length && writers.every(holds) ? writers.length : undefined
  })
}

async function countSecrets(stage: Stage, server: string): Promise<number> {
  const target = '/api/v1/namespaces/default/secrets'
  const request = { method: 'GET', target, headers: {}, signal: stage.signal }
  const answer = await stage.transportOf(server)(request)
  const list = JSON.parse(utf8.decode(await readAll(answer.body))) as {
    readonly items?: readonly ApiObject[]
  }
  return (list.items ?? []).filter(({ metadata }) => names.includes(metadata.name ?? '')).length
}

export function decideRotation({
  before,
  refusal,
  rotate,
  after,
  readBy,
  servers = [],
}: Partial<RotateFacts>): Verdict {
  if (!before || !after || !readBy || refusal === undefined)
    return { proven: false, sentence: 'the rotation was not seen to its end' }
  const isUnder = (stored: Stored, isKey: (key: string) => boolean): boolean =>
    stored.total >= names.length && Object.keys(stored.byKey).every(isKey)
  if (!isUnder(before, isKey1) || !isUnder(after, isKey2) || !after.proven)
    return {
      proven: false,
      sentence: `stored were ${describeCounts(before.byKey, 'under')}, and are ${describeCounts(after.byKey, 'under')}`,
    }
  if (rotate !== 0) return { proven: false, sentence: `strata rotate-keys ended with exit code ${rotate}` }
  if (refusal === '') return { proven: false, sentence: 'the servers dropped a key that was in use' }
  if (readBy.length < servers.length)
    return { proven: false, sentence: `only ${readBy.length} of ${servers.length} servers read all Secrets` }
  return {
    proven: true,
    sentence: `${after.total} Secrets went from key1 to key2 while ${servers.length} servers served them: no server gave key1 up while it was needed, a census proved that nothing is left under it, and without it every server reads all of them`,
  }
}

export const rotateKey = defineScene<RotateFacts>({
  name: 'rotate-key',
  title: 'Rotate a key',
  shows:
    'A key is added, agreed on, migrated to and removed; no step that comes too early makes anything unreadable',
  ownFleet: {
    which: 'that encrypts Secrets',
    arguments: async (directory) => {
      const file = join(directory, fileName)
      await writeKeys(file, ['key1'])
      return ['--encryption-provider-config', file, '--encryption-provider-config-automatic-reload']
    },
  },
  whyNot: () => undefined,
  steps: ({ servers }) => steps(servers.map(({ name }) => name)),
  decide: decideRotation,
})
