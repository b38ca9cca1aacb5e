import { createHash } from 'node:crypto'
import { type Event, storageAgreements } from '@strata/api'
import type { AgreementChange } from './describe-agreement-changes.ts'

/** Up to this many changes of one reason get an Event each; more share one. */
const eventsPerReason = 10
const namesPerBundle = 20
/** Upstream's limit. */
const messageLength = 1024

/**
 * The Events for these changes. A restart or a switch may concern a hundred resources: they share one Event, about the first
 * resource, with the names of the others. A hundred Events would be a hundred writes that no operator reads.
 */
export function bundleChanges(changes: readonly AgreementChange[], now: string, reportedBy: string): Event[] {
  const byReason = Map.groupBy(changes, ({ reason }) => reason)
  return [...byReason.values()].flatMap((group) => {
    const sorted = group.toSorted((a, b) => (a.about.name < b.about.name ? -1 : 1))
    const bundles = sorted.length > eventsPerReason ? [sorted] : sorted.map((each) => [each])
    return bundles.flatMap((bundle) => eventOf(bundle, now, reportedBy))
  })
}

function eventOf(bundle: readonly AgreementChange[], now: string, reportedBy: string): Event[] {
  const [first] = bundle
  if (!first) return []
  const { about, reason, type } = first
  return [
    {
      metadata: { name: eventName(bundle, about.name), namespace: 'default' },
      involvedObject: {
        apiVersion: `${storageAgreements.group}/v1alpha1`,
        kind: storageAgreements.kind,
        name: about.name,
        uid: about.uid,
      },
      reason,
      type,
      message: messageOf(bundle, first).slice(0, messageLength),
      source: { component: 'strata' },
      reportingComponent: 'strata.dev/agreement',
      reportingInstance: reportedBy,
      firstTimestamp: now,
      lastTimestamp: now,
      count: bundle.length,
    },
  ]
}

/** Every server names the Event of one change alike, so the second create finds the first. */
function eventName(bundle: readonly AgreementChange[], name: string): string {
  const hash = createHash('sha256')
  for (const { about, key } of bundle) hash.update(`${about.uid} ${key}\n`)
  return `${name}.${hash.digest('hex').slice(0, 16)}`
}

function messageOf(bundle: readonly AgreementChange[], { message }: AgreementChange): string {
  if (bundle.length === 1) return message
  const names = bundle.map(({ about }) => about.resource)
  const shown = names.slice(0, namesPerBundle).join(', ')
  const more = names.length > namesPerBundle ? ` and ${names.length - namesPerBundle} more` : ''
  return `${names.length} resources, first ${message} (${shown}${more})`
}
