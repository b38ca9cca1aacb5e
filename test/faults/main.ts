import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNodeRandom, nodeClock } from '@strata/world/node'
import { bundleForTests } from '../../tools/bundle-for-tests.ts'
import { listenForInterruption } from '../../tools/interruption.ts'
import { exitCodeOf, noFigures, renderFigures } from './figures.ts'
import { type FaultOptions, parseOptions, UsageError, usage } from './options.ts'
import { runStore } from './run-store.ts'
import {
  canBePrivate,
  hideNamespaceNames,
  isInside,
  isPrivate,
  runInside,
} from './stage/private-namespaces.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const newSeed = (): string => String(Math.floor(createNodeRandom().fraction() * 1e9))

async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, newSeed)
  if (options.help) {
    print(usage)
    return 0
  }
  return isInside() ? run(options) : start([...args, '--seed', options.seed], options)
}

/** Servers are started from one file, as users run them: from a thousand sources each start takes twice as long. */
async function start(args: readonly string[], { loopback }: FaultOptions): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'strata-faults-'))
  try {
    // The outer process removes the files of a killed inner process, after its mounts are gone.
    const environment = { ...(await bundleForTests(directory)), TMPDIR: directory }
    const isPrivate = !loopback && canBePrivate()
    return await runInside([import.meta.filename, ...args], { isPrivate, environment })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function run(options: FaultOptions): Promise<number> {
  const { seed, stores, minutes, only, output } = options
  const network = isPrivate() ? 'namespaces' : 'loopback'
  if (network === 'namespaces') hideNamespaceNames()
  const signal = listenForInterruption()
  const isQuiet = output === 'json'
  const onProgress = isQuiet ? (text: string) => void process.stderr.write(`${text}\n`) : print
  onProgress(
    `seed ${seed}, ${network === 'namespaces' ? 'in network namespaces' : options.loopback ? 'on the loopback' : 'on the loopback (namespaces need root)'}`,
  )
  const figures = noFigures()
  const beganMs = nodeClock.monotonicMs()
  const keepIn = join(import.meta.dirname, '../../.strata/faults')
  for (const [index, store] of stores.entries()) {
    const untilMs = beganMs + (minutes * 60_000 * (index + 1)) / stores.length
    const { from, rounds, verbose } = options
    await runStore(
      { store, network, kinds: only, seed, from, rounds, untilMs, verbose, signal, keepIn, onProgress },
      figures,
    )
    if (signal.aborted || figures.problems.length > 0) break
  }
  figures.minutes = (nodeClock.monotonicMs() - beganMs) / 60_000
  print(isQuiet ? JSON.stringify({ seed, network, ...figures }, undefined, 2) : renderFigures(figures))
  if (signal.aborted) onProgress('interrupted: the last round was not judged')
  return exitCodeOf(figures) || Number(process.exitCode ?? 0)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const isUsage = error instanceof UsageError
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(
    isUsage ? `${error.message} (see --help)\n` : `the run itself failed, nothing was judged: ${text}\n`,
  )
  process.exitCode = isUsage ? 2 : 4
}
