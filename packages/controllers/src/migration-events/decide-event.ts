/** Something that happened to a migration and that people should find where they look: `kubectl describe`. */
export type Happening =
  | { readonly kind: 'created'; readonly because: string }
  | { readonly kind: 'started'; readonly target: string; readonly by: string }
  | { readonly kind: 'waiting'; readonly because: string }
  /** The target moved: nothing is claimed, and it begins anew. */
  | { readonly kind: 'aborted'; readonly because: string }
  /** Where nobody has asked for it, with the reason. */
  | { readonly kind: 'paused'; readonly because?: string }
  /** Something that people wrote on it, and nobody understands. */
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

export interface EventWords {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
}

/** What the API takes, with something to spare. */
const mostCharacters = 1_000
/** So many objects are told of one by one; all of the first hundred are in the status. */
const mostObjects = 10

const normal = (reason: string, message: string): EventWords => ({ type: 'Normal', reason, message })
const warning = (reason: string, message: string): EventWords => ({ type: 'Warning', reason, message })

/** How it is said. Reasons are for programs, and stay; what is said twice in the same words is counted, not repeated. */
export function decideEvent(happening: Happening): EventWords {
  const words = wordsOf(happening)
  const { message } = words
  return message.length <= mostCharacters
    ? words
    : { ...words, message: `${message.slice(0, mostCharacters - 1)}…` }
}

function wordsOf(happening: Happening): EventWords {
  switch (happening.kind) {
    case 'created':
      return normal('MigrationCreated', `requested: ${happening.because}`)
    case 'started':
      return normal('MigrationStarted', `${happening.by} migrates every object to ${happening.target}`)
    case 'waiting':
      return normal('MigrationWaiting', happening.because)
    case 'aborted':
      return warning('MigrationAborted', `the migration starts again: ${happening.because}`)
    case 'paused': {
      const stays = 'paused until the annotation strata.dev/paused is removed'
      const { because } = happening
      return because === undefined
        ? normal('MigrationPaused', stays)
        : warning('MigrationPaused', `${because}; ${stays}`)
    }
    case 'unread': {
      const { annotation, text, wanted } = happening
      return warning(
        'AnnotationIgnored',
        `${annotation} ${JSON.stringify(text)} is ignored: it takes ${wanted}`,
      )
    }
    case 'quarantined': {
      const { namespace, name, reason, message } = happening.object
      const what = namespace === undefined ? name : `${namespace}/${name}`
      return warning('ObjectQuarantined', `${what}: ${reason}${message ? `: ${message}` : ''}`)
    }
    case 'quarantinedMore':
      return warning('ObjectQuarantined', `and ${happening.count} more, see status.quarantine`)
    case 'succeeded':
      return normal('MigrationSucceeded', `every object was migrated: ${happening.proof}`)
    case 'failed':
      return warning('MigrationFailed', happening.message)
  }
}

/** Of objects that were set aside: the first by name, and how many more there are. */
export function happeningsOf({
  total,
  objects,
}: {
  readonly total: number
  readonly objects: readonly QuarantinedObject[]
}): readonly Happening[] {
  const told = objects.slice(0, mostObjects)
  const count = total - told.length
  return [
    ...told.map((object) => ({ kind: 'quarantined', object }) as const),
    ...(count > 0 ? [{ kind: 'quarantinedMore', count } as const] : []),
  ]
}
