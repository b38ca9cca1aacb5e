import type { MemoryData } from '@strata/server/store'
import { readDefinition, type StoredDefinition } from './checkers/definitions.ts'
import { type CustomPlural, customGroup, customPlurals, definitionKey } from './keys.ts'
import { customVersions, pluralsWithStatus } from './world/definitions.ts'
import { type Json, request } from './world/request.ts'
import type { World } from './world/world.ts'

export function definitionsIn(data: MemoryData): Map<CustomPlural, StoredDefinition> {
  const { entries } = data.read(customPlurals.map(definitionKey))
  return new Map(
    customPlurals.flatMap((plural, index) => {
      const entry = entries[index]
      return entry ? [[plural, readDefinition(entry.value)] as const] : []
    }),
  )
}

/** Every CRD that is being deleted is gone, and of the CRDs that ask for the kind exactly one has it. */
export function unsettledDefinitions({ data }: Pick<World, 'data'>): string[] {
  const all = [...definitionsIn(data)]
  const problems = all.flatMap(([plural, { isTerminating, isDecided, hasNames, isEstablished }]) => {
    if (isTerminating) return [`${plural} is still being deleted`]
    if (!isDecided) return [`no server has decided about ${plural}`]
    return hasNames && !isEstablished ? [`${plural} has its names and is not established`] : []
  })
  const owners = all.filter(([, { hasNames }]) => hasNames)
  if (all.length > 0 && owners.length !== 1) problems.push(`${owners.length} of ${all.length} have the kind`)
  return problems
}

/** What servers serve otherwise than it is defined, as their discovery tells. */
export async function servedOtherwise({ data, fleet, network, simulation }: World): Promise<string[]> {
  const asker = simulation.process('asker', { host: 'desk' })
  const problems: string[] = []
  for (const versionName of customVersions) {
    const expected = [...definitionsIn(data)]
      .filter(([, { isEstablished, served }]) => isEstablished && served.includes(versionName))
      .flatMap(([plural]) => (pluralsWithStatus.includes(plural) ? [plural, `${plural}/status`] : [plural]))
    for (const { name } of fleet.alive) {
      const target = `/apis/${customGroup}/${versionName}`
      const asked = { method: 'GET', target, timeoutMs: 20_000 } as const
      const { status, body } = await request(asker, network.connect(asker, name), asked)
      const found: string[] = status === 404 ? [] : body.resources.map((each: Json) => each.name)
      if (found.sort().join() === expected.toSorted().join()) continue
      problems.push(`${name} serves ${found} in ${versionName}; defined are ${expected}`)
    }
  }
  return problems
}
