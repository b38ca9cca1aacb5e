import type { Checker } from './violation.ts'

/** When nothing goes wrong any more, everything is in order again within bounded time. */
export const comesToRest: Checker = {
  name: 'comes-to-rest',
  ofTheEnd: true,
  *check({ convergence, endMs }) {
    if (!convergence) yield { atMs: endMs, text: 'the run ended before its trouble did' }
    else if (convergence.problems.length > 0) {
      yield { atMs: convergence.atMs, text: convergence.problems.join('\n    ') }
    }
  },
}

/** No answer names a bug, and no error goes uncaught. */
export const noBugs: Checker = {
  name: 'no-bugs',
  *check({ bugs }) {
    yield* bugs
  },
}
