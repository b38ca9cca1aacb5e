import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RealSeedResult } from './run-real-seed.ts'

const linesShown = 40
const violationsShown = 6

/** The broken promise, what happened just before, and where everything that happened is written down. */
export function describeRealFailure(result: RealSeedResult): string {
  const { store, seed, violations, trace } = result
  const [first] = violations
  if (!first) return `${store} ${seed}: nothing was broken`
  const before = trace.filter((line) => Number.parseFloat(line) <= first.atMs)
  return [
    `${store} ${seed}: ${first.checker} broken at ${first.atMs.toFixed(3)} ms`,
    ...violations.slice(0, violationsShown).map(({ checker, text }) => `  ${checker}: ${text}`),
    ...(violations.length > violationsShown ? [`  and ${violations.length - violationsShown} more`] : []),
    ...before.slice(-linesShown).map((line) => `    ${line}`),
    `  everything that happened: ${keep(result)}`,
    `  the same world again, which does not happen the same way: npm run sim -- --store ${store} --seed ${seed}`,
  ].join('\n')
}

function keep({ store, seed, violations, trace, history, sent }: RealSeedResult): string {
  const file = join(tmpdir(), `strata-sim-${store}-${seed}-${process.pid}.txt`)
  const parts = [
    'violations',
    ...violations.map((each) => JSON.stringify(each)),
    'commits, as the store has them',
    ...history.commits.map(({ atMs, writer, changes }) => {
      const shown = changes.map(({ kind, key, revision }) => `${kind} ${key} at ${revision}`)
      return `${atMs.toFixed(3)} ${writer}: ${shown.join(', ')}`
    }),
    'commits, as they were sent and answered',
    ...sent.map(({ sentMs, writer, commit, told, found }) => {
      const keys = commit.writes.map(({ kind, key }) => `${kind} ${key}`)
      return `${sentMs.toFixed(3)} ${writer}: ${keys.join(', ')}: ${told?.how ?? 'unanswered'} ${told?.text ?? ''}, stored at ${found.join(' and ')}`
    }),
    'operations',
    ...history.operations.map((each) => JSON.stringify({ ...each, servedBy: [...each.servedBy] })),
    'trace',
    ...trace,
  ]
  writeFileSync(file, `${parts.join('\n')}\n`)
  return file
}
