import type { Revision } from './store.ts'

/** What one process knows of a store. */
export interface KnownTimeline {
  /** The newest revision that was seen when the question was asked. */
  readonly highest: Revision
  /** The store's incarnation; undefined as long as it is not known. */
  readonly incarnation: string | undefined
  /** Where this process has last written the key that it alone writes; 0 if it has not. */
  readonly ownRevision: Revision
}

/** What a linearizable answer shows. */
export interface ShownTimeline {
  readonly revision: Revision
  /** Only where it was asked for; its value is undefined where there is none. */
  readonly incarnation?: { readonly value: string | undefined }
  /** Of the key that this process alone writes, where that was asked for and is there. */
  readonly ownRevision?: Revision
}

/** How a replacement was noticed: `store` if the store below told of it. */
export type ReplacementSign = 'revision' | 'own-write' | 'incarnation' | 'store'

export interface Discontinuity {
  readonly sign: ReplacementSign
  /** The same for people. */
  readonly why: string
}

/**
 * Pure: why what is shown cannot follow on what is known, so that the store must have been restored or replaced;
 * undefined if it can. The three signs complete each other:
 *
 * - The revision is older. That is gone as soon as the restored store has been written to for long enough.
 * - What this process has written itself is older. This tells also where nobody else has noticed anything.
 * - The incarnation is another. Each server that notices one of the others renews it, so that all servers notice.
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
