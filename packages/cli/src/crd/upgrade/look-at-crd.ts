import { join } from 'node:path'
import {
  type ApiObject,
  type CustomResourceDefinition,
  storageVersionNameOf,
  storedVersionsDoubt,
  versionsOf,
} from '@strata/api'
import { deadline } from '@strata/world'
import { notSeenError } from '../../migration/resources/cluster.ts'
import { waitingText } from '../../migration/run/read-with-retries.ts'
import type { CrdDocument } from '../documents/index.ts'
import { versionNames } from '../plan/as-applied.ts'
import type { CrdPlan } from '../plan/crd-plan.ts'
import { decideCrdPlan, storedVersionsOf } from '../plan/decide-crd-plan.ts'
import { type CompareOptions, compareStored } from './compare-stored.ts'
import { ComparedObjects } from './compared-objects.ts'
import { type CountedObjects, countedByPage } from './counted-objects.ts'
import type { CrdLook } from './crd-look.ts'
import { KeptDefinitions } from './kept-definition.ts'
import { LossGroups } from './loss-groups.ts'
import { lossText } from './loss-text.ts'
import { OldOwners } from './old-owners.ts'
import { SavedObjects } from './saved-objects.ts'
import { stagesOf, versionsToCompare } from './stages.ts'
import { unseenFields } from './unseen-fields.ts'
import { acceptFlag, type UpgradeSession } from './upgrade-options.ts'
import { UpgradeStop } from './upgrade-stop.ts'
import { decideWayBack, type WayBack } from './way-back.ts'
import { decideWriter } from './write/decide-writer.ts'
import { readCrd } from './write/send-crd.ts'
import { managingTools } from './write/tool-marks.ts'

type Definition = CustomResourceDefinition

const lookMs = 60_000
const pageSize = 500

/** Reads one CRD and its objects, and decides what to do. Writes nothing. */
export async function lookAtCrd(session: UpgradeSession, document: CrdDocument): Promise<CrdLook> {
  const { cluster, context, options } = session
  const { name } = document
  const channel = { cluster, context, forceConflicts: options.forceConflicts }
  const live = await readCrd(channel, name)
  const kept = new KeptDefinitions(session.directory, context.world.random)
  const way: WayBack = options.back
    ? decideWayBack(live, { kept: kept.read(name), createdUid: kept.createdUid(name) })
    : { kind: 'return', original: document.crd }
  const wanted = way.kind === 'return' ? way.original : (live ?? document.crd)
  const base = {
    ...{
      document: { ...document, crd: wanted },
      name,
      file: options.back ? ('old' as const) : ('new' as const),
      atMs: context.world.clock.monotonicMs(),
      live,
      accept: options.accept,
      losses: [],
      warnings: doubtsOf(live),
    },
    original: live && kept.originalOf(live),
    writer: decideWriter(live),
    managedBy: live === undefined ? [] : managingTools(live),
    ...{ objects: undefined, savedObjects: undefined, stop: undefined },
  }
  if (way.kind === 'skip') {
    const plan = { ...decideCrdPlan({ live: wanted, wanted }), stored: [] }
    return { ...base, plan, objects: undefined, skip: way.because }
  }
  if (live === undefined) return { ...base, plan: decideCrdPlan({ live, wanted }), objects: 0 }
  const counted = await countObjects(session, live)
  const objects = counted?.count
  const old = options.back ? wanted : base.original
  const plan = decideCrdPlan({ live, wanted, objects: counted?.any === false ? 'none' : 'some', old })
  const stop =
    stopOfPlan(plan) ??
    (options.back
      ? stopOfReturn(live, wanted, kept.pathOf(name), options)
      : stopOfUnchecked(live, plan, kept))
  if (stop !== undefined || plan.kind === 'none' || objects === 0) return { ...base, plan, objects, stop }
  const compared = await compareAll(session, live, wanted, plan, name)
  return { ...base, plan, ...compared, warnings: [...base.warnings, ...compared.warnings] }
}

function doubtsOf(live: Definition | undefined): readonly string[] {
  const doubt = live && storedVersionsDoubt(live)
  return doubt === undefined ? [] : [`${doubt}: objects may be stored in every version of the live CRD`]
}

/** Undefined if the objects cannot be read. */
export async function countObjects(
  session: UpgradeSession,
  live: Definition,
): Promise<CountedObjects | undefined> {
  const served = versionsOf(live).find((each) => each.served)
  if (served === undefined) return undefined
  const { group, names } = live.spec
  const address = { group, versionName: served.name, resource: names.plural }
  const { context, cluster } = session
  const limit = deadline(context.world.clock, lookMs, context.signal)
  try {
    return countedByPage(await cluster.client.metadata(address).listPage({ limit: 1 }, limit.signal))
  } catch (error) {
    if (context.signal.aborted) throw error
    // A webhook that does not answer is reported by the comparison, which reads the storage version.
    return undefined
  } finally {
    limit.dispose()
  }
}

function stopOfPlan({ kind, missing }: CrdPlan): UpgradeStop | undefined {
  if (kind !== 'impossible') return undefined
  const [because = '', ...remedies] = missing
  return new UpgradeStop('impossible', 'incomplete', because, remedies.join('; ') || undefined)
}

/** An earlier run ended between its last write and the comparison: nothing is left to do, and no one would name a loss. */
function stopOfUnchecked(live: Definition, plan: CrdPlan, kept: KeptDefinitions): UpgradeStop | undefined {
  const isAllMoved = storedVersionsOf(live).every((each) => each === storageVersionNameOf(live))
  if (plan.kind !== 'none' || isAllMoved || !kept.isUnchecked(live)) return undefined
  const because =
    'the new file is applied, and the run that applied it ended before it had compared what the conversion webhook keeps of the stored objects'
  const next = '--back moves the storage version back; then run the same command without it'
  return new UpgradeStop('stopped', 'incomplete', because, next)
}

/** A dropped version may return in a new upgrade; it is no way back, because its objects were rewritten. */
function stopOfReturn(
  live: Definition,
  original: Definition,
  path: string,
  { accept }: UpgradeSession['options'],
): UpgradeStop | undefined {
  const names = versionNames(live)
  const dropped = versionNames(original).filter((each) => !names.includes(each))
  if (dropped.length === 0) return undefined
  const because = `the new file is applied already, and dropped ${dropped.join(', ')}`
  const next = `strata crd upgrade ${path}${acceptFlag(accept)} brings the old CRD as a new one`
  return new UpgradeStop('impossible', 'incomplete', because, next)
}

type Compared = Pick<
  CrdLook,
  'objects' | 'losses' | 'savedObjects' | 'warnings' | 'stop' | 'oldOwners' | 'compared'
>

async function compareAll(
  session: UpgradeSession,
  live: Definition,
  wanted: Definition,
  plan: CrdPlan,
  name: string,
): Promise<Compared> {
  const { acceptLoss } = session.options
  const groups = new LossGroups(name, acceptLoss)
  const saved = savedObjectsOf(session, name)
  const versions = versionsToCompare(live, plan)
  const stages = stagesOf(live, wanted, plan.steps)
  const owners = versions.map(() => new OldOwners(wanted))
  const compared = new ComparedObjects()
  let objects: number | undefined
  try {
    for (const [index, versionName] of versions.entries()) {
      const see = (each: ApiObject): void => {
        owners[index]?.see(each)
        compared.see(versionName, each)
      }
      const count = await compareIn(session, live, stages, versionName, groups, saved, see)
      objects = Math.max(objects ?? 0, count)
    }
  } catch (error) {
    if (session.context.signal.aborted) throw error
    const { message } = notSeenError(`the objects of ${name} cannot be read`, error)
    const stop = new UpgradeStop('stopped', 'notSeen', message, 'nothing was written')
    return { objects, losses: groups.all, savedObjects: saved.path, warnings: [], stop }
  } finally {
    saved.close()
  }
  const warnings =
    versions.length === 0
      ? ['no version is served: objects are compared once the bridge serves one']
      : unseenFields(live, plan)
  // Each object is read in every version with the same owners.
  const oldOwners = owners[0]?.text
  return {
    ...{ objects, losses: groups.all, savedObjects: saved.path, warnings, stop: stopOfLosses(groups) },
    compared,
    ...(oldOwners === undefined ? {} : { oldOwners }),
  }
}

/** Reads every object in one version, and collects what would be lost. Objects with a loss that was accepted are saved. */
export function compareIn(
  session: UpgradeSession,
  live: Definition,
  stages: readonly Definition[],
  versionName: string,
  groups: LossGroups,
  saved: SavedObjects,
  onObject: (object: ApiObject) => void = () => {},
): Promise<number> {
  const { cluster, context, options } = session
  const compared: CompareOptions = {
    ...{ client: cluster.client, live, stages, versionName, pageSize },
    onObject: (object, findings) => {
      for (const each of findings) groups.add(each)
      if (!options.dryRun && groups.accepts(findings)) saved.save(object)
      onObject(object)
    },
    onWait: (error) => context.progress?.(`${live.metadata.name}: waiting: ${waitingText(error)}`),
  }
  return compareStored(compared, context)
}

export function savedObjectsOf({ context, directory }: UpgradeSession, name: string): SavedObjects {
  const at = new Date(context.world.clock.wallMs()).toISOString().replaceAll(':', '-')
  return new SavedObjects(join(directory, `${name}.objects.${at}.json`))
}

export function stopOfLosses(
  groups: LossGroups,
  what = 'stored objects would lose or change fields, or be refused',
): UpgradeStop | undefined {
  if (groups.isAccepted) return undefined
  const open = groups.all.filter(({ accepted }) => !accepted)
  const lost = open.filter(({ kind }) => kind !== 'unseen')
  const unseen = open.filter(({ kind }) => kind === 'unseen')
  const because = [
    ...(lost.length === 0 ? [] : [`${what}: ${lost.map(({ path }) => path).join(', ')}`]),
    ...unseen.map(lossText),
  ].join('; ')
  const next = `if that is intended: ${open.map(({ path }) => `--accept-loss ${JSON.stringify(path)}`).join(' ')}`
  return new UpgradeStop('lossy', 'incomplete', because, next)
}
