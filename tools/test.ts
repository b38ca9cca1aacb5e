// Runs everything: the static steps, then all tests, the quick ones first.
// Usage: npm test -- [--list] [part of a path]...   With a part of a path, only tests whose path contains it.
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { divideIntoBatches } from './batches.ts'
import { bundleForTests } from './bundle-for-tests.ts'
import { listenForInterruption } from './interruption.ts'
import { listFiles } from './repository.ts'
import { runTests } from './run-tests.ts'
import { STATIC_STEPS } from './static-steps.ts'
import { runSteps } from './steps.ts'
import { addTallies, formatTally, NOTHING, type Tally } from './tally.ts'
import { compareTests, selectTests, type TestKind } from './test-files.ts'
import { type FileTiming, formatSlowest } from './timings.ts'

const cores = Math.max(2, availableParallelism())
const MINUTE_MS = 60_000

interface Phase {
  /** Taken together: the longest first, whatever their kind. */
  readonly kinds: readonly TestKind[]
  /** How many processes at a time. */
  readonly concurrency: number
  /** For one process. */
  readonly timeoutMs: number
}

/** In their order: what is quick to fail comes first. */
const PHASES: readonly Phase[] = [
  { kinds: ['unit'], concurrency: cores, timeoutMs: 4 * MINUTE_MS },
  { kinds: ['joint'], concurrency: cores, timeoutMs: 8 * MINUTE_MS },
  // Much of the time they wait: with two at once the machine was idle for a third of it.
  { kinds: ['slow', 'e2e'], concurrency: 3, timeoutMs: 8 * MINUTE_MS },
  { kinds: ['alone'], concurrency: 1, timeoutMs: 8 * MINUTE_MS },
]
const patience = Number(process.env.STRATA_TEST_SCALE ?? 1) > 1 ? 8 : 1

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false } },
})
const selected = selectTests(listFiles(), positionals)
const count = [...selected.values()].flat().length
const startsServers = ['slow', 'e2e', 'alone'].some((kind) => selected.get(kind as TestKind)?.length)

if (values.list) list()
else await main()
if (count === 0) {
  process.stderr.write(`no test found${positionals.length > 0 ? ` for ${positionals.join(' ')}` : ''}\n`)
  process.exitCode = 1
}

function list(): void {
  for (const [kind, files] of selected) {
    for (const file of files) process.stdout.write(`${kind.padEnd(6)} ${file}\n`)
  }
}

async function main(): Promise<void> {
  const signal = listenForInterruption()
  let total = positionals.length > 0 ? NOTHING : await runStatic(signal)
  const timings: FileTiming[] = []
  const onTiming = (timing: FileTiming): void => void timings.push(timing)
  const bundle = mkdtempSync(join(tmpdir(), 'strata-bundled-'))
  try {
    const environment = startsServers ? await bundleForTests(bundle) : {}
    for (const { kinds, concurrency, timeoutMs } of PHASES) {
      const batches = kinds
        .flatMap((kind) => divideIntoBatches(kind, selected.get(kind) ?? []))
        .sort(([a = ''], [b = '']) => compareTests(a, b))
      const manner = { concurrency, timeoutMs: timeoutMs * patience }
      const tally = await runTests({ batches, ...manner, environment, signal, print, onTiming })
      total = addTallies(total, tally)
    }
  } finally {
    rmSync(bundle, { recursive: true, force: true })
  }
  if (timings.length > 1) print(formatSlowest(timings))
  print(`${formatTally(total)}\n`)
  process.exitCode ??= total.failed > 0 ? 1 : 0
}

/** Each step counts as one test: the last line must not say that nothing failed when something did. */
async function runStatic(signal: AbortSignal): Promise<Tally> {
  const failed = await runSteps(STATIC_STEPS, { concurrency: 2, signal, print })
  return { ...NOTHING, passed: STATIC_STEPS.length - failed, failed }
}

function print(text: string): void {
  process.stdout.write(text)
}
