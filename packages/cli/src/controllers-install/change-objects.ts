import { type ApiObject, jsonEqual } from '@strata/api'
import { isConflict, isNotFound } from '@strata/client'
import { deadline } from '@strata/world'
import type { CliContext } from '../context.ts'
import { notSeenError } from '../migration/resources/cluster.ts'
import { outcomeOfPatch } from '../migration/run/patch-outcome.ts'
import { CliError } from '../output/errors.ts'
import { type Installation, type Standing, whyForeign } from './decide-objects.ts'
import type { ObjectReport, ObjectResult } from './install-report.ts'
import type { Place } from './observe-places.ts'

/** Its own, so that others see who owns the fields. */
const fieldManager = 'strata-controllers-install'
const requestMs = 60_000
/** A controller may write the status at the same time. */
const mostTries = 5

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
  for (const place of places) looked.push(await lookAt(place, installation, moment))
  return looked
}

async function lookAt(place: Place, installation: Installation, moment: Moment): Promise<FoundPlace> {
  const found = await limited(moment, async (signal) => {
    try {
      return await place.resources.get(place.reference, signal)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw notSeenError(`${nameOf(place)} cannot be read`, error)
    }
  })
  const foreign = found === undefined ? undefined : whyForeign(standingOf(found), installation)
  return { ...place, found, foreign }
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
    const isOver =
      moment.signal.aborted || reports.some(({ result }) => result === 'refused' || result === 'unknown')
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
    // Nothing was written, so there is nothing to report.
    if (dryRun && moment.signal.aborted) throw error
    return reportOfFailure(place, error, moment)
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

function reportOfFailure(place: Place, error: unknown, { signal }: Moment): ObjectReport {
  const outcome = outcomeOfPatch(error)
  // Ctrl-C throws a reason of its own, and the request may have arrived all the same.
  if (outcome === 'bug' && signal.aborted)
    return reportOf(place, 'unknown', 'it was stopped before the answer, and it may be done: run it again')
  if (outcome === 'bug') throw error
  const { message } = notSeenError(`${nameOf(place)} was not written`, error)
  if (outcome !== 'unknown') return reportOf(place, 'refused', message)
  return reportOf(place, 'unknown', `no answer came, and it may be done: run it again (${message})`)
}

/** In reverse. Only what is its own goes, and only as it was seen. The namespace stays: others may keep things in it. */
export async function deleteAll(
  places: readonly FoundPlace[],
  { dryRun, ...installation }: Installation & { readonly dryRun: boolean },
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
    else if (moment.signal.aborted) reports.push(reportOf(place, 'not done'))
    else reports.push(await deleteOne(place, installation, moment))
  }
  return reports
}

/** The user may have thought for hours. What was written since then is looked at again: Helm may have taken it over. */
async function deleteOne(
  seen: FoundPlace,
  installation: Installation,
  moment: Moment,
): Promise<ObjectReport> {
  const { resources, reference } = seen
  const first = seen.found?.metadata.uid
  let place = seen
  for (let tries = 1; ; tries++) {
    const { found, foreign } = place
    if (found === undefined) return reportOf(place, 'absent')
    if (foreign !== undefined) return reportOf(place, 'left alone', foreign)
    const { uid, resourceVersion } = found.metadata
    if (uid !== first) return reportOf(place, 'not done', 'it was created again meanwhile: run it again')
    const options = { preconditions: { uid, resourceVersion }, propagation: 'Background' } as const
    try {
      await limited(moment, (signal) => resources.delete(reference, options, signal))
      return reportOf(place, 'deleted')
    } catch (error) {
      if (isNotFound(error)) return reportOf(place, 'absent')
      if (!isConflict(error) || tries === mostTries) return reportOfFailure(place, error, moment)
    }
    try {
      place = await lookAt(place, installation, moment)
    } catch (error) {
      const { signal } = moment
      if (!signal.aborted && !(error instanceof CliError)) throw error
      const because = signal.aborted ? 'it was stopped' : (error as CliError).message
      return reportOf(place, 'not done', `others have changed it meanwhile, and ${because}`)
    }
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
