import { createNodeLog, createNodeWorld, nodeClock } from '@strata/world/node'
import { CliError } from './errors.ts'
import { createProgram } from './program.ts'

// Where the outside enters: arguments, environment, signals, the real clock.
const log = createNodeLog({ level: process.env['STRATA_LOG_LEVEL'] === 'debug' ? 'debug' : 'info' })
const stop = new AbortController()
/** One Ctrl-C may reach us twice, from the terminal and from npm; a second one that is meant comes later. */
const sameKeystrokeMs = 500
let firstSignalMs: number | undefined
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    const now = nodeClock.monotonicMs()
    if (firstSignalMs !== undefined && now - firstSignalMs > sameKeystrokeMs) process.exit(130)
    firstSignalMs ??= now
    stop.abort(new Error(`stopped by ${name}`))
  })
}

// `strata … | head` closes our output early; that is its right and no error.
process.stdout.on('error', (error: { code?: string }) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

const program = createProgram({
  world: createNodeWorld({ log }),
  signal: stop.signal,
  environment: process.env,
  print: (text) => process.stdout.write(`${text}\n`),
  isTerminal: process.stdout.isTTY,
  execPath: process.execPath,
  entry: process.argv[1] ?? '',
})

try {
  process.exitCode = await program.run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof CliError)) throw error
  process.stderr.write(`strata: ${error.message}\n`)
  process.exitCode = error.exitCode
}
