import { type AgreementStatus, type GroupResource, groupResourceText, persistedOf } from '@strata/api'
import type { Log } from '@strata/world'
import { storageRoot } from '../../codec/index.ts'
import { type Revision, readOne, type Store } from '../../store/index.ts'
import { agreementKey } from '../frozen-kinds.ts'
import { unrecordedServers } from './agreement-facts.ts'
import {
  type AgreementChange,
  type AgreementRecords,
  type AgreementView,
  type StoredAgreement,
  storedAgreement,
} from './agreement-records.ts'
import { type provesEmpty, refuseForgetting } from './decide-forgetting.ts'

export type ForgetOutcome =
  /** `status.persisted` is empty, by this call or already. */
  | { readonly outcome: 'forgotten'; readonly status: AgreementStatus }
  /** `status.persisted` stays as it was; the reason is for people. */
  | { readonly outcome: 'refused'; readonly why: string }
  /** Another server changed the record meanwhile: to be retried. */
  | { readonly outcome: 'overtaken' }

type Kept = Exclude<ForgetOutcome, { outcome: 'forgotten' }>

export interface ForgetParts {
  readonly store: Store
  readonly records: AgreementRecords
  readonly log: Log
  /** Handed in so that the simulator can break it. */
  readonly provesEmpty: typeof provesEmpty
}

/**
 * Empties `status.persisted` of a resource that no server writes, if nothing is stored (agreement.md, "What may be stored").
 * It moves the record first, so that the store refuses every commit sent before; then it reads the prefix; then it empties
 * the list, guarded by the revision of that move. If a server registers in between, the guard breaks, and the list stays.
 */
export async function forgetEmpty(
  parts: ForgetParts,
  resource: GroupResource,
  signal: AbortSignal,
): Promise<ForgetOutcome> {
  const { store, log } = parts
  const before = storedAgreement(await readOne(store, agreementKey(resource), signal))
  const prefix = before?.record.spec.storagePrefix
  if (!before || prefix === undefined) return refused('no agreement record says where it is stored')
  if (persistedOf(before.record.status).length === 0) return forgotten(before)
  // If an object is stored, or a server writes, the record need not be moved.
  const why = refuseForgetting(before.record.status, new Set())
  if (why !== undefined) return refused(why)
  const range = { prefix: `${storageRoot}${prefix}/`, limit: 1 }
  const look = async (movedAt: Revision): Promise<Kept | undefined> => {
    const { revision: readAt, entries } = await store.list(range, signal)
    if (parts.provesEmpty({ movedAt, readAt, found: entries.length })) return undefined
    return entries[0] ? refused(`${entries[0].key.slice(range.prefix.length)} is stored`) : overtaken
  }
  const seen = await look(before.revision)
  if (seen) return seen

  const moved = await changeAt(parts, before, { moves: true }, signal)
  if (!('revision' in moved)) return moved
  const found = await look(moved.revision)
  if (found) return found
  const changed = await changeAt(parts, moved, { isEmptied: true }, signal)
  if (!('revision' in changed)) return changed
  log.info('cleared status.persisted: no server writes the resource, and nothing is stored', {
    resource: groupResourceText(resource),
  })
  return forgotten(changed)
}

/** Changes the record only at that revision, and only while its list may be emptied. */
async function changeAt(
  { records }: ForgetParts,
  { record: { spec }, revision }: StoredAgreement,
  change: Pick<AgreementChange, 'moves' | 'isEmptied'>,
  signal: AbortSignal,
): Promise<StoredAgreement | Kept> {
  let why: string | undefined
  const { outcome, ...changed } = await records.change(
    spec,
    ({ stored, entries, leases }: AgreementView) => {
      why = stored && refuseForgetting(stored.record.status, unrecordedServers(leases, entries))
      const isWanted = stored?.revision === revision && why === undefined
      return isWanted ? { entries, guards: [], ...change } : undefined
    },
    signal,
  )
  if (outcome === 'stored' && 'stored' in changed && changed.stored) return changed.stored
  return why === undefined ? overtaken : refused(why)
}

function forgotten({ record: { status } }: StoredAgreement): ForgetOutcome {
  return { outcome: 'forgotten', status }
}

const overtaken: Kept = { outcome: 'overtaken' }

function refused(why: string): Kept {
  return { outcome: 'refused', why }
}
