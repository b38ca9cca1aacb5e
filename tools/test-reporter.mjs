// Runs inside a test file's process and writes one line of JSON per outcome, for run-tests.ts to read.
// JavaScript, so that a project's loader settings can never keep it from loading.
import { inspect } from 'node:util'

// A suite fails because something in it failed; that something is reported by itself.
const isOwnFailure = ({ details }) => details.error?.failureType !== 'subtestsFailed'

function describe({ name, file, line, details }) {
  const cause = details.error?.cause ?? details.error
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause)
  return { name, file, line, text }
}

export default async function* report(events) {
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.todo === undefined && isOwnFailure(data)) {
      yield `${JSON.stringify({ failure: describe(data) })}\n`
    } else if (type === 'test:summary') {
      const { passed, failed, cancelled, skipped, todo } = data.counts
      const tally = { passed, failed: failed + cancelled, skipped: skipped + todo }
      yield `${JSON.stringify({ tally })}\n`
    }
  }
}
