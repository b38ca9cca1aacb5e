import type { Revision } from './store.ts'

/** The knowledge of one process about a store. */
export interface KnownTimeline {
  /** The newest revision seen when the request was sent. */
  readonly highest: Revision
  /** The store's incarnation; undefined while unknown. */
  readonly incarnation: string | undefined
  /** The revision at which this process last wrote its own key; 0 if it has not. */
  readonly ownRevision: Revision
}

/** The content of a linearizable answer. */
export interface ShownTimeline {
  readonly revision: Revision
  /** Set only if it was requested; its value is undefined if the key is absent. */
  readonly incarnation?: { readonly value: string | undefined }
  /** The revision of this process's own key, if it was requested and exists. */
  readonly ownRevision?: Revision | undefined
}

/** How a replacement was noticed: `store` if the store below reported it. */
export type ReplacementSign = 'revision' | 'own-write' | 'incarnation' | 'store'

export interface Discontinuity {
  readonly sign: ReplacementSign
  /** The same, for operators. */
  readonly why: string
}

/**
 * Pure: why the answer cannot follow what is known, so that the store must have been restored or replaced; undefined if it can.
 * The three signs complement each other:
 *
 * - The revision is older. This sign disappears once the restored store has been written to for long enough.
 * - The own write of this process is older. This works even if no other server has noticed anything.
 * - The incarnation differs. Each server that notices one of the other signs renews it, so that all servers notice.
 */
export function decideContinuity(known: KnownTimeline, shown: ShownTimeline): Discontinuity | undefined {
  const { highest, incarnation, ownRevision } = known
  if (shown.revision < highest) {
    return { sign: 'revision', why: `it is at revision ${shown.revision} and has been at ${highest} before` }
  }
  if (shown.ownRevision !== undefined && shown.ownRevision < ownRevision) {
    const why = `what this server wrote at revision ${ownRevision} is at ${shown.ownRevision}`
    return { sign: 'own-write', why }
  }
  if (shown.incarnation && incarnation !== undefined && shown.incarnation.value !== incarnation) {
    const why = `its incarnation is ${shown.incarnation.value ?? 'missing'} and was ${incarnation}`
    return { sign: 'incarnation', why }
  }
  return undefined
}
