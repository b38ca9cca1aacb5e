import { customResourceDefinitions } from '@strata/api'
import type { DiscoveredResource } from '@strata/client'
import { deadline } from '@strata/world'
import { missingText, observeMissing, type Right } from '../../migration/records/migration-rights.ts'
import { bridgeSpec } from '../plan/bridge-definition.ts'
import type { CrdLook } from './crd-look.ts'
import type { UpgradeSession } from './upgrade-options.ts'
import { UpgradeStop } from './upgrade-stop.ts'
import { writeOfSpec } from './write/crd-write.ts'
import { writeOfDocument } from './write/document-write.ts'
import { dryRunCrd } from './write/send-crd.ts'

const lookMs = 60_000

/** Everything that can be found out before the first write, and would stop the upgrade in the middle. */
export async function preflight(session: UpgradeSession, look: CrdLook): Promise<UpgradeStop | undefined> {
  const { context } = session
  const limit = deadline(context.world.clock, lookMs, context.signal)
  try {
    return (
      (await lackOfProof(session, look, limit.signal)) ??
      (await lackOfRights(session, look, limit.signal)) ??
      (await serverRefusal(session, look))
    )
  } catch (error) {
    if (error instanceof UpgradeStop) return error
    throw error
  } finally {
    limit.dispose()
  }
}

/** Where no record fences writes, a migration proves nothing, however well it goes. */
async function lackOfProof(
  { cluster, options }: UpgradeSession,
  { live, plan }: CrdLook,
  signal: AbortSignal,
): Promise<UpgradeStop | undefined> {
  if (live === undefined || options.accept !== 'proven') return undefined
  if (!plan.steps.some((each) => each.do === 'migrate')) return undefined
  const { group, names } = live.spec
  const decision = await cluster.observe({ group, resource: names.plural }, signal)
  if (!decision.agreed || decision.target.fenced) return undefined
  const because =
    'its objects have to be migrated, and on this cluster the best result is "observed clean": a server may still store an old version, and nothing prevents it'
  return new UpgradeStop('stopped', 'incomplete', because, '--accept observed-clean, if that is enough')
}

async function lackOfRights(
  { cluster, options }: UpgradeSession,
  { live, plan, name }: CrdLook,
  signal: AbortSignal,
): Promise<UpgradeStop | undefined> {
  const { group, resource } = customResourceDefinitions
  const right = (verb: string, subresource?: string): Right => ({
    ...{ verb, group, resource, isOwn: false },
    ...(subresource === undefined ? {} : { subresource }),
  })
  const prunes = plan.steps.some((each) => each.do === 'prune')
  const rights = [
    ...['get', 'patch'].map((verb) => right(verb)),
    ...(live === undefined ? [right('create')] : []),
    ...(prunes ? [right('patch', 'status')] : []),
  ]
  const missing = await observeMissing(cluster.client, rights, signal)
  const migrates = live !== undefined && plan.steps.some((each) => each.do === 'migrate')
  const texts = [
    ...(missing.length === 0 ? [] : [missingText(missing, name, 'an administrator can grant them')]),
    ...(migrates && !options.dryRun ? [await cluster.missingRights(instancesOf(live), signal)] : []),
  ].filter((each) => each !== undefined)
  return texts.length === 0 ? undefined : new UpgradeStop('stopped', 'notSeen', texts.join('; '))
}

function instancesOf({ spec: { group, names, scope } }: NonNullable<CrdLook['live']>): DiscoveredResource {
  const verbs = ['get', 'list', 'patch']
  const { plural: resource, kind } = names
  return { group, resource, kind, versionName: '', namespaced: scope === 'Namespaced', verbs }
}

/** Asks the server for the first write, without storing it. The later ones are asked for when their turn comes. */
async function serverRefusal(session: UpgradeSession, look: CrdLook): Promise<UpgradeStop | undefined> {
  const { cluster, context, options } = session
  const channel = { cluster, context, forceConflicts: options.forceConflicts }
  const [first] = look.plan.steps.filter((each) => each.do !== 'ask')
  const { live, name, document, writer } = look
  if (first?.do === 'apply') {
    await dryRunCrd(channel, name, writeOfDocument(document, live, writer, options.back))
  } else if (first?.do === 'bridge' && live !== undefined) {
    await dryRunCrd(channel, name, writeOfSpec(live, bridgeSpec(live, document.crd, first), writer))
  }
  return undefined
}
