import { groupResourceText } from '@strata/api'
import type { Verdict } from '../migration/evidence/decide-evidence.ts'
import type { ExitWord } from '../output/exit-codes.ts'
import { type Blocker, decideBlockers, shown } from './decide-blockers.ts'
import { whyElsewhere, whyNotKnown } from './decide-stored.ts'
import type { ResourceFacts, Unseen } from './resource-facts.ts'

/** How well it is known that nothing is stored otherwise. */
export type Proof = Exclude<Verdict, 'stale' | 'disagreed'>

export interface DropAnswer {
  readonly answer: 'yes' | 'no' | 'could not see'
  readonly because: string
  /** How well a yes is founded; of what could not be seen, `unknown`. */
  readonly proof: Proof
  readonly blockers: readonly Blocker[]
  readonly unseen: readonly Unseen[]
  readonly remarks: readonly string[]
  /** How to remove it, after a yes. */
  readonly next?: string
  readonly exit: ExitWord
}

const exits: Readonly<Record<Proof, ExitWord>> = {
  proven: 'proven',
  'observed clean': 'observedClean',
  unknown: 'unknown',
}

/** Whether a version can be removed: by what was seen, and only if everything that could block was seen. */
export function decideCanDrop(version: string, facts: ResourceFacts): DropAnswer {
  const blockers = decideBlockers(version, facts)
  const { proof, because, unseen: notStored } = storedProof(version, facts)
  // That the API shows no stored versions does not matter where a migration has shown it.
  const unseen = [...notStored, ...facts.unseen.filter(({ what }) => what !== 'stored versions')]
  const base = { blockers, unseen, remarks: remarksOn(version, facts) }
  if (blockers.length > 0) {
    const kinds = [...new Set(blockers.map(({ kind }) => kind))].join(', ')
    return { ...base, answer: 'no', because: `blocked by: ${kinds}`, proof: 'unknown', exit: 'incomplete' }
  }
  if (unseen.length > 0) {
    const [first] = unseen
    const why = `nothing that was seen blocks it, but ${first?.what} could not be seen: ${first?.because}`
    return { ...base, answer: 'could not see', because: why, proof: 'unknown', exit: 'unknown' }
  }
  return { ...base, answer: 'yes', because, proof, next: nextAfterYes(version, facts), exit: exits[proof] }
}

function nextAfterYes(version: string, { definition, ...resource }: ResourceFacts): string {
  return definition
    ? `remove ${version} from spec.versions of the CRD ${groupResourceText(resource)}: strata crd upgrade FILE, or kubectl apply`
    : `start servers that no longer have ${version}; before, strata check --to RELEASE ${groupResourceText(resource)}`
}

type Counted = Extract<ResourceFacts['stored'], { kind: 'counted' }>
type StoredProof = Pick<DropAnswer, 'proof' | 'because' | 'unseen'>

/** How it is known that no object is stored in the version. Called where none is known to be. */
function storedProof(version: string, facts: ResourceFacts): StoredProof {
  const { stored, evidence } = facts
  // Strata's own census proves it under the agreement; a past migration of this tool may have observed it.
  if (evidence?.verdict === 'proven') return { proof: 'proven', because: evidence.because, unseen: [] }
  const why = whyNotSafe(facts) ?? whyNotKnown(stored)
  const age = stored.kind === 'counted' ? whyTooOld(stored) : undefined
  if (stored.kind === 'counted' && why === undefined && age === undefined) {
    const because = `none of ${stored.total} stored objects is in ${version} (${stored.source}, revision ${stored.revision}), and the servers write ${facts.storage?.version ?? 'another version'}`
    return { proof: 'observed clean', because, unseen: [] }
  }
  const isByMigration = stored.kind === 'possible' || why === undefined
  if (isByMigration && evidence?.verdict === 'observed clean')
    return { proof: 'observed clean', because: evidence.because, unseen: [] }
  const because = why ?? age ?? 'nothing shows what is stored'
  return { proof: 'unknown', because, unseen: [{ what: 'stored versions', because }] }
}

/** What the cluster says of itself counts more than bytes that were read: those may be from before. */
function whyNotSafe(facts: ResourceFacts): string | undefined {
  const { stored, evidence } = facts
  if (evidence?.verdict === 'disagreed') return `the servers do not write one version: ${evidence.because}`
  const isOtherwise = evidence?.verdict === 'stale' && stored.kind === 'counted' && stored.by === 'snapshot'
  return isOtherwise ? `the cluster shows more than the snapshot: ${evidence.because}` : whyElsewhere(facts)
}

/** Objects that were written after a snapshot are not in it. */
const whyTooOld = ({ source, revision, unseenSince }: Counted): string | undefined =>
  unseenSince === undefined
    ? undefined
    : `${source} is as old as its revision ${revision}, and ${unseenSince}: read etcd itself (--etcd-servers)`

function remarksOn(version: string, facts: ResourceFacts): string[] {
  const { stored, served, definition, helmReleases } = facts
  const isServed = served.some((each) => each.version === version)
  const past = helmReleases.filter((each) => each.isPast && each.version === version)
  const isOld = stored.kind === 'counted' && stored.by === 'snapshot' && stored.unseenSince === undefined
  return [
    ...(isOld
      ? [`${stored.source} is as old as its revision ${stored.revision}: later writes are not counted`]
      : []),
    ...(isServed && definition
      ? [
          `${version} of ${groupResourceText(facts)} is still served, and who reads it cannot be seen here: set "served: false" first, and see which clients fail`,
        ]
      : []),
    ...(past.length === 0
      ? []
      : [
          `helm rollback to these revisions will fail once ${version} is gone: ${shown([...new Set(past.map(({ name }) => name))])}`,
        ]),
  ]
}
