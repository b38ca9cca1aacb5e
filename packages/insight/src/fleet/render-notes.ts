import { unknownVersion } from '@strata/api'
import type { FleetStatus } from './fleet-status.ts'
import { groupTexts, shownNames } from './group-texts.ts'
import type { ResourceStatus } from './resource-status.ts'
import { namedServers, type ServerStatus, shownServer } from './server-status.ts'

/** Notes on what does not prevent agreement. */
export function renderNotes({ resources, servers, advice, withdrawn }: FleetStatus): string {
  const votes = groupTexts(resources, ({ selection }) => selection?.notes ?? [])
  const notes = [
    ...groupTexts(resources, (each) => looseness(each, servers)),
    ...groupTexts(resources, ({ keyWaits }) => keyWaits ?? []),
    ...groupTexts(resources, (each) => gap(each, servers)),
    ...advice,
    ...(withdrawn.length === 0 ? [] : [kept(withdrawn)]),
  ]
  return [...votes.map((text) => `Vote: ${text}.`), ...notes.map((text) => `Note: ${text}.`)].join('\n')
}

function looseness(
  { servers: entries, fenced, looseUntilSettled = [] }: ResourceStatus,
  servers: readonly ServerStatus[],
): string[] {
  if (fenced) return []
  const loose = servers.filter(({ serverID }) => entries[serverID]?.guarantee === 'loose').map(shownServer)
  const gone = [...new Set(looseUntilSettled)].join(', ')
  return [
    ...(loose.length === 0
      ? []
      : [`${loose.join(', ')} writes without the guard (loose): agreement is observed, not proven`]),
    ...(gone === ''
      ? []
      : [
          `${gone} (loose) ended without a shutdown and may still write: nothing is proven for about 70 seconds`,
        ]),
  ]
}

/** Only while objects of an unknown version may be stored. */
function gap(
  { recordingGap, persistedVersions }: ResourceStatus,
  servers: readonly ServerStatus[],
): string[] {
  if (!recordingGap || !persistedVersions.includes(unknownVersion)) return []
  return [
    `recording gap (${namedServers(recordingGap.message, servers)}): objects written then may be in a version that no server recorded, and earlier proofs no longer hold`,
  ]
}

function kept(withdrawn: readonly string[]): string {
  return `no server serves ${shownNames(withdrawn)} any more; the agreement records are kept`
}
