// What to run before every commit: format, lint, types, unit tests, tidy. Meant to stay well under a minute.
import { divideIntoBatches } from './batches.ts'
import { listenForInterruption } from './interruption.ts'
import { listFiles } from './repository.ts'
import { runTests } from './run-tests.ts'
import { STATIC_STEPS } from './static-steps.ts'
import { runSteps, type Step } from './steps.ts'
import { formatTally } from './tally.ts'
import { selectTests } from './test-files.ts'

const CORES = 2
const UNIT_TIMEOUT_MS = 240_000

const unitTests: Step = {
  name: 'unit tests and tidy',
  async run(signal) {
    const batches = divideIntoBatches('unit', selectTests(listFiles()).get('unit') ?? [])
    let output = ''
    const print = (text: string): void => {
      if (!text.startsWith('ok')) output += text
    }
    const tally = await runTests({ batches, concurrency: CORES, timeoutMs: UNIT_TIMEOUT_MS, signal, print })
    return { isGood: tally.failed === 0 && tally.passed > 0, output: `${output}${formatTally(tally)}` }
  },
}

const signal = listenForInterruption()
const print = (text: string): void => void process.stdout.write(text)
const failed = await runSteps([...STATIC_STEPS, unitTests], { concurrency: CORES, signal, print })
process.exitCode ??= failed > 0 ? 1 : 0
