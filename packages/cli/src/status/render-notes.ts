import type { FleetStatus } from './fleet-status.ts'
import { groupTexts, shownNames } from './group-texts.ts'
import type { ResourceStatus } from './resource-status.ts'
import { type ServerStatus, shownServer } from './server-status.ts'

/** What stands in nobody's way, and is worth knowing all the same. */
export function renderNotes({ resources, servers, advice, withdrawn }: FleetStatus): string {
  const votes = groupTexts(resources, ({ selection }) => selection?.notes ?? [])
  const notes = [
    ...groupTexts(resources, (each) => looseness(each, servers)),
    ...groupTexts(resources, ({ keyWaits }) => keyWaits ?? []),
    ...groupTexts(resources, gap),
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
          `${gone} (loose) went without a farewell and may still write: nothing is proven for some 70 seconds`,
        ]),
  ]
}

function gap({ recordingGap }: ResourceStatus): string[] {
  if (!recordingGap) return []
  return [
    `recording gap (${recordingGap.message}): objects written then may be in a version that no entry names, and what was proven before it is not proven any more`,
  ]
}

function kept(withdrawn: readonly string[]): string {
  return `nobody serves ${shownNames(withdrawn)} any more; the records stay for the case that they are defined again`
}
