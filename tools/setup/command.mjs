import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { SetupProblem } from './problem.mjs'

/** Says what takes a while, on stderr, so that a task's own output stays clean. */
export const progress = (line) => process.stderr.write(`set-up: ${line}\n`)

/** Runs a command silently; its output is shown only when it fails. */
export function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    execFile(program, args, { maxBuffer: 64 << 20, ...options }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout)
      const output = `${stdout}${stderr}`.trimEnd()
      reject(new SetupProblem(`${[program, ...args].join(' ')} failed:\n${output || error.message}`))
    })
  })
}

/** What a command prints, or undefined if it cannot be run. */
export function tryRun(program, args) {
  const { status, stdout } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return status === 0 ? stdout : undefined
}

/** Where `program` is on the PATH, or undefined. */
export const which = (program) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, program))
    .find((path) => existsSync(path))
