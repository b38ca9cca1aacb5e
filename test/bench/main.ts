import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { REQUIRED_MAJOR } from '../../packages/cli/bin/pinned-node.mjs'
import { bundleCommand } from '../../tools/bundle-command.ts'
import type { BenchContext } from './bench-context.ts'
import { benchStore } from './bench-store.ts'
import { FlagProblem, type Flags, parseFlags, usage } from './flags.ts'
import type { StoreReport } from './report.ts'
import { connections } from './workloads.ts'

try {
  const flags = parseFlags(process.argv.slice(2))
  if (flags.help) console.log(usage)
  else await bench(flags)
} catch (error) {
  if (!(error instanceof FlagProblem)) throw error
  console.error(`${error.message} (see --help)`)
  process.exitCode = 1
}

async function bench(flags: Flags): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-bench-'))
  const isTable = flags.output === 'table'
  // On a terminal one line that is written over; elsewhere nothing, for each would stay.
  const { isTTY } = process.stderr
  const clear = (): void => void (isTTY && process.stderr.write('\r\x1b[K'))
  const context: BenchContext = {
    flags,
    directory,
    bundle: join(directory, 'strata.mjs'),
    print: (line) => {
      clear()
      if (isTable) console.log(line)
    },
    progress: (text) => {
      clear()
      if (isTTY) process.stderr.write(`… ${text}`)
    },
  }
  const reports: StoreReport[] = []
  try {
    context.progress('bundling this checkout')
    await bundleCommand(context.bundle, REQUIRED_MAJOR)
    const http = flags.http === '2' ? 'HTTP/2, one connection' : 'HTTP/1.1'
    context.print(`${connections} requests at once, TLS, ${http}, objects of 1 KiB, ${flags.rounds} rounds`)
    for (const store of flags.stores) {
      context.print(`\n== ${store} ==`)
      reports.push(await benchStore(store, context))
      // Rates mean little without the load of the machine.
      context.print(`load average at the end: ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`)
    }
    clear()
    if (!isTable) console.log(JSON.stringify(reports, undefined, 2))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
