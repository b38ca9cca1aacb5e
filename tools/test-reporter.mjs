// Runs inside a test file's process and writes one line of JSON per outcome, for test-report.ts to read.
// JavaScript, so that a project's loader settings can never keep it from loading.
import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'

// A suite fails because something in it failed; that something is reported by itself.
const isOwnFailure = ({ details }) => details.error?.failureType !== 'subtestsFailed'

function describe({ name, file, line, details }) {
  const cause = details.error?.cause ?? details.error
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause)
  return { name, file, line, text }
}

const TICK_MS = 10
/** As `man proc` counts them from the state on, which is the third: utime, stime, cutime, cstime. */
const [FIRST_TIME, BEHIND_TIMES] = [14 - 3, 18 - 3]

/** Processor time of this process and, where the system tells, of all that it started and saw end. */
function measureCpu() {
  try {
    // The name of the program stands before the state, in brackets; it may contain blanks, and brackets.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ')
    return fields.slice(FIRST_TIME, BEHIND_TIMES).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
}

export default async function* report(events) {
  // Of the outermost suite that is not over yet; outcomes come suite by suite.
  let tally = { passed: 0, failed: 0, skipped: 0 }
  let cpuBefore = 0
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.todo === undefined && isOwnFailure(data)) {
      yield `${JSON.stringify({ failure: describe(data) })}\n`
    } else if (type === 'test:summary') {
      const { passed, failed, cancelled, skipped, todo } = data.counts
      const tally = { passed, failed: failed + cancelled, skipped: skipped + todo }
      yield `${JSON.stringify({ tally, cpuMs: measureCpu() })}\n`
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue
    if (data.details.type !== 'suite') tally[outcomeOf(type, data)] += 1
    else if (data.nesting === 0) {
      const cpu = measureCpu()
      const { name, details } = data
      yield `${JSON.stringify({ suite: { name, tally, wallMs: details.duration_ms, cpuMs: cpu - cpuBefore } })}\n`
      tally = { passed: 0, failed: 0, skipped: 0 }
      cpuBefore = cpu
    }
  }
}

const outcomeOf = (type, { skip, todo }) =>
  skip !== undefined || todo !== undefined ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed'
