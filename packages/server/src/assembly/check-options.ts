import { groupResourceText } from '@strata/api'
import {
  ConfigurationProblem,
  type FeatureGates,
  findGateProblem,
  type IsServed,
  knownApis,
  parseRuntimeConfig,
} from '../configuration/index.ts'
import type { ServedApi } from '../registry/index.ts'
import type { ServerOptions } from './server-options.ts'

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

export function isServedBy({ runtimeConfig = '', resources = [] }: ServerOptions): IsServed {
  const read = parseRuntimeConfig(runtimeConfig, knownApis(resources))
  if ('problem' in read) throw new ConfigurationProblem(`--runtime-config: ${read.problem}`)
  return read.isServed
}
