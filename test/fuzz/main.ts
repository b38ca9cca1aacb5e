import { fuzz } from './fuzz.ts'
import { type CommandOptions, parseOptions, UsageError, usage } from './options.ts'
import { replay } from './replay.ts'
import { formatFinding, formatReport } from './report.ts'
import { loadTargets } from './targets.ts'

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const progressEveryMs = 5_000

async function run(options: CommandOptions): Promise<boolean> {
  const isTable = options.output === 'table'
  let toldMs = performance.now()
  const report = await fuzz({
    ...options,
    onFinding: (finding) => isTable && print(formatFinding(options.seed, finding)),
    onProgress: (done, findings) => {
      if (performance.now() - toldMs < progressEveryMs) return
      toldMs = performance.now()
      process.stderr.write(`${done} of ${options.inputs} inputs, ${findings} findings\n`)
    },
  })
  print(isTable ? formatReport(report) : JSON.stringify(report, undefined, 2))
  return report.findings.length === 0
}

async function main(): Promise<boolean> {
  const targets = await loadTargets()
  const options = parseOptions(process.argv.slice(2), targets)
  if (options.help) {
    print(usage(targets))
    return true
  }
  return options.onlyInput === undefined && options.given.length === 0 ? run(options) : replay(options, print)
}

try {
  process.exitCode = (await main()) ? 0 : 1
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message} (see --help)\n`)
  process.exitCode = 2
}
