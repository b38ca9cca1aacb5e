import { join } from 'node:path'
import { root } from './repository.ts'
import type { Failure } from './test-report.ts'

export interface CompanyFailures {
  /** The files that they belong to; all of them where nobody can tell. */
  readonly of: readonly string[]
  readonly failures: readonly Failure[]
}

/**
 * Which failures of files that ran together nobody repeated who ran by itself. Each that was repeated excuses one:
 * a suite that two of the files share may fail alone in the one, and only in company in the other.
 */
export function decideCompanyFailures(
  files: readonly string[],
  together: readonly Failure[],
  alone: ReadonlyMap<string, readonly Failure[]>,
): CompanyFailures {
  const unmatched = [...alone.values()].flat()
  const isRepeated = (failure: Failure): boolean => {
    // A file that cannot be loaded has ended its own process; in company it is a suite that has failed.
    if (files.includes(failure.name)) return alone.get(failure.name)?.some(isOfProcess) ?? false
    const at = unmatched.findIndex((each) => isSame(each, failure))
    if (at !== -1) unmatched.splice(at, 1)
    return at !== -1
  }
  const failures = together.filter((failure) => !isRepeated(failure))
  const owners = files.filter((path) => failures.some((failure) => isOf(path, failure)))
  return { of: owners.length > 0 ? owners : files, failures }
}

/** As in `b only in company with a, c`. */
export function nameCompany(of: readonly string[], files: readonly string[]): string {
  const others = files.filter((path) => !of.includes(path))
  return `${of.join(', ')} only in company${others.length > 0 ? ` with ${others.join(', ')}` : ''}`
}

const isOfProcess = ({ file }: Failure): boolean => file === undefined
const isOf = (path: string, { name, file }: Failure): boolean => name === path || file === join(root, path)
const isSame = (a: Failure, b: Failure): boolean =>
  a.name === b.name && a.file === b.file && a.line === b.line
