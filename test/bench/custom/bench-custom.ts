import type { BenchContext } from '../bench-context.ts'
import { caOf } from '../contestants/other-server.ts'
import { type Home, type ServedBuild, serveBuild } from '../contestants/served-build.ts'
import { definitionsLines, resultLines } from '../report.ts'
import type { Result } from '../rounds.ts'
import { benchDefinitions, type DefinitionsReport } from './bench-definitions.ts'
import { createRace, type RaceServer } from './create-race.ts'

export interface CustomReport {
  readonly results: readonly Result[]
  readonly definitions: readonly DefinitionsReport[]
}

/** Measures custom resources. `makeHome` makes a namespace that no other client uses. */
export async function benchCustom(
  context: BenchContext,
  makeHome: (name: string) => Promise<Home>,
): Promise<CustomReport> {
  const { flags, print } = context
  const builds = [...flags.builds, { name: 'strata', bundle: context.bundle }]
  const isWanted = (name: 'custom-create' | 'definitions'): boolean =>
    !flags.agreement && (flags.only?.includes(name) ?? true)
  const results = isWanted('custom-create') ? await raceBuilds(builds, context, makeHome) : []
  const definitions: DefinitionsReport[] = []
  for (const { name, bundle } of isWanted('definitions') && flags.definitions > 0 ? builds : []) {
    const report = await benchDefinitions(name, bundle, await makeHome(`${name} definitions`), context)
    definitions.push(report)
    for (const line of definitionsLines(report)) print(line)
  }
  return { results, definitions }
}

async function raceBuilds(
  builds: readonly { readonly name: string; readonly bundle: string }[],
  context: BenchContext,
  makeHome: (name: string) => Promise<Home>,
): Promise<readonly Result[]> {
  const { against } = context.flags
  const running: ServedBuild[] = []
  const servers: RaceServer[] = []
  try {
    if (against) {
      const { url, token } = against
      servers.push({ name: 'other server', target: { url, token, ...caOf(against) }, cleansUp: true })
    }
    for (const { name, bundle } of builds) {
      const server = await serveBuild(bundle, await makeHome(`${name} custom`))
      running.push(server)
      servers.push({ name, target: server.target, processorMs: () => server.processorMs(), cleansUp: false })
    }
    return await createRace(servers, context, resultLines)
  } finally {
    for (const server of running) await server.stop()
  }
}
