import { type ApiObject, jsonEqual } from '@strata/api'
import { isNotFound } from '@strata/client'
import { deadline } from '@strata/world'
import type { CliContext } from '../context.ts'
import { notSeenError } from '../migration/resources/cluster.ts'
import { outcomeOfPatch } from '../migration/run/patch-outcome.ts'
import { type Installation, type Standing, whyForeign } from './decide-objects.ts'
import type { ObjectReport, ObjectResult } from './install-report.ts'
import type { Place } from './observe-places.ts'

/** Its own, so that others see who owns the fields. */
const fieldManager = 'strata-controllers-install'
const requestMs = 60_000

type Moment = Pick<CliContext, 'world' | 'signal'>

/** An object as it is in the cluster; undefined if there is none. */
export interface FoundPlace extends Place {
  readonly found: ApiObject | undefined
  /** Why it must not be touched. */
  readonly foreign: string | undefined
}

export async function lookAtPlaces(
  places: readonly Place[],
  installation: Installation,
  moment: Moment,
): Promise<readonly FoundPlace[]> {
  const looked: FoundPlace[] = []
  for (const place of places) {
    const found = await limited(moment, async (signal) => {
      try {
        return await place.resources.get(place.reference, signal)
      } catch (error) {
        if (isNotFound(error)) return undefined
        throw notSeenError(`${nameOf(place)} cannot be read`, error)
      }
    })
    const foreign = found === undefined ? undefined : whyForeign(standingOf(found), installation)
    looked.push({ ...place, found, foreign })
  }
  return looked
}

const standingOf = (found: ApiObject): Standing => ({
  ...{ labels: found.metadata.labels },
  subjects: (found as { readonly subjects?: Standing['subjects'] }).subjects,
})

const nameOf = ({ object: { kind, metadata } }: Place): string => `${kind} ${metadata.name}`

/**
 * Server-side apply of each, in their order. The first that is refused ends it: what follows refers to it. Where one belongs to
 * others, nothing is written at all.
 */
export async function applyAll(
  places: readonly FoundPlace[],
  dryRun: boolean,
  moment: Moment,
): Promise<readonly ObjectReport[]> {
  const isForeign = ({ object, foreign }: FoundPlace): boolean =>
    foreign !== undefined && object.kind !== 'Namespace'
  if (places.some(isForeign)) {
    return places.map((each) => reportOf(each, isForeign(each) ? 'refused' : 'not done', each.foreign))
  }
  const reports: ObjectReport[] = []
  const isNew = places.some(({ object, found }) => object.kind === 'Namespace' && found === undefined)
  for (const place of places) {
    const { object, found, foreign } = place
    const isOver = reports.some(({ result }) => result === 'refused' || result === 'unknown')
    const isInNew = isNew && places[0]?.object.metadata.name === object.metadata.namespace
    if (isOver) reports.push(reportOf(place, 'not done'))
    // A namespace that others have created is used, and stays theirs.
    else if (object.kind === 'Namespace' && found !== undefined)
      reports.push(reportOf(place, foreign === undefined ? 'unchanged' : 'left alone', foreign))
    else if (dryRun && isInNew)
      reports.push(reportOf(place, 'would be created', 'not asked: its namespace is not there yet'))
    else reports.push(await applyOne(place, dryRun, moment))
  }
  return reports
}

async function applyOne(place: FoundPlace, dryRun: boolean, moment: Moment): Promise<ObjectReport> {
  const { object, resources, reference, found } = place
  try {
    const applied = await limited(moment, (signal) =>
      resources.apply(reference, object as unknown as Readonly<Record<string, unknown>>, signal, {
        ...{ fieldManager, dryRun },
      }),
    )
    return reportOf(place, resultOf(found, applied, dryRun))
  } catch (error) {
    const { result, because } = resultOfFailure(place, error, moment)
    return reportOf(place, result, because)
  }
}

function resultOf(found: ApiObject | undefined, applied: ApiObject, dryRun: boolean): ObjectResult {
  if (found === undefined) return dryRun ? 'would be created' : 'created'
  // A dry run has no resourceVersion to compare.
  const isSame = dryRun
    ? jsonEqual(contentOf(found), contentOf(applied))
    : found.metadata.resourceVersion === applied.metadata.resourceVersion
  if (isSame) return 'unchanged'
  return dryRun ? 'would be changed' : 'changed'
}

const contentOf = ({ metadata, ...rest }: ApiObject): object => ({
  ...rest,
  labels: metadata.labels,
  annotations: metadata.annotations,
})

function resultOfFailure(
  place: Place,
  error: unknown,
  { signal }: Moment,
): Required<Pick<ObjectReport, 'result' | 'because'>> {
  const outcome = outcomeOfPatch(error)
  if (signal.aborted || outcome === 'bug') throw error
  const { message } = notSeenError(`${nameOf(place)} was not written`, error)
  if (outcome !== 'unknown') return { result: 'refused', because: message }
  return { result: 'unknown', because: `no answer came, and it may be done: run it again (${message})` }
}

/** In reverse. Only what is its own goes, and only as it was seen. The namespace stays: others may keep things in it. */
export async function deleteAll(
  places: readonly FoundPlace[],
  dryRun: boolean,
  moment: Moment,
): Promise<readonly ObjectReport[]> {
  const reports: ObjectReport[] = []
  for (const place of places.toReversed()) {
    const { object, found, foreign } = place
    if (found === undefined) reports.push(reportOf(place, 'absent'))
    else if (foreign !== undefined) reports.push(reportOf(place, 'left alone', foreign))
    else if (object.kind === 'Namespace')
      reports.push(reportOf(place, 'left alone', 'others may keep things in it'))
    else if (dryRun) reports.push(reportOf(place, 'would be deleted'))
    else reports.push(await deleteOne(place, found, moment))
  }
  return reports
}

async function deleteOne(place: Place, { metadata }: ApiObject, moment: Moment): Promise<ObjectReport> {
  const { resources, reference } = place
  const { uid } = metadata
  try {
    await limited(moment, (signal) =>
      resources.delete(reference, { preconditions: { uid }, propagation: 'Background' }, signal),
    )
    return reportOf(place, 'deleted')
  } catch (error) {
    if (isNotFound(error)) return reportOf(place, 'absent')
    const { result, because } = resultOfFailure(place, error, moment)
    return reportOf(place, result, because)
  }
}

function reportOf({ object }: Place, result: ObjectResult, because?: string): ObjectReport {
  const { namespace, name } = object.metadata
  return { kind: object.kind, name, namespace, result, because }
}

async function limited<T>({ world, signal }: Moment, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = deadline(world.clock, requestMs, signal)
  try {
    return await act(limit.signal)
  } finally {
    limit.dispose()
  }
}
