import { type Transport, utf8 } from '@strata/world'
import type { SimProcess } from '@strata/world/sim'
import type { History } from '../history.ts'

interface Seen {
  readonly process: SimProcess
  readonly history: History
  readonly nowMs: () => number
}

/** By who sees to it: objects of this kind are migrated as all others are, by writes that change nothing. */
const ofRunner = /\/storageversionmigrations\/[^/?]+(\/status)?\?.*fieldManager=strata-migration-runner/

/** Notes which runner has changed a migration, which only the way from it can tell: the store sees a server. */
export function noteMigrationWrites(way: Transport, { process, history, nowMs }: Seen): Transport {
  return async (request) => {
    const response = await way(request)
    const isWritten = request.method === 'PATCH' && response.status === 200 && ofRunner.test(request.target)
    if (!isWritten || !(response.body instanceof Uint8Array)) return response
    const { metadata } = JSON.parse(utf8.decode(response.body))
    history.migrationWrites.push({
      ...{ atMs: nowMs(), writer: process.id, pid: process.processes.self.pid, name: metadata.name },
      claim: metadata.annotations?.['strata.dev/claimed-by'] ?? '',
      revision: Number(metadata.resourceVersion),
    })
    return response
  }
}
