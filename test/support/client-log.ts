/** The responses and events that a client got while it kept a copy of a collection, in order. */
export type Seen =
  /** Everything there is, at a revision: a list, or the initial events of a watch. */
  | { readonly kind: 'state'; readonly revision: number; readonly items: readonly SeenObject[] }
  | ({ readonly kind: 'event'; readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' } & SeenObject)
  /** The promise that everything up to a revision has been shown. */
  | { readonly kind: 'bookmark'; readonly revision: number }

export interface SeenObject {
  /** Namespace and name. */
  readonly id: string
  readonly revision: number
  /** Names the write that made this value. */
  readonly colour: string
}

/** A beacon as it comes over the wire. */
export interface ShownBeacon {
  readonly metadata: { readonly namespace: string; readonly name: string; readonly resourceVersion: string }
  readonly spec: { readonly colour?: string }
}

export const idOf = ({ metadata }: ShownBeacon): string => `${metadata.namespace}/${metadata.name}`

export const seenObject = (beacon: ShownBeacon): SeenObject => ({
  id: idOf(beacon),
  revision: Number(beacon.metadata.resourceVersion),
  colour: beacon.spec.colour ?? '',
})

/** A client under test, whatever it is made of. */
export interface FollowingClient {
  readonly name: string
  /** The path of the collection it follows. */
  readonly path: string
  /** The namespace it follows; all of them if there is none. */
  readonly namespace: string | undefined
  readonly log: readonly Seen[]
  /** The current state of its copy. */
  copy(): readonly ShownBeacon[]
  /** How often it listed, resumed, and lost its connection. */
  readonly counts: { lists: number; resumes: number; failures: number }
  /** Throws the unexpected error, if one ended it. */
  stop(): Promise<void>
}
