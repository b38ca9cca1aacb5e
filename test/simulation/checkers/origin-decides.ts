import type { History } from '../history.ts'
import { aggregatedGroup, aggregatedRecord, isMigrationKey, storageStatePrefix } from '../keys.ts'
import { mirrorStates, type OriginState, originStates } from './origin-states.ts'
import { parseBytes } from './stored-json.ts'
import type { Checker, Violation } from './violation.ts'

/** How long it may take from a look of a controller to what it writes down. */
const sayingMs = 60_000

/** What something is bound to. */
interface Bound {
  readonly how?: string
  readonly recordUID?: string
  readonly epoch?: number
  readonly encodingVersion?: string
}

/**
 * A migration of an aggregated resource starts only if the record in the store of the resource was agreed in that epoch between
 * question and answer, whatever the mirror in the aggregator said; and not while the mirror names two stores. A StorageState
 * accepts only an epoch in which that record was agreed.
 */
export const originDecides: Checker = {
  name: 'origin-decides',
  *check(history) {
    if (history.origins.length === 0) return
    const states = history.origins.map(originStates)
    const started = [...startedByMigrator(history), ...startedByController(history)]
    for (const { atMs, fromMs, who, target } of started) {
      const text = problemOf(history, states, { target, fromMs, toMs: atMs })
      if (text) yield { atMs, text: `${who}: ${text}` }
    }
    yield* acceptances(history, states)
  },
}

interface Start {
  readonly who: string
  readonly target: Bound
  /** When the target may have been read. */
  readonly fromMs: number
  readonly atMs: number
}

function* startedByMigrator({ origins }: History): Iterable<Start> {
  for (const { migrations } of origins) {
    for (const { record, target, askedMs = 0, startMs } of migrations) {
      if (record === aggregatedRecord) yield { who: 'a migration', target, fromMs: askedMs, atMs: startMs }
    }
  }
}

/** Whenever the target in the status of a migration becomes another one. */
function* startedByController({ commits }: History): Iterable<Start> {
  const known = new Map<string, string>()
  for (const { atMs, changes } of commits) {
    for (const change of changes) {
      if (change.kind !== 'put' || !isMigrationKey(change.key)) continue
      const { metadata, spec, status = {} } = parseBytes(change.value)
      const text = JSON.stringify(status.target)
      if (spec.resource?.group !== aggregatedGroup || known.get(change.key) === text) continue
      known.set(change.key, text)
      if (status.target) yield { who: metadata.name, target: status.target, fromMs: atMs - sayingMs, atMs }
    }
  }
}

interface Asked {
  readonly target: Bound
  readonly fromMs: number
  readonly toMs: number
}

function problemOf(
  history: History,
  origins: readonly (readonly OriginState[])[],
  { target, fromMs, toMs }: Asked,
): string | undefined {
  const { how, recordUID, epoch, encodingVersion } = target
  const what = `it started for ${encodingVersion} in epoch ${epoch}`
  if (how !== 'record') return `${what}, known from ${how} and not from the record`
  const stood = origins
    .flat()
    .some((each) => each.fromMs <= toMs && each.toMs >= fromMs && isAgreed(each, target))
  if (!stood) return `${what} of ${recordUID}, and the record in its store did not say so`
  const mirrored = mirrorStates(history).filter((each) => each.atMs <= toMs && each.toMs >= fromMs)
  const isAlwaysTwo = mirrored.length > 0 && mirrored.every((each) => each.origins.length > 1)
  const wasThere = (mirrored[0]?.atMs ?? Number.POSITIVE_INFINITY) <= fromMs
  return isAlwaysTwo && wasThere ? `${what}, while two stores were named for the resource` : undefined
}

function isAgreed({ uid, status }: OriginState, { recordUID, epoch, encodingVersion }: Bound): boolean {
  if (status?.epoch !== epoch || (recordUID !== undefined && recordUID !== uid)) return false
  return encodingVersion === undefined
    ? status?.agreedVersion !== undefined
    : status?.agreedVersion === encodingVersion
}

function* acceptances(
  { commits }: History,
  origins: readonly (readonly OriginState[])[],
): Iterable<Omit<Violation, 'checker'>> {
  let known = ''
  for (const { atMs, writer, changes } of commits) {
    for (const change of changes) {
      if (change.kind !== 'put' || !change.key.startsWith(storageStatePrefix)) continue
      const { spec, status = {} } = parseBytes(change.value)
      const { accepted } = status
      if (spec.resource?.group !== aggregatedGroup || !accepted) continue
      const text = JSON.stringify(accepted)
      if (text === known) continue
      known = text
      const stood = origins.flat().some((each) => each.fromMs <= atMs && isAgreed(each, accepted))
      if (!stood)
        yield {
          atMs,
          text: `${writer} accepted epoch ${accepted.epoch} of ${accepted.recordUID}, which was never agreed`,
        }
    }
  }
}
