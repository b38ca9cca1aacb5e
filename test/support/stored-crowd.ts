import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { protobufMessage } from '@strata/api'
import { Encryption, loadCiphers, parseConfiguration } from '@strata/server'
import type { Write } from '@strata/server/store'
import { chance, integer, pick } from '@strata/world'
import { createSimRandom, Simulation } from '@strata/world/sim'
import { stringify } from 'yaml'
import { encodeMessage } from '../fuzz/targets/encode-protobuf.ts'
import type { EtcdNode } from './etcd.ts'

/** What must be counted: for each resource, objects by version, or by key where only that can be seen. */
export type CrowdCounts = Readonly<Record<string, Readonly<Record<string, number>>>>

interface Kind {
  /** `lamps.light.example.dev` */
  readonly resource: string
  readonly prefix: string
  readonly value: (key: string, index: number) => { readonly label: string; readonly bytes: Uint8Array }
}

export interface Crowd {
  /** The file with the keys, for --encryption-provider-config. */
  readonly keysFile: string
  /** Batches of writes, in order. Some objects are written again, in another version, and some are deleted. */
  batches(): Generator<readonly Write[]>
  /** What must be counted without keys, once all batches are written. */
  counts(): CrowdCounts
  /** The same with the keys. */
  countsWithKeys(): CrowdCounts
}

const builtIn: readonly [prefix: string, resource: string, apiVersion: string, kind: string][] = [
  ['pods', 'pods', 'v1', 'Pod'],
  ['services/specs', 'services', 'v1', 'Service'],
  ['services/endpoints', 'endpoints', 'v1', 'Endpoints'],
  ['minions', 'nodes', 'v1', 'Node'],
  ['serviceaccounts', 'serviceaccounts', 'v1', 'ServiceAccount'],
  ['persistentvolumeclaims', 'persistentvolumeclaims', 'v1', 'PersistentVolumeClaim'],
  ['deployments', 'deployments.apps', 'apps/v1', 'Deployment'],
  ['replicasets', 'replicasets.apps', 'apps/v1', 'ReplicaSet'],
  ['statefulsets', 'statefulsets.apps', 'apps/v1', 'StatefulSet'],
  ['jobs', 'jobs.batch', 'batch/v1', 'Job'],
  ['roles', 'roles.rbac.authorization.k8s.io', 'rbac.authorization.k8s.io/v1', 'Role'],
  ['leases', 'leases.coordination.k8s.io', 'coordination.k8s.io/v1', 'Lease'],
]
const customKinds = 24
/** Without a socket: what a KMS has sealed stays closed here. */
const sealedByKms = Buffer.from('k8s:enc:kms:v2:vault:\u0012\u0034not for us')

/** 40 kinds: JSON, protobuf and encrypted. `bytes` is about the size of one object. */
export async function createCrowd(objects: number, bytes: number, seed: string): Promise<Crowd> {
  const random = createSimRandom(seed)
  const filler = Buffer.from(createSimRandom('filler').bytes(bytes * 2)).toString('base64')
  const padding = (): string => {
    const at = integer(random, bytes)
    return filler.slice(at, at + Math.floor(bytes / 2) + integer(random, Math.floor(bytes / 2)))
  }
  const keys = (name: string) => ({
    keys: [{ name, secret: Buffer.from(random.bytes(32)).toString('base64') }],
  })
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'EncryptionConfiguration',
    resources: [
      { resources: ['secrets'], providers: [{ aesgcm: keys('first') }, { aesgcm: keys('second') }] },
      { resources: ['configmaps'], providers: [{ secretbox: keys('box') }, { identity: {} }] },
      { resources: ['vaults.enc.example.dev'], providers: [{ aescbc: keys('block') }] },
    ],
  }
  const parsed = parseConfiguration(configuration, () => false)
  if ('problems' in parsed) throw new Error(parsed.problems.join())
  const encryption = Encryption.createLoaded(parsed.configuration, {
    world: new Simulation('keys').process('a'),
    ciphers: await loadCiphers(),
    isPlain: () => false,
  })
  const json = (apiVersion: string, kind: string, key: string): Buffer =>
    Buffer.from(
      JSON.stringify({ apiVersion, kind, metadata: { name: key, uid: 'u' }, spec: { text: padding() } }),
    )
  const sealed = (group: string, resource: string, apiVersion: string, kind: string) => (key: string) => {
    const ring = encryption.ringOf({ group, resource })
    const under = pick(random, (ring?.writable ?? []) as [string, ...string[]])
    const plain = json(apiVersion, kind, key)
    const [provider, name] = under.split(':')
    const label = under === 'identity' ? apiVersion : `${provider}:v1:${name}`
    return { label, bytes: ring?.seal(under, plain, key) ?? plain }
  }
  const kinds: Kind[] = [
    ...Array.from(
      { length: customKinds },
      (_, at): Kind => ({
        resource: `things${at}.g${at % 5}.example.dev`,
        prefix: `g${at % 5}.example.dev/things${at}`,
        value: (key) => {
          const version = pick(random, ['v1alpha1', 'v1', 'v2'])
          return { label: version, bytes: json(`g${at % 5}.example.dev/${version}`, `Thing${at}`, key) }
        },
      }),
    ),
    ...builtIn.map(
      ([prefix, resource, apiVersion, kind]): Kind => ({
        ...{ prefix, resource },
        value: (key) => ({
          label: apiVersion.split('/').at(-1) ?? '',
          bytes: envelope(apiVersion, kind, key, padding()),
        }),
      }),
    ),
    { resource: 'secrets', prefix: 'secrets', value: sealed('', 'secrets', 'v1', 'Secret') },
    { resource: 'configmaps', prefix: 'configmaps', value: sealed('', 'configmaps', 'v1', 'ConfigMap') },
    {
      resource: 'vaults.enc.example.dev',
      prefix: 'enc.example.dev/vaults',
      value: sealed('enc.example.dev', 'vaults', 'enc.example.dev/v3', 'Vault'),
    },
    {
      resource: 'locks.enc.example.dev',
      prefix: 'enc.example.dev/locks',
      value: () => ({ label: 'kms:v2:vault', bytes: Buffer.concat([sealedByKms, Buffer.from(padding())]) }),
    },
  ]
  const live = new Map<string, { readonly resource: string; readonly label: string }>()
  const put = (kind: Kind, index: number): Write => {
    const key = `/registry/${kind.prefix}/ns-${index % 7}/object-${index}`
    const { label, bytes: value } = kind.value(key, index)
    live.set(key, { resource: kind.resource, label })
    return { kind: 'put', key, value }
  }
  const opened: Readonly<Record<string, string>> = {
    ...{
      'aesgcm:v1:first': 'v1',
      'aesgcm:v1:second': 'v1',
      'secretbox:v1:box': 'v1',
      'aescbc:v1:block': 'v3',
    },
  }
  return {
    keysFile: stringify(configuration),
    *batches() {
      for (let index = 0; index < objects; index += 40) {
        yield kinds.map((kind) => put(kind, index / 40))
        // An old object is written again or deleted; one batch has each key once.
        const again = integer(random, index / 40 + 1)
        const chosen = kinds.filter(() => chance(random, 0.15))
        yield chosen.map((kind): Write => {
          const key = `/registry/${kind.prefix}/ns-${again % 7}/object-${again}`
          if (chance(random, 0.6)) return put(kind, again)
          live.delete(key)
          return { kind: 'delete', key }
        })
      }
    },
    counts: () => countBy([...live.values()]),
    countsWithKeys: () =>
      countBy([...live.values()].map(({ resource, label }) => ({ resource, label: opened[label] ?? label }))),
  }
}

function countBy(all: readonly { readonly resource: string; readonly label: string }[]): CrowdCounts {
  const counts: Record<string, Record<string, number>> = {}
  for (const { resource, label } of all) {
    counts[resource] ??= {}
    const own = counts[resource]
    own[label] = (own[label] ?? 0) + 1
  }
  return counts
}

/** As kube-apiserver stores it: the magic number, then `runtime.Unknown` with type and bytes. */
function envelope(apiVersion: string, kind: string, name: string, text: string): Buffer {
  // The first field of every kind is its metadata, and only that is set here.
  const message = protobufMessage('v1', 'ConfigMap')
  if (!message) throw new Error('there is no protobuf table of ConfigMaps')
  const raw = encodeMessage({ metadata: { name, uid: 'u', annotations: { text } } }, message)
  const type = Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))])
  return Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, raw)])
}

function field(number: number, bytes: Uint8Array): Buffer {
  const size: number[] = []
  let rest = bytes.length
  for (; rest > 0x7f; rest >>= 7) size.push((rest & 0x7f) | 0x80)
  return Buffer.concat([Buffer.from([number * 8 + 2, ...size, rest]), bytes])
}

/** What "etcdctl snapshot save" does: the same call, over etcd's JSON gateway. */
export async function saveSnapshot({ endpoint }: EtcdNode, path: string): Promise<void> {
  const answer = await fetch(new URL('/v3/maintenance/snapshot', endpoint), { method: 'POST', body: '{}' })
  if (!answer.ok || !answer.body) throw new Error(`etcd answered ${answer.status} to a snapshot`)
  const file = createWriteStream(path)
  let rest = ''
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const { result } = JSON.parse(line) as { result?: { blob?: string } }
      if (!file.write(Buffer.from(result?.blob ?? '', 'base64'))) await once(file, 'drain')
    }
  }
  file.end()
  await once(file, 'finish')
}
