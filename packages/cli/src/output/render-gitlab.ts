import { createHash } from 'node:crypto'
import type { Report, Result } from './report.ts'

const severities = { note: 'info', warning: 'minor', unknown: 'major', failed: 'critical' } as const

/** A Code Quality report of GitLab: a list of findings, each in a file. Results without a file are left out. */
export function renderGitlab({ command, results }: Report): string {
  return JSON.stringify(
    results.flatMap((each) => finding(command, each)),
    undefined,
    2,
  )
}

function finding(command: string, result: Result): object[] {
  const { level, rule, subject, message, fix, file, line } = result
  if (level === 'passed' || file === undefined) return []
  return [
    {
      description: `${subject}: ${message}${fix === undefined ? '' : ` Next: ${fix}`}`,
      check_name: `strata/${command}/${rule}`.replaceAll(' ', '-'),
      // GitLab compares two reports by it, so a finding that only moved keeps its own.
      fingerprint: createHash('sha256')
        .update(JSON.stringify([rule, subject, file, message]))
        .digest('hex'),
      severity: severities[level],
      location: { path: file.replace(/^\.\//, ''), lines: { begin: line ?? 1 } },
    },
  ]
}
