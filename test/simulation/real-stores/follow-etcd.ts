import { request } from 'node:http'
import { createInterface } from 'node:readline'
import type { Change } from '@strata/server/store'

interface WatchedEvent {
  readonly type?: 'DELETE'
  readonly kv: {
    readonly key: string
    readonly value?: string
    readonly mod_revision: string
    readonly create_revision?: string
  }
}

interface WatchLine {
  readonly result?: { readonly events?: readonly WatchedEvent[]; readonly canceled?: boolean }
  readonly error?: unknown
}

export interface EtcdFollower {
  stop(): void
}

/** etcd's zero byte in base64: as the key and as the end of a range, it stands for everything. */
const everything = { key: 'AA==', range_end: 'AA==' }

/**
 * Every change from a revision on, by etcd's JSON gateway: past every proxy, and without a line of the adapter's code.
 * All changes of one transaction come together.
 */
export function followEtcd(
  endpoint: string,
  from: number,
  take: (changes: readonly Change[]) => void,
  onEnd: (error: Error) => void,
): EtcdFollower {
  let isStopped = false
  const end = (why: string): void => {
    if (isStopped) return
    isStopped = true
    onEnd(new Error(`etcd can no longer be followed: ${why}`))
  }
  const outgoing = request(new URL('/v3/watch', endpoint), { method: 'POST' }, (answer) => {
    const lines = createInterface({ input: answer })
    lines.on('line', (line) => {
      const { result, error } = JSON.parse(line) as WatchLine
      if (error !== undefined || result?.canceled) end(line)
      else take((result?.events ?? []).map(toChange))
    })
    lines.on('error', (error: Error) => end(error.message))
    lines.on('close', () => end('the watch has ended'))
  })
  outgoing.on('error', (error) => end(error.message))
  outgoing.end(JSON.stringify({ create_request: { ...everything, start_revision: from } }))
  return {
    stop: () => {
      isStopped = true
      outgoing.destroy()
    },
  }
}

function toChange({ type, kv }: WatchedEvent): Change {
  const key = Buffer.from(kv.key, 'base64').toString()
  const revision = Number(kv.mod_revision)
  if (type === 'DELETE') return { kind: 'delete', key, revision }
  const value = Buffer.from(kv.value ?? '', 'base64')
  return { kind: 'put', key, revision, createRevision: Number(kv.create_revision), value }
}
