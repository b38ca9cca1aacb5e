import { join } from 'node:path'
import { protocolRules } from '@strata/server'
import { serve } from '@strata/server/main'
import { createNodeLog, createNodeWorld } from '@strata/world/node'

interface Settings {
  readonly directory: string
  readonly port: number
  readonly etcd?: readonly string[]
}

// One server that does not fence its writes, to see what the fence costs; nothing but a benchmark or a test may do so.
const { directory, port, etcd } = JSON.parse(process.argv[2] ?? '{}') as Settings
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
    rules: { ...protocolRules, guardWrites: false },
  },
  createNodeWorld({ log: createNodeLog({ level: 'warn' }) }),
  stop.signal,
)
