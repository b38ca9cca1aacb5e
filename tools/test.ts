// Runs everything: the static steps, then all tests, the quick ones first.
// Usage: npm test -- [--list] [part of a path]...   With a part of a path, only tests whose path contains it.
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { listenForInterruption } from './interruption.ts'
import { listFiles } from './repository.ts'
import { addTallies, formatTally, NOTHING, runTests, type Tally } from './run-tests.ts'
import { STATIC_STEPS } from './static-steps.ts'
import { runSteps } from './steps.ts'
import { selectTests, TEST_KINDS, type TestKind } from './test-files.ts'

const cores = Math.max(2, availableParallelism())
const MINUTE_MS = 60_000

/** How many files at a time, and how long one may take. */
const MANNERS: Readonly<Record<TestKind, { concurrency: number; timeoutMs: number }>> = {
  unit: { concurrency: cores, timeoutMs: MINUTE_MS },
  joint: { concurrency: cores, timeoutMs: 4 * MINUTE_MS },
  // They mostly wait for other processes; more of them at once and those would wait for each other.
  slow: { concurrency: 2, timeoutMs: 4 * MINUTE_MS },
  e2e: { concurrency: 2, timeoutMs: 8 * MINUTE_MS },
  alone: { concurrency: 1, timeoutMs: 8 * MINUTE_MS },
}
const patience = Number(process.env.STRATA_TEST_SCALE ?? 1) > 1 ? 8 : 1

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: 'boolean', default: false } },
})
const selected = selectTests(listFiles(), positionals)
const count = [...selected.values()].flat().length

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
  for (const kind of TEST_KINDS) {
    const files = selected.get(kind) ?? []
    const { concurrency, timeoutMs } = MANNERS[kind]
    total = addTallies(
      total,
      await runTests({ files, concurrency, timeoutMs: timeoutMs * patience, signal, print }),
    )
  }
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
