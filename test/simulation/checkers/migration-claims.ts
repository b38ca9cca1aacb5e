import type { MigrationTarget } from '@strata/controllers'
import type { History, MigrationRun } from '../history.ts'
import { isMigrationKey } from '../keys.ts'
import { parseBytes, recordNameOf } from './stored-json.ts'

/** How long it may take from the last look of a controller to what it says in the status. */
const sayingMs = 60_000

/** Every claim that something is migrated: in the history, and in the status of migration objects. */
export function claimsOf({ migrations, commits }: History): readonly MigrationRun[] {
  const said: MigrationRun[] = []
  const known = new Set<string>()
  for (const { atMs, changes } of commits) {
    for (const change of changes) {
      if (change.kind !== 'put' || !isMigrationKey(change.key)) continue
      const { metadata, spec, status = {} } = parseBytes(change.value)
      const succeeded = status.conditions?.some(
        (each: { type: string; status: string }) => each.type === 'Succeeded' && each.status === 'True',
      )
      if (!succeeded || status.result === undefined || known.has(metadata.uid)) continue
      known.add(metadata.uid)
      const { group = '', resource } = spec.resource
      const target: MigrationTarget = { ...status.target, resource: { group, resource } }
      const proof = status.result === 'Proven' ? 'proven' : 'observed clean'
      said.push({
        ...{ record: recordNameOf(group, resource), target },
        ...{ startMs: Date.parse(metadata.creationTimestamp) - wallStartMs, lastLookMs: atMs - sayingMs },
        end: { endMs: atMs, outcome: 'succeeded', proof },
      })
    }
  }
  return [...migrations, ...said]
}

/** The wall clock when a simulated world begins. If a server's clock jumps, `startMs` is off; only unproven claims use it. */
const wallStartMs = Date.UTC(2026, 0, 1)
