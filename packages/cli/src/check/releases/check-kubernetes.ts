import { type GroupResource, groupResourceText, type UpgradeVerdict } from '@strata/api'
import { loadReleaseTable, minorOf, type ReleaseTable, releaseName } from '@strata/api/kubernetes-releases'
import type { Client, Discovery } from '@strata/client'
import type { DeclaredResource } from '@strata/insight'
import {
  type ClusterHints,
  decideFromHints,
  resourceOfState,
  resourceOfStorageVersion,
} from '../decide-from-hints.ts'
import { observeClusterHints } from '../observe-cluster-hints.ts'
import type { CheckAnswer } from '../observe-upgrade.ts'
import { sayEmptiness } from '../say-emptiness.ts'
import { sayUndecodable } from '../say-undecodable.ts'
import { builtInResources, servedVersions } from './built-in-resources.ts'
import { decidePath } from './decide-path.ts'
import { decideReturn, describeSteps } from './decide-return.ts'
import type { KubernetesPath } from './kubernetes-path.ts'
import { observeEmptiness } from './observe-emptiness.ts'
import { assumptionsOf, readBornAt, unknownReleaseOf } from './release-assumptions.ts'

export interface KubernetesQuestion {
  readonly to: number
  readonly bornAt?: string | undefined
  /** What the user declares of the target goes before the table. */
  readonly declared: readonly DeclaredResource[]
}

/** Whether a Kubernetes cluster can go to another release, step by step, and come back. */
export async function checkKubernetes(
  client: Client,
  discovery: Discovery,
  { to, bornAt, declared }: KubernetesQuestion,
  nowMs: number,
  signal: AbortSignal,
): Promise<CheckAnswer> {
  const table = await loadReleaseTable()
  const born = readBornAt(table, bornAt)
  const version = await client.version(signal)
  const { gitVersion: serverVersion = 'no version' } = version
  const from = minorOf(serverVersion)
  const { hints, unseen } = await observeClusterHints(client, discovery, new Set(table.names), nowMs, signal)
  const described = {
    ...{ serverVersion, from: from === undefined ? serverVersion : releaseName(from), to: releaseName(to) },
    ...(bornAt === undefined ? {} : { bornAt }),
    ...{ repository: table.repository, assumptions: assumptionsOf(version, from) },
  }
  const unknownRelease = unknownReleaseOf(table, serverVersion) ?? unknownReleaseOf(table, releaseName(to))
  if (from === undefined || unknownRelease !== undefined) {
    const kubernetes = { ...described, steps: [], noReturns: [], leftBehind: [], unknownRelease }
    return { how: 'hints', unseen, ...decideFromHints(hints, declared), kubernetes }
  }
  const question = { from, to, bornAt: born }
  const builtIn = builtInResources(table, hints, declared, from)
  const isOpen = new Set(
    decidePath(table, builtIn, question)
      .filter(({ verdict }) => verdict !== 'Safe')
      .map(groupResourceText),
  )
  const asked = builtIn.filter(({ name }) => isOpen.has(name))
  const { empty, unseen: unlisted } = await observeEmptiness(client, hints.discovered, asked, signal)
  const resources = builtIn.map((each) => (empty.has(each.name) ? { ...each, isEmpty: true } : each))
  const verdicts = decidePath(table, resources, question)
  const others = decideFromHints(withoutBuiltIn(hints, table, resources), declared)
  const decodable = await sayUndecodable(client, hints, others.resources, signal)
  const counted = await sayEmptiness(client, hints.discovered, decodable, signal)
  const returns = decideReturn(table, resources, question)
  const kubernetes: KubernetesPath = {
    ...{ ...described, ...returns },
    steps: describeSteps(table, servedVersions(table, hints), verdicts, returns, question),
  }
  const all = [...verdicts, ...counted].sort(
    (a, b) =>
      order.indexOf(a.verdict) - order.indexOf(b.verdict) ||
      groupResourceText(a).localeCompare(groupResourceText(b)),
  )
  return {
    ...{ how: 'releases', unseen: [...unseen, ...unlisted], kubernetes, resources: all },
    verdict: all[0]?.verdict ?? 'CouldNotSee',
  }
}

/** The rest, which the table does not judge: custom resources, declared ones, and those of a distribution. */
function withoutBuiltIn(
  hints: ClusterHints,
  table: ReleaseTable,
  builtIn: ReadonlyArray<{ readonly name: string }>,
): ClusterHints {
  const names = new Set(builtIn.map(({ name }) => name))
  const isOther = (each: GroupResource): boolean => !names.has(table.storedName(groupResourceText(each)))
  return {
    ...hints,
    discovered: hints.discovered.filter(isOther),
    states: hints.states.filter((each) => isOther(resourceOfState(each))),
    storageVersions: hints.storageVersions.filter((each) => isOther(resourceOfStorageVersion(each))),
  }
}

const order: readonly UpgradeVerdict[] = ['Unsafe', 'CouldNotSee', 'Safe']
