// Brings one part and prints where it is, for a test that wants one more than its task has.
// Usage: node tools/setup/part.mjs <part>
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findPart, partNames } from './parts.mjs'
import { SetupProblem } from './problem.mjs'
import { setUp } from './set-up.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const [name = ''] = process.argv.slice(2)

try {
  if (!partNames.includes(name))
    throw new SetupProblem(`no such part: ${name}; there are ${partNames.join(', ')}`)
  await setUp({ root, parts: [name] })
  process.stdout.write(`${findPart(root, name)}\n`)
} catch (error) {
  if (!(error instanceof SetupProblem)) throw error
  process.stderr.write(`set-up: ${error.message}\n`)
  process.exitCode = 1
}
