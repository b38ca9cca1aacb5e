import { type GroupResource, groupResourceText } from '../meta/names.ts'
import {
  decideRemedy,
  migrateCommand,
  type RemedyFacts,
  remedyCommands,
  remedyText,
} from './decide-remedy.ts'
import { unknownVersion } from './persisted.ts'

/** The versions that may be stored of one resource, or why they could not be read. */
export interface PersistedResource extends GroupResource {
  /** Versions, or hashes of versions, as long as those of the target are the same; empty if nothing is stored. */
  readonly persisted?: readonly string[]
  readonly unseen?: string
}

/** The versions that the target release can decode, or why they are unknown. */
export interface DecodableResource extends GroupResource {
  readonly decodable?: readonly string[]
  readonly unseen?: string
}

export type UpgradeVerdict = 'Safe' | 'Unsafe' | 'CouldNotSee'

export type UpgradeReason =
  /** All that may be stored can be read. */
  | 'AllDecodable'
  | 'NothingStored'
  /** Some of what may be stored cannot be read. */
  | 'NotDecodable'
  /** Something may be stored of a resource that the target does not have. */
  | 'NotInTarget'
  /** It is unknown what is stored. */
  | 'PersistedUnknown'
  /** It is unknown what the target can decode. */
  | 'TargetUnknown'

export interface ResourceVerdict extends GroupResource {
  readonly verdict: UpgradeVerdict
  readonly reason: UpgradeReason
  readonly message: string
  /** May be stored, and cannot be read. */
  readonly missing: readonly string[]
}

export interface UpgradeDecision {
  readonly verdict: UpgradeVerdict
  /** Sorted: what is unsafe first, then what could not be seen. */
  readonly resources: readonly ResourceVerdict[]
}

/** A verdict with what it was made from, as it is answered. */
export interface ExplainedVerdict extends ResourceVerdict {
  readonly persistedVersions?: readonly string[]
  readonly decodableVersions?: readonly string[]
  /** For an unsafe resource: what to do (`decideRemedy`). */
  readonly advice?: string
}

/**
 * Whether a release can decode all that may be stored: persisted versions ⊆ decodable ones, for each resource
 * (KEP "Automated storage version migration", "Implications to cluster operators"). A version that the release is known not
 * to decode makes the verdict Unsafe, whatever else is unknown. What could not be read never counts as Safe.
 */
export function decideUpgrade({
  persisted,
  target,
  isTargetComplete,
}: {
  readonly persisted: readonly PersistedResource[]
  readonly target: readonly DecodableResource[]
  /** Whether a resource that the target does not name is one that it does not have. */
  readonly isTargetComplete: boolean
}): UpgradeDecision {
  const decodable = new Map(target.map((each) => [keyOf(each), each]))
  const resources = persisted
    .map((each) => decideResource(each, decodable.get(keyOf(each)), isTargetComplete))
    .sort((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict) || (keyOf(a) < keyOf(b) ? -1 : 1))
  // Without any resource nothing is known.
  return { verdict: resources[0]?.verdict ?? 'CouldNotSee', resources }
}

const order: readonly UpgradeVerdict[] = ['Unsafe', 'CouldNotSee', 'Safe']

const keyOf = ({ group, resource }: GroupResource): string => `${group}/${resource}`

function decideResource(
  { group, resource, persisted, unseen }: PersistedResource,
  target: DecodableResource | undefined,
  isTargetComplete: boolean,
): ResourceVerdict {
  const known = (persisted ?? []).filter((each) => each !== unknownVersion)
  const isKnown = persisted !== undefined && unseen === undefined && known.length === persisted.length
  const say = (
    verdict: UpgradeVerdict,
    reason: UpgradeReason,
    message: string,
    missing: readonly string[] = [],
  ): ResourceVerdict => ({ group, resource, verdict, reason, message, missing })

  if (isKnown && known.length === 0) return say('Safe', 'NothingStored', 'nothing is stored')
  if (!target && isTargetComplete) {
    return known.length > 0
      ? say(
          'Unsafe',
          'NotInTarget',
          `the target does not have the resource; stored objects may be in ${known.join(', ')}`,
          known,
        )
      : say(
          'CouldNotSee',
          'PersistedUnknown',
          `the target does not have the resource, and ${unseenText(unseen)}`,
        )
  }
  const { decodable, unseen: targetUnseen } = target ?? {}
  if (!decodable || targetUnseen !== undefined) {
    return say(
      'CouldNotSee',
      'TargetUnknown',
      `what the target can read is not known${targetUnseen === undefined ? '' : `: ${targetUnseen}`}`,
    )
  }
  const missing = known.filter((each) => !decodable.includes(each))
  if (missing.length > 0) {
    const reads = decodable.length === 0 ? 'nothing' : `only ${decodable.join(', ')}`
    return say(
      'Unsafe',
      'NotDecodable',
      `stored objects may be in ${missing.join(', ')}; the target reads ${reads}`,
      missing,
    )
  }
  if (!isKnown) return say('CouldNotSee', 'PersistedUnknown', unseenText(unseen))
  return say('Safe', 'AllDecodable', `the target reads ${known.join(', ')}, and nothing else is stored`)
}

function unseenText(unseen: string | undefined): string {
  return `it is unknown what is stored${unseen === undefined ? '' : `: ${unseen}`}`
}

/** Further facts about a resource, for the advice. */
export type RunningFacts = Omit<RemedyFacts, 'stored' | 'decodable'>

/** The same decision, each resource with the versions that it was made from, and with what to do about it. */
export function explainUpgrade(
  { verdict, resources }: UpgradeDecision,
  {
    persisted,
    target,
    running = () => ({}),
  }: {
    readonly persisted: readonly PersistedResource[]
    readonly target: readonly DecodableResource[]
    /** What the running servers read and write; undefined if unknown. */
    readonly running?: (resource: GroupResource) => RunningFacts
  },
): { readonly verdict: UpgradeVerdict; readonly resources: readonly ExplainedVerdict[] } {
  const persistedBy = new Map(persisted.map((each) => [groupResourceText(each), each.persisted]))
  const decodableBy = new Map(target.map((each) => [groupResourceText(each), each.decodable]))
  const explained = resources.map((each): ExplainedVerdict => {
    const persistedVersions = persistedBy.get(groupResourceText(each))
    const decodableVersions = decodableBy.get(groupResourceText(each))
    const said = {
      ...each,
      ...(persistedVersions ? { persistedVersions } : {}),
      ...(decodableVersions ? { decodableVersions } : {}),
    }
    return each.verdict === 'Unsafe' ? { ...said, advice: upgradeAdvice(said, running(each)) } : said
  })
  return { verdict, resources: explained }
}

/** Also for the answer of a server that gives none: an older one. */
export function upgradeAdvice(
  { persistedVersions = [], decodableVersions = [], ...resource }: ExplainedVerdict,
  running: RunningFacts = {},
): string {
  const remedy = decideRemedy({ ...running, stored: persistedVersions, decodable: decodableVersions })
  return remedyText(remedy, migrateCommand(groupResourceText(resource)))
}

/** The commands of that advice. What runs decides when to run them, not which they are. */
export function upgradeCommands({
  persistedVersions = [],
  decodableVersions = [],
  ...resource
}: ExplainedVerdict): readonly string[] {
  const remedy = decideRemedy({ stored: persistedVersions, decodable: decodableVersions })
  return remedyCommands(remedy, groupResourceText(resource))
}
