import { type CustomResourceDefinition, jsonEqual } from '@strata/api'
import { lastWriterText } from './write/decide-writer.ts'

/** What happened to a CRD since this process last wrote or read it. */
export type CrdChange =
  | { readonly kind: 'none' }
  | { readonly kind: 'foreign'; readonly because: string; readonly next: string }

export interface ChangeFacts {
  readonly name: string
  /** As this process left it. */
  readonly left: CustomResourceDefinition
  /** As it was before the first write. */
  readonly original: CustomResourceDefinition
  /** Undefined if it is gone. */
  readonly seen: CustomResourceDefinition | undefined
}

const again = 'run the same command again: it goes on from the CRD as it is then'

/** Only the spec counts: servers write the status all the time. */
export function decideForeignChange({ name, left, original, seen }: ChangeFacts): CrdChange {
  if (seen === undefined) return foreign(`${name} was deleted`, 'find out who deleted it, and why')
  if (seen.metadata.deletionTimestamp !== undefined) {
    return foreign(`${name} is being deleted`, 'find out who deleted it, and why')
  }
  if (seen.metadata.uid !== left.metadata.uid)
    return foreign(`${name} was deleted and created again`, 'find out who deleted it, and why')
  if (seen.metadata.generation === left.metadata.generation) return { kind: 'none' }
  const who = lastWriterText(seen) ?? 'another client'
  const from = `generation ${left.metadata.generation} became ${seen.metadata.generation}`
  if (jsonEqual(seen.spec, original.spec) && !jsonEqual(left.spec, original.spec)) {
    return foreign(
      `${who} reverted ${name} to what it was before the upgrade (${from})`,
      `if that is a GitOps controller or an operator, pause it for this CRD; then ${again}`,
    )
  }
  return foreign(`${who} changed ${name} meanwhile (${from})`, again)
}

const foreign = (because: string, next: string): CrdChange => ({ kind: 'foreign', because, next })
