import { inspect } from 'node:util'
import { createNodeLog, createNodeWorld, nodeClock } from '@strata/world/node'
import { CliError } from './output/errors.ts'
import { createProgram } from './program.ts'

// Where the outside enters: arguments, environment, signals, the real clock.
const isDebugging = process.env['STRATA_LOG_LEVEL'] === 'debug'
const log = createNodeLog({ level: isDebugging ? 'debug' : 'info' })
const stop = new AbortController()
/** One Ctrl-C may reach us twice, from the terminal and from npm; a second one that is meant comes later. */
const sameKeystrokeMs = 500
let firstSignalMs: number | undefined
// SIGHUP as well: whoever closes the terminal wants the servers to take back their entries too.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    const now = nodeClock.monotonicMs()
    if (firstSignalMs !== undefined && now - firstSignalMs > sameKeystrokeMs) process.exit(130)
    firstSignalMs ??= now
    stop.abort(new Error(`stopped by ${name}`))
  })
}

// Whoever runs us in its place, an older Node, a fleet or npm (npm-parent.mjs), was ended so that it could not say so.
// Otherwise `kill -9` of the process that people see leaves another one at work, which migrates on or keeps the ports.
process.on('disconnect', () => stop.abort(new Error('the process that started this one is gone')))
process.channel?.unref()

// `strata … | head` closes our output early, and so does a terminal that is closed; that is no error, but nobody
// looks any more. We stop and do not exit: a fleet has processes to end.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: { code?: string }) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    stop.abort(new Error('the output was closed'))
  })
}

const program = createProgram({
  world: createNodeWorld({ log }),
  signal: stop.signal,
  environment: process.env,
  print: (text) => process.stdout.write(`${text}\n`),
  warn: (text) => process.stderr.write(`${text}\n`),
  isTerminal: process.stdout.isTTY,
  screen: process.stdout.isTTY
    ? {
        size: () => ({ columns: process.stdout.columns, rows: process.stdout.rows }),
        write: (text) => process.stdout.write(text),
      }
    : undefined,
  ...(process.stderr.isTTY ? { progress: (text) => process.stderr.write(`\r\x1b[K${text}`) } : {}),
  execPath: process.execPath,
  entry: process.argv[1] ?? '',
})

try {
  process.exitCode = await program.run(process.argv.slice(2))
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  // What is no mistake of the user's is a bug of ours, and whoever reports it should know how to show it.
  const hint = error instanceof CliError || isDebugging ? '' : ' (STRATA_LOG_LEVEL=debug shows where)'
  if (isDebugging) process.stderr.write(`${inspect(error)}\n`)
  process.stderr.write(`strata: ${message}${hint}\n`)
  process.exitCode = error instanceof CliError ? error.exitCode : 1
}
