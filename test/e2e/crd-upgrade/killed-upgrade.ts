// `strata` that is killed at a line of its own: node killed-upgrade.ts TEXT ARGUMENTS… prints as the command does, and
// SIGKILLs itself before it takes the step whose text has TEXT.
import { createProgram } from '@strata/cli'
import { silentLog } from '@strata/world'
import { createNodeWorld } from '@strata/world/node'

const [, , text = '', ...args] = process.argv
process.exitCode = await createProgram({
  ...{ world: createNodeWorld({ log: silentLog }), signal: new AbortController().signal },
  ...{ environment: process.env, isTerminal: false, screen: undefined, execPath: '', entry: '' },
  print: (line) => process.stdout.write(`${line}\n`),
  warn: (line) => {
    if (line.includes(text) && !line.includes('\n')) process.kill(process.pid, 'SIGKILL')
    process.stderr.write(`${line}\n`)
  },
}).run(args)
