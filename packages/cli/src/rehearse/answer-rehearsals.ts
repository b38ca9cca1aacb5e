import { badRequest, methodNotAllowed, notFoundPath } from '@strata/api'
import { utf8 } from '@strata/world'
import type { RehearsalHandler } from '../dashboard/gateway/answer-request.ts'
import { answerJson } from '../dashboard/gateway/answers.ts'
import type { GatewayRequest } from '../dashboard/gateway/gateway-request.ts'
import { CliError } from '../output/errors.ts'
import { findFileProblems } from './find-file-problems.ts'

const rehearsalsPath = '/rehearsals'

/** Big operators have CRDs of megabytes. */
const longestBody = 8 * 1024 * 1024

/**
 * Plays rehearsals for the dashboard. GET lists the examples, with their paths. POST takes a path, as YAML or JSON, and
 * answers with its result. The caller has authenticated the request.
 *
 * A page may not name files: it could have modules of this machine loaded.
 */
export function createRehearsals(): RehearsalHandler {
  // Each takes the whole processor.
  let playing: Promise<unknown> = Promise.resolve()
  return async (request) => {
    const [path = ''] = request.target.split('?', 1)
    if (path !== rehearsalsPath) throw notFoundPath(path)
    if (request.method === 'GET') return answerJson(200, { rehearsals: await readExamples() })
    if (request.method !== 'POST') throw methodNotAllowed(`${request.method} ${path}`)
    const asked = await readAsked(request)
    const played = playing.then(() => play(asked, request.signal))
    playing = played.catch(() => {})
    try {
      return answerJson(200, await played)
    } catch (error) {
      // The page has gone, and gets no answer.
      if (request.signal.aborted) return answerJson(503, {})
      throw error
    }
  }
}

async function readExamples(): Promise<readonly object[]> {
  const { default: examples } = await import('./examples.json', { with: { type: 'json' } })
  return examples
}

async function readAsked({ readBody }: GatewayRequest) {
  const { problemText, readForm } = await import('./read-form.ts')
  const { loadForm } = await import('./load-path.ts')
  const text = utf8.decode(await readBody(longestBody))
  try {
    const read = readForm(text, 'rehearsal')
    const problems = findFileProblems(read.form)
    if (problems.length > 0) throw badRequest(problemText('rehearsal', problems, read.lineOf))
    return await loadForm(read, 'rehearsal')
  } catch (error) {
    throw error instanceof CliError ? badRequest(error.message) : error
  }
}

async function play({ path }: Awaited<ReturnType<typeof readAsked>>, signal: AbortSignal) {
  signal.throwIfAborted()
  const { playPath } = await import('@strata/rehearsal')
  return playPath(path, { signal })
}
