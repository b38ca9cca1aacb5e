import type { BenchContext } from '../bench-context.ts'
import { type Home, serveBuild } from '../contestants/served-build.ts'
import { resultLines } from '../report.ts'
import { type Result, type Runner, race } from '../rounds.ts'
import { createMigratedKind, type MigratedKind } from './migrated-kind.ts'

/** Through the API every object is a request or two: fewer of them tell as much. */
const fewer = 10
/** The design goals, for both stores. */
const aimPerSecond = 10_000

/** Migrations of custom resources without a conversion: through the API and next to the data, side by side. */
export async function benchMigrate(
  context: BenchContext,
  makeHome: (name: string) => Promise<Home>,
): Promise<readonly Result[]> {
  const { flags, print, progress } = context
  if (flags.agreement || !(flags.only?.includes('migrate') ?? true)) return []
  const server = await serveBuild(context.bundle, await makeHome('strata migrate'))
  const kinds: MigratedKind[] = []
  try {
    const few = Math.ceil(flags.objects / fewer)
    progress(`makes ${flags.objects + few} custom resources`)
    const [slow, fast] = [
      await createMigratedKind(server.target, 'throughs', few),
      await createMigratedKind(server.target, 'nexts', flags.objects),
    ]
    kinds.push(slow, fast)
    const processorMs = (): number => server.processorMs()
    const runner = (name: string, kind: MigratedKind, nextToData: boolean): Runner => ({
      ...{ name, processorMs, yields: kind.objects, prepare: () => kind.outdate() },
      work: () => kind.migrate(nextToData),
    })
    const title = `migrate custom resources of 1 KiB, without conversion, ${few} through the API, ${flags.objects} next to the data`
    progress(title)
    const workload = { name: 'migrate', title, count: 1, atOnce: 1, yields: flags.objects }
    const runners = [runner('through the API', slow, false), runner('next to the data', fast, true)]
    const result = await race(workload, runners, flags.rounds)
    for (const line of resultLines(result)) print(line)
    print(
      `  the aim next to the data: ${aimPerSecond.toLocaleString('en')} /s, from the first census to the last`,
    )
    return [result]
  } finally {
    for (const kind of kinds) kind.close()
    await server.stop()
  }
}
