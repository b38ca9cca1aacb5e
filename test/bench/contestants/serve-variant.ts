import { join } from 'node:path'
import { protocolRules } from '@strata/server'
import { type ServeOptions, serve } from '@strata/server/main'
import { createNodeLog, createNodeWorld } from '@strata/world/node'
import type { Variant } from './strata.ts'

interface Settings {
  readonly directory: string
  readonly port: number
  readonly etcd?: readonly string[]
  readonly variant: Variant
}

/** To see what agreement costs. No flag takes the guard away: nothing but a benchmark or a test may do so. */
const variants: Readonly<Record<Variant, Partial<ServeOptions>>> = {
  unfenced: { rules: { ...protocolRules, guardWrites: false } },
  loose: { guarantee: 'loose' },
  strict: {},
}

const { directory, port, etcd, variant } = JSON.parse(process.argv[2] ?? '{}') as Settings
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
