import { groupResourceText } from '@strata/api'
import { counted } from '@strata/insight'
import { wayBack } from '../migration/evidence/lost-version.ts'
import { type NamedBy, type ResourceFacts, storageSources } from './resource-facts.ts'

export type BlockerKind =
  | 'storage version'
  | 'storedVersions'
  | 'stored objects'
  | 'only served version'
  | 'conversion'
  | 'managedFields'
  | 'Helm releases'
  | 'last-applied'
  | 'webhooks'

/** A reason not to remove a version. */
export interface Blocker {
  readonly kind: BlockerKind
  /** `refused`: the server refuses the removal, or objects are lost. `breaks`: what clients do next fails. */
  readonly effect: 'refused' | 'breaks'
  readonly text: string
  readonly next: string
}

/** Names in a text are the first ones; the number is that of all. */
const namesShown = 3

/** Everything that was seen and blocks the removal of a version. What was not seen is not among them. */
export function decideBlockers(version: string, facts: ResourceFacts): readonly Blocker[] {
  return [
    ...storageBlockers(version, facts),
    ...servedBlockers(version, facts),
    ...objectBlockers(version, facts),
    ...outsideBlockers(version, facts),
  ]
}

function storageBlockers(version: string, facts: ResourceFacts): Blocker[] {
  const { storage, definition, stored, conversion = [] } = facts
  const name = groupResourceText(facts)
  const migrate = `strata migrate ${name}`
  const blockers: Blocker[] = []
  if (storage?.version === version) {
    blockers.push({
      ...{
        kind: 'storage version',
        effect: 'refused',
        text: `objects are written in ${version} (${storage.source})`,
      },
      next: definition
        ? `set "storage: true" of another version in the CRD, then ${migrate}`
        : 'start servers that write another version',
    })
  }
  if (definition?.storedVersions.includes(version) && storage?.version !== version) {
    const text = `status.storedVersions of the CRD lists ${version}`
    blockers.push({
      kind: 'storedVersions',
      effect: 'refused',
      text,
      next: pruneText(facts),
    })
  }
  const counts = stored.kind === 'counted' ? stored.versions.filter((each) => each.version === version) : []
  const count = counts.reduce((sum, each) => sum + each.count, 0)
  if (count > 0) {
    const text = `${counted(count, 'object')} ${count === 1 ? 'is' : 'are'} stored in ${version}${examples(
      counts.flatMap((each) => each.objects),
      count,
    )}`
    const isLost = definition?.versions.every((each) => each.name !== version) ?? false
    const next = isLost ? wayBack(`${facts.group}/${version}`, facts) : migrate
    blockers.push({ kind: 'stored objects', effect: 'refused', text, next })
  }
  const failing = conversion.find((each) => each.result === 'fails')
  if (failing) {
    const text = `objects cannot be converted to ${failing.version}: ${failing.because}`
    blockers.push({
      kind: 'conversion',
      effect: 'refused',
      text,
      next: 'repair the conversion webhook: without it nothing can be migrated',
    })
  }
  return blockers
}

/** A migration that is done is not asked for again. Only agreement records can prove it: elsewhere `prune` needs --accept. */
function pruneText({ evidence, storage, ...resource }: ResourceFacts): string {
  const name = groupResourceText(resource)
  const isDone = evidence?.verdict === 'proven' || evidence?.verdict === 'observed clean'
  const isProof = isDone ? evidence.verdict === 'proven' : storage?.source === storageSources.record
  const prune = `strata prune ${name}${isProof ? '' : ' --accept observed-clean'}`
  return isDone ? prune : `strata migrate ${name}, then ${prune}`
}

/** Only entries of a dead version can be removed. Built-in kinds have no such command. */
function cleanText(
  version: string,
  { kind, definition, ...resource }: Omit<ResourceFacts, 'objects'>,
): string {
  const write = `let these managers write ${kind} in another version`
  if (!definition) return write
  const clean = `strata clean-managed-fields ${groupResourceText(resource)}`
  return `${write}. Old entries stay: as soon as ${version} is neither served nor in status.storedVersions, remove them with ${clean}. While one is left and ${version} is gone, each server-side apply of its object fails`
}

function servedBlockers(version: string, { served }: ResourceFacts): Blocker[] {
  const isOnly = served.length > 0 && served.every((each) => each.version === version)
  if (!isOnly) return []
  const text = `${version} is the only version that is served`
  return [{ kind: 'only served version', effect: 'refused', text, next: 'serve another version first' }]
}

function objectBlockers(version: string, { objects, ...facts }: ResourceFacts): Blocker[] {
  if (!objects) return []
  const managers = objects.managers.filter((each) => each.version === version)
  const applied = objects.lastApplied.filter((each) => each.version === version)
  const blockers: Blocker[] = []
  if (managers.length > 0) {
    const names = managers.map(({ manager, count }) => `${manager} in ${counted(count, 'object')}`)
    blockers.push({
      ...{ kind: 'managedFields', effect: 'breaks' },
      text: `managedFields name ${version}: ${shown(names)}`,
      next: cleanText(version, facts),
    })
  }
  for (const { count, objects: names } of applied) {
    blockers.push({
      ...{ kind: 'last-applied', effect: 'breaks' },
      text: `${counted(count, 'object')} ${count === 1 ? 'was' : 'were'} last applied in ${version}${examples(names, count)}`,
      next: 'change the apiVersion in these manifests and apply them again',
    })
  }
  return blockers
}

function outsideBlockers(version: string, { helmReleases, webhooks }: ResourceFacts): Blocker[] {
  const named = (all: readonly NamedBy[]): string[] => [
    ...new Set(all.filter((each) => each.version === version && !each.isPast).map(({ name }) => name)),
  ]
  const [releases, hooks] = [named(helmReleases), named(webhooks)]
  const blockers: Blocker[] = []
  if (releases.length > 0) {
    blockers.push({
      ...{ kind: 'Helm releases', effect: 'breaks' },
      text: `${counted(releases.length, 'Helm release')} ${releases.length === 1 ? 'has' : 'have'} manifests in ${version}: ${shown(releases)}`,
      next: 'upgrade these releases to charts with another version while this one is still served',
    })
  }
  if (hooks.length > 0) {
    blockers.push({
      ...{ kind: 'webhooks', effect: 'breaks' },
      text: `admission rules name ${version} and no other version: ${shown(hooks)}`,
      next: 'add the other versions to these rules: without the named one they are called for nothing',
    })
  }
  return blockers
}

export function shown(names: readonly string[]): string {
  const more = names.length - namesShown
  return `${names.slice(0, namesShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function examples(names: readonly string[], count: number): string {
  if (names.length === 0) return ''
  const few = names.slice(0, namesShown)
  return ` (${few.join(', ')}${count > few.length ? ', …' : ''})`
}
