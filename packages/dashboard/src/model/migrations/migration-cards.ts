import { groupResourceText, type QuarantinedObject, type StorageAgreement, versionNameOf } from '@strata/api'
import {
  conditionOf,
  failureOf,
  isEnded,
  type MigrationView,
  objectName,
  type RefusalClass,
  refusalClassOf,
  remedies,
  shownStatus,
} from '@strata/insight'

export type CardPhase = 'pending' | 'running' | 'paused' | 'cancelling' | 'succeeded' | 'failed'

/** Objects that were set aside for the same reason. */
export interface SetAside {
  readonly reason: RefusalClass
  readonly fix: string
  readonly objects: readonly QuarantinedObject[]
}

export interface MigrationCard {
  readonly id: string
  /** For kubectl. */
  readonly object: string
  readonly resource: string
  readonly phase: CardPhase
  /** Versions that objects may be in besides the target. */
  readonly from: readonly string[]
  readonly to: string | undefined
  readonly percent: number | undefined
  readonly settled: number
  readonly total: number | undefined
  readonly ratePerSecond: number
  readonly etaSeconds: number | undefined
  readonly setAsideCount: number
  readonly setAside: readonly SetAside[]
  /** What is so, in a few words: the result, the failure, or what it waits for. */
  readonly note: string | undefined
  readonly since: string | undefined
  /** Another migrator runs it; only that one decides whether it heeds annotations. */
  readonly isForeign: boolean
}

function decideCard(view: MigrationView, record: StorageAgreement | undefined): MigrationCard {
  const { progress, createdAt, isForeign } = view
  const { percent, settled, total, ratePerSecond, etaSeconds, quarantined } = shownStatus(progress)
  const target = progress.target?.encodingVersion ?? view.servedVersion
  const to = target === undefined ? undefined : versionNameOf(target)
  const persisted =
    record?.status.persisted?.map(({ encodingVersion }) => versionNameOf(encodingVersion)) ?? []
  const phase = phaseOf(view)
  return {
    ...{ id: objectName(view), object: objectName(view), resource: groupResourceText(view.resource) },
    ...{ phase, to, isForeign, settled, total, etaSeconds },
    from: phase === 'succeeded' ? [] : [...new Set(persisted)].filter((each) => each !== to),
    percent: phase === 'succeeded' ? 100 : percent,
    ratePerSecond: phase === 'running' ? ratePerSecond : 0,
    setAsideCount: quarantined,
    setAside: groupSetAside(progress.quarantine ?? []),
    note: noteOf(view),
    since: endOf(view) ?? (createdAt === '' ? undefined : createdAt),
  }
}

function phaseOf(view: MigrationView): CardPhase {
  const { phase, isCancelled, isPaused } = view
  if (phase === 'succeeded' || phase === 'failed') return phase
  if (isCancelled) return 'cancelling'
  return isPaused ? 'paused' : phase
}

const results = {
  Proven: 'proven: every object is in the target version',
  ObservedClean: 'observed clean: a second pass found nothing left',
  Unknown: 'done, and nothing is proven',
} as const

function noteOf(view: MigrationView): string | undefined {
  const { phase, progress, annotations, isPaused } = view
  const failed = conditionOf(view, 'Failed')
  if (phase === 'failed') return failed?.message || progress.failure || 'failed'
  if (phase === 'succeeded') return progress.result && results[progress.result]
  if (isPaused) return failureOf(annotations) ?? 'paused by a user'
  return progress.waitingFor === undefined ? undefined : `waits: ${progress.waitingFor}`
}

function endOf(view: MigrationView): string | undefined {
  const end = conditionOf(view, 'Succeeded') ?? conditionOf(view, 'Failed')
  return end?.lastTransitionTime ?? end?.lastUpdateTime ?? undefined
}

function groupSetAside(objects: readonly QuarantinedObject[]): readonly SetAside[] {
  const groups = Map.groupBy(objects, ({ reason, message = '' }) => refusalClassOf({ reason, message }))
  return [...groups]
    .map(([reason, each]) => ({ reason, fix: remedies[reason], objects: each }))
    .sort((a, b) => b.objects.length - a.objects.length)
}

const order: readonly CardPhase[] = ['running', 'paused', 'cancelling', 'pending', 'failed', 'succeeded']

export interface MigrationCards {
  readonly open: readonly MigrationCard[]
  /** The latest first. */
  readonly ended: readonly MigrationCard[]
}

/** What is under way; then what has ended, of each resource the latest, and a failure only if nothing has succeeded since. */
export function decideCards(
  views: readonly MigrationView[],
  records: ReadonlyMap<string, StorageAgreement>,
  filter = '',
): MigrationCards {
  const shown = views.filter(({ resource }) =>
    groupResourceText(resource).includes(filter.trim().toLowerCase()),
  )
  const cards = shown.map((view) => ({
    isOver: isEnded(view),
    card: decideCard(view, records.get(groupResourceText(view.resource))),
  }))
  const since = ({ since: at = '' }: MigrationCard): string => at
  const open = cards.filter(({ isOver }) => !isOver).map(({ card }) => card)
  const ended = cards.filter(({ isOver }) => isOver).map(({ card }) => card)
  return {
    open: open.sort(
      (a, b) => order.indexOf(a.phase) - order.indexOf(b.phase) || (a.resource < b.resource ? -1 : 1),
    ),
    ended: ended.sort((a, b) => (since(a) < since(b) ? 1 : -1)),
  }
}
