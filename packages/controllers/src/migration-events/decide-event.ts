import { namespacedName } from '@strata/api'

/** Something that `kubectl describe` shows about a migration. */
export type MigrationEvent =
  | { readonly kind: 'created'; readonly because: string }
  | { readonly kind: 'started'; readonly target: string; readonly by: string }
  /** The servers do not agree yet, or do not serve the resource yet. */
  | { readonly kind: 'waiting'; readonly because: string }
  /** Requests fail, and nothing succeeds: a user may have to help. */
  | { readonly kind: 'stalled'; readonly because: string }
  /** The target changed: the migration starts again. */
  | { readonly kind: 'aborted'; readonly because: string }
  /** `because` is set if no user asked for the pause. */
  | { readonly kind: 'paused'; readonly because?: string }
  /** An annotation whose value is not valid. */
  | { readonly kind: 'unread'; readonly annotation: string; readonly text: string; readonly wanted: string }
  | { readonly kind: 'quarantined'; readonly object: QuarantinedObject }
  | { readonly kind: 'quarantinedMore'; readonly count: number }
  | { readonly kind: 'succeeded'; readonly proof: string }
  | { readonly kind: 'failed'; readonly message: string }

interface QuarantinedObject {
  readonly namespace?: string
  readonly name: string
  readonly reason: string
  readonly message?: string
}

export interface EventText {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** Below the API's limit of 1,024. */
const maxCharacters = 1_000
/** Objects with an Event of their own; the status lists the first hundred. */
const maxObjects = 10

const normal = (reason: string, message: string): EventText => ({ type: 'Normal', reason, message })
const warning = (reason: string, message: string): EventText => ({ type: 'Warning', reason, message })

/** Reasons are stable, for programs. The same text twice is one Event with a count. */
export function decideEvent(event: MigrationEvent): EventText {
  const text = textOf(event)
  const { message } = text
  return message.length <= maxCharacters
    ? text
    : { ...text, message: `${message.slice(0, maxCharacters - 1)}…` }
}

function textOf(event: MigrationEvent): EventText {
  switch (event.kind) {
    case 'created':
      return normal('MigrationCreated', `requested: ${event.because}`)
    case 'started':
      return normal('MigrationStarted', `${event.by} migrates every object to ${event.target}`)
    case 'waiting':
      return normal('MigrationWaiting', event.because)
    case 'stalled':
      return warning('MigrationWaiting', event.because)
    case 'aborted':
      return warning('MigrationAborted', `the migration starts again: ${event.because}`)
    case 'paused': {
      const stays = 'paused until the annotation strata.dev/paused is removed'
      const { because } = event
      return because === undefined
        ? normal('MigrationPaused', stays)
        : warning('MigrationPaused', `${because}; ${stays}`)
    }
    case 'unread': {
      const { annotation, text, wanted } = event
      return warning(
        'AnnotationIgnored',
        `${annotation} ${JSON.stringify(text)} is ignored: it takes ${wanted}`,
      )
    }
    case 'quarantined': {
      const { reason, message } = event.object
      const what = namespacedName(event.object)
      return warning('ObjectQuarantined', `${what}: ${reason}${message ? `: ${message}` : ''}`)
    }
    case 'quarantinedMore':
      return warning('ObjectQuarantined', `and ${event.count} more, see status.quarantine`)
    case 'succeeded':
      return normal('MigrationSucceeded', `every object was migrated: ${event.proof}`)
    case 'failed':
      return warning('MigrationFailed', event.message)
  }
}

/** One Event for each of the first quarantined objects, and one with the number of the others. */
export function quarantineEvents({
  total,
  objects,
}: {
  readonly total: number
  readonly objects: readonly QuarantinedObject[]
}): readonly MigrationEvent[] {
  const shown = objects.slice(0, maxObjects)
  const count = total - shown.length
  return [
    ...shown.map((object) => ({ kind: 'quarantined', object }) as const),
    ...(count > 0 ? [{ kind: 'quarantinedMore', count } as const] : []),
  ]
}
