// Audits the history of a store. README.md says how; `--help` has the flags.
import { CliError } from '@strata/cli'
import { createNodeLog, createNodeWorld } from '@strata/world/node'
import { auditHistory } from './audit-command.ts'

const stop = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => stop.abort(new Error(`stopped by ${name}`)))
}
try {
  process.exitCode = await auditHistory(process.argv.slice(2), {
    world: createNodeWorld({ log: createNodeLog({ level: 'info' }) }),
    signal: stop.signal,
    print: (text) => process.stdout.write(`${text}\n`),
    progress: process.stderr.isTTY ? (text) => process.stderr.write(`\r\x1b[K${text}`) : undefined,
  })
} catch (error) {
  if (!(error instanceof CliError)) throw error
  process.stderr.write(`audit-history: ${error.message}\n`)
  process.exitCode = error.exitCode
}
