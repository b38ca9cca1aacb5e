import { groupResourceText, type ResourceDefinition } from '@strata/api'
import {
  builtInResources,
  ConfigurationProblem,
  decideKindsProblem,
  type FeatureGates,
  findGateProblem,
  type IsServed,
  knownApis,
  parseRuntimeConfig,
} from '../configuration/index.ts'
import { type ServedApi, storageResources } from '../registry/index.ts'

export function checkGates(gates: FeatureGates): FeatureGates {
  const problem = findGateProblem(gates)
  if (problem !== undefined) throw new ConfigurationProblem(`--feature-gates: ${problem}`)
  return gates
}

export function checkAllowed(allowed: readonly string[], { codecs }: ServedApi): readonly string[] {
  const known = new Set(codecs.map(({ definition }) => groupResourceText(definition)))
  const unknown = allowed.find((each) => !known.has(each))
  if (unknown !== undefined) {
    throw new ConfigurationProblem(
      `--allow-undecodable-storage: this server has no resource ${JSON.stringify(unknown)}; name it as beacons.lighthouse.example.dev, or configmaps for the core group`,
    )
  }
  return allowed
}

/** Also those built-in kinds count that this server does not have: its aggregator has them, or another server of the fleet. */
export function checkKinds(resources: readonly ResourceDefinition[] = []): void {
  const problem = decideKindsProblem(resources, builtInResources)
  if (problem !== undefined) throw new ConfigurationProblem(problem)
}

/** Called before anything is created or opened. `strata up` calls it once for all servers. */
export function checkRuntimeConfig(text = '', resources: readonly ResourceDefinition[] = []): IsServed {
  const read = parseRuntimeConfig(text, knownApis(resources))
  if ('problem' in read) throw new ConfigurationProblem(`--runtime-config: ${read.problem}`)
  return read.isServed
}

/** The kinds of an aggregated server, whose groups also have the storage resources. */
export function checkAggregated(
  resources: readonly ResourceDefinition[] = [],
): readonly ResourceDefinition[] {
  const taken = resources.find(({ plural }) => storageResources.some((each) => each.plural === plural))
  if (taken) {
    const names = storageResources.map(({ plural }) => plural).join(', ')
    throw new ConfigurationProblem(
      `${groupResourceText(taken)}: an aggregated server serves ${names} in the groups of its kinds; give this kind another plural name`,
    )
  }
  return resources
}
