import { constants } from 'node:fs'
import { access, mkdir, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { ConfigurationProblem, errorCode } from './configuration-problem.ts'

/**
 * Creates a directory and its parents, or throws an error that names the flag to change. It goes one step at a time: below
 * /proc a step fails as if its parent were missing, and Node's recursive form then loops for ever.
 */
export async function makeDirectory(path: string, flag: string): Promise<void> {
  const wanted = resolve(path)
  const existing = await nearestExisting(wanted, flag)
  const refuse = (why: string): ConfigurationProblem =>
    new ConfigurationProblem(`${flag} ${path}: ${why}; choose another directory`)
  if (!(await stat(existing)).isDirectory()) throw refuse(`${existing} is not a directory`)
  // Both are needed: to enter the directory, and to create files in it.
  await access(existing, constants.W_OK | constants.X_OK).catch(() => {
    throw refuse(`${existing} is not writable`)
  })
  let current = existing
  for (const step of relative(existing, wanted).split(sep).filter(Boolean)) {
    current = join(current, step)
    await mkdir(current, { mode: 0o700 }).catch((error: unknown) => {
      // Another server of the fleet may have created it first.
      if (errorCode(error) === 'EEXIST') return
      throw refuse(`${current} cannot be created (${errorCode(error) ?? String(error)})`)
    })
  }
}

async function nearestExisting(path: string, flag: string): Promise<string> {
  for (let current = path; ; current = dirname(current)) {
    try {
      await stat(current)
      return current
    } catch (error) {
      const code = errorCode(error)
      // ENOTDIR: a parent is a file, which is found on the way up.
      if (code !== 'ENOENT' && code !== 'ENOTDIR') {
        throw new ConfigurationProblem(`${flag} ${path}: cannot be accessed (${code ?? String(error)})`)
      }
    }
  }
}
