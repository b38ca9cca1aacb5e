import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultFeatureGates } from '@strata/server'
import { type ServeOptions, serve } from '@strata/server/main'
import { createNodeLog, createNodeWorld } from '@strata/world/node'
import { configurationFile } from '../../support/encrypted-fleet.ts'
import type { Variant } from './strata.ts'

interface Settings {
  readonly directory: string
  readonly port: number
  readonly etcd?: readonly string[]
  readonly variant: Variant
}

const { directory, port, etcd, variant } = JSON.parse(process.argv[2] ?? '{}') as Settings

/** Everything under one key of that kind. */
function encryptedWith(kind: 'aescbc' | 'aesgcm' | 'secretbox'): Partial<ServeOptions> {
  if (kind !== variant) return {}
  const file = join(directory, 'keys.json')
  writeFileSync(file, JSON.stringify(configurationFile([`${kind}:bench`])))
  return { encryptionProviderConfig: file }
}

/** To see what agreement costs. */
const variants = {
  off: { featureGates: { ...defaultFeatureGates, StorageVersionAPI: false, APIServerIdentity: false } },
  loose: { guarantee: 'loose' },
  strict: {},
  'strict again': {},
  plain: {},
  ...Object.fromEntries(
    (['aescbc', 'aesgcm', 'secretbox'] as const).map((kind) => [kind, encryptedWith(kind)]),
  ),
} as Record<Variant, Partial<ServeOptions>>

const stop = new AbortController()
process.once('SIGTERM', () => stop.abort(new Error('stopped')))
await serve(
  {
    store: etcd ? { kind: 'etcd', endpoints: etcd } : { kind: 'sqlite', directory: join(directory, 'store') },
    bindAddress: '127.0.0.1',
    securePort: port,
    certDir: join(directory, 'pki'),
    resourceModules: [],
    compactionMs: 0,
    ...variants[variant],
  },
  createNodeWorld({ log: createNodeLog({ level: 'warn' }) }),
  stop.signal,
)
