import { isSea } from 'node:sea'
import { inspect } from 'node:util'
import type { CliContext } from './context.ts'
import { runProgram } from './program.ts'
import { decideProgramName } from './program-name.ts'

// Read before anything is loaded: a parent may end meanwhile.
const firstParentId = process.ppid

// The only file of the command that touches arguments, environment, signals and the real clock. It imports little: what a
// command needs is loaded with it, so that the version and the help come at once.
const isDebugging = process.env['STRATA_LOG_LEVEL'] === 'debug'
/** A terminal that cannot move its cursor gets plain lines. There are no colours anywhere. */
const isDumb = process.env['TERM'] === 'dumb'
const stop = new AbortController()
/** One Ctrl-C can arrive twice, from the terminal and from npm. A second Ctrl-C comes later than this. */
const sameKeystrokeMs = 500
let firstSignalMs: number | undefined
// SIGHUP as well: when a user closes the terminal, the servers remove their entries too.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    const now = performance.now()
    if (firstSignalMs !== undefined && now - firstSignalMs > sameKeystrokeMs) process.exit(130)
    firstSignalMs ??= now
    stop.abort(new Error(`stopped by ${name}`))
  })
}

// The parent (an older Node, a fleet, or npm: npm-parent.mjs) was killed and could not send a signal. Without this,
// `kill -9` of the process that users see leaves this one running: it continues a migration, or keeps the ports.
process.on('disconnect', () => stop.abort(new Error('the process that started this one is gone')))
process.channel?.unref()

// `strata … | head`, or a closed terminal, closes the output early. That is no error. The program stops instead of
// exiting at once, because a fleet has processes to end.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: { code?: string }) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    stop.abort(new Error('the output was closed'))
  })
}

const [, calledAs = '', ...args] = process.argv

async function loadContext(): Promise<CliContext> {
  const { createNodeLog, createNodeWorld } = await import('@strata/world/node')
  return {
    world: createNodeWorld({ log: createNodeLog({ level: isDebugging ? 'debug' : 'info' }) }),
    signal: stop.signal,
    environment: process.env,
    print: (text) => process.stdout.write(`${text}\n`),
    warn: (text) => process.stderr.write(`${text}\n`),
    isTerminal: process.stdout.isTTY,
    canAsk: process.stdin.isTTY,
    screen:
      process.stdout.isTTY && !isDumb
        ? {
            size: () => ({ columns: process.stdout.columns, rows: process.stdout.rows }),
            write: (text) => process.stdout.write(text),
          }
        : undefined,
    progress: process.stderr.isTTY && !isDumb ? (text) => process.stderr.write(`\r\x1b[K${text}`) : undefined,
    ask: process.stdin.isTTY && process.stderr.isTTY ? askOnTerminal : undefined,
    parentId: () => process.ppid,
    firstParentId,
    execPath: process.execPath,
    entry: isSea() ? '' : calledAs,
  }
}

async function askOnTerminal(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // Without this, Ctrl-C at the question would be for readline alone.
  terminal.once('SIGINT', () => stop.abort(new Error('stopped by SIGINT')))
  // Ctrl-D, or a terminal that is gone: there is no answer any more, and what has begun has to be ended.
  const onClose = (): void => stop.abort(new Error('the input was closed'))
  terminal.once('close', onClose)
  try {
    return await terminal.question(question, { signal: stop.signal })
  } finally {
    terminal.off('close', onClose)
    terminal.close()
  }
}

try {
  process.exitCode = await runProgram(args, loadContext, decideProgramName(calledAs))
} catch (error) {
  const { CliError } = await import('./output/errors.ts')
  const message = error instanceof Error ? error.message : String(error)
  // Anything but a CliError is a bug: the hint tells how to get a stack trace for the report.
  const hint = error instanceof CliError || isDebugging ? '' : ' (STRATA_LOG_LEVEL=debug shows where)'
  if (isDebugging) process.stderr.write(`${inspect(error)}\n`)
  process.stderr.write(`strata: ${message}${hint}\n`)
  process.exitCode = error instanceof CliError ? error.exitCode : 1
}
